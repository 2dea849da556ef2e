"""A longer query, made of pages known to be relevant: it credits pages that say it in other words."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from salticid.learning.stem_vectors import length_of
from salticid.model import Floats

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
