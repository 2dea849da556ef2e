"""Texts of strangers within Markdown: what they say is shown, and nothing in them is read as Markdown or HTML."""

from __future__ import annotations

import re

_SIGNS = re.compile(r"[\\`*\[\]<|]|~(?=~)|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)|!(?=\[|\Z)")
_LINE_START = re.compile(r"^(\s*)(?:([#>+=:-])|(\d{1,9})(?=[.)](?:\s|$)))", re.MULTILINE)
_BACKTICKS = re.compile("`+")
_UNSAFE_IN_URL = {ord(sign): f"%{ord(sign):02X}" for sign in "()<>\\|` "}


def escaped(text: str) -> str:
    """A text within a line.

    >>> print(escaped("<b> *x* snake_case _y_ [z](u) &lt; 1 & 2"))
    \\<b> \\*x\\* snake_case \\_y\\_ \\[z\\](u) \\&lt; 1 & 2
    """
    return _SIGNS.sub(r"\\\g<0>", text)


def paragraph(line: str) -> str:
    """Lines of Markdown that begin nothing but a paragraph.

    >>> print(paragraph("# no heading"), paragraph("1. no item"), paragraph("--- no rule"))
    \\# no heading 1\\. no item \\--- no rule
    """
    return _LINE_START.sub(_no_start, line)


def _no_start(match: re.Match[str]) -> str:
    return f"{match[1]}\\{match[2]}" if match[2] else f"{match[1]}{match[3]}\\"


def code(text: str) -> str:
    """A text as code within a line, whatever backticks it has."""
    text = " ".join(text.split())
    if not text:
        return ""
    ticks = "`" * (1 + _longest(text))
    room = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{ticks}{room}{text}{room}{ticks}"


def fenced(text: str, language: str = "") -> str:
    """A text as a block of code."""
    fence = "`" * max(3, 1 + _longest(text))
    return f"{fence}{language}\n{text}\n{fence}"


def link(text: str, url: str) -> str:
    """A link; `text` is Markdown, the URL canonical.

    >>> link("eyes", "http://a.example/(x)")
    '[eyes](http://a.example/%28x%29)'
    """
    return f"[{text}]({url.translate(_UNSAFE_IN_URL)})"


def _longest(text: str) -> int:
    return max(map(len, _BACKTICKS.findall(text)), default=0)
