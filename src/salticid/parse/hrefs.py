"""The href of a link to a URL id, remembering what sites repeat on every page."""

from __future__ import annotations

import re
from collections.abc import Iterator

from salticid.model import NO_URL
from salticid.protocols import UrlTable
from salticid.urls import canonical

_MEMO_SIZE = 200_000
_SAME_IN_A_FOLDER = re.compile(r"https?://|[\w./-][^:]*+$", re.ASCII)


class Hrefs:
    """Resolves hrefs against a base.

    A relative path, and a whole URL, means the same on all pages of one folder, so that the memo is by
    folder; what else there is (`?query`, `http:`, oddities) may depend on the page.
    """

    def __init__(self, urls: UrlTable) -> None:
        self._urls = urls
        self._folders: dict[str, dict[str, int]] = {}
        self._size = 0

    def resolve(self, hrefs: list[str], base: str) -> list[int]:
        """The URL id of each href, NO_URL for one that leads to no http(s) page."""
        path = base.partition("?")[0]
        folder = self._folders.setdefault(path[: path.rfind("/") + 1], {})
        news = [href for href in dict.fromkeys(hrefs) if href not in folder]
        here = dict(zip(news, self._all(news, base), strict=True))
        found = [folder[href] if href in folder else here[href] for href in hrefs]
        kept = {href: url for href, url in here.items() if _SAME_IN_A_FOLDER.match(href)}
        folder.update(kept)
        self._size += len(kept)
        if self._size > _MEMO_SIZE or len(self._folders) > _MEMO_SIZE:
            self._folders.clear()
            self._size = 0
        return found

    def _all(self, hrefs: list[str], base: str) -> Iterator[int]:
        urls = [canonical(href, base) for href in hrefs]
        ids = iter(self._urls.intern_all([url.encode() for url in urls if url is not None]))
        return (NO_URL if url is None else next(ids) for url in urls)

    def one(self, href: str, base: str) -> int:
        """The URL id of one href, not remembered."""
        url = canonical(href, base)
        return NO_URL if url is None else self._urls.intern(url)
