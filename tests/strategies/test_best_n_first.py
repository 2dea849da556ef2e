"""Best-N-First: its batches, and the local rank as a score, worked out by hand."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from salticid.errors import UserError
from salticid.strategies import strategies
from salticid.strategies.best_n_first import BestNFirst
from salticid.strategies.parts.rank_terms import LocalRank
from salticid.testing.checks import check_strategy
from salticid.testing.courses import Course, drive, watch
from salticid.testing.small import SmallWeb
from salticid.topic import Limits


def nine_pages() -> SmallWeb:
    return SmallWeb(
        {
            "seed": ("jumping spiders", ["a", "b", "c", "d"]),
            "a": ("spiders rain rain rain", ["c", "e"]),
            "b": ("jumping", ["f", "a"]),
            "c": ("rain", ["g"]),
            "d": ("jumping spiders", ["h"]),
            "e": ("rain", []),
            "f": ("rain", []),
            "g": ("rain", []),
            "h": ("rain", []),
        }
    )


def order(strategy: BestNFirst) -> list[str]:
    web = nine_pages()
    return [web.name(visit.url) for visit in drive(watch(strategy), Course(web)).visits]


@pytest.mark.parametrize(("score", "expected"), [("similarity", "a b c d h f e g"), ("linkage", "a b c d h e f g")])
def test_a_crawl_worked_out_on_paper(score: Literal["similarity", "linkage"], expected: str) -> None:
    """With n = 2: seed | a b | c d | two of e f g h | the other two.

    page  similarity           keywords  PageRank when a and b are back
    seed  1.0                  2         .2033
    a     1/sqrt(2*10) = .22   1         .5122   b and the seed link there
    b     .7071                1         .2846   the seed links there
    c     0                    0
    d     1.0                  2

    Linked among these three are seed -> a, seed -> b and b -> a, and a, a dead end, counts as linking to all:
    seed = .2/3 + .8 a/3, b = .2/3 + .8 (seed/2 + a/3), a = .2/3 + .8 (seed/2 + b + a/3).
    By similarity f, found on b, goes before e, found on a; by linkage their pages tie in keywords and
    e scores 1 + .5122/2, f 1 + .2846/2. On d stands h and on c, whatever the rank of c, g.
    """
    assert order(BestNFirst(n=2, score=score)) == ["seed", *expected.split()]


def test_linkage_scores_are_keywords_and_half_a_rank() -> None:
    web = nine_pages()
    run = drive(watch(BestNFirst(n=2, score="linkage")), Course(web))
    scores = {web.name(visit.url): visit.choice.score for visit in run.visits}
    assert scores["e"] == pytest.approx(1.256, abs=0.005)
    assert scores["f"] == pytest.approx(1.142, abs=0.005)
    assert scores["a"] == 2.5
    assert 0 < scores["g"] < 0.5


def test_by_linkage_the_judge_has_no_say() -> None:
    web, strategy = nine_pages(), BestNFirst(n=1, score="linkage")
    plain = [web.name(visit.url) for visit in drive(watch(strategy), Course(web)).visits]
    told = Course(web, tell=lambda crawl, visits: crawl.revise([(v.step, 0.9) for v in visits], []))
    assert [web.name(visit.url) for visit in drive(watch(strategy), told).visits] == plain


def test_with_one_at_a_time_it_is_best_first() -> None:
    web = nine_pages()
    best = drive(watch(strategies.make("best_first")), Course(web)).visits
    assert order(BestNFirst(n=1)) == [web.name(visit.url) for visit in best]


def test_nothing_of_a_batch_is_queued_before_all_of_it_is_back() -> None:
    """The links of the seed score .5, that of a, the best page, 1."""
    web = SmallWeb(
        {
            "seed": ("spiders rain", ["a", "b", "gone"]),
            "a": ("jumping spiders", ["a1"]),
            "b": ("rain", []),
            "a1": ("rain", []),
        }
    )
    orders = {n: drive(watch(BestNFirst(n=n)), Course(web)).visits for n in (1, 2, 3)}
    assert {n: " ".join(web.name(visit.url) for visit in visits) for n, visits in orders.items()} == {
        1: "seed a a1 b gone",
        2: "seed a b a1 gone",
        3: "seed a b gone a1",
    }


def test_linkage_keeps_the_contract() -> None:
    check_strategy(lambda: BestNFirst(n=3, score="linkage"))


@pytest.mark.parametrize(
    ("settings", "said"), [({"n": 0}, "n=0"), ({"n": 4097}, "n=4097"), ({"score": "luck"}, "score=luck")]
)
def test_settings_have_their_bounds(settings: dict[str, object], said: str) -> None:
    with pytest.raises(UserError, match=said):
        strategies.make("best_n_first", settings)


def linked(*pages: tuple[int, list[int]]) -> list[tuple[int, np.ndarray[tuple[int], np.dtype[np.int32]]]]:
    return [(url, np.array(links, np.int32)) for url, links in pages]


def test_ranks_are_of_the_last_pages_only() -> None:
    ranks = LocalRank(2)
    ranks.add(linked((1, [2]), (2, [3]), (3, [2, 2, 3])))
    assert ranks.of(2) == ranks.of(3) == pytest.approx(0.5)
    assert ranks.of(1) == 0.5, "an unknown page has the rank of the least"


def test_ranks_add_up_to_one_and_a_link_counts_once() -> None:
    once, thrice = LocalRank(None), LocalRank(None)
    once.add(linked((1, [2, 3]), (2, [1]), (3, [])))
    thrice.add(linked((1, [2, 2, 2, 3]), (2, [1, 2]), (3, [9])))
    assert [once.of(url) for url in (1, 2, 3)] == [thrice.of(url) for url in (1, 2, 3)]
    assert sum(once.of(url) for url in (1, 2, 3)) == pytest.approx(1)


def test_ranks_are_worked_out_when_a_tenth_is_new() -> None:
    ranks = LocalRank(None)
    ranks.add(linked(*((url, [0]) for url in range(40))))
    before = ranks.of(0)
    ranks.add(linked((50, [1]), (51, [1]), (52, [1])))
    assert (ranks.of(0), ranks.of(1)) == (before, ranks.of(2))
    ranks.add(linked((53, [1]), (54, [1])))
    assert ranks.of(0) < before
    assert ranks.of(1) > ranks.of(2)


def test_a_crawl_without_a_buffer_ranks_nothing() -> None:
    web = nine_pages()
    run = drive(watch(BestNFirst(score="linkage")), Course(web, Limits(max_buffer=0)))
    assert run.visits == []
