"""Which texts of a table the log still has to spell out, and a table filled again from those it has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from salticid.protocols import Table
from salticid.tables import Texts


class Spelling(Protocol):
    """Keeps count of the ids that were used and the texts that were written."""

    def need(self, at: int) -> None:
        """An id is used in the log."""
        ...

    def need_all(self, ids: npt.NDArray[np.int32]) -> None:
        """These ids are used in the log."""
        ...

    def missing(self) -> list[int]:
        """The ids that have to be written with the next batch, ascending."""
        ...

    def wrote(self, ids: list[int]) -> None:
        """These are written, and with them all that was needed so far."""
        ...


class Everything:
    """For a table that belongs to the crawl: all of it, as it grows, so that ids can be given anew."""

    def __init__(self, table: Table, written: int = 0) -> None:
        self._table, self._written = table, written

    def need(self, at: int) -> None:
        """Written anyway."""

    def need_all(self, ids: npt.NDArray[np.int32]) -> None:
        """Written anyway."""

    def missing(self) -> list[int]:
        return list(range(self._written, len(self._table)))

    def wrote(self, ids: list[int]) -> None:
        self._written += len(ids)


class Needed:
    """For a table that is kept elsewhere, with a world: only what the crawl met."""

    def __init__(self, written: Sequence[int] = ()) -> None:
        self._written = np.zeros(1024, np.bool_)
        self._needed: list[npt.NDArray[np.int32]] = []
        self._single: list[int] = []
        ids = np.array(written, np.int32)
        self._make_room(ids)
        self._written[ids] = True

    def need(self, at: int) -> None:
        self._single.append(at)

    def need_all(self, ids: npt.NDArray[np.int32]) -> None:
        self._needed.append(ids)

    def missing(self) -> list[int]:
        ids = np.concatenate([*self._needed, np.array(self._single, np.int32)])
        self._make_room(ids)
        found: list[int] = np.unique(ids[~self._written[ids]]).tolist()
        return found

    def wrote(self, ids: list[int]) -> None:
        self._written[ids] = True
        self._needed.clear()
        self._single.clear()

    def _make_room(self, ids: npt.NDArray[np.int32]) -> None:
        if len(ids) and ids.max() >= len(self._written):
            grown = np.zeros(max(int(ids.max()) + 1, 2 * len(self._written)), np.bool_)
            grown[: len(self._written)] = self._written
            self._written = grown


def refill(table: Table, texts: Sequence[bytes]) -> None:
    """Give a table that holds nothing but what it held before its next texts again."""
    if isinstance(table, Texts):
        table.extend(texts)  # all of them are new to it: it need not look
    else:
        table.intern_all(texts)
