"""Why a link was followed, as a person understands it.

A strategy says what spoke for a link by the names of its own features, which the log keeps. People see a handful of
reasons instead, each with the share that its features had together.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

LINK_WORDS = "the words of the link"
WORDS_BESIDE = "words beside the link"
LINKS_BESIDE = "the links next to it"
PAGE = "the page it is on"
PAGES_ABOVE = "the pages that led there"
POINTED_AT = "who else points at it"
ADDRESS = "its address"
SITE = "what its site gave so far"
HUNT = "how the hunt goes"
TOPIC = "how near the topic it seems"

REASONS = {
    **dict.fromkeys(("anchor", "door words"), LINK_WORDS),
    **dict.fromkeys(("near", "context"), WORDS_BESIDE),
    "beside": LINKS_BESIDE,
    **dict.fromkeys(
        ("pages", "hubs", "title", "in", "away", "early", "links beside", "parent_1", "hub"), PAGE
    ),
    **dict.fromkeys(("inherited", "parent_2", "parent_3", "parent_4", "parent_5"), PAGES_ABOVE),
    **dict.fromkeys(("links in", "from", "authority", "comm_in", "comm_out"), POINTED_AT),
    **dict.fromkeys(("address", "folder", "door folder"), ADDRESS),
    "host": SITE,
    "luck": HUNT,
    **dict.fromkeys(("nearness", "likeness"), TOPIC),
}
"""By the whole name of a feature, else by its first word that is no way of summing up."""
_SUMS = ("all", "best")
FACTS = {
    "probability": lambda x: f"the spider drew it, with a chance of {x:.0%}",
    "depth": lambda x: f"from here the way may go on for {x:.0f} more links",
}


class Reason(msgspec.Struct, frozen=True):
    """What spoke for a link, below 0 against it: its share of all that is told; None for what is no part of a sum."""

    line: str
    share: float | None


def reasons(why: Iterable[tuple[str, float]]) -> list[Reason]:
    """What a choice's `why` means, the weightiest first.

    >>> reasons([("best near topic", 3.0), ("away", -1.0), ("all near learned", 1.0)])
    [Reason(line='words beside the link', share=0.8), Reason(line='the page it is on', share=-0.2)]
    >>> reasons([("probability", 0.125)])
    [Reason(line='the spider drew it, with a chance of 12%', share=None)]
    """
    facts: list[Reason] = []
    parts: dict[str, float] = {}
    for name, x in why:
        if (fact := FACTS.get(name)) is not None:
            facts.append(Reason(fact(x), None))
        else:
            line = reason(name)
            parts[line] = parts.get(line, 0.0) + x
    whole = sum(map(abs, parts.values())) or 1.0
    by_weight = sorted(parts.items(), key=lambda part: -abs(part[1]))
    return [*facts, *(Reason(line, x / whole) for line, x in by_weight)]


def main_reason(why: Iterable[tuple[str, float]]) -> str | None:
    """What spoke most for a link, or against it, as its kind; None where nothing is told.

    >>> main_reason([("luck", 0.5), ("best near topic", -3.0)]), main_reason([("probability", 0.125)]), main_reason([])
    ('words beside the link', 'probability', None)
    """
    parts: dict[str, float] = {}
    for name, x in why:
        parts[reason(name)] = parts.get(reason(name), 0.0) + x
    return max(parts, key=lambda line: abs(parts[line]), default=None)


def reason(name: str) -> str:
    """What the name of a feature means; that of a strategy from elsewhere is left as it is, save for its underscores.

    >>> reason("all anchor topic"), reason("door words"), reason("page_rank")
    ('the words of the link', 'the words of the link', 'page rank')
    """
    words = name.split(" ")
    first = words[1] if words[0] in _SUMS and len(words) > 1 else words[0]
    return REASONS.get(name) or REASONS.get(first) or name.replace("_", " ")
