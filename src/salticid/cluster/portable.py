"""Known pages on their way to another machine: with the texts of their ids."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from salticid.model import NO_URL, Page
from salticid.protocols import Table, Tables, UrlTable
from salticid.runs.brief import KnownPages
from salticid.tables.translation import Translation


@dataclass(frozen=True)
class Luggage:
    """The known pages of a topic, and what their ids stand for."""

    known_pages: KnownPages
    urls: dict[int, str]
    words: dict[int, str]

    def unpack(self, urls: UrlTable, words: Table) -> KnownPages:
        """The same pages under the ids of these tables."""
        into = Translation(self.urls.__getitem__, self.words.__getitem__)
        examples, negatives = (
            tuple(into.page(page, urls, words) for page in pages)
            for pages in (self.known_pages.examples, self.known_pages.negatives)
        )
        return KnownPages(examples, negatives)


def pack(known_pages: KnownPages, tables: Tables) -> Luggage:
    """Known pages, ready to travel."""
    pages = [*known_pages.examples, *known_pages.negatives]
    urls = sorted({url for page in pages for url in _urls(page)})
    words = np.unique(np.concatenate([np.zeros(0, np.int32), *(page.tokens for page in pages)])).tolist()
    return Luggage(
        known_pages,
        dict(zip(urls, tables.urls.spell(urls), strict=True)),
        dict(zip(words, tables.words.spell(words), strict=True)),
    )


def _urls(page: Page) -> list[int]:
    return [
        *(url for url in (page.url, page.canonical, page.refresh) if url != NO_URL),
        *page.links.url.tolist(),
    ]
