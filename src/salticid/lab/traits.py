"""What a topic is like, and how far a measure depends on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt

import numpy as np
from scipy.sparse import csr_array
from scipy.stats import spearmanr

from salticid.lab.statistics import known_together
from salticid.metrics.parts.features import unit_vectors
from salticid.metrics.parts.similarity import idf

MIN_TOPICS = 5


def heterogeneity(targets: csr_array, among: csr_array) -> float | None:
    """How unlike each other the targets' pages are: the mean of 1 - cosine over all pairs, tf * idf.

    Both are counts of stems, pages x stems; the idf, 1 + ln(N / n_k), is that of the pages of `among`, a pool
    or a world with the targets in it. None for fewer than two pages. An empty page is like no other.

    >>> pages = csr_array(np.array([[1, 0], [1, 0], [0, 1]]))
    >>> round(heterogeneity(pages, pages), 4)    # pairs: 0, 1 and 1
    0.6667
    """
    many = int(targets.shape[0])
    if many < 2:
        return None
    vectors = unit_vectors(targets, idf(among))
    together = np.bincount(vectors.indices, vectors.data, targets.shape[1])
    itself = float((vectors.data * vectors.data).sum())
    likeness = (float((together * together).sum()) - itself) / (many * (many - 1))
    return min(1.0, max(0.0, 1.0 - likeness))


def rank_correlation(trait: Sequence[float | None], values: Sequence[float | None]) -> float | None:
    """Spearman's, over the topics where both are known; None when these are fewer than 5 or either is constant.

    >>> rank_correlation([1, 2, 3, 4, 5], [10, 20, 30, 50, 40])
    0.9
    """
    both = known_together(trait, values)
    if both.shape[1] < MIN_TOPICS or (both == both[:, :1]).all(axis=1).any():
        return None
    return round(float(spearmanr(both[0], both[1]).statistic), 12)


def chance_correlation(topics: int) -> float | None:
    """The rank correlation that chance alone exceeds about once in twenty times; None for too few topics.

    >>> round(chance_correlation(33), 2), chance_correlation(4)
    (0.35, None)
    """
    return 1.96 / sqrt(topics - 1) if topics >= MIN_TOPICS else None


def dependence(
    traits: Mapping[str, Sequence[float | None]],
    values: Mapping[str, Mapping[str, Sequence[float | None]]],
) -> dict[str, dict[str, dict[str, float]]]:
    """By trait, measure and strategy the rank correlation over topics, where there is one.

    `traits` has for each trait, `values` for each measure and strategy, one number a topic.

    >>> dependence({"size": [1, 2, 3, 4, 5]}, {"harvest": {"a": [5, 4, 3, 2, 1], "b": [0, 0, 0, 0, 0]}})
    {'size': {'harvest': {'a': -1.0}}}
    """
    return {
        trait: {
            metric: {
                strategy: rho
                for strategy, each in by_strategy.items()
                if (rho := rank_correlation(numbers, each)) is not None
            }
            for metric, by_strategy in values.items()
        }
        for trait, numbers in traits.items()
    }
