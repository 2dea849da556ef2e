import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.stats import rankdata

from salticid.metrics.parts.graph import keyword_hits, keyword_pagerank_ranks, pool_pagerank
from salticid.metrics.parts.retrieval import coverage_curve, mean_ranks, ranks
from salticid.model import Floats

_scores = st.lists(st.integers(0, 6), min_size=1, max_size=12).map(lambda found: np.array(found, np.float64))


def floats(*numbers: float) -> Floats:
    return np.array(numbers, np.float64)


@given(_scores)
def test_ranks_are_those_of_scipy_from_the_top(scores: Floats) -> None:
    assert ranks(scores / 7).tolist() == rankdata(-scores).tolist()
    assert ranks(scores).sum() == len(scores) * (len(scores) + 1) / 2


def test_scores_that_differ_by_the_order_of_a_sum_are_equal() -> None:
    one_way, other_way = 0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1
    assert one_way != other_way
    assert ranks(floats(one_way, 0.5, other_way)).tolist() == [1.5, 3, 1.5]
    assert ranks(1e-9 * floats(one_way, 0.5, other_way)).tolist() == [1.5, 3, 1.5]
    assert ranks(floats(0, 0)).tolist() == [1.5, 1.5]
    assert ranks(floats()).tolist() == []


def test_two_systems_are_averaged() -> None:
    # Means of ranks: 2, 1.5, 3, 3.5.
    assert mean_ranks(floats(1, 2, 3, 4), floats(3, 1, 3, 3)).tolist() == [2, 1, 3, 4]
    assert mean_ranks(floats(1, 2.5, 2.5)).tolist() == [1, 2.5, 2.5]
    assert mean_ranks(floats(1, 2, 3), floats(3, 2, 1), floats(2, 2, 2)).tolist() == [2, 2, 2]


def test_coverage_by_hand() -> None:
    pool = np.arange(1.0, 11)
    got = floats(9, 1, 3, 2)
    assert coverage_curve(got, [1, 3, 4, 10, 50], pool).tolist() == pytest.approx([1, 1, 3 / 4, 4 / 10, 4 / 10])
    assert coverage_curve(floats(), [1, 5], pool).tolist() == [0, 0]


def test_equals_at_the_edge_of_the_best_count_in_part() -> None:
    # Places 1, then 2 to 5 shared by four pages (rank 3.5), then 6.
    pool = floats(1, 3.5, 3.5, 3.5, 3.5, 6)
    two_of_the_four = floats(3.5, 3.5)
    assert coverage_curve(two_of_the_four, [1, 2, 3, 5, 6], pool).tolist() == pytest.approx(
        [0, 2 / 4 / 2, 2 * 2 / 4 / 3, 2 / 5, 2 / 6]
    )


@given(_scores, st.data())
def test_coverage_stays_a_share_and_a_whole_pool_covers_all(scores: Floats, data: st.DataObject) -> None:
    pool = ranks(scores)
    ns = range(1, len(pool) + 3)
    assert coverage_curve(pool, ns, pool).tolist() == pytest.approx([1.0] * len(ns))
    cut = data.draw(st.integers(0, len(pool)))
    parts = [coverage_curve(part, ns, pool) for part in (pool[:cut], pool[cut:])]
    assert (parts[0] + parts[1]).tolist() == pytest.approx([1.0] * len(ns))
    assert all(0 <= share <= 1 + 1e-12 for part in parts for share in part.tolist())


def test_keywords_count_once_a_page() -> None:
    counts = csr_array([[9, 0, 0, 4], [1, 1, 0, 0], [0, 0, 0, 7], [0, 0, 0, 0]])
    assert keyword_hits(counts, floats(1, 2, 1, 0)).tolist() == [1, 2, 0, 0]


def test_keywords_go_before_pagerank_and_equals_share() -> None:
    hits = np.array([1, 3, 3, 0, 1, 1], np.int32)
    pagerank = floats(0.2, 0.2, 5.0, 90.0, 0.2, 0.9)
    assert keyword_pagerank_ranks(hits, pagerank).tolist() == [4.5, 2, 1, 6, 4.5, 3]


def test_pagerank_never_outweighs_a_keyword_in_a_large_pool() -> None:
    size = 20_000
    hits, pagerank = np.arange(size, dtype=np.int32) % 3, np.linspace(1, 2, size)
    found = keyword_pagerank_ranks(hits, pagerank)
    assert found.tolist() == rankdata(-(10.0 * hits + pagerank)).tolist()


def solved(links: list[list[int]], damping: float) -> Floats:
    """PageRank as the solution of its equations, all at once."""
    size = len(links)
    shares = np.zeros((size, size))
    for source, targets in enumerate(links):
        inside = sorted({target for target in targets if target >= 0} - {source}) or list(range(size))
        shares[inside, source] = 1 / len(inside)
    return np.linalg.solve(np.eye(size) - damping * shares, np.full(size, 1 - damping))


def rows(links: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    ends = np.cumsum([0, *map(len, links)])
    return ends, np.array([target for targets in links for target in targets], np.int64)


_webs = st.integers(1, 9).flatmap(
    lambda n: st.lists(st.lists(st.integers(-1, n - 1), max_size=6), min_size=n, max_size=n)
)


@given(_webs, st.sampled_from([0.0, 0.5, 0.8, 0.85, 0.95]))
def test_pagerank_solves_its_equations(links: list[list[int]], damping: float) -> None:
    found = pool_pagerank(*rows(links), damping=damping)
    assert found.tolist() == pytest.approx(solved(links, damping).tolist(), abs=3e-8)
    assert found.mean() == pytest.approx(1)


def test_pagerank_by_hand() -> None:
    # 1 and 2 link to 0, which links to 1: with g = 0.85, PR(2) = 0.15, PR(0) = 0.15 + 0.85 (PR(1) + 0.15) and
    # PR(1) = 0.15 + 0.85 PR(0), so PR(0) = (0.15 + 0.85 * 0.3) / (1 - 0.7225).
    top = (0.15 + 0.85 * 0.3) / (1 - 0.85**2)
    expected = [top, 0.15 + 0.85 * top, 0.15]
    assert pool_pagerank(*rows([[1], [0], [0]])).tolist() == pytest.approx(expected)
    # Twice the same link, a link to itself and one to outside make no difference.
    assert pool_pagerank(*rows([[1, 1, 0], [-1, 0], [2, 0]])).tolist() == pytest.approx(expected)


def test_pages_alike_have_the_same_pagerank() -> None:
    # A ring of dead ends around a hub: all but the hub are alike, and nobody is told apart by its number.
    found = pool_pagerank(*rows([[], *[[0]] * 6]))
    assert ranks(found).tolist() == [1, 4.5, 4.5, 4.5, 4.5, 4.5, 4.5]
    assert pool_pagerank(*rows([[], []])).tolist() == pytest.approx([1, 1])
    assert pool_pagerank(np.zeros(1, np.int64), np.zeros(0, np.int64)).tolist() == []
