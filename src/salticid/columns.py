"""Arrays that grow."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

_Number = TypeVar("_Number", bound=np.generic)

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
        self._rows = grow(self._rows, end)
        self._rows[self._many : end] = rows
        self._many = end

    def drop(self, many: int) -> None:
        """Drop so many rows, the first."""
        self._many -= many
        self._rows[: self._many] = self._rows[many : many + self._many]

    def keep(self, which: npt.NDArray[np.bool_]) -> None:
        """Drop all other rows."""
        rows = self.held[which]
        self._rows[: len(rows)] = rows
        self._many = len(rows)


def grow(array: npt.NDArray[_Number], size: int, fill: float = 0, axis: int = 0) -> npt.NDArray[_Number]:
    """The array itself if it is so long, else a copy at least twice as long as before, what is new filled.

    >>> grow(np.array([7, 8]), 3, fill=-1).tolist()
    [7, 8, -1, -1]
    >>> grow(np.array([[7], [8]]), 3, axis=1).tolist()
    [[7, 0, 0], [8, 0, 0]]
    """
    length = array.shape[axis]
    if size <= length:
        return array
    shape = list(array.shape)
    shape[axis] = max(size, 2 * length)
    longer = np.full(shape, fill, array.dtype)
    longer.swapaxes(0, axis)[:length] = array.swapaxes(0, axis)
    return longer
