"""Bodies that are longer than those of pages: few of them may be in memory at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

PLACES = 2
"""So many at a time: each is there up to three times, as it is read, kept and handed on."""


class LongBodies:
    """Whoever reads a long body takes a place, and has it until what he wanted the body for is done.

    >>> async def one_after_the_other() -> list[str]:
    ...     bodies, order = LongBodies(1), []
    ...     async def fetch(name: str) -> None:
    ...         with bodies.fetching():
    ...             await bodies.take()
    ...             order.append(f"{name} begins")
    ...             await asyncio.sleep(0)
    ...             order.append(f"{name} ends")
    ...     await asyncio.gather(fetch("a"), fetch("b"))
    ...     return order
    >>> asyncio.run(one_after_the_other())
    ['a begins', 'a ends', 'b begins', 'b ends']
    """

    def __init__(self, places: int = PLACES) -> None:
        self._places = asyncio.Semaphore(places)
        self._taken: ContextVar[list[bool] | None] = ContextVar("taken", default=None)

    @contextmanager
    def fetching(self) -> Iterator[None]:
        """A place that is taken within is given back at the end."""
        taken: list[bool] = []
        before = self._taken.set(taken)
        try:
            yield
        finally:
            self._taken.reset(before)
            if taken:
                self._places.release()

    async def take(self) -> bool:
        """Wait for a place, unless it is had already; False for those who fetch no page and get none."""
        taken = self._taken.get()
        if taken is None:
            return False
        if not taken:
            await self._places.acquire()
            taken.append(True)
        return True
