"""An earlier run, played again: the log is the state, and a crawl is restored by making its calls anew.

A strategy is a function of the calls made to it, so the same calls bring it back to where it was. While they
last, what the crawl would ask of the judge, the clock and the log is answered from the log; what it does is
checked against it. Where the log ends, the crawl goes on by itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from math import inf
from typing import Any

import msgspec

from salticid.crawl import Crawl
from salticid.errors import SalticidError
from salticid.model import Choice, Event, Feedback, Glimpse, Limits, Links, Page, Response, Visit
from salticid.protocols import Brief, Judge
from salticid.store.log import CrawlLog
from salticid.store.record import Asked, Call, Came, Record, Told

_A_TURN = 100
"""Visits played without a look at anything else."""


class Past:
    """The calls of an earlier run; `next` is the one that has to come now."""

    def __init__(self, log: CrawlLog) -> None:
        self.log, record = log, Record(log.database)
        self.visits, self.seconds = record.visits, record.seconds
        self._calls = iter(record)
        self.next: Call | None = next(self._calls, None)

    @property
    def over(self) -> bool:
        """Whether all of it has been played."""
        return self.next is None

    def tell(self, crawl: Crawl, judge: Judge) -> None:
        """Say again what was said to the crawl at this point."""
        while isinstance(self.next, Told):
            call, body = self.next.call, msgspec.json.decode(self.next.body)
            urls = crawl.brief.urls
            if call == "offer":
                crawl.offer(Links.to([urls.intern(text) for text in body["urls"]]), body["depth"])
            elif call == "offer again":
                crawl.offer_again([urls.intern(text) for text in body])
            elif call == "extend":
                crawl.extend(Limits(**body))
            elif call == "glimpse":
                crawl.glimpse(msgspec.convert(body, Glimpse))
            else:
                feedback = [Feedback(urls.intern(text), liking) for text, liking in body["feedback"]]
                if feedback:
                    judge.learn(crawl.liked(feedback))
                crawl.revise([(step, score) for step, score in body["scores"]], feedback)

    def take(self, kind: type[Call]) -> Any:
        """The next call, which must be of this kind; None when the past is over."""
        call = self.next
        if call is None:
            return None
        if not isinstance(call, kind):
            raise _differs(f"it made another call than {call}")
        self.next = next(self._calls, None)
        return call


class RelivedLog:
    """Checks the calls of the crawl against the past, and hands on those that come after it."""

    def __init__(self, past: Past, log: CrawlLog) -> None:
        self._past, self._log = past, log

    @property
    def trouble(self) -> str | None:
        return self._log.trouble

    def retry(self) -> None:
        self._log.retry()

    def chose(self, room: int, busy: frozenset[int], choices: Sequence[Choice]) -> None:
        call: Asked | None = self._past.take(Asked)
        if call is None:
            return self._log.chose(room, busy, choices)
        made = [(choice.link.url, choice.agent) for choice in choices]
        logged = [(choice.url, choice.agent) for choice in call.choices]
        if made != logged or call.room != room:
            raise _differs(f"it chose {made[:3]} for {room} where it had chosen {logged[:3]} for {call.room}")
        for choice, chosen in zip(choices, call.choices, strict=True):
            self._log.sent(choice, chosen.number)
        return None

    def visited(self, visit: Visit) -> None:
        call: Came | None = self._past.take(Came)
        if call is None:
            self._log.visited(visit)
        elif self._log.returned(visit.choice) != call.choice or visit.step != call.step:
            raise _differs(f"visit {visit.step} is another")

    def revised(self, scores: Sequence[tuple[int, float]], feedback: Sequence[Feedback]) -> None:
        if self._past.take(Told) is None:
            self._log.revised(scores, feedback)

    def offered(self, links: Links, depth: int) -> None:
        if self._past.take(Told) is None:
            self._log.offered(links, depth)

    def offered_again(self, links: Links) -> None:
        if self._past.take(Told) is None:
            self._log.offered_again(links)

    def glimpsed(self, glimpse: Glimpse) -> None:
        if self._past.take(Told) is None:
            self._log.glimpsed(glimpse)

    def extended(self, limits: Limits) -> None:
        if self._past.take(Told) is None:
            self._log.extended(limits)

    def noted(self, events: Sequence[Event]) -> None:
        if self._past.take(Told) is None:
            self._log.noted(events)


class RelivedJudge:
    """Scores as it scored; after the past, as the judge does, which was shown all pages meanwhile."""

    def __init__(self, past: Past, judge: Judge) -> None:
        self._past, self._judge = past, judge
        self.tell: Callable[[], None] = lambda: None
        """Says again what was said to the crawl at this point; whoever makes the crawl sets it."""

    @property
    def line(self) -> float:
        call = self._past.next
        return (-inf if call.positive else inf) if isinstance(call, Came) else self._judge.line

    def start(self, brief: Brief) -> None:
        self._judge.start(brief)

    def score(self, page: Page) -> float:
        call = self._past.next
        return call.score if isinstance(call, Came) else self._judge.score(page)

    def watch(self, page: Page, score: float) -> bool:
        learned = self._judge.watch(page, score)
        if self._past.over:
            return learned
        self.tell()
        return False

    def learn(self, liked: Sequence[tuple[Page, int]]) -> bool:
        return self._judge.learn(liked)


class RelivedClock:
    """Shows what it showed; after the past, the time."""

    def __init__(self, past: Past, clock: Callable[[], float]) -> None:
        self._past, self._clock = past, clock

    def __call__(self) -> float:
        call = self._past.next
        return call.at if isinstance(call, Came) else self._clock()


async def relive(crawl: Crawl, judge: Judge, past: Past, show: Callable[[Visit], None]) -> list[Choice]:
    """Play the past of a live crawl, showing each arrival; the choices that were in flight when it ended.

    The crawl's log, judge and clock are the relived ones. Others on the event loop, and Ctrl-C, get their turn.
    """
    flying: dict[int, Choice] = {}
    while (call := past.next) is not None:
        if isinstance(call, Asked):
            flying.update((choice.link.url, choice) for choice in crawl.ask(call.room, call.busy))
        elif isinstance(call, Came):
            show(crawl.deliver(_of(flying, call.response), call.response))
            if call.step % _A_TURN == 0:
                await asyncio.sleep(0)
        else:
            past.tell(crawl, judge)
    return list(flying.values())


def _of(flying: dict[int, Choice], response: Response) -> Choice:
    choice = flying.pop(response.url, None)
    if choice is None:
        raise _differs(f"URL {response.url} came back that nobody had asked for")
    return choice


def _differs(how: str) -> SalticidError:
    return SalticidError(
        f"the crawl cannot be continued: played again, it does not do what its log says ({how}); "
        "its strategy or a library it uses has changed. What was found stays readable; crawl on in a new folder"
    )
