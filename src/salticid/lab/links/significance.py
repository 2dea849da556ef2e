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


def difference(
    trial: Trial, a: str, b: str, among: Whole | None = None, seed: int = 0, margin: float = 0.0
) -> Difference:
    """a less b on all links that were asked about, or on some of them, named by their places in the trial.

    p is of the claim that the difference is not `margin`.
    """
    right = {name: trial.answers[name] == trial.truth for name in (a, b)}
    gains = right[a].astype(np.int64) - right[b]
    places = np.arange(len(trial.questions)) if among is None else among
    return paired_bootstrap(gains[places], trial.links.source[trial.questions[places]], seed, margin)


def paired_bootstrap(gains: Whole, page: Ints, seed: int, margin: float = 0.0) -> Difference:
    """The mean of `gained`, by a bootstrap that draws pages, for the links of one page hang together.

    `p` is twice the share of draws on the other side of `margin`, each side with one draw more than was seen.

    >>> paired_bootstrap(np.array([1, 1, 1, 0]), np.array([5, 5, 6, 7]), 0).diff
    0.75
    """
    _, which = np.unique(page, return_inverse=True)
    links, page_gains = np.bincount(which).astype(np.float64), np.bincount(which, gains).astype(np.float64)
    means = np.concatenate(_means(links, page_gains, np.random.default_rng(seed)))
    low, high = np.percentile(means, [2.5, 97.5])
    beyond = 1 + min(np.count_nonzero(means <= margin), np.count_nonzero(means >= margin))
    p = min(1.0, 2 * beyond / (1 + RESAMPLES))
    return Difference(float(gains.mean()), float(low), float(high), float(p))


def _means(links: Floats, gains: Floats, rng: np.random.Generator) -> list[Floats]:
    pages = len(links)
    means = []
    for _ in range(RESAMPLES // _AT_ONCE):
        sample = rng.integers(pages, size=(_AT_ONCE, pages))
        means.append(gains[sample].sum(axis=1) / links[sample].sum(axis=1))
    return means
