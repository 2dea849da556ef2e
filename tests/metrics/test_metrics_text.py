from collections.abc import Callable
from math import log, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics.pairwise import cosine_similarity

from salticid.metrics.parts.judged import PoolTerms, WorldTerms
from salticid.metrics.parts.retrieval import (
    atc,
    bm25,
    cosines,
    expanded_query,
    idf,
    mean_so_far,
    pages_with,
    ranks,
    rarity,
    similarities,
)
from salticid.model import Floats
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.answers import Answer
from salticid.worlds.writer import WorldWriter

TEXTS = [
    "The jumping spiders jump, and a spider that jumps is jumping.",
    "Hot air balloons rise: the balloon is a bag of hot air.",
    "",
    "A spider in a balloon!",
]

WIDTH = 6
_query = arrays(np.float64, WIDTH, elements=st.integers(0, 4))
_table = st.integers(1, 8).flatmap(lambda n: arrays(np.int32, (n, WIDTH), elements=st.integers(0, 5)))


@pytest.fixture
def web(tmp_path: Path) -> RecordedWeb:
    writer = WorldWriter(tmp_path / "world")
    for number, text in enumerate(TEXTS):
        writer.add(Answer(f"http://a.example/{number}", html=f"<p>{text}".encode()))
    writer.close("test")
    return RecordedWeb(tmp_path / "world")


def ints(*numbers: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.array(numbers, np.int32)


def said(pool: PoolTerms, words: str, counts: Floats) -> list[int]:
    """How often a page with these counts says each of the words."""
    return [int(counts @ pool.query(word)) for word in words.split()]


def test_a_pool_counts_the_stems_of_its_pages_and_only_those(web: RecordedWeb) -> None:
    pool = PoolTerms(WorldTerms(web), ints(0, 3))
    assert pool.counts.shape == (2, 3)  # spider, jump, balloon
    first, last = pool.counts.toarray()
    assert said(pool, "spider jump balloon the hot", first) == [2, 4, 0, 0, 0]
    assert said(pool, "spiders jump balloons", last) == [1, 0, 1]
    assert pool.counts.has_canonical_format


def test_a_page_without_words_is_an_empty_row(web: RecordedWeb) -> None:
    pool = PoolTerms(WorldTerms(web), ints(1, 2, 3))
    assert pool.counts.sum(axis=1).tolist() == [8, 0, 2]
    assert PoolTerms(WorldTerms(web), ints()).counts.shape == (0, 0)


def test_a_text_named_at_the_start_loses_no_word(web: RecordedWeb) -> None:
    text = "Zebra spiders and a zebra"
    world = WorldTerms(web)
    silent = PoolTerms(world, ints(0))
    query = PoolTerms(world, ints(0), [text]).query(text)
    assert sorted(query[query > 0].tolist()) == [1, 2]
    assert silent.query(text).sum() == 1


def test_other_pages_are_counted_over_the_same_columns(web: RecordedWeb) -> None:
    pool = PoolTerms(WorldTerms(web), ints(1, 3))
    others = pool.counts_of(ints(3, 0, 2))
    assert others.shape == (3, pool.counts.shape[1])
    assert others[[0], :].toarray().tolist() == pool.counts[[1], :].toarray().tolist()
    # Page 0 says spider twice; that it jumps is no word of this pool.
    assert others.sum(axis=1).tolist() == [2, 2, 0]
    assert pool.places(ints(3, 1, 3)).tolist() == [1, 0, 1]


def test_what_is_kept_is_bounded_and_changes_nothing(web: RecordedWeb) -> None:
    roomy, tight, none = WorldTerms(web), WorldTerms(web, most=3), WorldTerms(web, most=0)
    for pages in (ints(0, 1, 2, 3), ints(1, 3), ints(0, 3)):
        tables = [PoolTerms(world, pages).counts.toarray().tolist() for world in (roomy, tight, none)]
        assert tables[0] == tables[1] == tables[2]
    assert roomy.bag(0) is roomy.bag(0)
    assert none.bag(0) is not none.bag(0)
    assert tight.bag(0) is tight.bag(0)
    kept = tight.bag(0)
    tight.bag(3)
    assert tight.bag(0) is not kept  # two stems each, and room for three


@pytest.mark.parametrize("versions", ["those that made the world", "others"])
def test_what_was_asked_before_changes_no_number_of_a_stem(web: RecordedWeb, versions: str) -> None:
    if versions == "others":
        web.arrays.manifest.stems = "en: a stemmer of old"
    fresh, asked = WorldTerms(web), WorldTerms(web)
    PoolTerms(asked, ints(3), ["zebra quokka"])
    for pages in (ints(0, 3), ints(1)):
        assert PoolTerms(asked, pages).stems.tolist() == PoolTerms(fresh, pages).stems.tolist()


def test_smart_weights_by_hand() -> None:
    # Three pages; stem 0 on two of them, stem 1 on one, stem 2 on all (weight 0). The largest count is 4.
    counts = csr_array([[4, 0, 1], [1, 2, 1], [0, 0, 3]])
    common, rare = log(3 / 2), log(3)
    query = np.array([1.0, 1.0, 7.0])
    first = (0.5 * (1 + 4 / 4) * common, 0.0)
    second = (0.5 * (1 + 1 / 4) * common, 0.5 * (1 + 2 / 4) * rare)
    asked = (0.5 * (1 + 1 / 4) * common, 0.5 * (1 + 1 / 4) * rare)
    assert atc(counts, query) == pytest.approx([_cosine(first, asked), _cosine(second, asked), 0])


def _cosine(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True)) / (sqrt(sum(x * x for x in a)) * sqrt(sum(y * y for y in b)))


