"""How near pages are to a topic: cosines, and their mean as a crawl goes on."""

from __future__ import annotations

from math import log

import numpy as np
from scipy.sparse import csr_array

from salticid.exact import logs_of_counts
from salticid.learning.stem_vectors import length_of
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
