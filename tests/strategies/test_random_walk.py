"""Random surfers, first on a web of a dozen pages with the dice thrown by hand.

seed -> a b c    a -> a1 a2    b -> b1 b2 seed    c -> c1 c1 c2
a2 -> a b    b1 -> c    b2 -> b21    c1 -> seed b    c2 -> gone (dead)    a1 and b21 lead nowhere.
"""

from collections import Counter

import numpy as np
import pytest

from salticid.errors import UserError
from salticid.model import Links, StopReason
from salticid.runs.recorded import MemoryLog
from salticid.strategies import strategies
from salticid.strategies.random_walk import RandomWalk
from salticid.testing.courses import Course, CourseResult, drive, watch
from salticid.testing.small import SmallWeb
from salticid.topic import Limits


def _web() -> SmallWeb:
    links = {
        "seed": ["a", "b", "c"],
        "a": ["a1", "a2"],
        "b": ["b1", "b2", "seed"],
        "c": ["c1", "c1", "c2"],
        "a1": [],
        "a2": ["a", "b"],
        "b1": ["c"],
        "b2": ["b21"],
        "b21": [],
        "c1": ["seed", "b"],
        "c2": ["gone"],
    }
    return SmallWeb({name: ("spiders", there) for name, there in links.items()}, dead=["gone"])


def _path(web: SmallWeb, run: CourseResult) -> str:
    """All visits; those that are none of the first time are marked."""
    return " ".join(web.name(visit.url) + "*" * visit.revisit for visit in run.visits)


def test_the_walk_worked_out_by_hand() -> None:
    # The dice of seed 0: below .15 the surfer jumps home, else the second number is the link.
    #   seed .637 1: b       b .041: home       seed .017: home    seed .813 0: a      a .913 1: a2
    #   a2 .729 1: b         b .544 1: b2       b2 .816 0: b21     b21: home           seed .003: home
    #   seed .857 2: c       c .034: home       seed .730 2: c     c .863 0: c1
    web = _web()
    run = drive(watch(RandomWalk()), Course(web, Limits(max_pages=8)))
    assert _path(web, run) == "seed b seed* seed* a a2 b* b2 b21 seed* seed* c seed* c* c1"
    assert web.asked == ["seed", "b", "a", "a2", "b2", "b21", "c", "c1"]
    assert run.crawl.stopped is StopReason.BUDGET
    assert isinstance(run.crawl.log, MemoryLog)
    jumps = [dict(event.values)["why"] for event in run.crawl.log.events if event.name == "jump"]
    assert jumps == ["by chance", "by chance", "dead end", "by chance", "by chance"]


def test_one_that_never_jumps_walks_to_the_end_and_starts_again() -> None:
    web = SmallWeb({"seed": ("", ["a"]), "a": ("", ["b"]), "b": ("", ["gone"])}, dead=["gone"])
    run = drive(watch(RandomWalk(jump=0.0)), Course(web))
    assert _path(web, run).startswith("seed a b gone seed* a* b* gone* seed*")
    assert run.crawl.stopped is StopReason.STALLED


def _many_walks(web: SmallWeb, strategy: RandomWalk) -> tuple[Counter[str], int]:
    """How often each page was visited in walks of thirty seeds, and how many jumps there were."""
    times: Counter[str] = Counter()
    jumps = 0
    for seed in range(30):
        run = drive(watch(strategy), Course(web, seed=seed))
        times.update(web.name(visit.url) for visit in run.visits)
        assert isinstance(run.crawl.log, MemoryLog)
        jumps += len(run.crawl.log.events)
    return times, jumps


def test_one_that_always_jumps_sees_the_seeds_alone_and_none_more_than_another() -> None:
    web = SmallWeb({name: ("", ["x"]) for name in "abc"}, seeds=["a", "b", "c"])
    times, jumps = _many_walks(web, RandomWalk(jump=1.0))
    assert set(times) == {"a", "b", "c"}
    assert jumps == times.total()
    assert min(times.values()) / jumps == pytest.approx(1 / 3, abs=0.04)


