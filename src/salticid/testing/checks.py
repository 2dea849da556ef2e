"""The contract of a strategy as checks that anyone can run on their own.

Each check takes a function that makes the strategy and raises AssertionError with a sentence that
begins with the rule. `salticid.testing.broken` holds for each a strategy that it rejects.

>>> from salticid.testing.broken import Generous
>>> check_at_most_n(Generous)
Traceback (most recent call last):
AssertionError: It gives at most n choices: choose(1) gave 2
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache, wraps
from typing import Any, Literal, get_args, get_origin, get_type_hints

from salticid.crawl import Crawl
from salticid.errors import ContractBroken
from salticid.model import FROM_OFFER, FROM_SEED, Glimpse, Link, Links, StopReason, Visit
from salticid.protocols import Strategy
from salticid.registry import settings_of
from salticid.testing.courses import (
    Course,
    CourseResult,
    Make,
    StrategyRecorder,
    a_web,
    courses,
    demand,
    demand_same,
    drive,
    feedback_course,
    look,
    resume_at,
    sizes_during,
    watch,
)
from salticid.testing.small import SmallWeb, random_web
from salticid.topic import Limits

# What may be wrong with the constructor of a strategy.


def faults_of_constructor(strategy: Strategy) -> Iterator[str]:
    """One sentence for each way in which the constructor does more, or less, than store its settings.

    >>> from salticid.strategies.best_n_first import BestNFirst
    >>> list(faults_of_constructor(BestNFirst(n=3)))
    []
    """
    kind = type(strategy)
    settings = inspect.signature(kind).parameters
    for name, setting in settings.items():
        if setting.kind is not setting.KEYWORD_ONLY:
            yield f"{name} is not keyword-only"
        if setting.default is setting.empty:
            yield f"{name} has no default"
        if setting.annotation is setting.empty:
            yield f"{name} has no type"
        if not hasattr(strategy, name):
            yield f"{name} is not stored under its name"
            return
    if state := sorted(vars(strategy).keys() - settings.keys()):
        yield f"besides its settings there is {', '.join(state)}"
    if not isinstance(getattr(kind, "walks", None), bool):
        yield "the class does not say whether it walks"
    yield from _changes(kind, settings_of(strategy))


def _changes(kind: type[Strategy], settings: dict[str, Any]) -> Iterator[str]:
    """The settings that come out other than they went in."""
    hints = get_type_hints(kind.__init__, include_extras=True)
    for name, value in settings.items():
        for setting in [value, *_values(hints[name])]:
            result = getattr(kind(**{**settings, name: setting}), name)
            if result is not setting:
                yield f"{name}={setting!r} was stored as {result!r}"
                return


def _values(kind: Any) -> list[Any]:
    """Some values a setting may have: all literals, the ends of a range.

    >>> from typing import Annotated
    >>> from msgspec import Meta
    >>> _values(Annotated[int, Meta(ge=1, le=9)]), _values(Literal["a", "b"]), _values(str)
    ([1, 9], ['a', 'b'], [])
    """
    if kind is bool:
        return [False, True]
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    meta = getattr(kind, "__metadata__", (None,))[0]
    ends = (getattr(meta, "ge", None), getattr(meta, "le", None))
    return [kind.__origin__(end) for end in ends if end is not None]


Check = Callable[[Make], None]

_all: list[Check] = []


def _check(check: Check) -> Check:
    """Make a check of a function: the first line of its docstring is the rule, and begins the sentence."""
    rule = rule_of(check)

    @wraps(check)
    def run(make: Make) -> None:
        try:
            check(make)
        except (AssertionError, ContractBroken) as broken:
            raise AssertionError(f"{rule}: {broken}") from broken

    _all.append(run)
    return run


def rule_of(check: Check) -> str:
    """The rule a check holds a strategy to."""
    return (check.__doc__ or "").split("\n")[0].removesuffix(".")


def all_checks() -> list[Check]:
    """Every check, in the order of this file."""
    return list(_all)


def check_strategy(make: Make) -> None:
    """Run every check on the strategies that `make` gives."""
    for check in _all:
        check(make)


@_check
def check_constructor(make: Make) -> None:
    """The constructor only stores its settings."""
    for fault in faults_of_constructor(make()):
        raise AssertionError(fault)


@_check
def check_same_seed(make: Make) -> None:
    """The same seed gives the same crawl."""
    for course, run in _runs(make):
        demand_same(run, drive(watch(make()), course))


@_check
def check_ids(make: Make) -> None:
    """Ids decide nothing."""
    for seed in range(3):
        web = random_web(pages=30, hosts=4, seed=seed)
        visits = [
            [there.name(visit.url) for visit in drive(watch(make()), Course(there, window=3)).visits]
            for there in (web, web.renumbered(1), web.renumbered(2))
        ]
        demand(visits[0] == visits[1] == visits[2], "with other ids for the same URLs, it chose otherwise")


@_check
def check_never_twice(make: Make) -> None:
    """No URL is chosen twice."""
    for course, run in _runs(make):
        urls = Counter(choice.link.url for _, _, choices in run.questions() for choice in choices)
        twice = [course.web.name(url) for url, times in urls.items() if times > 1]
        demand(run.crawl.strategy.walks or not twice, f"it chose {', '.join(twice)} again")


@_check
def check_known_links(make: Make) -> None:
    """Only seeds, delivered and offered links are chosen, each with its true source."""
    for course, run in _runs(make):
        links_so_far: set[Link] = set()
        for call in run.calls:
            if call.name == "start":
                links_so_far |= {Link(url, FROM_SEED) for url in call.arguments[0].seeds.url.tolist()}
            elif call.name == "offer":
                links_so_far |= {Link(url, FROM_OFFER) for url in call.arguments[0].url.tolist()}
            elif call.name == "observe" and call.arguments[0].page is not None:
                visit, fresh = call.arguments
                links = visit.page.links.url.tolist()
                places = range(len(links)) if run.crawl.strategy.walks else fresh.tolist()
                links_so_far |= {Link(links[place], visit.step, place) for place in places}
            elif call.name == "choose":
                for choice in call.answer:
                    link = choice.link if choice.link.source >= 0 else replace(choice.link, place=0)
                    demand(link in links_so_far, f"nobody gave it {link}, {course.web.name(link.url)}")


@_check
def check_at_most_n(make: Make) -> None:
    """It gives at most n choices."""
    for _, run in _runs(make):
        for n, _, choices in run.questions():
            demand(len(choices) <= n, f"choose({n}) gave {len(choices)}")


@_check
def check_busy_hosts(make: Make) -> None:
    """Busy hosts are left alone."""
    busy_count = 0
    for course, run in _runs(make):
        urls = course.web.urls
        for _, busy, choices in run.questions():
            hosts = {urls.host(choice.link.url) for choice in choices} & busy
            names = [urls.host_name(host) for host in sorted(hosts)]
            demand(not names, f"it chose links on {', '.join(names)} while busy")
            busy_count += len(busy)
    demand(busy_count > 0, "no host was ever busy, so nothing was checked")


@_check
def check_ends(make: Make) -> None:
    """A crawl of a small web ends, and the reason given is true."""
    for _, run in _runs(make):
        demand(run.breach is None, f"the crawl gave up on it: {run.breach}")
        demand(run.crawl.stopped is not None, "it ended without a reason")
        if run.crawl.stopped is StopReason.FRONTIER_EMPTY:
            waiting, _ = run.crawl.strategy.waiting(0)
            demand(waiting == 0, f"it ended with an empty frontier, but {waiting} links wait")


@_check
def check_restart(make: Make) -> None:
    """A restart forgets."""
    strategy = watch(make())
    for course, run in _runs(make):
        demand_same(drive(strategy, course), run)


@_check
def check_budget(make: Make) -> None:
    """The budget holds."""
    for window in (1, 3, 20):
        web = a_web(seed=window)
        for limits in (Limits(max_pages=7), Limits(max_pages=12, max_fetches=9), Limits(max_pages=1)):
            run = drive(watch(make()), Course(web, limits, window))
            demand(run.breach is None, f"the crawl gave up on it: {run.breach}")
            pages = sum(visit.good for visit in run.visits)
            demand(pages <= limits.max_pages, f"{pages} pages of {limits.max_pages} allowed")
            demand(len(web.asked) <= limits.fetches, f"{len(web.asked)} fetches of {limits.fetches} allowed")


@_check
def check_bounded(make: Make) -> None:
    """The bounded frontier stays bounded."""
    for most in (1, 6):
        for course in courses(max_buffer=most):
            size = max(sizes_during(watch(make()), course))
            demand(size <= most, f"{size} links waited where {most} may")
    if not make().walks:
        _demand_nothing_hidden(watch(make()), most=6)


@_check
def check_looking(make: Make) -> None:
    """Looking with waiting() and events() changes nothing."""
    for course, run in _runs(make):
        looked_at = watch(make())
        looked_at.after = look
        demand_same(drive(looked_at, course), run)


@_check
def check_told_midway(make: Make) -> None:
    """It takes revise, offer and extend in the middle of a crawl."""
    course = feedback_course(a_web(seed=0))
    try:
        run = drive(watch(make()), course)
    except (AttributeError, LookupError, NotImplementedError, TypeError, ValueError) as error:
        raise AssertionError(f"it raised {error!r}") from error
    calls = {call.name for call in run.calls}
    demand({"revise", "offer", "extend"} <= calls, "it ended before it could be told anything")
    by_first_budget = course.limits.max_pages + course.window
    demand(run.crawl.pages > by_first_budget, f"a larger budget left it at {run.crawl.pages} pages")


@_check
def check_visits_of_others(make: Make) -> None:
    """It takes visits of links that it did not choose."""
    for course in courses():
        urls = [course.web.urls[url] for url in range(len(course.web.urls))]

        def tell(crawl: Crawl, _: list[Visit], urls: list[str] = urls) -> None:
            if crawl.step % 5 == 1 and crawl.step < 40:
                links = tuple((url, 0, 2) for url in urls[crawl.step % 7 :: 7])
                words = ("jumping", "spiders", "elsewhere")
                crawl.glimpse(Glimpse(1, crawl.step, urls[0], "Elsewhere", words, links, 0.7, True, 1))

        try:
            run = drive(watch(make()), replace(course, tell=tell))
        except (AttributeError, LookupError, NotImplementedError, TypeError, ValueError) as error:
            raise AssertionError(f"it raised {error!r}") from error
        demand(run.breach is None, f"the crawl gave up on it: {run.breach}")
        demand(run.crawl.stopped is not None, "it ended without a reason")


@_check
def check_replay(make: Make) -> None:
    """Replaying the logged calls into a new instance restores it."""
    for number, (course, whole) in enumerate(_runs(make)):
        strategy, quarters = watch(make()), 1 + number % 3
        strategy.before = resume_at(len(whole.calls) * quarters // 4, make, course)
        demand_same(drive(strategy, course), whole)


@_check
def check_offers(make: Make) -> None:
    """Offered links can be chosen."""
    islands = [f"island{n}.example/" for n in range(3)]
    land = {f"p{n}": ("jumping spiders", [f"p{n + 1}"]) for n in range(8)}
    web = SmallWeb({**land, **{island: ("spiders", []) for island in islands}})

    steps: list[int] = []

    def tell(crawl: Crawl, _: list[Visit]) -> None:
        if crawl.step >= 4 and not steps:
            steps.append(crawl.step)
            crawl.offer(Links.to([web.id(island) for island in islands]))

    run = drive(watch(make()), Course(web, tell=tell))
    finds = {web.name(visit.final) for visit in run.visits} & set(islands)
    demand(len(finds) >= (1 if run.crawl.strategy.walks else 3), f"of 3 offered it chose {len(finds)}")


@_check
def check_offered_again(make: Make) -> None:
    """A link chosen in vain can be chosen again when it is offered again."""
    land = {f"p{n}": ("jumping spiders", [f"p{n + 1}"]) for n in range(1, 9)}
    web = SmallWeb({"p0": ("jumping spiders", ["gone.example/", "p1"]), **land})
    urls: list[int] = []

    def tell(crawl: Crawl, visits: list[Visit]) -> None:
        failures = [visit.url for visit in visits if web.name(visit.url) == "gone.example/"]
        if failures and not urls:
            urls.extend(failures)
            crawl.offer_again(failures)

    run = drive(watch(make()), Course(web, tell=tell))
    times = [web.name(visit.url) for visit in run.visits].count("gone.example/")
    demand(run.crawl.strategy.walks or times == 2, f"it chose {times} times what was offered to it again")


def _runs(make: Make) -> Iterator[tuple[Course, CourseResult]]:
    """Each course, crawled by a new strategy. Checks of the same `make` share these crawls."""
    return ((course, _crawled(make, course)) for course in _courses_of(make))


@lru_cache(maxsize=1)
def _courses_of(_: Make) -> list[Course]:
    return list(courses())


@lru_cache(maxsize=16)
def _crawled(make: Make, course: Course) -> CourseResult:
    return drive(watch(make()), course)


def _demand_nothing_hidden(strategy: StrategyRecorder, most: int) -> None:
    """After the web has died a strategy can live only on what it kept: its frontier, and a batch in hand."""
    web = a_web(seed=3)
    web.lifetime = 20
    drive(strategy, Course(web, Limits(max_pages=200, max_buffer=most)))
    after = len(web.asked) - web.lifetime
    demand(after <= 2 * most, f"it kept {after} links where {most} may wait, whatever waiting() says")
