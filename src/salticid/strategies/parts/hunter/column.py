"""Arrays that grow."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_FIRST = 1024


class Column:
    """Rows of numbers one after the other; `held` are those there are, which may be written to.

    >>> column = Column(np.float64)
    >>> column.append(np.array([1.0, 2.0]))
    >>> column.held.tolist()
    [1.0, 2.0]
    """

    def __init__(self, kind: npt.DTypeLike, width: int | None = None) -> None:
        self._rows: npt.NDArray[Any] = np.zeros((_FIRST,) if width is None else (_FIRST, width), kind)
        self._many = 0

    @property
    def held(self) -> npt.NDArray[Any]:
        return self._rows[: self._many]

    def append(self, rows: npt.NDArray[Any] | list[Any]) -> None:
        """Put rows after the others."""
        end = self._many + len(rows)
        self._rows = roomy(self._rows, end, 0)
        self._rows[self._many : end] = rows
        self._many = end

    def drop(self, many: int) -> None:
        """Drop so many rows, the first."""
        self._many -= many
        self._rows[: self._many] = self._rows[many : many + self._many]

    def keep(self, which: npt.NDArray[np.bool_]) -> None:
        """Drop all other rows."""
        kept = self.held[which]
        self._rows[: len(kept)] = kept
        self._many = len(kept)


def roomy(rows: npt.NDArray[Any], many: int, of_new: float) -> npt.NDArray[Any]:
    """The array itself if it holds so many rows, else one at least twice as long, the new ones filled."""
    if many <= len(rows):
        return rows
    grown = np.full((max(many, 2 * len(rows)), *rows.shape[1:]), of_new, rows.dtype)
    grown[: len(rows)] = rows
    return grown
