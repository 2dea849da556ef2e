"""A strategy that a search found, and what crawls with seeds that were held back say of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import sqrt
from typing import Any

import msgspec
import numpy as np
from scipy.special import stdtrit

from salticid.evolve.ablation import HeldBack, held_back
from salticid.evolve.checkpoint import State
from salticid.evolve.finalists import chosen
from salticid.evolve.optimizer import Weights
from salticid.evolve.search_plan import SearchPlan
from salticid.evolve.workers import Crawlers

Watch = Callable[[str, int, int], None]
"""Told of progress: what is being done, how many crawls of it are made, of how many."""


class Interval(msgspec.Struct, frozen=True):
    """A mean, and where it lies with 95 % (Student's t over the crawls)."""

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Interval:
        """Of some values; a single one knows no spread.

        >>> Interval.of([1.0, 2.0, 3.0])
        Interval(mean=2.0, low=-0.484..., high=4.484...)
        """
        mean, n = float(np.mean(values)), len(values)
        if n < 2:
            return cls(mean, mean, mean)
        room = float(stdtrit(n - 1, 0.975)) * float(np.std(values, ddof=1)) / sqrt(n)
        return cls(mean, mean - room, mean + room)

    @classmethod
    def between(cls, a: Sequence[float], b: Sequence[float]) -> Interval:
        """Of the differences a - b, pair by pair."""
        return cls.of([one - other for one, other in zip(a, b, strict=True)])

    @property
    def sure(self) -> bool:
        """Whether zero lies outside."""
        return self.low > 0 or self.high < 0

    def __str__(self) -> str:
        return f"{self.mean:.3f} ({self.low:.3f} to {self.high:.3f})"


class Evolved(msgspec.Struct, frozen=True):
    """A strategy that a search found, and what crawls with other seeds say of it.

    `ahead` is its lead over Best-First, `losses` what it loses without a term, by term, the largest first.
    """

    plan: SearchPlan
    weights: Weights
    trained: float
    fitness: Interval
    best_first: Interval
    ahead: Interval
    losses: dict[str, Interval]

    @classmethod
    def of(cls, state: State, weights: Weights, tested: HeldBack) -> Evolved:
        """Weights that a search tried, with the crawls that were held back."""
        losses = {term: Interval.between(tested.evolved, values) for term, values in tested.without.items()}
        return cls(
            state.plan,
            state.plan.spread(weights),
            dict(state.tried)[weights],
            Interval.of(tested.evolved),
            Interval.of(tested.best_first),
            Interval.between(tested.evolved, tested.best_first),
            dict(sorted(losses.items(), key=lambda each: -each[1].mean)),
        )

    def verdict(self) -> str:
        """How it does against Best-First, in a sentence."""
        ahead = self.ahead
        lead = "beats" if ahead.mean > 0 else "loses to"
        word = lead if ahead.sure else "cannot be told from"
        return (
            f"On {len(self.plan.held_back_seeds)} crawls with seeds that were held back it {word} Best-First: "
            f"{self.fitness} against {self.best_first}, a difference of {ahead}."
        )

    def what_matters(self) -> str:
        """Which terms it needs, in a sentence."""
        needed = [f"{term} ({loss.mean:.3f})" for term, loss in self.losses.items() if loss.low > 0]
        better = [f"{term} ({-loss.mean:.3f})" for term, loss in self.losses.items() if loss.high < 0]
        told = (
            f"It loses fitness without {_listed(needed)}."
            if needed
            else "There is no term without which it surely loses fitness."
        )
        return told + (f" It would do better without {_listed(better)}." if better else "")


def with_evidence(state: State, crawlers: Crawlers, watch: Watch) -> Evolved:
    """Choose from what a search that is done has found, and crawl with it on the seeds that were held back."""
    weights = chosen(state, crawlers, partial(watch, "choosing"))
    tested = held_back(state.plan, state.plan.spread(weights), crawlers, partial(watch, "testing"))
    return Evolved.of(state, weights, tested)


def summary(state: State, evolved: Evolved) -> dict[str, Any]:
    """The result as plain data: the weights by term, fitnesses, losses, and the way there."""
    rows = [dict(zip(evolved.plan.terms, row, strict=True)) for row in evolved.weights]
    return {
        "topic": evolved.plan.topic,
        "weights": rows[0] if len(rows) == 1 else rows,
        "training_fitness": evolved.trained,
        "fitness": evolved.fitness,
        "best_first": evolved.best_first,
        "ahead_of_best_first": evolved.ahead,
        "ablation": evolved.losses,
        "generations": [{"best": each.best, "mean": each.mean} for each in state.history],
    }


def _listed(parts: Sequence[str]) -> str:
    """Parts of a sentence.

    >>> _listed(["a"]), _listed(["a", "b", "c"])
    ('a', 'a, b or c')
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"