def test_each_link_is_as_likely_as_another_and_jumps_come_as_often_as_set() -> None:
    web = SmallWeb({"hub": ("", ["a", "b", "b", "c"]), **{name: ("", ["hub"]) for name in "abc"}})
    times, jumps = _many_walks(web, RandomWalk(jump=0.2))
    away = times["a"] + times["b"] + times["c"]
    assert away > 500
    assert times["b"] / away == pytest.approx(0.5, abs=0.06)
    assert times["a"] / away == pytest.approx(0.25, abs=0.06)
    assert jumps / times.total() == pytest.approx(0.2, abs=0.04)


def test_links_that_are_not_to_be_followed_are_not() -> None:
    web = SmallWeb(
        {
            "seed": "<a href=closed rel=nofollow>no</a> <a href=open>yes</a>",
            "open": "<meta name=robots content=nofollow><a href=closed>no</a>",
        }
    )
    run = drive(watch(RandomWalk(jump=0.0)), Course(web))
    assert set(web.asked) == {"seed", "open"}
    assert run.crawl.stopped is StopReason.STALLED


def test_walkers_start_at_the_seeds_in_turn_and_each_has_one_page_in_flight() -> None:
    web = SmallWeb({name: ("", [f"{name}1"]) for name in "ab"}, seeds=["a", "b"])
    strategy = RandomWalk(walkers=3, jump=0.0)
    strategy.start(Course(web).brief())
    chosen = strategy.choose(10, frozenset())
    assert [(web.name(choice.link.url), choice.agent) for choice in chosen] == [("a", 0), ("b", 1), ("a", 2)]
    assert strategy.choose(10, frozenset()) == []
    assert strategy.waiting(10) == (0, [])


def test_several_walkers_find_more_at_once() -> None:
    web = _web()
    run = drive(watch(RandomWalk(walkers=4)), Course(web, window=4))
    assert {visit.choice.agent for visit in run.visits} == {0, 1, 2, 3}
    assert set(web.asked) == {*"abc", "seed", "a1", "a2", "b1", "b2", "b21", "c1", "c2", "gone"}


def test_a_walker_waits_for_a_busy_host_and_draws_nothing_again() -> None:
    web = SmallWeb({"a.example/": ("", []), "b.example/": ("", [])}, seeds=["a.example/", "b.example/"])
    busy = frozenset([web.urls.host(web.id("a.example/"))])
    brief = Course(web).brief()
    strategy = RandomWalk(walkers=2)
    strategy.start(brief)
    dice = brief.rng.bit_generator.state
    (other,) = strategy.choose(2, busy)
    assert (web.name(other.link.url), other.agent) == ("b.example/", 1)
    assert strategy.choose(2, busy) == []
    (first,) = strategy.choose(2, frozenset())
    assert (web.name(first.link.url), first.agent) == ("a.example/", 0)
    assert brief.rng.bit_generator.state == dice


def test_offered_links_are_taken_by_the_next_jumps_oldest_first() -> None:
    web = SmallWeb({"seed": ("", ["end"]), "end": ("", []), "x": ("", []), "y": ("", [])})
    course = Course(
        web,
        tell=lambda crawl, visits: crawl.offer(Links.to([web.id("x"), web.id("y")])) if len(visits) == 1 else None,
    )
    run = drive(watch(RandomWalk(jump=0.0)), course)
    assert _path(web, run).startswith("seed end x y seed* end*")


def test_no_more_wait_than_max_buffer() -> None:
    web = SmallWeb({"seed": ("", [])})
    strategy = RandomWalk(walkers=3)
    strategy.start(Course(web, Limits(max_buffer=5)).brief())
    strategy.offer(Links.to([web.id(f"x{n}") for n in range(9)]))
    size, links = strategy.waiting(10)
    assert size == 5
    assert [web.name(choice.link.url) for choice in links] == ["seed", "seed", "seed", "x0", "x1"]
    strategy.start(Course(web, Limits(max_buffer=2)).brief())
    assert len(strategy.choose(10, frozenset())) == 2


def test_walks_differ_by_seed() -> None:
    webs = [_web() for _ in range(4)]
    paths = [_path(web, drive(watch(RandomWalk()), Course(web, seed=n))) for n, web in enumerate(webs)]
    assert len(np.unique(paths)) == 4


@pytest.mark.parametrize("settings", [{"jump": 1.5}, {"jump": -0.1}, {"walkers": 0}])
def test_settings_out_of_range_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(UserError, match="random_walk: setting"):
        strategies.make("random_walk", settings)
