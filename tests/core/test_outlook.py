"""What is still to be found, and whether that comes true."""

import numpy as np
import pytest
from tests.support.scripted import Crawled

from salticid.model import StopReason
from salticid.outlook import AHEAD, LEAST_FINDS, LEAST_PAGES, MOST_LEFT, outlook
from salticid.strategies.breadth_first import BreadthFirst
from salticid.testing.small import SmallWeb
from salticid.topic import Limits


def finds(rng: np.random.Generator, in_all: int, pages: float, shape: int) -> list[int]:
    """The pages at which the positives of a made-up crawl turn up, each page one at the most."""
    return sorted(set(np.ceil(rng.gamma(shape, pages, in_all)).astype(int).tolist()))


@pytest.mark.parametrize("shape", [1, 2])
@pytest.mark.parametrize("share", [0.5, 1.0, 2.0])
def test_the_intervals_hold_what_comes_about_as_often_as_they_say(shape: int, share: float) -> None:
    rng = np.random.default_rng(5)
    told, held = 0, {"remaining": 0, "harvest": 0}
    for _ in range(100):
        times = finds(rng, 150, 400, shape)
        seen = int(400 * shape * share)
        ahead = outlook([at for at in times if at <= seen], seen)
        assert ahead is not None
        left = sum(at > seen for at in times)
        soon = sum(seen < at <= seen + AHEAD for at in times) / AHEAD
        if ahead.remaining is None:
            assert "cannot be known yet" in ahead.sentence
        else:
            told += 1
            assert ahead.remaining.high <= MOST_LEFT * (len(times) - left), "nothing absurd"
            held["remaining"] += ahead.remaining.low <= left <= ahead.remaining.high
        held["harvest"] += ahead.harvest.low <= soon <= ahead.harvest.high
    assert held["harvest"] >= 88
    assert held["remaining"] >= 0.95 * told
    assert told >= 90 if share == 2 else told <= 20, "known only when luck has begun to fail"


@pytest.mark.parametrize(("found", "pages"), [([], 1000), ([1, 2], 1000), (list(range(1, 20)), 30)])
def test_with_little_to_go_by_it_says_nothing(found: list[int], pages: int) -> None:
    assert len(found) < LEAST_FINDS or pages < LEAST_PAGES
    assert outlook(found, pages) is None


def test_the_same_finds_have_the_same_outlook() -> None:
    found = list(range(1, 300, 7))
    assert outlook(found, 300) == outlook(found, 300)


def test_luck_that_lasts_leaves_everything_open() -> None:
    ahead = outlook(list(range(1, 1001)), 1000)
    assert ahead is not None
    assert ahead.remaining is None
    assert ahead.harvest.high == 1.0


def test_a_crawl_ends_when_little_seems_to_be_left() -> None:
    """Forty pages on topic, then none: long before the budget is used up nothing is expected any more."""
    texts = ["jumping spiders"] * 40 + ["rain"] * 360
    web = SmallWeb({f"p{at}": (text, [f"p{at + 1}"]) for at, text in enumerate(texts)})
    done = Crawled(web, BreadthFirst(), Limits(max_pages=400, min_remaining=1))
    assert done.to_the_end() is StopReason.CONDITION
    assert 50 <= done.crawl.pages < 200