@given(_table, _query)
def test_smart_is_its_formula(table: np.ndarray, query: Floats) -> None:
    n = np.count_nonzero(table, axis=0)
    rare = np.array([log(len(table) / k) if k else 0 for k in n])
    top = table.max()

    def weights(row: np.ndarray) -> np.ndarray:
        return np.array([0.5 * (1 + f / top) * w if f and top else 0.0 for f, w in zip(row, rare, strict=True)])

    asked, rows = weights(query), np.array([weights(row) for row in table])
    expected = cosine_similarity(rows, asked.reshape(1, -1)).ravel()
    assert atc(csr_array(table), query) == pytest.approx(expected)


@given(_table, _query)
def test_tfidf_similarity_is_that_of_scikit_learn(table: np.ndarray, query: Floats) -> None:
    there = table.any(axis=0)  # scikit-learn divides by zero for a stem that no page has
    counts, asked = csr_array(table), np.where(there, query, 0.0)
    weigh = TfidfTransformer(smooth_idf=False).fit(np.maximum(table, ~there))
    expected = cosine_similarity(weigh.transform(table), weigh.transform(asked.reshape(1, -1))).ravel()
    assert similarities(counts, asked) == pytest.approx(expected)
    assert similarities(counts, query) == pytest.approx(expected)
    assert cosines(counts, query) == pytest.approx(cosine_similarity(table, query.reshape(1, -1)).ravel())
    assert pages_with(counts).tolist() == np.count_nonzero(table, axis=0).tolist()


def test_large_counts_do_not_overflow() -> None:
    counts = csr_array(np.array([[60_000, 80_000]], np.int32))
    assert cosines(counts, np.array([1.0, 0.0])) == pytest.approx([0.6])


def test_bm25_by_hand() -> None:
    # Pages of 4, 2 and 0 terms, 2 in the mean; stem 0 is on two pages, stem 1 on one.
    counts = csr_array([[3, 1], [2, 0], [0, 0]])
    common, rare = log(1 + 1.5 / 2.5), log(1 + 2.5 / 1.5)
    long, middling = 1.2 * (0.25 + 0.75 * 2), 1.2
    first = common * 3 * 2.2 / (3 + long) + 2 * rare * 1 * 2.2 / (1 + long)  # stem 1 stands twice in the query
    second = common * 2 * 2.2 / (2 + middling)
    assert bm25(counts, np.array([1.0, 2.0])) == pytest.approx([first, second, 0])
    assert bm25(counts, np.array([1.0, 0.0]), b=0.0)[0] == pytest.approx(common * 3 * 2.2 / (3 + 1.2))


@given(_table, _query, st.floats(0, 3), st.floats(0, 1))
def test_bm25_is_its_formula(table: np.ndarray, query: Floats, k1: float, b: float) -> None:
    sizes, n = table.sum(axis=1), np.count_nonzero(table, axis=0)
    expected = [
        sum(
            query[k]
            * log(1 + (len(table) - n[k] + 0.5) / (n[k] + 0.5))
            * row[k]
            * (k1 + 1)
            / (row[k] + k1 * (1 - b + b * row.sum() / sizes.mean()))
            for k in range(WIDTH)
            if query[k] and row[k]
        )
        for row in table
    ]
    assert bm25(csr_array(table), query, k1, b) == pytest.approx(expected)


