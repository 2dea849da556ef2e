"""Whether anybody can be reached: was it the host that failed, or the network?

A host that fails while others answer is gone. When no other has answered meanwhile, or many hosts fail at once, it
may be either; so those who answered before are asked once more. If one of them does, it was the host. If none does, the
network is lost: all who fail wait, and it is tried again and again, with growing pauses, until somebody answers.
While hosts answer and only name servers do not, the names wait and the crawl goes on with the other hosts.

A name that no name server finds is judged by names that were found before. Where there are none, because all hosts
that answered are given by address, a host that answers shows that the network is up, and the name is given up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto
from itertools import islice
from math import inf

from salticid.urls import host, site
from salticid.webs.live.failures import OURS, PERHAPS_OURS, Failure
from salticid.webs.live.politeness import Line, Manners, Parked

MANY = 5
"""So many unrelated hosts that fail, and none that answers in between."""
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
"""Seconds between two looks whether the network is back: twice as many each time."""
WITNESSES = 3
"""Of those who answered last, so many are asked in one look, and one of those who failed."""
PATIENCE = 3600.0
"""Seconds that a lost network is waited for."""


class Loss(Enum):
    """What does not answer: the name servers, while hosts do, or everybody."""

    NAMES = auto()
    EVERYBODY = auto()


@dataclass(frozen=True, slots=True)
class OutageCalls:
    """Called when the network is lost and when it is back.

    `on_loss` gets a failure when nobody can be reached, and the number of names that wait when hosts answer but no name
    server does. `on_return` is called when that is over, with whether the names that wait are given up. `on_give_up` is
    called when nobody could be reached for too long, and ends the waiting requests; without it they fail.
    """

    on_loss: Callable[[Failure, int], None] = lambda failure, names: None
    on_return: Callable[[bool], None] = lambda gives_up_names: None
    on_give_up: Callable[[], None] | None = None


NO_OUTAGE_CALLS = OutageCalls()


class Reach:
    """Tells whether it was the network that failed, and waits for it, `patience` seconds at most."""

    def __init__(
        self,
        line: Line,
        manners: Manners,
        clock: Callable[[], float],
        patience: float = PATIENCE,
        calls: OutageCalls = NO_OUTAGE_CALLS,
    ) -> None:
        self._line, self._manners, self._clock, self._patience = line, manners, clock, patience
        self._calls = calls
        self._failures: dict[str, None] = {}
        self._heard_at = -inf
        self._waiting: dict[object, tuple[str, Failure]] = {}
        self._look: asyncio.Task[bool] | None = None
        self._lost: Loss | None = None
        self._nameless_since = -inf

    async def waits_out_loss(self, origin: str, failure: Failure, since: float, last: bool) -> bool:
        """A host failed, and `last` if this was its last try: whether it was the network, which is back by now.

        Somebody who was answered after `since` shows that it was the host.
        """
        if failure not in PERHAPS_OURS or not (failure in OURS or self._line.origins):
            return False
        if failure is Failure.NO_NAME_SERVER and self._line.named_at < self._nameless_since:
            return False  # name servers were waited for in vain, while hosts answer
        if not self._are_many(origin, failure):
            last_sign = self._line.answered_at
            if failure is Failure.NO_NAME_SERVER:
                last_sign = max(self._line.named_at, -inf if self._known_names() else last_sign)
            if last_sign > since or not (last or failure in OURS):
                return False
        this = object()
        self._waiting[this] = origin, failure
        if self._look is None or self._look.done():
            self._look = asyncio.create_task(self._look_for_anybody())
        try:
            return await asyncio.shield(self._look)
        finally:
            del self._waiting[this]
            if not self._waiting and not self._look.done():
                self._look.cancel()  # no request waits for the result

    def _are_many(self, origin: str, failure: Failure) -> bool:
        """Whether many unrelated hosts have failed since somebody answered, now that this one has."""
        if failure is Failure.NO_NAME_SERVER:
            return False
        if self._line.answered_at != self._heard_at:
            self._heard_at = self._line.answered_at
            self._failures.clear()
        self._failures[origin] = None
        return len(self._failures) >= MANY and len({site(f"{each}/") for each in self._failures}) >= MANY

    async def _look_for_anybody(self) -> bool:
        """Wait until somebody answers; whether the network was lost until then."""
        start, pause = self._clock(), FIRST_PAUSE
        since = start
        try:
            while not await self._somebody_answers(start):
                loss = await self._loss(since)
                since = self._clock()
                self._report(loss)
                if self._clock() - start >= self._patience:
                    if loss is Loss.NAMES:
                        self._nameless_since = self._clock()
                        break
                    if self._calls.on_give_up is None:
                        return False
                    self._calls.on_give_up()
                await asyncio.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
            gives_up_names = self._nameless_since >= start
            if self._lost is not None:
                self._calls.on_return(gives_up_names)
            return self._lost is not None and not gives_up_names
        finally:
            self._lost = None

    async def _loss(self, since: float) -> Loss:
        """What is lost: name servers alone, if a host has answered since then or answers now."""
        if all(failure is not Failure.NO_NAME_SERVER for _, failure in self._waiting.values()):
            return Loss.EVERYBODY
        if self._line.answered_at > since:
            return Loss.NAMES
        looks = [self._ask(origin) for origin in islice(reversed(self._line.origins), WITNESSES)]
        answers = await self._succeeds(looks, lambda: self._line.answered_at > since)
        return Loss.NAMES if answers else Loss.EVERYBODY

    def _report(self, loss: Loss) -> None:
        if loss is not self._lost:
            names = {host(f"{at}/") for at, failure in self._waiting.values() if failure is Failure.NO_NAME_SERVER}
            last = next(failure for _, failure in reversed(self._waiting.values()))
            self._calls.on_loss(last, len(names) if loss is Loss.NAMES else 0)
        self._lost = loss

    def _known_names(self) -> list[str]:
        """Of those who answered, the last whose names a name server found."""
        named = (origin for origin in reversed(self._line.origins) if self._line.is_named(origin))
        return list(islice(named, WITNESSES))

    async def _somebody_answers(self, since: float) -> bool:
        """Ask the last who answered, and the one of those who wait whose turn it is.

        Who cannot be found needs a name server that answers; who can be needs a host that does. An answer to somebody
        else counts as well, if it came after `since`.
        """
        failures = {failure for _, failure in self._waiting.values()}
        names, hosts = Failure.NO_NAME_SERVER in failures, failures != {Failure.NO_NAME_SERVER}
        known_names = self._known_names()
        first = next(iter(self._waiting))
        self._waiting[first] = self._waiting.pop(first)
        one_more, failure = self._waiting[first]
        witnesses = list(islice(reversed(self._line.origins), WITNESSES))

        def is_up() -> bool:
            answered = self._line.answered_at > since
            named = self._line.named_at > since or (answered and not known_names)
            return (named or not names) and (answered or not hosts)

        looks = [self._line.look_up(origin) for origin in dict.fromkeys([*known_names, one_more])] if names else []
        if hosts or not known_names:
            more = [] if failure is Failure.NO_NAME_SERVER else [one_more]
            looks += [self._ask(origin) for origin in dict.fromkeys([*witnesses, *more])]
        return await self._succeeds(looks, is_up)

    async def _succeeds(self, looks: list[Coroutine[None, None, None]], is_up: Callable[[], bool]) -> bool:
        """Take all these looks at once, until one shows that somebody is there."""
        tasks = [asyncio.create_task(look) for look in looks]
        try:
            for task in asyncio.as_completed(tasks):
                await task
                if is_up():
                    return True
        finally:
            for each in tasks:
                each.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return False

    async def _ask(self, origin: str) -> None:
        """Ask for the robots.txt, which every crawler may ask for, in turn."""
        with suppress(Parked):
            async with self._manners.turn(host(f"{origin}/")):
                await self._line.get(f"{origin}/robots.txt")
