"""An earlier run, played again: the log is the state, and a crawl is restored by making its calls anew.

A strategy is a function of the calls made to it, so the same calls bring it back to where it was. While they
last, what the crawl would ask of the judge, the clock and the log is answered from the log; what it does is
checked against it. Where the log ends, the crawl goes on by itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Sequence
from math import inf
from typing import Any, cast

from salticid.crawl import Crawl
from salticid.errors import SalticidError, UserError
from salticid.messages import (
    Extension,
    Message,
    Move,
    Offer,
    Question,
    Report,
    Revision,
    Round,
    RoundEnd,
    SecondOffer,
    Sight,
)
from salticid.model import Choice, Feedback, Links, Page, Response, Visit
from salticid.protocols import BatchJudge, Brief, Judge, RescoringJudge, StartPageJudge
from salticid.store import Call, ChoiceCall, CrawlLog, Delivery, LogMark, Record

A_TURN = 100
"""Visits played without a look at anything else."""


class Past:
    """The calls of an earlier run; `next` is the one that has to come now.

    `as_given`: whatever is done now, that is what happened (`runs/past.py`).
    """

    def __init__(self, log: CrawlLog, as_given: bool = False) -> None:
        self.log, self.as_given, record = log, as_given, log.record()
        self.visits, self.seconds = record.visits, record.seconds
        self._read(record)

    def begin_after(self, mark: LogMark) -> None:
        """What came up to there is not played."""
        self._read(self.log.record(mark))

    def _read(self, record: Record) -> None:
        self._calls = iter(record)
        self.next: Call | None = next(self._calls, None)

    @property
    def over(self) -> bool:
        """Whether all of it has been played."""
        return self.next is None

    def tell(self, crawl: Crawl, judge: Judge) -> None:
        """Repeat the messages that the crawl got at this point."""
        intern = crawl.brief.urls.intern
        while isinstance(self.next, Message):
            match self.next:
                case Offer(urls, depth):
                    crawl.offer(Links.to([intern(text) for text in urls]), depth)
                case SecondOffer(urls):
                    crawl.offer_again([intern(text) for text in urls])
                case Extension(limits):
                    crawl.extend(limits)
                case Sight(glimpse):
                    crawl.glimpse(glimpse)
                case Revision(scores, words, answers):
                    feedback = [Feedback(intern(text), liking) for text, liking in words]
                    if feedback or answers:
                        judge.learn(crawl.liked_pages(feedback, answers))
                    crawl.revise(scores, feedback, answers)
                case Question(urls):
                    crawl.ask_about([intern(text) for text in urls])
                case Move(step, url):
                    crawl.move(step, intern(url))
                case Round() | RoundEnd():
                    self.take(Message)  # the crawl need not know
                case Report() if self.as_given:
                    self.take(Message)
                case Report():
                    raise _differs("its strategy reported less")

    def take(self, kind: Any) -> Any:
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

    @property
    def write_error(self) -> str | None:
        return self._log.write_error

    def retry(self) -> None:
        self._log.retry()

    def add_choices(self, room: int, busy: frozenset[int], choices: Sequence[Choice]) -> None:
        call: ChoiceCall | None = self._past.take(ChoiceCall)
        if call is None:
            return self._log.add_choices(room, busy, choices)
        now = [(choice.link.url, choice.agent) for choice in choices]
        before = [(choice.url, choice.agent) for choice in call.choices]
        if now != before or call.room != room:
            raise _differs(f"it chose {now[:3]} for {room} where it had chosen {before[:3]} for {call.room}")
        for choice, logged_choice in zip(choices, call.choices, strict=True):
            self._log.launch(choice, logged_choice.id)
        return None

    def add_visit(self, visit: Visit) -> None:
        call: Delivery | None = self._past.take(Delivery)
        if call is None:
            self._log.add_visit(visit)
        elif self._log.land(visit.choice) != call.visit.choice or visit.step != call.visit.step:
            raise _differs(f"visit {visit.step} is another")

    def add_message(self, message: Message) -> None:
        if self._past.take(Message) is None:
            self._log.add_message(message)


class RelivedJudge:
    """Gives the scores of the past; after it those of the judge, which has watched all pages meanwhile.

    `tell` repeats the messages that the crawl got at this point.
    """

    def __init__(self, past: Past, judge: Judge, tell: Callable[[], None] = lambda: None) -> None:
        self._past, self._judge, self._tell = past, judge, tell
        if isinstance(judge, StartPageJudge):
            self.start_page = judge.start_page
        if isinstance(judge, RescoringJudge):
            self.score_again = judge.score_again
        if isinstance(judge, BatchJudge):
            self.score_many = judge.score_many

    @property
    def line(self) -> float:
        call = self._past.next
        return (-inf if call.visit.positive else inf) if isinstance(call, Delivery) else self._judge.line

    def start(self, brief: Brief) -> None:
        self._judge.start(brief)

    def score(self, page: Page) -> float:
        call = self._past.next
        return call.visit.score if isinstance(call, Delivery) else self._judge.score(page)

    def watch(self, page: Page, score: float) -> bool:
        has_changed = self._judge.watch(page, score)
        if self._past.over:
            return has_changed
        self._tell()
        return False

    def learn(self, liked: Sequence[tuple[Page, float]]) -> bool:
        return self._judge.learn(liked)


class RelivedClock:
    """Shows the times of the past; after it, the time."""

    def __init__(self, past: Past, clock: Callable[[], float]) -> None:
        self._past, self._clock = past, clock

    def __call__(self) -> float:
        call = self._past.next
        return call.visit.at if isinstance(call, Delivery) else self._clock()


async def relive(
    crawl: Crawl, judge: Judge, past: Past, show: Callable[[Visit], None], in_flight: Sequence[Choice] = ()
) -> list[Choice]:
    """Play the past of a live crawl, showing each arrival; the choices that were in flight when it ended.

    Some may be `in_flight` when it begins. The crawl's log, judge and clock are the relived ones. Others on the event
    loop, and Ctrl-C, get their turn.
    """
    flying = {choice.link.url: choice for choice in in_flight}
    while (call := past.next) is not None:
        if isinstance(call, ChoiceCall):
            flying.update((choice.link.url, choice) for choice in crawl.ask(call.room, call.busy))
        elif isinstance(call, Delivery):
            show(crawl.deliver(_of(flying, call.response), call.response))
            if call.visit.step % A_TURN == 0:
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
        "its strategy, its judge or a library has changed, or does not repeat itself. What was found stays readable; "
        "add --as-given to resume it without replaying, or crawl into a new folder"
    )


# The past of a crawl taken as given: what its log says was chosen counts as chosen, whoever would choose otherwise.
#
# So a crawl of another version of the program goes on, and one from which pages were taken out. The strategy is not
# asked while the past lasts, but told of every visit; what was chosen then and is chosen again later is a duplicate.


class GivenLog(RelivedLog):
    """Takes the calls of the past from the crawl without a look, and hands on those that come after it."""

    def add_visit(self, visit: Visit) -> None:
        call: Delivery | None = self._past.take(Delivery)
        if call is None:
            self._log.add_visit(visit)
        else:
            self._log.land(visit.choice)

    def add_message(self, message: Message) -> None:
        if self._past.over or not isinstance(message, Report):
            super().add_message(message)


def given_visits(
    crawl: Crawl, judge: Judge, past: Past, in_flight: Sequence[Choice] = ()
) -> Generator[Visit, None, list[Choice]]:
    """Tell a crawl its past, visit by visit; returns the choices that were in flight when it ended."""
    if crawl.strategy.walks:
        raise UserError(
            f"the crawl in {past.log.folder} was made by agents that walk, which cannot be told where they went; "
            "crawl into a new folder with --out"
        )
    flying = dict(zip(past.log.in_flight, in_flight, strict=True))
    while (call := past.next) is not None:
        if isinstance(call, ChoiceCall):
            past.take(ChoiceCall)
            for row in call.choices:
                flying[row.id] = choice = row.choice()
                past.log.launch(choice, row.id)
                crawl.repeat(choice)
        elif isinstance(call, Delivery):
            yield crawl.deliver_again(flying.pop(call.visit.choice), call.response)
        else:
            past.tell(crawl, judge)
    return list(flying.values())


async def relive_as_given(
    crawl: Crawl, judge: Judge, past: Past, show: Callable[[Visit], None], in_flight: Sequence[Choice] = ()
) -> list[Choice]:
    """Tell a live crawl its past, showing each arrival; the choices that were in flight when it ended."""
    visits = given_visits(crawl, judge, past, in_flight)
    while True:
        try:
            visit = next(visits)
        except StopIteration as end:
            return cast(list[Choice], end.value)
        show(visit)
        if visit.step % A_TURN == 0:
            await asyncio.sleep(0)
