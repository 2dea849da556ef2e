"""How sure it is that one score is right more often than another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from salticid.lab.links.trial import Trial
from salticid.learning.multinomial_bayes import Whole
from salticid.model import Floats, Ints

RESAMPLES = 10_000
_AT_ONCE = 250


class Difference(NamedTuple):
    """Accuracy of one score less that of another, its 95 % interval, and p (two-sided)."""

    diff: float
    low: float
    high: float
    p: float


def difference(trial: Trial, a: str, b: str, among: Whole | None = None, seed: int = 0) -> Difference:
    """a less b on all links that were asked about, or on some of them, named by their places in the trial."""
    right = {name: trial.said[name] == trial.truth for name in (a, b)}
    gained = right[a].astype(np.int64) - right[b]
    chosen = np.arange(len(trial.asked)) if among is None else among
    return paired(gained[chosen], trial.links.source[trial.asked[chosen]], seed)


def paired(gained: Whole, page: Ints, seed: int) -> Difference:
    """The mean of `gained`, by a bootstrap that draws pages, for the links of one page hang together.

    `p` is twice the share of draws on the other side of 0, each side with one draw more than was seen.

    >>> paired(np.array([1, 1, 1, 0]), np.array([5, 5, 6, 7]), 0).diff
    0.75
    """
    _, which = np.unique(page, return_inverse=True)
    links, gains = np.bincount(which).astype(np.float64), np.bincount(which, gained).astype(np.float64)
    means = np.concatenate(_means(links, gains, np.random.default_rng(seed)))
    low, high = np.percentile(means, [2.5, 97.5])
    beyond = 1 + min(np.count_nonzero(means <= 0), np.count_nonzero(means >= 0))
    p = min(1.0, 2 * beyond / (1 + RESAMPLES))
    return Difference(float(gained.mean()), float(low), float(high), float(p))


def _means(links: Floats, gains: Floats, rng: np.random.Generator) -> list[Floats]:
    pages = len(links)
    means = []
    for _ in range(RESAMPLES // _AT_ONCE):
        drawn = rng.integers(pages, size=(_AT_ONCE, pages))
        means.append(gains[drawn].sum(axis=1) / links[drawn].sum(axis=1))
    return means
