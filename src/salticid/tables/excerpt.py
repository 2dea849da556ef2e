"""A page as it is shown to those who did not fetch it: the words around some of its links."""

from __future__ import annotations

from collections.abc import Sequence

from salticid.model import Glimpse, Page
from salticid.protocols import Tables

AROUND = 20
"""Words before and after a link that travel with it."""


def excerpt(
    page: Page,
    places: Sequence[int],
    tables: Tables,
    *,
    origin: int,
    step: int,
    score: float,
    positive: bool,
    depth: int,
) -> Glimpse:
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
    return Glimpse(
        origin=origin,
        step=step,
        url=tables.urls[page.url],
        title=page.title,
        words=tuple(tables.words.spell(tokens)),
        links=tuple((url, *span) for url, span in zip(urls, spans, strict=True)),
        score=score,
        positive=positive,
        depth=depth,
    )
