"""Who links to a page, over a whole recorded world."""

from __future__ import annotations

import numpy as np

from salticid.model import Ints
from salticid.webs.recorded import RecordedWeb
from salticid.webs.world_arrays import LINK, PAGE


class WorldBacklinks:
    """The in-links of every URL of a world: one sort of all its links, then slices."""

    def __init__(self, web: RecordedWeb) -> None:
        ends = web.arrays[LINK.end]
        target = web.arrays[LINK.url]
        counts = np.diff(ends, prepend=np.uint64(0)).astype(np.int64)
        source = np.repeat(web.arrays[PAGE.url], counts)
        self._order = np.argsort(target, kind="stable")
        self._target = target[self._order]
        self._source = source

    def of(self, url: int) -> Ints:
        """The URL ids of the pages that link to `url`, each once, itself left out."""
        begin, end = self._target.searchsorted([url, url + 1])
        sources: Ints = np.unique(self._source[self._order[begin:end]])
        others: Ints = sources[sources != url]
        return others
