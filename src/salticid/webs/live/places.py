"""Places for requests under way: fewer of them when the system has no more descriptors to give."""

from __future__ import annotations

import asyncio

LATER = 1.0
"""Seconds until one who got no descriptor tries again: a kept connection may have been closed by then."""
RETURN_AFTER = 100
"""So many requests later one place more is tried."""


class Places(asyncio.Semaphore):
    """So many may be at work at once, and one fewer each time that there turn out to be too many.

    >>> places = Places(2)
    >>> places.take_one_away(), places.take_one_away(), places.there_are
    (True, False, 1)
    """

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self._most = self.there_are = most
        self._to_remove = self._since = 0

    def take_one_away(self) -> bool:
        """Have one place fewer from now on; False when there is only one."""
        self._since = 0
        if self.there_are == 1:
            return False
        self.there_are -= 1
        self._to_remove += 1
        return True

    def release(self) -> None:
        """Leave a place."""
        if self._to_remove:
            self._to_remove -= 1
            return
        super().release()
        self._since += 1
        if self.there_are < self._most and self._since >= RETURN_AFTER:
            self._since = 0
            self.there_are += 1
            super().release()
