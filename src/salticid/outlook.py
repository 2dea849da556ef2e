"""What is still to be found: how a crawl's luck is likely to go on, judging by how it went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from salticid.exact import expm1s, exps, log, logs
from salticid.model import Floats

LEAST_PAGES, LEAST_FINDS = 50, 5
"""With fewer pages, or fewer of them positive, there is no outlook."""
MOST_LEFT = 5
"""When more than so many times what was found may be left, nobody knows."""
AHEAD = 100
"""So many pages ahead the harvest is foretold."""

_SHAPES = (1, 2)
"""A crawl that begins among good pages, and one that has to find them first."""
_SPEEDS = exps(np.linspace(-log(50), log(50), 200))
"""From luck that would last fifty times as long as the crawl so far, to luck that was over long ago."""
_BLOCKS = 10
_FEW = 0.5
"""No block is expected to hold fewer finds: one more there is no miracle."""
_DRAWS = 4000
_EDGES = (0.025, 0.975)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number and the interval that it lies in with a probability of 95 %."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Outlook:
    """How many positive pages are still to be found at all, and the share of positives in the next pages.

    Both are about what the judge calls positive and about going on in the same way: belief, not truth. `remaining`
    is None when it cannot be known: as long as luck lasts, anything may be left.
    """

    remaining: Estimate | None
    harvest: Estimate

    @property
    def sentence(self) -> str:
        """The same in words."""
        soon = f"of the next {AHEAD} pages {_about(self.harvest, AHEAD)} should be on topic"
        if self.remaining is None:
            return f"how many more there are cannot be known yet; {soon}"
        return f"{_about(self.remaining)} more on topic seem to be left; {soon}"


def outlook(finds: Sequence[int], pages: int) -> Outlook | None:
    """The outlook of a crawl of `pages` pages, the ones numbered `finds` (from 1, ascending) positive.

    Finds are taken for a Poisson process whose rate rises in the beginning, or not, and then dies away: N
    positives in all, each found after a time of Erlang's distribution (shape 1 or 2, speed b). N is unknown on
    every scale, b on a grid that is even in its logarithm; what is foretold is the mean over all of them, each
    weighed by how well it explains the finds. Finds come in clusters: as much as blocks of pages differ more
    than they should, so much less does each find tell. None while there is too little to go by.

    >>> early = outlook(list(range(1, 60)), 400)
    >>> late = outlook(list(range(1, 400, 4)), 400)
    >>> early.remaining.mean < 1, late.remaining
    (True, None)

    Papers: Goel and Okumoto, IEEE Transactions on Reliability 28, 1979; Yamada, Ohba, Osaki, the same 32, 1983.
    """
    if pages < LEAST_PAGES or len(finds) < LEAST_FINDS:
        return None
    times = np.asarray(finds, np.float64) / pages
    models = [(speed, shape) for shape in _SHAPES for speed in _SPEEDS]
    likelihood = np.concatenate([_log_likelihood(times, shape) for shape in _SHAPES])
    clustering = _clustering(times, *models[int(likelihood.argmax())])
    weights = exps((likelihood - likelihood.max()) / clustering)
    weights /= weights.sum()
    by_now = np.concatenate([_found_by(_SPEEDS, shape) for shape in _SHAPES])
    soon = np.concatenate([_found_by(_SPEEDS * (1 + AHEAD / pages), shape) for shape in _SHAPES])
    in_all = len(finds) / by_now
    clusters = len(finds) / clustering
    remaining, next_ones = (
        _estimate(weights, expected / clustering, clusters, clustering)
        for expected in (in_all * (1 - by_now), in_all * (soon - by_now))
    )
    return Outlook(remaining if remaining.high <= MOST_LEFT * len(finds) else None, _share(next_ones))


def _log_likelihood(times: Floats, shape: int) -> Floats:
    """How well each speed explains the finds, as a logarithm; what N is has been averaged out."""
    finds = len(times)
    late = logs(times).sum() if shape > 1 else 0.0
    density = finds * shape * logs(_SPEEDS) + (shape - 1) * late - _SPEEDS * times.sum()
    likelihood: Floats = density - finds * logs(_found_by(_SPEEDS, shape))
    return likelihood


def _found_by(lapse: Floats, shape: int) -> Floats:
    """The share of all positives found after `lapse`, the time so far being 1 and measured by the speed."""
    return -expm1s(-lapse) if shape == 1 else 1 - (1 + lapse) * exps(-lapse)


def _clustering(times: Floats, speed: float, shape: int) -> float:
    """How many times more blocks of pages differ from the best explanation than chance would have it, at least 1."""
    counts, edges = np.histogram(times, _BLOCKS, (0.0, 1.0))
    expected = np.diff(_found_by(speed * edges, shape))
    expected *= len(times) / expected.sum()
    expected = np.maximum(expected, _FEW)
    return max(1.0, float(((counts - expected) ** 2 / expected).sum()) / (_BLOCKS - 2))


def _estimate(weights: Floats, expected: Floats, clusters: float, size: float) -> Estimate:
    """The mean of what is expected, and the middle of what may come of it: whole clusters of finds of one size."""
    rng = np.random.default_rng(0)
    rates = expected[rng.choice(len(weights), _DRAWS, p=weights)] * rng.gamma(clusters, 1 / clusters, _DRAWS)
    low, high = np.quantile(rng.poisson(rates), _EDGES) * size
    return Estimate(float((weights * expected).sum()) * size, float(low), float(high))


def _about(number: Estimate, times: int = 1) -> str:
    mean, low, high = (f"{times * value:,.0f}" for value in (number.mean, number.low, number.high))
    return f"about {mean} ({low} to {high})"


def _share(finds: Estimate) -> Estimate:
    return Estimate(*(min(1.0, value / AHEAD) for value in (finds.mean, finds.low, finds.high)))
