"""Retrieval models for measures: similarity, BM25, SMART, expanded queries, ranks and estimates."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import numpy as np
from scipy.sparse import csr_array
from scipy.stats import rankdata

from salticid.exact import logs, logs_of_counts
from salticid.learning import length_of
from salticid.model import Floats, Ints


def pages_with(counts: csr_array) -> Ints:
    """n_k: on how many pages each stem occurs.

    >>> pages_with(csr_array([[2, 0, 1], [1, 0, 0]])).tolist()
    [2, 0, 1]
    """
    return np.bincount(counts.indices[counts.data > 0], minlength=counts.shape[1]).astype(np.int32)


def rarity(counts: csr_array) -> Floats:
    """ln(N / n_k) of each stem k, N pages of which n_k have it; 0 for a stem that no page has.

    >>> rarity(csr_array([[2, 0, 1], [1, 0, 0]])).round(4).tolist()
    [0.0, 0.0, 0.6931]
    """
    page_counts = pages_with(counts)
    logs = log(max(counts.shape[0], 1)) - logs_of_counts(np.maximum(page_counts, 1).astype(np.int64))
    return np.where(page_counts > 0, logs, 0.0)


def idf(counts: csr_array) -> Floats:
    """1 + ln(N / n_k) of each stem k; 0 for a stem that no page has.

    >>> idf(csr_array([[2, 0, 1], [1, 0, 0]])).round(4).tolist()
    [1.0, 0.0, 1.6931]
    """
    return np.where(pages_with(counts) > 0, 1.0 + rarity(counts), 0.0)


def scale_columns(counts: csr_array, weights: Floats) -> csr_array:
    """The counts with each column multiplied by its weight."""
    return csr_array((counts.data * weights[counts.indices], counts.indices, counts.indptr), counts.shape)


def cosines(counts: csr_array, query: Floats) -> Floats:
    """sum_k f_kq f_kp / (|f_q| |f_p|) of each page p with the query q; 0 where either is empty.

    On raw counts this is the sim(q, p) of the papers, and the one by which `estimates` judges.

    The query is (1, 1, 0), the pages (2, 0, 0) and (1, 1, 2): 2 / (1.414 * 2), 2 / (1.414 * 2.449).

    >>> cosines(csr_array([[2, 0, 0], [1, 1, 2]]), np.array([1.0, 1.0, 0.0])).round(4).tolist()
    [0.7071, 0.5774]
    """
    rows = counts.astype(np.float64)
    lengths = np.sqrt(rows.power(2).sum(axis=1)) * length_of(query)
    quotients: Floats = np.divide(rows @ query, lengths, out=np.zeros(counts.shape[0]), where=lengths > 0)
    return np.minimum(quotients, 1.0)


def similarities(counts: csr_array, query: Floats) -> Floats:
    """The cosine of each page with the query, a stem k that occurs f_k times weighing f_k * (1 + ln(N / n_k)).

    N and n_k are of the pool, for the query too, so that its stems that no page has weigh nothing.

    Stem 0 is on both pages, stem 1 on the first of them: weights (2, 1.6931) and (1, 0); the query is stem 0.

    >>> similarities(csr_array([[2, 1], [1, 0]]), np.array([1.0, 0.0])).round(4).tolist()
    [0.7632, 1.0]

    Paper: Menczer, Pant, Srinivasan, Ruiz, "Evaluating topic-driven web crawlers", 2001.
    """
    weights = idf(counts)
    return cosines(scale_columns(counts, weights), query * weights)


def mean_so_far(values: Floats) -> Floats:
    """m(n) = the mean of the first n values, for n = 1, 2, ...

    >>> mean_so_far(np.array([1.0, 0.0, 0.5])).tolist()
    [1.0, 0.5, 0.5]
    """
    means: Floats = np.cumsum(values, dtype=np.float64) / np.arange(1, len(values) + 1)
    return means


# A second retrieval system, of another school: the probabilistic model BM25.


def bm25(counts: csr_array, query: Floats, k1: float = 1.2, b: float = 0.75) -> Floats:
    """The score of each page of a pool for the query, 0 or more.

        sum over k in q of  f_kq * ln(1 + (N - n_k + 0.5) / (n_k + 0.5))
                            * f_kp * (k1 + 1) / (f_kp + k1 * (1 - b + b * |p| / mean |p|))

    N and n_k are of the pool, |p| is a page's number of terms. A word that stands twice in the query counts
    twice. The 1 in the logarithm keeps a word that most pages have from counting against a page.

    Two pages of two terms each, so that |p| is the mean. The query's stem is on one of them, once:
    ln(1 + 1.5 / 1.5) * 1 * 2.2 / (1 + 1.2) = ln 2.

    >>> bm25(csr_array([[1, 1], [0, 2]]), np.array([1.0, 0.0])).round(4).tolist()
    [0.6931, 0.0]

    Paper: Robertson, Zaragoza, "The probabilistic relevance framework: BM25 and beyond", 2009.
    """
    pages = counts.shape[0]
    sizes = counts.sum(axis=1, dtype=np.float64)
    dampers = k1 * (1 - b + b * sizes / (sizes.sum() / pages)) if sizes.any() else sizes
    terms, with_it = np.flatnonzero(query), pages_with(counts)
    worth = np.zeros(len(query))
    worth[terms] = query[terms] * logs(1.0 + (pages - with_it[terms] + 0.5) / (with_it[terms] + 0.5))
    entries = np.flatnonzero(worth[counts.indices])
    row = counts.indptr.searchsorted(entries, "right") - 1
    often = counts.data[entries]
    gains = often * (k1 + 1) / (often + dampers[row])
    return np.bincount(row, worth[counts.indices[entries]] * gains, pages).astype(np.float64)


# An independent retrieval system: the vector space of SMART with its weights `atc`.


def atc(counts: csr_array, query: Floats) -> Floats:
    """How similar each page of a pool is to the topic's text, in 0..1.

        w_k = 0.5 * (1 + f_k / max f) * ln(N / n_k),    cosine of page and query

    As in the paper, max f is the largest count in the whole pool; SMART's own `a` takes each page's largest. The
    query is weighted likewise: N, n_k and max f of the pool. A stem that all pages have, or none, weighs nothing.

    Stems 0 and 1 are each on one of two pages, stem 2 on both; max f = 2, ln(2/1) = 0.6931. The first page has
    w_0 = 0.5 * (1 + 2/2) * 0.6931 alone, the second w_1 alone, and so has the query, "1 1 2".

    >>> atc(csr_array([[2, 0, 2], [0, 1, 1]]), np.array([0.0, 2.0, 1.0])).tolist()
    [0.0, 1.0]

    Papers: Menczer, Pant, Srinivasan, Ruiz, "Evaluating topic-driven web crawlers", 2001; Salton, Buckley,
    "Term-weighting approaches in automatic text retrieval", 1988.
    """
    rare = rarity(counts)
    top = float(counts.data.max(initial=1))
    weights = _augment(counts.data, top) * rare[counts.indices]
    pages = csr_array((weights, counts.indices, counts.indptr), counts.shape)
    return cosines(pages, _augment(query, top) * rare)


def _augment(counts: Floats, top: float) -> Floats:
    """0.5 * (1 + f / max f), 0 where f is 0."""
    return np.where(counts > 0, 0.5 * (1.0 + counts / top), 0.0)


# A longer query, made of pages known to be relevant: it credits pages that say it in other words.

_ALIKE = 1e-12


def expanded_query(
    query: Floats,
    relevant_counts: csr_array,
    terms: int = 50,
    idf: Floats | None = None,
    *,
    alpha: float = 8.0,
    beta: float = 16.0,
) -> Floats:
    """The query with the `terms` heaviest stems of the relevant pages added, Rocchio's way:

        q' = alpha * q / |q| + beta * mean over relevant pages p of f_p / |f_p|

    Stems are chosen by their weight in the second part, times `idf` if it is given; those as heavy as the last
    one chosen come in too, for nothing tells them apart. The query's own stems always stay. What comes out
    stands for counts: whatever measure takes it weighs it as it weighs any query.

    The query is stem 0. The one relevant page has stem 1 four times and stem 2 three times, so its length is 5
    and they make 4/5 and 3/5 of it. One stem is added, with 16 * 4/5.

    >>> expanded_query(np.array([1.0, 0.0, 0.0]), csr_array([[0, 4, 3]]), terms=1).tolist()
    [8.0, 12.8, 0.0]

    Papers: Rocchio, "Relevance feedback in information retrieval", 1971; the parts 8 and 16 from Buckley,
    Salton, Allan, "The effect of adding relevance information in a relevance feedback environment", 1994.
    """
    own = query * (alpha / (length_of(query) or 1.0))
    additions = beta * _mean_direction(relevant_counts)
    worth = additions if idf is None else additions * idf
    heavy = worth[worth > 0]
    if len(heavy) > terms:
        last = np.partition(heavy, len(heavy) - terms)[len(heavy) - terms] if terms else np.inf
        additions = np.where((worth >= last * (1 - _ALIKE)) | (query > 0), additions, 0.0)
    return own + additions


def _mean_direction(counts: csr_array) -> Floats:
    """The mean of the rows at length 1; an empty row counts as a page that says nothing."""
    rows = counts.astype(np.float64)
    lengths = np.sqrt(rows.power(2).sum(axis=1))
    shares = np.divide(1.0, lengths, out=np.zeros(len(lengths)), where=lengths > 0)
    mean: Floats = shares @ rows / max(counts.shape[0], 1)
    return mean


# Pages of a pool by rank, and how high the pages of a crawl stand.

TOPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)
"""For how many best pages of a pool coverage is looked at."""
TOP = 100
"""The number of them that sums it up."""
_DIGITS = 12
"""Scores are compared to so many digits of the best one. What lies beyond comes from the order of sums."""


def ranks(scores: Floats) -> Floats:
    """The rank of each score, 1 the highest; equals share the mean of the places they take.

    >>> ranks(np.array([0.2, 0.9, 0.2, 0.0])).tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    best = float(np.abs(scores).max(initial=0.0)) or 1.0
    places: Floats = rankdata(-np.round(scores / best, _DIGITS), "average")
    return places


