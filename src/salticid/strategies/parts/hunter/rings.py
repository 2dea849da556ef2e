"""Which rows of the evidence lead to a URL."""

from __future__ import annotations

import numpy as np

from salticid.columns import grow
from salticid.model import Ints
from salticid.native import at, lib
from salticid.snapshots import in_snapshot

_NO_ROW = -1


@in_snapshot(last=np.int32, following=np.int32, _rows=int)
class Rings:
    """The rows of each URL, joined in a ring: `last` names its last row, `following` the row after each.

    After the last row of a URL comes its first. What numpy does looks at all rows and needs no rings.
    """

    def __init__(self) -> None:
        self.last = np.full(1024, _NO_ROW, np.int32)
        self.following = np.zeros(1024, np.int32)
        self._rows = 0

    def join(self, urls: Ints) -> None:
        """Take in the rows that are new; `urls` are those of all rows."""
        first, self._rows = self._rows, len(urls)
        if first == len(urls):
            return
        self.last = grow(self.last, int(urls[first:].max()) + 1, _NO_ROW)
        self.following = grow(self.following, len(urls))
        lib.join_rings(at(urls), first, len(urls), at(self.last), at(self.following))
