"""A round of watching: a crawl looks at what it knows, hunts on from what is new there, and tells what that brought.

Everything is in the log of the crawl. A round begins with a message and ends with one; what comes between follows from
the log before it and from what the web answers, so that a round that was killed anywhere goes on where it was.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from salticid.messages import Round, RoundEnd
from salticid.model import NO_SHARD, Glimpse, Links, Outcome, Page, StopReason
from salticid.runs.live import LiveRun
from salticid.runs.live_settings import LiveSettings
from salticid.runs.onlooker import Onlooker
from salticid.runs.order import Order
from salticid.runs.refresh import FateRule, Look, PageFate, Refresh
from salticid.runs.round_plan import FeedSource, HeardBefore, RoundStart, SitemapSource, round_start
from salticid.store import looks
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.digests.digest import write_digest
from salticid.store.round_news import RoundNews
from salticid.store.rounds import StoredRound, rounds
from salticid.tables.excerpts import excerpt
from salticid.text.soft_changes import SoftChanges
from salticid.watching.policy import Policy
from salticid.watching.worth import ByWorth
from salticid.webs.live.manners import Parked

LEAST_HUNT = 100
"""A round without a bound hunts on with as many fetches as it looked at pages, and with so many at least."""
DONE, FETCHES, INTERRUPTED = "done", "fetches", "interrupted"
"""Why a round stopped."""


@dataclass(frozen=True, slots=True)
class RoundResult:
    """What came of a round, and why it stopped; of one that was interrupted, so far."""

    news: RoundNews
    fetches: int
    stopped: str


async def watch(
    order: Order, settings: LiveSettings, fetches: int | None, onlooker: Onlooker, policy: Policy | None = None
) -> RoundResult:
    """Make one round over the crawl that was ordered before, or go on with the one that was interrupted.

    `fetches` bounds the looks and the fetches of the hunt together. KeyboardInterrupt if it was ended before it began.
    """
    run = WatchRun(order, settings, onlooker, fetches, policy or ByWorth())
    with closing(run.log):
        await run.run()
    return run.result()


class WatchRun(LiveRun):
    """The run of a live crawl in which a round is made."""

    def __init__(
        self, order: Order, settings: LiveSettings, onlooker: Onlooker, fetches: int | None, policy: Policy
    ) -> None:
        super().__init__(order, settings, onlooker)
        self._fetches, self._policy = fetches, policy
        self._asked_sources = 0
        self._stopped = INTERRUPTED

    def result(self) -> RoundResult:
        """What came of it, once it has run."""
        with closing(CrawlFolder(self.order.folder)) as crawl:
            ...
