"""What is shown of a page to those who did not read it: the words around some of its links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from salticid.model import Page
from salticid.protocols import Tables

AROUND = 20
"""Words before and after a link that travel with it."""


class Excerpt(NamedTuple):
    """Words in reading order, and links with the spans of their anchors among them: those of a `Glimpse`."""

    words: tuple[str, ...]
    links: tuple[tuple[str, int, int], ...]


def excerpt(page: Page, places: Sequence[int], tables: Tables) -> Excerpt:
    """The stretches of words around the links at these places, one after another, and where the links are now."""
    starts, ends = page.links.start[places].tolist(), page.links.end[places].tolist()
    tokens: list[int] = []
    spans: list[tuple[int, int]] = []
    shift = until = 0
    for start, end in zip(starts, ends, strict=True):
        begin = max(start - AROUND, until)
        if begin > until or not tokens:
            shift = begin - len(tokens)
        until = max(until, min(end + AROUND, len(page.tokens)))
        tokens += page.tokens[len(tokens) + shift : until].tolist()
        spans.append((start - shift, end - shift))
    urls = tables.urls.spell(page.links.url[places].tolist())
    words = tuple(tables.words.spell(tokens))
    return Excerpt(words, tuple((url, *span) for url, span in zip(urls, spans, strict=True)))
