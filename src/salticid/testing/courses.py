"""The crawls that the contract checks make."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from salticid.crawl import Crawl
from salticid.model import Feedback, Limits, Links, Visit
from salticid.protocols import Strategy
from salticid.testing.drive import Call, Course, CourseResult, StrategyRecorder, drive
from salticid.testing.small import SmallWeb, address, random_web

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
    demand(
        (a_end := one.crawl.stopped) == (b_end := other.crawl.stopped), f"it ended by {a_end} and by {b_end}"
    )


def demand(holds: bool, otherwise: str) -> None:
    """Raise AssertionError unless it holds."""
    if not holds:
        raise AssertionError(otherwise)
