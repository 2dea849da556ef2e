"""A hunt that is a part of a larger one: it asks only its own hosts, and waits to be told how far it may go."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from salticid.cluster.portable import Luggage
from salticid.drivers.parts import Hosts
from salticid.model import StopReason, Visit
from salticid.runs.brief import Known
from salticid.runs.live import Hunt


class PartOfAHunt(Hunt):
    """A hunt that waits for more whenever it has nothing to do, until it is ended.

    `ready` is told once all is set up, `visited` of every visit. `known` are the topic's known pages, read by
    somebody already.
    """

    def __init__(
        self,
        *ordered: Any,
        hosts: Hosts,
        known: Luggage | None,
        ready: Callable[[PartOfAHunt], None],
        visited: Callable[[Visit], None],
    ) -> None:
        super().__init__(*ordered)
        self.hosts = hosts
        self.larger = None
        self._known, self._tell_ready, self._visited = known, ready, visited
        self._ended = self._waits = False
        self._more = asyncio.Event()

    @property
    def idle(self) -> bool:
        """Whether there is nothing to do, and nobody has said otherwise."""
        return self._waits and not self._more.is_set()

    async def read_known(self) -> Known:
        if self._known is None:
            return await super().read_known()
        return self._known.unpacked(self.web.urls, self.web.words)

    async def crawling(self) -> StopReason:
        self._tell_ready(self)
        while True:
            self._more.clear()
            stopped = await self.driver.run(self._visited)
            if self._ended:
                return stopped
            self._waits = True
            await self._more.wait()
            self._waits = False

    def allow(self, pages: int, fetches: int) -> None:
        """It may fetch so many pages, in so many attempts, in all."""
        crawl = self.driver.crawl
        crawl.extend(replace(crawl.limits, max_pages=pages, max_fetches=fetches))
        self.look_again()

    def look_again(self) -> None:
        """There may be something to do."""
        if not self._ended:
            self.driver.crawl.wake()
            self.driver.nudge()
            self._more.set()

    def end(self) -> None:
        """Do nothing more."""
        self._ended = True
        self.driver.interrupt()
        self._more.set()
