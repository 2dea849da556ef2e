"""A small generated web as the source of a world, parsed page by page as a recording is."""

from __future__ import annotations

from collections.abc import Iterator

from salticid.errors import UserError
from salticid.testing.site import GeneratedWeb
from salticid.worlds.answers import Answer, Unread


class GeneratedSource:
    """The pages of `GeneratedWeb(pages, seed)`, each labelled with its topic, then its redirects.

    >>> source = GeneratedSource(pages=20, seed=1)
    >>> *pages, redirect, last = source
    >>> len(pages), pages[0].url, pages[0].labels, redirect.status, source.done == source.size
    (20, 'http://botany-notes.example/', ('science.botany',), 301, True)
    """

    def __init__(self, pages: int, seed: int = 0) -> None:
        if pages < 1:
            raise UserError(f"no web has {pages} pages; ask for at least 1")
        if seed < 0:
            raise UserError(f"{seed} is no seed; give a whole number from 0 on")
        self._web = GeneratedWeb(pages, seed)
        self.name = f"generated, {pages} pages from seed {seed}"
        self.size = pages + len(self._web.redirects)
        self.done = 0

    def __iter__(self) -> Iterator[Answer | Unread]:
        self.done = 0
        for page in self._web:
            self.done += 1
            yield Answer(page.url, html=page.html, charset="utf-8", labels=(page.label,))
        for old, new in self._web.redirects:
            self.done += 1
            yield Answer(old, status=301, location=new)
