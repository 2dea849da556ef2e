"""Which recorded page a link means."""

from __future__ import annotations

import re

from salticid.webs.recorded import RecordedWeb
from salticid.webs.world_arrays import PAGE

NOWHERE = -1
_INDEX = re.compile(r"/(?:(?:index|home|homepage|welcome|default)\.s?html?)?$", re.IGNORECASE)


def folder(url: str) -> str:
    """A URL without what a server puts at the end by itself: the slash of a folder, the name of its index.

    >>> folder("http://a.example/cs1"), folder("http://a.example/cs1/Welcome.html")
    ('http://a.example/cs1', 'http://a.example/cs1')
    """
    return _INDEX.sub("", url)


class Addresses:
    """The pages of a recording by the URLs that lead to them.

    A URL means the page recorded under it, redirects followed. One that nobody recorded means the page of
    the same folder, under another of the names a server gives it, if only one was recorded.
    """

    def __init__(self, web: RecordedWeb) -> None:
        self._web = web
        self._by_url: dict[int, int] = {}
        self._in: dict[str, list[int]] = {}
        for number, url in enumerate(web.arrays[PAGE.url].tolist()):
            self._by_url[url] = number
            self._in.setdefault(folder(web.urls[url]), []).append(number)

    def page(self, url: int) -> int:
        """The number of the page, NOWHERE if there is none."""
        if url not in self._by_url:
            self._by_url[url] = self._find(url)
        return self._by_url[url]

    def _find(self, url: int) -> int:
        answer = self._web.fetch(url)
        if answer.page is not None:
            return self._web.number_at(answer.final)
        neighbours = self._in.get(folder(self._web.urls[url]), [])
        return neighbours[0] if len(neighbours) == 1 else NOWHERE
