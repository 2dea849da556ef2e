"""A second retrieval system, of another school: the probabilistic model BM25."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from salticid.exact import logs
from salticid.metrics.parts.similarity import pages_with
from salticid.model import Floats


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
