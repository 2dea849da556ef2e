"""The order in which strategies visit a web of a dozen pages, worked out by hand.

The topic is the one word `spider`, so a page of s spiders and r rains scores s / sqrt(s^2 + r^2).

    seed 0.6 -> a b c
    a 5/13 -> a1 a2         a1 1 -> x        a2 0
    b 0.8  -> b1 b2 a       b1 5/13 -> b11 gone (dead)      b2 0.6 -> b21
    c 0    -> c1            c1 1 -> y
    b11 0.8, b21 0, x 0, y 0 lead nowhere.
"""

from dataclasses import replace

import pytest

from salticid.crawl import Crawl
from salticid.drivers.replay import VirtualClock, Window, replay
from salticid.judges.cosine import Cosine
from salticid.model import Choice, StopReason
from salticid.protocols import Strategy
from salticid.runs.brief import prepare
from salticid.runs.recorded import MemoryLog
from salticid.strategies.best_first import BestFirst
from salticid.strategies.best_n_first import BestNFirst
from salticid.strategies.breadth_first import BreadthFirst
from salticid.testing.small import SmallWeb
from salticid.topic import Limits


def _about(spiders: int, rains: int) -> str:
    return "spider " * spiders + "rain " * rains


def _web() -> SmallWeb:
    web = SmallWeb(
        {
            "seed": (_about(3, 4), ["a", "b", "c"]),
            "a": (_about(5, 12), ["a1", "a2"]),
            "b": (_about(4, 3), ["b1", "b2", "a"]),
            "c": (_about(0, 1), ["c1"]),
            "a1": (_about(1, 0), ["x"]),
            "a2": (_about(0, 1), []),
            "b1": (_about(5, 12), ["b11", "gone"]),
            "b2": (_about(3, 4), ["b21"]),
            "c1": (_about(1, 0), ["y"]),
            "b11": (_about(4, 3), []),
            "b21": (_about(0, 1), []),
            "x": (_about(0, 1), []),
            "y": (_about(0, 1), []),
        },
        dead=["gone"],
    )
    web.topic = replace(web.topic, keywords="spider")
    return web


def _crawl(web: SmallWeb, strategy: Strategy, max_buffer: int | None = None) -> tuple[Crawl, MemoryLog, VirtualClock]:
    log, clock = MemoryLog(), VirtualClock()
    brief = prepare(web.topic, web, Limits(max_pages=50, max_buffer=max_buffer), seed=0)
    return Crawl(brief, strategy, Cosine(), log, clock), log, clock


def _order(strategy: Strategy, max_buffer: int | None = None, window: int = 1) -> str:
    web = _web()
    crawl, _, clock = _crawl(web, strategy, max_buffer)
    assert replay(crawl, web, Window(window), clock) is StopReason.FRONTIER_EMPTY
    return " ".join(web.asked)


def test_the_judge_scores_as_worked_out() -> None:
    web = _web()
    crawl, log, clock = _crawl(web, BreadthFirst())
    replay(crawl, web, Window(), clock)
    scores = {web.name(visit.url): visit.score for visit in log.visits}
    expected = {"seed": 0.6, "a": 5 / 13, "b": 0.8, "c": 0, "a1": 1, "gone": 0}
    assert {name: scores[name] for name in expected} == pytest.approx(expected)


def test_breadth_first() -> None:
    # Level by level, each in reading order; b's link to a is none, a was chosen.
    assert _order(BreadthFirst()) == "seed a b c a1 a2 b1 b2 c1 x b11 gone b21 y"


def test_breadth_first_with_a_queue_of_three() -> None:
    # seed: a b c. a leaves: b c a1, no room for a2. b: c a1 b1, not b2. c: a1 b1 c1. a1: b1 c1 x.
    # b1: c1 x b11, not gone. c1: x b11 y.
    assert _order(BreadthFirst(), max_buffer=3) == "seed a b c a1 b1 c1 x b11 y"


def test_best_first() -> None:
    # seed: a b c at .6. a: a1 a2 at .38. b: b1 b2 at .8, so these are next. b1: b11 gone at .38, behind a1 a2.
    # b2: b21 at .6, behind the older c. c: c1 at 0. b21: nothing. a1: x at 1. Then a2 b11 gone, c1, and y at 1.
    assert _order(BestFirst()) == "seed a b b1 b2 c b21 a1 x a2 b11 gone c1 y"


def test_best_first_with_a_frontier_of_two() -> None:
    # seed: a b, and c is the newest of equals: out. a: b .6, a1 .38, a2 out. b: b1 .8, and b2 .8 drives a1 out.
    # b1: b2 .8, b11 .38, gone out. b2: b21 .6 before b11.
    assert _order(BestFirst(), max_buffer=2) == "seed a b b1 b2 b21 b11"


def test_best_first_that_always_admits_with_a_frontier_of_two() -> None:
    # seed: a b, and b as the newest of equals makes room for c. a: c .6, a1 .38, which makes room for a2.
    # c: a2, c1 at 0. a2: nothing. c1: y.
    assert _order(BestFirst(admit="always"), max_buffer=2) == "seed a c a2 c1 y"


def test_best_n_first() -> None:
    # [seed]: a b c at .6. [a b c]: a1 a2 .38, b1 b2 .8, c1 0; b's link to a leads into the batch itself.
    # [b1 b2 a1]: x 1, b21 .6, a2 .38 and, younger, b11 gone .38, c1 0. [x b21 a2]: nothing.
    # [b11 gone c1]: y. [y]
    assert _order(BestNFirst(n=3)) == "seed a b c b1 b2 a1 x b21 a2 b11 gone c1 y"


@pytest.mark.parametrize("window", [2, 3, 10])
def test_best_n_first_does_not_mind_how_many_fly_at_once(window: int) -> None:
    assert _order(BestNFirst(n=3), window=window) == _order(BestNFirst(n=3))


def test_best_n_first_of_one_is_best_first() -> None:
    assert _order(BestNFirst(n=1)) == _order(BestFirst())


def test_best_n_first_learns_nothing_until_the_last_of_a_batch_is_back() -> None:
    web = _web()
    crawl, _, _ = _crawl(web, BestNFirst(n=3))

    def names(choices: list[Choice]) -> str:
        return " ".join(web.name(choice.link.url) for choice in choices)

    def deliver(choice: Choice) -> None:
        crawl.deliver(choice, web.fetch(choice.link.url))

    deliver(*crawl.choices(10))
    first, second = crawl.choices(2)
    assert names([first, second]) == "a b"
    deliver(first)
    (third,) = crawl.choices(10)
    assert names([third]) == "c"
    deliver(second)
    assert crawl.choices(10) == []
    deliver(third)
    *others, last = crawl.choices(10)
    assert names([*others, last]) == "b1 b2 a1"
    for choice in others:
        deliver(choice)
    assert crawl.choices(10) == []
    web.lifetime = 0  # from here on every answer is a failure, and it counts as a return too
    deliver(last)
    assert names(crawl.choices(10)) == "b21 a2 b11"


@pytest.mark.parametrize(
    "strategy", [BreadthFirst(), BestFirst(), BestNFirst(n=1)], ids=lambda made: type(made).__name__
)
def test_where_a_redirect_led_is_waited_for_no_more(strategy: Strategy) -> None:
    web = SmallWeb({"seed": ("spiders", ["old", "new"]), "new": ("spiders", [])}, redirects={"old": "new"})
    crawl, log, clock = _crawl(web, strategy)
    replay(crawl, web, Window(), clock)
    assert [web.name(visit.url) for visit in log.visits] == ["seed", "old"]
