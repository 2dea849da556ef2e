"""The href of a link to a URL id, remembering what sites repeat on every page."""

from __future__ import annotations

import re
from collections.abc import Iterator

from salticid.model import NO_URL
from salticid.protocols import Interning
from salticid.urls import LONGEST, canonical

_MEMO_SIZE = 200_000
_SAME_IN_A_FOLDER = re.compile(r"https?://|[\w./-][^:]*+$", re.ASCII)
# Segments of signs that no rule touches, none of which begins with a dot; behind them perhaps a fragment.
_PLAIN = re.compile(
    r"(https?://[a-z0-9.-]++(?=/))?+(/|(?:\.\./)*+)((?:[\w~-][\w.~-]*+/)*+(?:[\w~-][\w.~-]*+)?+)(?:#.*)?+",
    re.ASCII | re.DOTALL,
)


class Hrefs:
    """Resolves hrefs against a base.

    A relative path, and a whole URL, means the same on all pages of one folder, so that the memo is by
    folder; what else there is (`?query`, `http:`, oddities) may depend on the page.
    """

    def __init__(self, urls: Interning) -> None:
        self._urls = urls
        self._folders: dict[str, _Folder] = {}
        self._origins: dict[str, bool] = {}
        self._size = 0

    def resolve(self, hrefs: list[str], base: str) -> list[int]:
        """The URL id of each href, NO_URL for one that leads to no http(s) page."""
        path = base.partition("?")[0]
        name = path[: path.rfind("/") + 1]
        folder = self._folders.get(name) or self._folders.setdefault(name, _Folder(name))
        ids = folder.ids
        news = [href for href in dict.fromkeys(hrefs) if href not in ids]
        here = dict(zip(news, self._all(news, base, folder), strict=True))
        urls = [ids[href] if href in ids else here[href] for href in hrefs]
        lasting = {href: url for href, url in here.items() if _SAME_IN_A_FOLDER.match(href)}
        ids.update(lasting)
        self._size += len(lasting)
        if self._size > _MEMO_SIZE or len(self._folders) + len(self._origins) > _MEMO_SIZE:
            self._folders.clear()
            self._origins.clear()
            self._size = 0
        return urls

    def _all(self, hrefs: list[str], base: str, folder: _Folder) -> Iterator[int]:
        urls = [self._join(href, folder) or canonical(href, base) for href in hrefs]
        ids = iter(self._urls.intern_all([url.encode() for url in urls if url is not None]))
        return (NO_URL if url is None else next(ids) for url in urls)

    def _join(self, href: str, folder: _Folder) -> str | None:
        """What `canonical` would say, of an href so plain that its parts need only be put together; else None."""
        plain = _PLAIN.fullmatch(href)
        if plain is None or not folder.above:
            return None
        origin, up, path = plain.groups()
        if origin is not None:
            url = f"{origin}/{path}" if self._is_canonical(origin) else ""
        elif up == "/":
            url = folder.above[-1] + path
        else:
            url = folder.above[min(len(up) // 3, len(folder.above) - 1)] + path if up or path else ""
        return url if 0 < len(url) <= LONGEST else None

    def _is_canonical(self, origin: str) -> bool:
        answer = self._origins.get(origin)
        if answer is None:
            answer = self._origins[origin] = canonical(f"{origin}/") == f"{origin}/"
        return answer

    def one(self, href: str, base: str) -> int:
        """The URL id of one href, not remembered."""
        url = canonical(href, base)
        return NO_URL if url is None else self._urls.intern(url)


class _Folder:
    """A folder of a site: what hrefs on its pages are known to mean; itself and all `above` it up to the root.

    One that is not canonical has nothing above it, for nothing can simply be put behind it.
    """

    def __init__(self, name: str) -> None:
        self.ids: dict[str, int] = {}
        self.above: list[str] = []
        if canonical(name) == name:
            root = name.index("/", 8) + 1
            while len(name) > root:
                self.above.append(name)
                name = name[: name.rindex("/", 0, len(name) - 1) + 1]
            self.above.append(name)
