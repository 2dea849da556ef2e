"""A strategy that a search found, and what crawls with seeds that were held back say of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec

from salticid.evolve.ablation import HeldBack, held_back
from salticid.evolve.checkpoint import State
from salticid.evolve.finalists import FINALISTS, LEADERS, best_finalist
from salticid.evolve.interval import Interval
from salticid.evolve.known_starts import PARENT
from salticid.evolve.optimizer import Weights
from salticid.evolve.search_plan import SearchPlan
from salticid.evolve.workers import Crawlers

Watch = Callable[[str, int, int], None]
"""Called with the progress of the work: what is being done, how many crawls are made, of how many."""

_MORE = "A larger world, longer crawls or more generations may find more."


class EvolvedStrategy(msgspec.Struct, frozen=True):
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
    def of(cls, state: State, weights: Weights, test: HeldBack) -> EvolvedStrategy:
        """Weights that a search tried, with the crawls that were held back."""
        losses = {term: Interval.between(test.evolved, values) for term, values in test.without.items()}
        return cls(
            state.plan,
            state.plan.spread(weights),
            dict(state.tried)[weights],
            Interval.of(test.evolved),
            Interval.of(test.best_first),
            Interval.between(test.evolved, test.best_first),
            dict(sorted(losses.items(), key=lambda each: -each[1].mean)),
        )

    @property
    def is_best_first(self) -> bool:
        """Whether it is Best-First itself."""
        return self.weights == self.plan.alone(PARENT)

    def verdict(self) -> str:
        """How it does against Best-First, in a sentence; one more if that is no better."""
        if self.is_best_first:
            return (
                "It is Best-First: nothing that the search tried is surely ahead of that. On "
                f"{len(self.plan.held_back_seeds)} crawls with seeds that were held back: {self.fitness}. "
                f"{_MORE}"
            )
        crawls = f"On {len(self.plan.held_back_seeds)} crawls with seeds that were held back"
        figures = f"{self.fitness} against {self.best_first}, a difference of {self.ahead}."
        if self.ahead.low > 0:
            return f"{crawls} it beats Best-First: {figures}"
        word = "loses to" if self.ahead.sure else "cannot be told from"
        return f"It is no better than Best-First. {crawls} it {word} it: {figures} {_MORE}"

    def choice(self) -> str:
        """How it was chosen, in a sentence."""
        seeds = len(self.plan.choosing_seeds)
        if self.plan.letter or not self.plan.known:
            return f"Of the {FINALISTS} fittest of the search, the one that did best on {seeds} other seeds."
        return (
            f"Of what the search began with and the last {LEADERS} that led a generation, the best on {seeds} other "
            "seeds of those that are surely ahead of Best-First there, or else Best-First itself."
        )

    def what_matters(self) -> str:
        """Which terms it needs, in a sentence."""
        terms = [f"{term} ({loss.mean:.3f})" for term, loss in self.losses.items() if loss.low > 0]
        better = [f"{term} ({-loss.mean:.3f})" for term, loss in self.losses.items() if loss.high < 0]
        sentence = (
            f"It loses fitness without {_list_of(terms)}."
            if terms
            else "There is no term without which it surely loses fitness."
        )
        return sentence + (f" It would do better without {_list_of(better)}." if better else "")


def with_evidence(state: State, crawlers: Crawlers, watch: Watch) -> EvolvedStrategy:
    """Choose from what a search that is done has found, and crawl with it on the seeds that were held back."""
    return evidence_for(state, best_finalist(state, crawlers, partial(watch, "choosing")), crawlers, watch)


def evidence_for(state: State, weights: Weights, crawlers: Crawlers, watch: Watch) -> EvolvedStrategy:
    """Crawl with weights that a search tried on the seeds that were held back."""
    test = held_back(state.plan, state.plan.spread(weights), crawlers, partial(watch, "testing"))
    return EvolvedStrategy.of(state, weights, test)


def summary(state: State, strategy: EvolvedStrategy) -> dict[str, Any]:
    """The result as plain data: the weights by term, fitnesses, losses, and the way there."""
    rows = [dict(zip(strategy.plan.terms, row, strict=True)) for row in strategy.weights]
    return {
        "topic": strategy.plan.topic,
        "weights": rows[0] if len(rows) == 1 else rows,
        "training_fitness": strategy.trained,
        "fitness": strategy.fitness,
        "best_first": strategy.best_first,
        "ahead_of_best_first": strategy.ahead,
        "ablation": strategy.losses,
        "generations": [{"best": each.best, "mean": each.mean} for each in state.history],
    }


def _list_of(parts: Sequence[str]) -> str:
    """Parts of a sentence.

    >>> _list_of(["a"]), _list_of(["a", "b", "c"])
    ('a', 'a, b or c')
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"