def mean_ranks(*several: Floats) -> Floats:
    """The ranks by the mean of the ranks that several retrieval systems gave.

    Means 1.5, 1.5 and 3: the first two share places 1 and 2.

    >>> mean_ranks(np.array([1.0, 2.0, 3.0]), np.array([2.0, 1.0, 3.0])).tolist()
    [1.5, 1.5, 3.0]
    """
    return ranks(-np.sum(several, axis=0))


def coverage_curve(crawl_ranks: Floats, ns: Sequence[int], pool: Floats) -> Floats:
    """Which share of the pool's n best pages a crawl got, each page given once, for each n of `ns`.

    `pool` holds the ranks of all pages of the pool. Where the n-th place falls among equals, each of them counts
    in part: of three that share places 2 to 4, with n = 3, two thirds. A pool of fewer than n pages is
    covered by having them all.

    >>> coverage_curve(np.array([1.0, 3.0]), [3], pool=np.array([1.0, 3.0, 3.0, 3.0])).tolist()  # (1 + 2/3) / 3
    [0.5555555555555555]

    Paper: Pant, Srinivasan, Menczer, "Exploration versus exploitation in topic driven crawlers", 2002.
    """
    tops = np.minimum(np.array(ns, np.float64), len(pool))
    groups, sizes = np.unique(pool, return_counts=True)
    equals = sizes[groups.searchsorted(crawl_ranks)].astype(np.float64)
    first = crawl_ranks - (equals - 1) / 2
    inside = np.clip((tops[:, np.newaxis] - first + 1) / equals, 0.0, 1.0)
    shares: Floats = inside.sum(axis=1) / tops
    return shares


