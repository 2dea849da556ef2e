"""Multinomial logistic regression on traits that are there or not."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np
from scipy.sparse import csr_matrix

from salticid.model import Floats, Ints

STEPS = 60
"""The most steps downhill; the last ones change little."""
_MEMORY = 8
_ENOUGH = 1e-4
_HALVINGS = 20

Slope = Callable[[Floats], tuple[float, Floats]]


def fit_weights(traits: csr_matrix, labels: Ints, classes: int, trust: float) -> Floats:
    """The weights w, a column for each class, that make the least of

        |w|^2 / 2  -  trust * sum over links of log P(class | link),    P(c | link) ~ exp(sum of w_tc over its traits)

    The larger `trust`, the more the links count against the wish for small weights.
    """
    truth = np.eye(classes)[labels]
    across = traits.T.tocsr()

    def slope(weights: Floats) -> tuple[float, Floats]:
        scores, log_sums = _scores(traits, weights)
        loss = float((log_sums - scores * truth).sum(where=truth > 0))
        wrong = np.exp(scores - log_sums) - truth
        return trust * loss + _dot(weights, weights) / 2, trust * (across @ wrong) + weights

    return least(slope, np.zeros((traits.shape[1], classes)), STEPS)


def probabilities(traits: csr_matrix, weights: Floats) -> Floats:
    """P(class | link), a row for each link."""
    scores, log_sums = _scores(traits, weights)
    probability: Floats = np.exp(scores - log_sums)
    return probability


def least(slope: Slope, start: Floats, steps: int) -> Floats:
    """Where a smooth convex function is least, by L-BFGS; `slope` gives its value and its gradient.

    Sums are numpy's own, never those of a linear algebra library, whose last bits depend on how many
    processors there are.

    >>> least(lambda x: (float(((x - 3) ** 2).sum()), 2 * (x - 3)), np.zeros(2), 10).round(3).tolist()
    [3.0, 3.0]
    """
    at, (value, gradient) = start, slope(start)
    memory: deque[tuple[Floats, Floats]] = deque(maxlen=_MEMORY)
    small = _ENOUGH * max(1.0, float(np.abs(gradient).max(initial=0.0)))
    for _ in range(steps):
        if float(np.abs(gradient).max(initial=0.0)) <= small:
            break
        way = _downhill(gradient, memory)
        slant, length = _dot(gradient, way), 1.0
        if not memory:
            length = 1.0 / max(1.0, _dot(gradient, gradient) ** 0.5)
        for _ in range(_HALVINGS):
            new = at + length * way
            new_value, new_gradient = slope(new)
            if new_value <= value + 1e-4 * length * slant:
                break
            length /= 2
        else:
            break
        step, bend = new - at, new_gradient - gradient
        if _dot(step, bend) > 0:
            memory.append((step, bend))
        at, value, gradient = new, new_value, new_gradient
    return at


def _downhill(gradient: Floats, memory: deque[tuple[Floats, Floats]]) -> Floats:
    """The direction in which a quadratic that bends as remembered is least."""
    way = -gradient
    shares = []
    for step, bend in reversed(memory):
        share = _dot(step, way) / _dot(step, bend)
        shares.append(share)
        way = way - share * bend
    if memory:
        step, bend = memory[-1]
        way = way * (_dot(step, bend) / _dot(bend, bend))
    for (step, bend), share in zip(memory, reversed(shares), strict=True):
        way = way + (share - _dot(bend, way) / _dot(step, bend)) * step
    return way


def _scores(traits: csr_matrix, weights: Floats) -> tuple[Floats, Floats]:
    """The sum of weights of each link and class, and the log of the sum of their exponentials."""
    scores: Floats = traits @ weights
    scores -= scores.max(axis=1, keepdims=True)
    return scores, np.log(np.exp(scores).sum(axis=1, keepdims=True))


def _dot(a: Floats, b: Floats) -> float:
    return float((a * b).sum())
