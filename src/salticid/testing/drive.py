"""A crawl under watch: the driver of the contract checks, and a log of every call to the strategy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from salticid.crawl import Crawl
from salticid.errors import ContractBroken
from salticid.judges.cosine import Cosine
from salticid.model import Choice, Event, Feedback, Ints, Limits, Links, Visit
from salticid.protocols import Brief, Strategy
from salticid.runs.brief import prepare
from salticid.runs.order import Recipe
from salticid.runs.recorded import RecordedCrawl
from salticid.store.memory_log import MemoryLog
from salticid.testing.small import SmallWeb

ENOUGH = Limits(max_pages=1000)
MOST_CALLS = 100_000
"""More calls than any strategy needs for a web of some dozen pages."""
STALLED_AFTER = 60
"""On webs this small a walker has seen everything sooner."""


@dataclass(frozen=True)
class Call:
    """One call to a strategy."""

    name: str
    arguments: tuple[Any, ...]
    answer: Any


class StrategyRecorder:
    """A strategy that hands every call on to another and keeps it; `events` and `waiting` are only looks.

    `before` and `after` are called around each call, with this, and may look or swap `inner`.
    """

    walks: ClassVar[bool] = False

    def __init__(self, inner: Strategy) -> None:
        self.inner = inner
        self.calls: list[Call] = []
        self.before: Callable[[StrategyRecorder], None] | None = None
        self.after: Callable[[StrategyRecorder], None] | None = None

    def start(self, brief: Brief) -> None:
        self._call("start", brief)

    def choose(self, n: int, busy: frozenset[int]) -> list[Choice]:
        return list(self._call("choose", n, busy))

    def observe(self, visit: Visit, fresh: Ints) -> None:
        self._call("observe", visit, fresh)

    def revise(self, scores: Sequence[tuple[int, float]], feedback: Sequence[Feedback]) -> None:
        self._call("revise", scores, feedback)

    def offer(self, links: Links) -> None:
        self._call("offer", links)

    def extend(self, limits: Limits) -> None:
        self._call("extend", limits)

    def events(self) -> list[Event]:
        return self.inner.events()

    def waiting(self, k: int) -> tuple[int, list[Choice]]:
        return self.inner.waiting(k)

    def _call(self, name: str, *arguments: Any) -> Any:
        if len(self.calls) >= MOST_CALLS:
            raise AssertionError(f"still not at the end after {MOST_CALLS} calls")
        if self.before:
            self.before(self)
        answer = getattr(self.inner, name)(*arguments)
        self.calls.append(Call(name, arguments, list(answer) if name == "choose" else answer))
        if self.after:
            self.after(self)
        return answer


class _WalkerRecorder(StrategyRecorder):
    walks = True


def watch(strategy: Strategy) -> StrategyRecorder:
    """The strategy, watched; one that walks still does."""
    return _WalkerRecorder(strategy) if strategy.walks else StrategyRecorder(strategy)


@dataclass(frozen=True)
class Course:
    """What to crawl, and how.

    Up to `window` are in flight, and if `polite`, their hosts are busy. `tell` speaks after each visit,
    and is given all so far.
    """

    web: SmallWeb
    limits: Limits = ENOUGH
    window: int = 1
    polite: bool = False
    tell: Callable[[Crawl, list[Visit]], None] | None = None
    seed: int = 0

    def brief(self) -> Brief:
        """The brief of this course, its dice not yet thrown."""
        return prepare(self.web.topic, self.web, self.limits, self.seed)

    def busy(self, flying: Iterable[Choice]) -> frozenset[int]:
        """The hosts to leave alone."""
        return frozenset(self.web.urls.host(c.link.url) for c in flying) if self.polite else frozenset()


@dataclass(frozen=True)
class CourseResult:
    """What came of a course; `breach` says why the crawl gave up on the strategy, if it did."""

    crawl: Crawl
    calls: list[Call]
    visits: list[Visit]
    breach: str | None

    def questions(self) -> list[tuple[int, frozenset[int], list[Choice]]]:
        """Every `choose`: how many, which hosts were busy, what it gave."""
        return [(*call.arguments, call.answer) for call in self.calls if call.name == "choose"]

    def visit_rows(self) -> list[tuple[int, int, str, float, int, bool]]:
        """Every visit, as far as two crawls of the same web must agree on it."""
        return [(v.url, v.final, v.outcome.value, v.score, v.depth, v.revisit) for v in self.visits]


def drive(strategy: StrategyRecorder, course: Course) -> CourseResult:
    """Crawl a course to the end, or to the call at which the crawl gives up on the strategy.

    `web.asked` then holds what this crawl asked for.
    """
    log = MemoryLog()
    strategy.calls.clear()
    recipe = Recipe(strategy, Cosine(), course.limits, f"window:{course.window}", course.seed)
    run = RecordedCrawl(course.web.topic, course.web, recipe, log, busy=course.busy)
    course.web.asked.clear()
    crawl = run.crawl
    crawl.stalled_after = STALLED_AFTER
    breach = None
    try:
        for _ in run.visits():
            if course.tell:
                course.tell(crawl, log.visits)
    except ContractBroken as error:
        breach = str(error)
    return CourseResult(crawl, list(strategy.calls), log.visits, breach)