@given(_table, _query, st.permutations(range(WIDTH)))
@settings(max_examples=50)
def test_the_numbering_of_stems_moves_no_rank(table: np.ndarray, query: Floats, order: list[int]) -> None:
    for measure in (atc, bm25, similarities, cosines):
        as_numbered = ranks(measure(csr_array(table), query))
        assert ranks(measure(csr_array(table[:, order]), query[order])).tolist() == as_numbered.tolist()


@pytest.mark.parametrize("measure", [atc, bm25, similarities, cosines])
def test_nothing_said_and_nothing_asked_score_nothing(measure: Callable[[csr_array, Floats], Floats]) -> None:
    table = csr_array(np.array([[1, 2], [0, 0], [0, 1]], np.int32))
    assert measure(table, np.zeros(2)).tolist() == [0, 0, 0]
    assert measure(csr_array((3, 2), dtype=np.int32), np.ones(2)).tolist() == [0, 0, 0]
    assert measure(csr_array((0, 2), dtype=np.int32), np.ones(2)).tolist() == []
    assert measure(csr_array((2, 0), dtype=np.int32), np.zeros(0)).tolist() == [0, 0]


def test_rarity_of_what_all_pages_and_none_have() -> None:
    counts = csr_array([[1, 0, 1], [1, 0, 0]])
    assert rarity(counts).tolist() == pytest.approx([0, 0, log(2)])
    assert idf(counts).tolist() == pytest.approx([1, 0, 1 + log(2)])


def test_means_along_a_crawl() -> None:
    assert mean_so_far(np.array([0.4, 0.0, 0.2])).tolist() == pytest.approx([0.4, 0.2, 0.2])
    assert mean_so_far(np.zeros(0)).tolist() == []


def test_an_expanded_query_by_hand() -> None:
    # Two relevant pages at length 5 and 1: (3, 4, 0, 0)/5 and (0, 0, 1, 0); their mean is (0.3, 0.4, 0.5, 0).
    relevant = csr_array([[3, 4, 0, 0], [0, 0, 1, 0]])
    query = np.array([0.0, 0.0, 3.0, 4.0])
    own = 8 * query / 5
    added = 16 * np.array([0.3, 0.4, 0.5, 0.0])
    assert expanded_query(query, relevant) == pytest.approx(own + added)
    assert expanded_query(query, relevant, terms=2) == pytest.approx(own + added * [0, 1, 1, 1])
    assert expanded_query(query, relevant, terms=0) == pytest.approx(own + added * [0, 0, 1, 1])
    # A rare stem goes before a heavier common one; its weight in the query stays what it was.
    rare_first = expanded_query(query, relevant, 1, np.array([9.0, 1.0, 1.0, 1.0]), alpha=5, beta=10)
    assert rare_first == pytest.approx([3, 0, 3 + 5, 4])


def test_stems_that_tie_for_the_last_place_all_come_in() -> None:
    # 1/3 + 2/3 is not exactly 2/3 + 1/3 in every order of sums; the two stems are alike all the same.
    relevant = csr_array([[1, 2, 2, 0], [2, 1, 0, 2]])
    assert np.count_nonzero(expanded_query(np.zeros(4), relevant, terms=1)) == 2
    assert np.count_nonzero(expanded_query(np.zeros(4), relevant, terms=3)) == 4


def test_without_relevant_pages_a_query_keeps_its_direction() -> None:
    query = np.array([3.0, 4.0])
    for relevant in (csr_array((0, 2), dtype=np.int32), csr_array((3, 2), dtype=np.int32)):
        assert expanded_query(query, relevant) == pytest.approx([4.8, 6.4])
    assert expanded_query(np.zeros(2), csr_array((0, 2), dtype=np.int32)).tolist() == [0, 0]


def test_an_expanded_query_credits_a_page_that_says_it_in_other_words() -> None:
    # Stem 0 is asked for. The relevant page says 0 and 1; of the pool, page 0 says 1 alone, page 1 neither.
    counts = csr_array([[0, 3, 1, 0], [0, 0, 1, 3], [1, 0, 0, 0]])
    query = np.array([1.0, 0.0, 0.0, 0.0])
    longer = expanded_query(query, csr_array([[1, 2, 0, 0]]), idf=idf(counts))
    for measure in (atc, bm25, similarities, cosines):
        plain, credited = measure(counts, query), measure(counts, longer)
        assert plain[0] == plain[1] == 0 < plain[2]
        assert credited[0] > credited[1] == 0 < credited[2]
