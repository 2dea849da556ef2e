"""A search engine as paper 3 knew them: it read a part of the web, and that long ago."""

from __future__ import annotations

import hashlib
from functools import cached_property

import numpy as np

from salticid.metrics.parts.bm25 import bm25
from salticid.metrics.parts.pool_terms import PoolTerms, WorldTerms
from salticid.model import Ints
from salticid.webs.recorded import RecordedWeb
from salticid.webs.world_arrays import PAGE

_WHOLE = 1 << 32


class SearchEngine:
    """Ranks by BM25 the pages it read of a web; `coverage` is the share of them, drawn by their URLs.

    Of two engines the one that covers more has all pages of the other.
    """

    def __init__(self, web: RecordedWeb, terms: WorldTerms, coverage: float) -> None:
        urls = [web.urls[int(at)] for at in web.arrays[PAGE.url]]
        read = [page for page, url in enumerate(urls) if _lot(url) < coverage]
        self._urls = [urls[page] for page in read]
        self._pages: Ints = np.array(read, np.int32)
        self._terms = terms

    def __len__(self) -> int:
        """How many pages it read."""
        return len(self._pages)

    def hits(self, query: str, count: int) -> list[str]:
        """The URLs that answer a query best, equal ones in the order of their names."""
        scores = bm25(self._index.counts, self._index.query(query)).round(9)
        order = sorted(
            np.flatnonzero(scores > 0).tolist(), key=lambda page: (-scores[page], self._urls[page])
        )
        return [self._urls[page] for page in order[:count]]

    @cached_property
    def _index(self) -> PoolTerms:
        return PoolTerms(self._terms, self._pages)


def _lot(url: str) -> float:
    """A number from 0 to 1 that a URL draws.

    >>> 0 <= _lot("http://a.example/") < 1
    True
    """
    digest = hashlib.blake2b(url.encode(), digest_size=4).digest()
    return int.from_bytes(digest, "little") / _WHOLE
