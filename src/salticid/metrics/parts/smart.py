"""An independent retrieval system: the vector space of SMART with its weights `atc`."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from salticid.metrics.parts.similarity import cosines, rarity
from salticid.model import Floats


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
