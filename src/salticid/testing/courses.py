"""The crawls that the contract checks make."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from salticid.crawl import Crawl
from salticid.errors import ContractBroken
from salticid.judges.cosine import Cosine
from salticid.model import Choice, Event, Feedback, Ints, Links, Visit
from salticid.protocols import Brief, Strategy
from salticid.runs import MemoryLog, Recipe, RecordedCrawl, prepare
from salticid.testing.small import SmallWeb, address, random_web
from salticid.topic import Limits

# A crawl under watch: the driver of the contract checks, and a log of every call to the strategy.

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
    tell: Callable[[Crawl, list[Visit]], object] | None = None
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


Make = Callable[[], Strategy]


def courses(max_buffer: int | None = None) -> Iterator[Course]:
    """Crawls with one request at a time, with many, polite, cut short, with feedback; two of them on a second web."""
    web, whole = a_web(0), Limits(max_pages=45, max_buffer=max_buffer)
    yield Course(web, whole)
    yield Course(web, whole, window=6)
    yield Course(web, whole, window=4, polite=True)
    yield Course(web, replace(whole, max_pages=11), window=4, polite=True)
    yield feedback_course(web, max_buffer)
    other = a_web(1)
    yield Course(other, replace(whole, max_pages=25), window=6)
    yield feedback_course(other, max_buffer)


def a_web(seed: int) -> SmallWeb:
    """A random web whose topic names an example and a negative."""
    web = random_web(pages=30, hosts=4, seed=seed)
    example, negative = (next(name for name in web.names() if name.endswith(end)) for end in ("p29", "p19"))
    web.topic = replace(web.topic, examples=(address(example),), negatives=(address(negative),))
    return web


def feedback_course(web: SmallWeb, max_buffer: int | None = None) -> Course:
    """A crawl in which the judge changes its mind, people speak, links are offered and the budget grows."""
    urls = list(range(len(web.urls)))

    def tell(crawl: Crawl, visits: list[Visit]) -> None:
        step = crawl.step
        if step % 5 == 3:
            pages = [visit.step for visit in visits if visit.good]
            crawl.revise([(past, (past * 7 % 10) / 10) for past in pages[-20::2]], [])
        if step % 6 == 4:
            crawl.revise([], [Feedback(step % len(urls), +1), Feedback(web.id("never-seen"), -1)])
        if step % 4 == 2:
            crawl.offer(Links.to(urls[step % len(urls) :: len(urls) // 5]))
        if crawl.pages == 9 and crawl.limits.max_pages == 10:
            crawl.extend(replace(crawl.limits, max_pages=30))

    return Course(web, Limits(max_pages=10, max_buffer=max_buffer), window=4, tell=tell)


def resume_at(at: int, make: Make, course: Course) -> Callable[[StrategyRecorder], None]:
    """Before call number `at`, put a new instance in the place of the old, fed with the calls so far."""

    def resume(strategy: StrategyRecorder) -> None:
        if len(strategy.calls) == at:
            strategy.inner = _restore(make(), strategy.calls, course)

    return resume


def _restore(strategy: Strategy, calls: list[Call], course: Course) -> Strategy:
    for number, call in enumerate(calls):
        if call.name == "start":
            strategy.start(course.brief())
        else:
            answer = getattr(strategy, call.name)(*call.arguments)
            demand(answer == call.answer, f"replayed, call {number} ({call.name}) gave another answer")
    return strategy


def look(strategy: StrategyRecorder) -> None:
    """Call all methods of a strategy that only show something."""
    size, best = strategy.waiting(3)
    demand(len(best) <= 3, f"waiting(3) showed {len(best)} links")
    strategy.events()
    for k in (0, 3, 10):
        demand(strategy.waiting(k)[0] == size, f"waiting({k}) counted other than the {size} links before")
    demand(strategy.waiting(3)[1] == best, "waiting(3) showed other links than the time before")


def sizes_during(strategy: StrategyRecorder, course: Course) -> list[int]:
    """How many links waited after each call."""
    sizes: list[int] = []
    strategy.after = lambda it: sizes.append(it.waiting(0)[0])
    drive(strategy, course)
    return sizes


def demand_same(one: CourseResult, other: CourseResult) -> None:
    """Two crawls must have asked, chosen, scored and visited alike."""
    for number, (a, b) in enumerate(zip(one.questions(), other.questions(), strict=False)):
        demand(a == b, f"choose number {number} differs: {a} and {b}")
    for a_visit, b_visit in zip(one.visit_rows(), other.visit_rows(), strict=False):
        demand(a_visit == b_visit, f"a visit differs: {a_visit} and {b_visit}")
    demand(len(one.calls) == len(other.calls), f"{len(one.calls)} calls and {len(other.calls)}")
    demand((a_end := one.crawl.stopped) == (b_end := other.crawl.stopped), f"it ended by {a_end} and by {b_end}")


def demand(holds: bool, otherwise: str) -> None:
    """Raise AssertionError unless it holds."""
    if not holds:
        raise AssertionError(otherwise)
