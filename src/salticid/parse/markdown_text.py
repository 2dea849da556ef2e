"""A line of Markdown as it is written: words, and spans of them that are strong, code, or a link."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from selectolax.lexbor import LexborNode

from salticid.urls import canonical

# Texts of strangers within Markdown: what they say is shown, and nothing in them is read as Markdown or HTML.

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


_STRESS = {"b": "**", "strong": "**", "i": "*", "em": "*"}
_CODE = frozenset(("code", "kbd", "samp", "tt"))
SPANS = frozenset(_STRESS) | _CODE | {"a"}
"""Elements that are spans."""
MAX_SPANS = 16
"""Spans within each other; those within so many leave no sign."""
_BLANKS = re.compile(r"\s+")


@dataclass(slots=True)
class _Span:
    tag: str
    start: int
    """Where in the line it begins."""
    url: str = ""


@dataclass(slots=True)
class MarkdownLine:
    """A line, and the spans that are open at its end. Relative links are of `base`."""

    base: str
    _text: list[str] = field(default_factory=list)
    _line: list[str] = field(default_factory=list)
    _spans: list[_Span] = field(default_factory=list)

    def say(self, text: str) -> None:
        """Write words."""
        text = _BLANKS.sub(" ", text)
        if not self._text or self._text[-1][-1:] in (" ", "\n"):
            text = text.removeprefix(" ")
        if text:
            in_code = any(span.tag in _CODE for span in self._spans[:MAX_SPANS])
            self._text.append(text)
            self._line.append(text if in_code else escaped(text))

    def break_(self) -> None:
        """Begin another line that belongs to this one."""
        self._text.append("\n")
        self._line.append("\n")

    def open(self, node: LexborNode) -> None:
        """Begin a span."""
        tag, url = node.tag or "", None
        if tag == "a":
            href = (node.attributes.get("href") or "").strip()
            url = canonical(href, self.base) if href and not href.startswith("#") else None
        self._spans.append(_Span(tag, len(self._line), url or ""))

    def close(self) -> None:
        """End the last span."""
        if self._spans:
            self._mark(len(self._spans) - 1)
            self._spans.pop()

    def end(self) -> tuple[str, str]:
        """All that was written, as text and as Markdown; the next line begins, with the spans that are open still."""
        for number in reversed(range(len(self._spans[:MAX_SPANS]))):
            self._mark(number)
        for span in self._spans:
            span.start = 0
        text, line = "".join(self._text), "".join(self._line)
        self._text.clear()
        self._line.clear()
        return _trimmed(text), _trimmed(line)

    def _mark(self, number: int) -> None:
        """Put the signs of an open span around what was written since it began."""
        if number >= MAX_SPANS:
            return
        span, around = self._spans[number], self._spans[:number]
        inner = "".join(self._line[span.start :])
        words = inner.strip()
        if words:
            start = inner.index(words)
            marked = _marked(span, words, {each.tag for each in around})
            self._line[span.start :] = [inner[:start], marked, inner[start + len(words) :]]


def _marked(span: _Span, words: str, around: set[str]) -> str:
    if around & _CODE:
        return words
    if span.tag in _CODE:
        return code(words)
    if span.tag == "a":
        return link(_BLANKS.sub(" ", words), span.url) if span.url and "a" not in around else words
    sign = _STRESS[span.tag]
    is_stressed = any(_STRESS.get(tag) == sign for tag in around)
    return words if is_stressed or "\n" in words else f"{sign}{words}{sign}"


def _trimmed(text: str) -> str:
    return "\n".join(line.strip() for line in text.split("\n")).strip()
