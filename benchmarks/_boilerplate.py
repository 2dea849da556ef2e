"""Generated sites of five designs, whose pages say what is their own and what stands around it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser
from tests.support.generated_site import GeneratedWeb

PAGES = 12
"""Pages of a site."""


class KnownPage(NamedTuple):
    """A page, and the text that is its own."""

    html: str
    own: str


class _Frame(NamedTuple):
    """What stands around all pages of a site, as HTML."""

    menu: str
    slogan: str
    beside: str
    turn: str
    footer: str


def sites() -> Iterator[tuple[str, list[KnownPage]]]:
    """The designs by name, each with the pages of one site."""
    pages = [body for page in GeneratedWeb(pages=400, seed=7) if (body := _body(page.html.decode()))]
    for number, (name, design) in enumerate(_DESIGNS.items()):
        some = pages[number * PAGES : (number + 1) * PAGES]
        yield name, [KnownPage(design(_frame(number, at), html), own) for at, (html, own) in enumerate(some)]


def _body(html: str) -> tuple[str, str] | None:
    """Heading, paragraphs, a list, a table and some code of a page, as HTML and as text; None if it says little."""
    tree = LexborHTMLParser(html)
    heading, paragraphs = tree.css_first("h1"), tree.css("body > p")
    words = [word for node in paragraphs[1:] for word in node.text().split() if word.isalpha()]
    if heading is None or len(words) < 50:
        return None
    items = "".join(f"<li>{' '.join(words[at : at + 6])} and so on</li>" for at in range(1, 13, 6))
    rows = "".join(f"<tr><td>{word}</td><td>{at} of them</td></tr>" for at, word in enumerate(words[1:4]))
    code = f"<pre>look({', '.join(words[2:5])})\nfor each in {words[5]}: blink({words[6]})</pre>"
    told = (node.html or "" for node in (heading, *paragraphs))
    parts = [*told, f"<ul>{items}</ul>", f"<table>{rows}</table>", code]
    body = "\n".join(parts)
    return body, LexborHTMLParser(body).body.text(separator=" ")  # type: ignore[union-attr]


def _frame(site: int, page: int) -> _Frame:
    topics = ["Animals", "Plants", "Minerals", "Weather", "Maps", "Crafts", "Letters", "Numbers"]
    menu = "".join(f"<li><a href=/{each}>{each}</a></li>" for each in [*topics[site:], "Contact", "About us"])
    return _Frame(
        f"<ul>{menu}</ul>",
        f"The {topics[site].lower()} pages of our club, gathered with care since 1987",
        "<h3>Most read this week</h3>"
        + "".join(f"<p><a href=/top{n}>Ten things nobody knew of {each}</a></p>" for n, each in enumerate(topics)),
        f"<a href=/{page - 1}>Prev</a> <a href=/>Up</a> <a href=/{page + 1}>Next</a>",
        "Copyright of the club. All rights reserved. <a href=/privacy>Privacy</a> <a href=/terms>Terms of use</a>",
    )


def _by_tags(frame: _Frame, body: str) -> str:
    return (
        f"<header><p>{frame.slogan}</p><nav>{frame.menu}</nav></header><main>{body}<nav>{frame.turn}</nav></main>"
        f"<aside>{frame.beside}</aside><footer>{frame.footer}</footer>"
    )


def _by_classes(frame: _Frame, body: str) -> str:
    return (
        f"<div class=header><div class=slogan>{frame.slogan}</div><div class=menu>{frame.menu}</div></div>"
        f"<div class=sidebar>{frame.beside}</div><div class=content>{body}</div>"
        f"<div class=pagination>{frame.turn}</div><div class=footer>{frame.footer}</div>"
    )


def _without_names(frame: _Frame, body: str) -> str:
    return (
        f"<div><div>{frame.slogan}</div><div>{frame.menu}</div></div><div><div>{body}</div><div>{frame.turn}</div></div>"
        f"<div>{frame.beside}</div><div>{frame.footer}</div>"
    )


def _in_tables(frame: _Frame, body: str) -> str:
    return (
        f"<table width=100%><tr><td colspan=2><font size=5>{frame.slogan}</font><tr><td width=20% valign=top>"
        f"{frame.menu}{frame.beside}<td>{body}<p align=center>{frame.turn}<tr><td colspan=2><hr>"
        f"<i>{frame.footer}</i></table>"
    )


def _in_one_column(frame: _Frame, body: str) -> str:
    return f"<p><b>{frame.slogan}</b><p>{frame.turn}<hr>{body}<hr><p>{frame.turn}<p>{frame.footer}"


_DESIGNS: dict[str, Callable[[_Frame, str], str]] = {
    "by tags": _by_tags,
    "by classes": _by_classes,
    "without names": _without_names,
    "in tables": _in_tables,
    "in one column": _in_one_column,
}
