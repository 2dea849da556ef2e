"""Weights that follow what the crawl finds, held back by what was known before."""

from __future__ import annotations

from math import sqrt

import numpy as np

from salticid.model import Floats

MOST_LINKS = 512
"""So many links whose pages were judged, the last, are learned from."""
_FEWEST, _NEWS = 20, 10
_ROUNDS = 2
_USUAL_SLOPE, _LEAST_SLOPE, _DOUBT = 0.12, 0.05, 20.0
"""What one standard deviation of the margins is worth in rewards: before much is known, and at least."""


class OnlineWeights:
    """The prior weights, and what the judged links add to them.

    The rewards of pages are first explained by the margins that the prior gave their links, as a straight
    line. What that leaves is explained by the features, in units of their spread, by ridge regression:

        minimise sum of (reward - line - d . features / spread)^2 + pull * |d|^2

    with a few rounds over the features, each time they are learned. The weights in use are the prior's plus d,
    brought to the scale of the margins by the slope of the line. The higher `pull`, the nearer they stay.
    """

    def __init__(self, prior: Floats, spread: Floats, pull: float) -> None:
        self.now = prior.copy()
        self._prior, self._spread, self._pull = prior, spread, pull
        self._features, self._page = np.zeros((MOST_LINKS, len(prior))), np.zeros(MOST_LINKS, np.int32)
        self._count = self._last_count = 0
        self._shift = np.zeros(len(prior))

    def add(self, features: Floats, page: int) -> None:
        """A link led to page number `page`; these were its features."""
        at = self._count % MOST_LINKS
        self._features[at], self._page[at] = features, page
        self._count += 1

    def learn(self, rewards: Floats) -> None:
        """Make the weights anew if enough links were judged since, by the rewards of all pages as they are now."""
        if self._count < _FEWEST or self._count < self._last_count + _NEWS:
            return
        self._last_count = self._count
        size = min(self._count, MOST_LINKS)
        features, reward = self._features[:size], rewards[self._page[:size]]
        reward = reward - reward.mean()
        margin = (features * self._prior).sum(axis=1)
        margin -= margin.mean()
        unit = sqrt(float((margin * margin).mean())) or 1.0
        agreement = float((margin * reward).sum()) / unit
        slope = max((agreement + _DOUBT * _USUAL_SLOPE) / (size + _DOUBT), _LEAST_SLOPE) / unit
        columns = np.ascontiguousarray(((features - features.mean(axis=0)) / self._spread).T)
        residual = reward - slope * margin - (columns * self._shift[:, None]).sum(axis=0)
        strength = (columns * columns).sum(axis=1) + self._pull
        for _ in range(_ROUNDS):
            for at, column in enumerate(columns):
                step = ((column * residual).sum() - self._pull * self._shift[at]) / strength[at]
                self._shift[at] += step
                residual -= step * column
        self.now = self._prior + self._shift / (slope * self._spread)
