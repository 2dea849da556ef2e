"""The language of pages of more than 200 words: how often it is wrong, and how often not told.

All three collections are in English: two were edited as such, and of the third every page that was told to be in
another language, or in none, was looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from selectolax.lexbor import LexborHTMLParser

from benchmarks._collections import CollectedPage, documentation, encyclopedia, universities
from benchmarks.report import figure, say
from salticid.parse.main_text import main_text
from salticid.parse.reading import document_language, stated_language

LONG = 200
TRUE = "en"
MOST_WRONG = 1.0
"""Of a hundred."""


def run() -> None:
    """Ask for the language of the pages of each collection."""
    for name, pages in (
        ("schools-wikipedia", encyclopedia(3)),
        ("scidocs", documentation(10)),
        ("WebKB", universities(2)),
    ):
        told = _told(pages)
        many = told.total()
        if not many:
            say(f"  {name} is absent")
            continue
        wrong = sum(told[code] for code in told if code not in (TRUE, None))
        figure(f"{name}, {many:,} pages: wrong", 100 * wrong / many, "%", target=MOST_WRONG, at_most=True)
        figure(f"{name}: not told", 100 * told[None] / many, "%")


def _told(pages: Iterable[CollectedPage]) -> Counter[str | None]:
    codes: Counter[str | None] = Counter()
    for page in pages:
        text = main_text(page.html) or ""
        if len(text.split()) > LONG:
            codes[document_language(text, stated_language(LexborHTMLParser(page.html), {}))] += 1
    return codes
