"""The href of a link to a URL id, remembering what sites repeat on every page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from salticid.model import NO_URL, Ints
from salticid.native import TextArrays, at, lib
from salticid.protocols import Interning
from salticid.urls import LONGEST, canonical

_MEMO_SIZE = 200_000
_SAME_IN_A_FOLDER = re.compile(r"https?://|[\w./-][^:]*+$", re.ASCII)
# Segments of signs that no rule touches, none of which begins with a dot; behind them perhaps a fragment.
_PLAIN = re.compile(
    r"(https?://[a-z0-9.-]++(?=/))?+(/|(?:\.\./)*+)((?:[\w~-][\w.~-]*+/)*+(?:[\w~-][\w.~-]*+)?+)(?:#.*)?+",
    re.ASCII | re.DOTALL,
)
_ORIGIN = re.compile(r"https?://[a-z0-9.-]+/")
_ASKED = 2
"""What the compiled loop calls hrefs that it leaves to others."""


class Hrefs:
    """Resolves hrefs against a base.

    A relative path, and a whole URL, means the same on all pages of one folder, so that the memo is by
    folder; what else there is (`?query`, `http:`, oddities) may depend on the page.
    """

    def __init__(self, urls: Interning) -> None:
        self._urls = urls
        self._arrays: TextArrays | None = getattr(urls, "arrays", None)  # of a table that has them
        self._folders: dict[str, _Folder] = {}
        self._origins: dict[str, bool] = {}
        self._size = 0

    def resolve(self, hrefs: bytes, base: str) -> Ints:
        """The URL id of each href, behind each of which stands a NUL; NO_URL for one that leads to no http(s) page, or
        to a place on this one.
        """
        path = base.partition("?")[0]
        name = path[: path.rfind("/") + 1]
        folder = self._folders.get(name) or self._folders.setdefault(name, _Folder(name))
        if lib is None or self._arrays is None:
            ids = self._with_dictionary(hrefs.decode().split("\0")[:-1], base, folder)
        else:
            ids = self._compiled(hrefs, base, folder, self._arrays)
        if self._size > _MEMO_SIZE or len(self._folders) + len(self._origins) > _MEMO_SIZE:
            self._folders.clear()
            self._origins.clear()
            self._size = 0
        return ids

    def _compiled(self, hrefs: bytes, base: str, folder: _Folder, table: TextArrays) -> Ints:
        many = hrefs.count(b"\0")
        room = many * len(folder.name) + len(hrefs)
        urls, ends, kinds = np.empty(room, np.uint8), np.empty(many, np.int64), np.empty(many, np.uint8)
        asked = lib.join_hrefs(
            at(hrefs), many, at(folder.name), at(folder.sizes), len(folder.sizes), folder.is_plain, LONGEST,
            at(urls), room, at(ends), at(kinds),
        )  # fmt: skip
        others = self._others(hrefs, kinds, base, folder) if asked else []
        texts, others_end = b"".join(others), np.array([*accumulate(map(len, others))], np.int64)
        size = len(texts) + (int(ends[-1]) if many else 0)
        ids = np.empty(many, np.int32)
        known = table.with_room(many, size)
        lib.intern_hrefs(at(urls), at(ends), at(kinds), many, at(texts), at(others_end), known, at(ids))
        return ids

    def _others(self, hrefs: bytes, kinds: npt.NDArray[np.uint8], base: str, folder: _Folder) -> list[bytes]:
        """The URLs of those hrefs that are not so plain; empty for one that leads nowhere."""
        fields, urls = hrefs.split(b"\0"), folder.urls
        texts: list[bytes] = []
        for each in np.flatnonzero(kinds == _ASKED).tolist():
            href = fields[each].decode()
            text = urls.get(href)
            if text is None:
                url = None if _stays(href) else self._join(href, folder) or canonical(href, base)
                text = b"" if url is None else url.encode()
                if _SAME_IN_A_FOLDER.match(href):
                    urls[href] = text
                    self._size += 1
            texts.append(text)
        return texts

    def _with_dictionary(self, hrefs: list[str], base: str, folder: _Folder) -> Ints:
        ids = folder.ids
        news = [href for href in dict.fromkeys(hrefs) if href not in ids]
        here = dict(zip(news, self._all(news, base, folder), strict=True))
        urls = [ids[href] if href in ids else here[href] for href in hrefs]
        lasting = {href: url for href, url in here.items() if _SAME_IN_A_FOLDER.match(href)}
        ids.update(lasting)
        self._size += len(lasting)
        return np.array(urls, np.int32)

    def _all(self, hrefs: list[str], base: str, folder: _Folder) -> Iterator[int]:
        urls = [None if _stays(href) else self._join(href, folder) or canonical(href, base) for href in hrefs]
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


def _stays(href: str) -> bool:
    """Whether an href leads to a place on its own page."""
    return href.lstrip().startswith("#")


class _Folder:
    """A folder of a site: what hrefs on its pages are known to mean, as ids or as URLs; itself and all `above` it up to
    the root.

    One that is not canonical has nothing above it, for nothing can simply be put behind it.
    """

    def __init__(self, name: str) -> None:
        self.name = name.encode()
        self.ids: dict[str, int] = {}
        self.urls: dict[str, bytes] = {}
        self.above: list[str] = []
        if canonical(name) == name:
            root = name.index("/", 8) + 1
            while len(name) > root:
                self.above.append(name)
                name = name[: name.rindex("/", 0, len(name) - 1) + 1]
            self.above.append(name)
        self.sizes = np.array([len(each) for each in self.above], np.int32)
        self.is_plain = bool(_ORIGIN.fullmatch(name)) and canonical(name) == name
        """Whether its root is written with letters and dots only, so that it may stand before any path."""