# Precision, recall and recency as estimated from a description of pages known to be relevant.
#
# Paper, all of it: Menczer, "Complementing search engines with online web mining agents", 2003.

_DAY = 86_400.0


def estimated_recall(similarities: Floats) -> Floats:
    """R(n) = P(n) * n, recall up to a factor nobody knows: how many relevant pages there are.

    P(n) is the mean of sim(r_q, p) over the first n pages p, for n = 1, 2, ...; sim is the cosine on raw counts
    (`similarity.cosines`), r_q the text that describes relevant pages. Start pages are not among those given.

    >>> estimated_recall(np.array([0.4, 0.2])).round(4).tolist()
    [0.4, 0.6]
    """
    sums: Floats = np.cumsum(similarities, dtype=np.float64)
    return sums


def estimated_recency(dates: Floats, index_time: float | Floats) -> Floats:
    """T(n) = the mean of 1 / (1 + delta) over the first n pages, for n = 1, 2, ...

    delta is the days from indexing to the last modification when the page was modified after it was indexed,
    else 0. Both are in seconds since 1970. A page with an unknown date (nan) is left out of the mean; T is
    nan until there is one whose dates are known.

    The first page has no date, the second changed a day after it was indexed, the third before.

    >>> estimated_recency(np.array([np.nan, 186400.0, 50.0]), 100000.0).tolist()
    [nan, 0.5, 0.75]
    """
    current = 1 / (1 + np.maximum(dates - index_time, 0.0) / _DAY)
    has_date = ~np.isnan(current)
    total, count = np.cumsum(np.where(has_date, current, 0.0)), np.cumsum(has_date)
    means: Floats = np.divide(total, count, out=np.full(len(has_date), np.nan), where=count > 0)
    return means


def product(recency: Floats, recall: Floats) -> Floats:
    """T * R, point by point: of one crawl, or of the means over topics.

    >>> product(np.array([0.5, 0.75]), np.array([0.4, 0.8])).round(4).tolist()
    [0.2, 0.6]
    """
    return recency * recall


def product_se(recency: Floats, recency_se: Floats, recall: Floats, recall_se: Floats) -> Floats:
    """The standard error of T * R as the paper estimates it: mean T * se R + mean R * se T.

    >>> product_se(np.array([0.5]), np.array([0.1]), np.array([4.0]), np.array([0.2])).tolist()
    [0.5]
    """
    return recency * recall_se + recall * recency_se
