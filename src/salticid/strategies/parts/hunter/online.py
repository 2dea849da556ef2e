"""Weights that follow what the crawl finds, held back by what was known before."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
import numpy.typing as npt

from salticid.model import Floats
from salticid.native import at, lib
from salticid.snapshots import in_snapshot, rows
from salticid.strategies.parts.hunter.prior import Prior

MOST_LINKS = 512
"""So many links whose pages were judged, the last, are learned from."""
_FEWEST, _NEWS = 20, 10
_ROUNDS = 2
_USUAL_SLOPE, _LEAST_SLOPE, _DOUBT = 0.12, 0.05, 20.0
"""What one standard deviation of the margins is worth in rewards: before much is known, and at least."""


@in_snapshot(
    "_of_prior", "_pull", _spread=np.float64, bounds=np.float64, _prior=np.float64,
    _features=rows(np.float64), _page=np.int32, _count=int, _last_count=int, _shift=np.float64,
    _slope=float, now=np.float64,
)  # fmt: skip
class OnlineWeights:
    """The prior weights, and what the judged links add to them.

    The rewards of pages are first explained by the margins that the prior gave their links, as a straight
    line. What that leaves is explained by the features, in units of their spread, by ridge regression:

        minimise sum of (reward - line - d . features / spread)^2 + pull * |d|^2

    with a few rounds over the features, each time they are learned. The weights in use are the prior's plus d,
    brought to the scale of the margins by the slope of the line. The higher `pull`, the nearer they stay. The prior's
    are those for a web with this share of links in lists; no feature counts more than it says.
    """

    def __init__(self, prior: Prior, pull: float) -> None:
        self._of_prior, self._pull = prior, pull
        self._spread, self.bounds = prior.spreads(), prior.bounds()
        self._prior = prior.weights_in(0.0)
        self._features = np.zeros((MOST_LINKS, len(self._prior)))
        self._page = np.zeros(MOST_LINKS, np.int32)
        self._count = self._last_count = 0
        self._shift, self._slope = np.zeros(len(self._prior)), 1.0
        self.now = self._prior
        """The weights in use."""

    def margins(self, columns: Sequence[Floats]) -> Floats:
        """What the features of links come to, given as a column each."""
        margins = np.zeros(len(columns[0]))
        for weight, bound, column in zip(self.now.tolist(), self.bounds.tolist(), columns, strict=True):
            margins += weight * np.minimum(column, bound)
        return margins

    def strongest(self, features: npt.NDArray[np.float32], most: int) -> list[tuple[int, float]]:
        """The features of one link that add or take most, by their places, and what each adds to its margin.

        The last, which all links have alike, does not count.
        """
        if lib is None:
            parts = self.now * np.minimum(features.astype(np.float64), self.bounds)
            places = np.argsort(-np.abs(parts[:-1]), kind="stable")[:most]
            return list(zip(places.tolist(), parts[places].tolist(), strict=True))
        places, parts = np.empty(most, np.int32), np.empty(most)
        lib.strongest_parts(
            at(features), at(self.now), at(self.bounds), len(features) - 1, most, at(places), at(parts)
        )
        return list(zip(places.tolist(), parts.tolist(), strict=True))

    def add(self, features: Floats, page: int) -> None:
        """A link led to page number `page`; these were its features."""
        row = self._count % MOST_LINKS
        self._features[row], self._page[row] = np.minimum(features, self.bounds), page
        self._count += 1

    def learn(self, rewards: Floats, lists: float) -> None:
        """Follow the web, and if enough links were judged since, the rewards of all pages, as they are now."""
        self._prior = self._of_prior.weights_in(lists)
        if self._count >= max(_FEWEST, self._last_count + _NEWS):
            self._explain(rewards)
        self.now = self._prior + self._shift / (self._slope * self._spread)

    def _explain(self, rewards: Floats) -> None:
        """Fit the shift to what the links were worth that were judged."""
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
            for place, column in enumerate(columns):
                step = ((column * residual).sum() - self._pull * self._shift[place]) / strength[place]
                self._shift[place] += step
                residual -= step * column
        self._slope = slope
