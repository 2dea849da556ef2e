"""Why a crawl ends: the budget, the clock, a person, or nothing left to do."""

import pytest
from tests.support.scripted import ENOUGH, Crawled, Script, WalkingScript, chain, star

from salticid.crawl import HARVEST_WINDOW, STALLED_AFTER, Crawl
from salticid.drivers.replay import VirtualClock, Window, replay
from salticid.judges.cosine import Cosine
from salticid.model import StopReason, Visit
from salticid.runs.brief import prepare
from salticid.runs.recorded import MemoryLog
from salticid.strategies.breadth_first import BreadthFirst
from salticid.testing.small import SECONDS, SmallWeb
from salticid.topic import Limits


def test_the_budget_counts_good_pages() -> None:
    web = SmallWeb(star("a", "gone", "b", "c"), dead=["gone"])
    done = Crawled(web, BreadthFirst(), Limits(max_pages=3))
    assert done.to_the_end(window=5) is StopReason.BUDGET
    assert done.visits() == [("seed", "ok"), ("a", "ok"), ("gone", "dead"), ("b", "ok")]


@pytest.mark.parametrize(("limits", "asked"), [(Limits(max_pages=5, max_fetches=7), 7), (Limits(max_pages=2), 20)])
@pytest.mark.parametrize("window", [1, 4])
def test_fetches_are_bounded_too(limits: Limits, asked: int, window: int) -> None:
    web = SmallWeb({"seed": ("spiders", [f"never{n}" for n in range(50)])})
    done = Crawled(web, BreadthFirst(), limits)
    assert done.to_the_end(window) is StopReason.FETCHES
    assert len(web.asked) == done.crawl.fetches == asked


def test_no_more_is_asked_for_than_the_budget_allows() -> None:
    web = SmallWeb(star("a", "b", "c", "d"))
    script = Script(web, "seed", "a", "b")
    done = Crawled(web, script, Limits(max_pages=4, max_fetches=3))
    done.deliver(*done.crawl.choices(10))
    done.crawl.choices(10)
    done.crawl.choices(10)
    assert done.crawl.choices(10) == []
    assert script.rooms == [3, 2, 1]


def test_time_is_up() -> None:
    done = Crawled(chain(50), BreadthFirst(), Limits(max_seconds=3.5 * SECONDS))
    assert done.to_the_end() is StopReason.TIME
    assert [visit.at for visit in done.log.visits] == [SECONDS, 2 * SECONDS, 3 * SECONDS, 4 * SECONDS]


def test_the_harvest_fell_below_what_was_asked_for() -> None:
    limits = Limits(max_pages=2 * HARVEST_WINDOW, min_harvest=0.3)
    done = Crawled(chain(2 * HARVEST_WINDOW, "rain"), BreadthFirst(), limits)
    assert done.to_the_end() is StopReason.CONDITION
    assert (done.crawl.pages, done.crawl.harvest) == (HARVEST_WINDOW, 0.0)


def test_a_good_harvest_ends_nothing() -> None:
    limits = Limits(max_pages=2 * HARVEST_WINDOW, min_harvest=0.3)
    done = Crawled(chain(2 * HARVEST_WINDOW), BreadthFirst(), limits)
    assert done.to_the_end() is StopReason.BUDGET
    assert done.crawl.harvest == 1.0


@pytest.mark.parametrize(("kind", "reason"), [(Script, StopReason.FRONTIER_EMPTY), (WalkingScript, StopReason.EXTINCT)])
def test_nothing_left_to_choose(kind: type[Script], reason: StopReason) -> None:
    web = SmallWeb(star("a", "b"))
    done = Crawled(web, kind(web, "seed", "a"))
    assert done.to_the_end() is reason
    assert web.asked == ["seed", "a"]


def test_a_walker_that_only_goes_back_has_stalled() -> None:
    web = SmallWeb(star("a"))
    done = Crawled(web, WalkingScript(web, "seed", "a", *["seed", "a"] * STALLED_AFTER))
    assert done.to_the_end() is StopReason.STALLED
    assert web.asked == ["seed", "a"]
    assert sum(visit.revisit for visit in done.log.visits) == STALLED_AFTER


def test_something_new_ends_a_run_of_revisits() -> None:
    web = SmallWeb(star("a"))
    almost = ["seed"] * (STALLED_AFTER - 1)
    done = Crawled(web, WalkingScript(web, "seed", *almost, "a", *almost))
    assert done.to_the_end() is StopReason.EXTINCT


def test_an_interrupted_crawl_delivers_nothing_more() -> None:
    class Interrupting(MemoryLog):
        def add_visit(self, visit: Visit) -> None:
            super().add_visit(visit)
            if len(self.visits) == 3:
                crawl.stop(StopReason.INTERRUPTED)

    web, log, clock = SmallWeb(star(*"abcdef")), Interrupting(), VirtualClock()
    crawl = Crawl(prepare(web.topic, web, ENOUGH, 0), BreadthFirst(), Cosine(), log, clock)
    assert replay(crawl, web, Window(3), clock) is StopReason.INTERRUPTED
    assert len(web.asked) == 3
    crawl.stop(StopReason.TIME)
    assert crawl.stopped is StopReason.INTERRUPTED


def test_the_crawl_waits_for_busy_hosts() -> None:
    web = SmallWeb(star("a"))
    done = Crawled(web, BreadthFirst())
    assert done.crawl.choices(5, frozenset([web.urls.host(web.id("seed"))])) == []
    assert done.crawl.stopped is None
    assert [web.name(choice.link.url) for choice in done.crawl.choices(5)] == ["seed"]


def test_a_larger_budget_revives_it() -> None:
    done = Crawled(chain(50), BreadthFirst(), Limits(max_pages=4))
    assert done.to_the_end() is StopReason.BUDGET
    done.crawl.extend(Limits(max_pages=6))
    assert done.to_the_end() is StopReason.BUDGET
    assert done.web.asked == ["p0", "p1", "p2", "p3", "p4", "p5"]
