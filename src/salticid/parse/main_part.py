"""The part of a document that it calls its main one, and what in any part is there only to get around."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode

MOST_LEFT_OUT = 500
"""Parts of a document that are left out, one by one; who has more of them means something else by their names."""
LONGEST_LEFT_OUT = 2_000
"""Characters of a part that is left out for its class alone: the name may be of all that is around it."""
SHARE_OF_ALL = 1 / 3
"""A single article is the main part if it has at least such a share of all text,"""
SHARE_OF_MAIN = 0.7
"""and within one if it has such a share of that."""

_BY_TAG = ["nav", "script", "style", "noscript", "template", "button", "dialog"]
_BY_ROLE = ", ".join(
    f"[role={role}]" for role in ("navigation", "search", "banner", "contentinfo", "dialog", "alertdialog")
)
_BY_CLASS = ", ".join(
    f"[class*={name} i]"
    for name in (
        "breadcrumb",
        "pagination",
        "prev-next",
        "prevnext",
        "navheader",
        "navfooter",
        "headerlink",
        "cookie",
    )
)
_AROUND = "aside:not([class*=footnote], [class*=citation], [role]), footer, form, [role=complementary]"
"""What is beside the text where it stands in its main part, notes apart; elsewhere the layout tells."""


def leave_out(tree: LexborHTMLParser) -> None:
    """Take out of a tree what is there to get around, by tag, by role, and by classes that have the same names
    everywhere.
    """
    tree.strip_tags(_BY_TAG, recursive=True)
    _decompose(tree.css(_BY_ROLE))
    _decompose([node for node in tree.css(_BY_CLASS)[:MOST_LEFT_OUT] if len(node.text()) <= LONGEST_LEFT_OUT])


def main_part(tree: LexborHTMLParser) -> LexborNode | None:
    """The one part that says of itself that it is the main one, without what stands beside its text; None if there is
    no such part, or several. The tree is changed by that.
    """
    found = tree.css("main, [role=main]")
    mains = [node for node in found if not _has_ancestor(node, {each.mem_id for each in found})]
    if len(mains) > 1:
        return None
    articles = (mains[0] if mains else tree).css("article")
    body = tree.body
    if mains:
        _decompose(mains[0].css(_AROUND))
        articles = mains[0].css("article")
    elif len(articles) == 1:
        _decompose(articles[0].css(_AROUND))
    whole = mains[0] if mains else body
    if whole is None:
        return None
    share = SHARE_OF_MAIN if mains else SHARE_OF_ALL
    is_article = len(articles) == 1 and len(articles[0].text()) >= share * len(whole.text())
    return articles[0] if is_article else (mains[0] if mains else None)


def _decompose(nodes: list[LexborNode]) -> None:
    """Take these out of their tree, each once: with one goes all that is in it."""
    some = nodes[:MOST_LEFT_OUT]
    known = {node.mem_id for node in some}
    for node in [node for node in some if not _has_ancestor(node, known)]:
        if node.tag not in ("html", "body", "main"):
            node.decompose()


def _has_ancestor(node: LexborNode, known: set[int]) -> bool:
    parent = node.parent
    while parent is not None:
        if parent.mem_id in known:
            return True
        parent = parent.parent
    return False
