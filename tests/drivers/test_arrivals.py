"""Who returns next: in order for a window, by a seeded draw for the roulette."""

from collections import Counter

import numpy as np
import pytest

from salticid.crawl import Crawl
from salticid.drivers.replay import Arrivals, Roulette, VirtualClock, Window, arrivals, replay
from salticid.errors import UserError
from salticid.judges.cosine import Cosine
from salticid.model import Choice, Link, Outcome
from salticid.runs.brief import prepare
from salticid.runs.recorded import MemoryLog
from salticid.strategies.breadth_first import BreadthFirst
from salticid.testing.small import SECONDS, SmallWeb, random_web
from salticid.topic import Limits


def _choices(first: int, count: int) -> list[Choice]:
    return [Choice(Link(url)) for url in range(first, first + count)]


def _roulette(capacity: int = 100, low: int = 50, seeds: int = 1, seed: int = 0) -> Roulette:
    return Roulette(capacity, low, seeds, np.random.default_rng(seed))


def _pages(model: Arrivals, web: SmallWeb, max_pages: int = 200) -> tuple[list[str], float]:
    log, clock = MemoryLog(), VirtualClock()
    brief = prepare(web.topic, web, Limits(max_pages=max_pages), seed=0)
    replay(Crawl(brief, BreadthFirst(), Cosine(), log, clock), web, model, clock)
    return [web.name(visit.final) for visit in log.visits if visit.outcome is Outcome.OK], clock.now


def test_a_window_returns_them_in_the_order_they_left() -> None:
    window = Window(3)
    window.add(_choices(0, 3))
    assert window.room() == 0
    assert [window.next().link.url, window.next().link.url] == [0, 1]
    assert window.room() == 2
    window.add(_choices(7, 1))
    assert [window.next().link.url, window.next().link.url] == [2, 7]
    assert len(window) == 0


def test_those_in_a_window_fly_at_the_same_time() -> None:
    web = SmallWeb({"s": ("spiders", ["a", "b", "c", "d"]), **{name: ("spiders", []) for name in "abcd"}})
    assert _pages(Window(1), web) == (["s", "a", "b", "c", "d"], 5 * SECONDS)
    assert _pages(Window(4), web) == (["s", "a", "b", "c", "d"], 2 * SECONDS)


@pytest.mark.parametrize(("seeds", "room"), [(1, 100), (100, 100), (130, 130)])
def test_the_first_room_of_a_roulette_holds_all_seeds(seeds: int, room: int) -> None:
    assert _roulette(seeds=seeds).room() == room


def test_a_roulette_is_refilled_when_fifty_are_left() -> None:
    roulette = _roulette(seeds=130)
    roulette.add(_choices(0, 130))
    rooms = []
    for _ in range(80):
        rooms.append(roulette.room())
        roulette.next()
    assert rooms == [0] * 80
    assert (len(roulette), roulette.room()) == (50, 50)
    roulette.add(_choices(200, 50))
    assert roulette.room() == 0


def test_a_roulette_half_filled_asks_for_the_rest() -> None:
    roulette = _roulette()
    roulette.add(_choices(0, 1))
    assert roulette.room() == 99


def test_each_returns_once() -> None:
    roulette = _roulette()
    roulette.add(_choices(0, 100))
    assert sorted(roulette.next().link.url for _ in range(100)) == list(range(100))
    assert len(roulette) == 0


def test_the_longer_in_flight_the_sooner_back() -> None:
    """Two entered first and saw two refills: time stamps 3, 3; then 2; then 1: one of nine."""
    first: Counter[int] = Counter()
    for seed in range(4500):
        roulette = _roulette(capacity=10, low=5, seed=seed)
        for choices in (_choices(0, 2), _choices(2, 1), _choices(3, 1)):
            roulette.add(choices)
        first[roulette.next().link.url] += 1
    assert [first[url] / 500 for url in range(4)] == pytest.approx([3, 3, 2, 1], abs=0.25)


def test_an_empty_refill_is_none() -> None:
    """Else those in flight would grow older by asking in vain."""
    orders: list[list[list[Choice]]] = []
    for refills in ([_choices(0, 1), _choices(1, 4)], [[], _choices(0, 1), [], [], _choices(1, 4), []]):
        roulettes = [_roulette(capacity=10, low=5, seed=seed) for seed in range(30)]
        for roulette in roulettes:
            for choices in refills:
                roulette.add(choices)
        orders.append([[roulette.next() for _ in range(5)] for roulette in roulettes])
    assert orders[0] == orders[1]


def test_the_same_seed_draws_the_same() -> None:
    web = random_web(pages=60, hosts=5, seed=3)
    orders = [_pages(_roulette(20, 10, 2, seed), web)[0] for seed in (1, 1, 2)]
    assert orders[0] == orders[1]
    assert orders[0] != orders[2]
    assert sorted(orders[0]) == sorted(orders[2])


def test_the_window_decides_the_order_and_not_the_pages() -> None:
    web = random_web(pages=60, hosts=5, seed=3)
    orders = [_pages(Window(size), web)[0] for size in (1, 8, 8)]
    assert orders[1] == orders[2]
    assert orders[0] != orders[1]
    assert sorted(orders[0]) == sorted(orders[1])


@pytest.mark.parametrize("model", ["one", "window:7", "roulette:20/10"])
def test_no_model_exceeds_the_budget(model: str) -> None:
    web = random_web(pages=60, hosts=5, seed=3)
    log, clock = MemoryLog(), VirtualClock()
    crawl = Crawl(prepare(web.topic, web, Limits(max_pages=23), 0), BreadthFirst(), Cosine(), log, clock)
    replay(crawl, web, arrivals(model, 2, np.random.default_rng(0)), clock)
    assert crawl.pages == 23


@pytest.mark.parametrize("spec", ["", "two", "window:0", "window:-1", "window:", "roulette:50/50", "roulette:9"])
def test_a_model_nobody_knows_is_named(spec: str) -> None:
    with pytest.raises(UserError, match="window:N") as error:
        arrivals(spec, 1, np.random.default_rng(0))
    assert repr(spec) in str(error.value)
