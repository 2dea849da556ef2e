"""The report of a search: one HTML file that needs nothing else, with the look of a comparison's."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import tomli_w
from markupsafe import Markup

from salticid.errors import UserError
from salticid.evolve import (
    FINALISTS,
    LEADERS,
    PARENT,
    Crawlers,
    Generation,
    HeldBack,
    Interval,
    SearchPlan,
    State,
    Weights,
    best_finalist,
    held_back,
    normalise,
    plain,
    strategy_of,
)
from salticid.lab.plots import Axes, line_plot, simple_curve
from salticid.lab.report import Figure, report_templates
from salticid.lab.results import Curve
from salticid.registry import NOTES_TABLE, read_strategy_file, settings_of
from salticid.strategies import strategies
from salticid.strategies.linear_rank import LinearRank
from salticid.text import content_hash

# A strategy that a search found, and what crawls with seeds that were held back say of it.

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


SEARCH_REPORT = "report.html"
BEST, MEAN = "best", "mean of the population"


def render_search(state: State, strategy: EvolvedStrategy) -> str:
    """The page as text, the same bytes for the same search. It allows its own style, by its hash, and nothing else."""
    environment = report_templates("salticid.lab")
    return environment.get_template("search_report.html.j2").render(
        style_hash=content_hash(environment, "report.css"),
        plan=strategy.plan,
        strategy=strategy,
        rows=_rows(strategy),
        figures=[_fitnesses(state.history), *_weights(state)],
    )


def _rows(strategy: EvolvedStrategy) -> list[tuple[str, list[str], str]]:
    """Term by term its weights, and what is lost without it."""
    return [
        (
            term,
            [f"{row[place]:.3f}" for row in strategy.weights],
            str(strategy.losses[term]) if term in strategy.losses else "not used",
        )
        for place, term in enumerate(strategy.plan.terms)
        if term in strategy.plan.searched
    ]


def _fitnesses(history: Sequence[Generation]) -> Figure:
    curves = {
        BEST: simple_curve([each.best for each in history], first=0),
        MEAN: simple_curve([each.mean for each in history], first=0),
    }
    last = history[-1]
    leading = next(at for at, each in enumerate(history) if each.best == last.best)
    words = (
        f"From {history[0].best:.3f} at best in the first population to {last.best:.3f}, first reached in generation "
        f"{leading}; the mean of the population rose from {history[0].mean:.3f} to {last.mean:.3f}."
    )
    return Figure("Fitness on the training seeds", _plot(curves, "fitness", from_zero=False), [words])


def _weights(state: State) -> list[Figure]:
    """For each phase the weights of the fittest, generation by generation."""
    plan, figures = state.plan, []
    leaders = [plan.spread(each.weights) for each in state.history]
    for phase in range(plan.phases):
        curves = {
            term: simple_curve([weights[phase][place] for weights in leaders], first=0)
            for place, term in enumerate(plan.terms)
            if term in plan.searched
        }
        last = {term: curve.mean[-1] for term, curve in curves.items()}
        most = sorted(last, key=lambda term: -last[term])[:3]
        sentence = "Most weight in the end: " + ", ".join(f"{term} {last[term]:.3f}" for term in most) + "."
        part = f", phase {phase + 1} of {plan.phases}" if plan.phases > 1 else ""
        figures.append(Figure(f"Weights of the fittest{part}", _plot(curves, "weight"), [sentence]))
    return figures


def _plot(curves: Mapping[str, Curve], what: str, from_zero: bool = True) -> Markup:
    return line_plot(curves, list(curves), Axes("generation", what, from_zero=from_zero), what)


# The strategy file of a search: weights that any crawl takes, and how they were found.

STRATEGY = "linear_rank"
_WIDTH = 100


def strategy_file(strategy: EvolvedStrategy) -> str:
    """The text of the file: comments that tell what it does, its judge, the weights as settings, and `[found]`."""
    title = f"Evolved for {strategy.plan.topic}."
    sentences = [title, strategy.verdict(), strategy.what_matters()]
    settings = msgspec.to_builtins(settings_of(strategy_of(np.array(strategy.weights), strategy.plan.ranking)))
    if strategy.plan.phases == 1:
        del settings["later"]
    table = {
        "strategy": STRATEGY,
        "judge": strategy.plan.judge,
        **settings,
        NOTES_TABLE: _provenance(strategy),
    }
    return f"{_comment(' '.join(sentences))}\n{tomli_w.dumps(table)}"


def _comment(text: str) -> str:
    """Text as lines that TOML passes over, whatever is in it.

    >>> _comment("a topic\\n= 1 \\x00")
    '# a topic = 1 �'
    """
    line = "".join(char if char.isprintable() else "�" for char in " ".join(text.split()))
    return textwrap.fill(line, _WIDTH, initial_indent="# ", subsequent_indent="# ")


def weights_in(file: Path, terms: Sequence[str], phases: int) -> Weights:
    """The weights of these terms in a strategy file, to begin a search with; a single phase serves for all."""
    told = read_strategy_file(file)
    strategy = strategies.make(told.name, told.settings)
    if not isinstance(strategy, LinearRank):
        raise UserError(f"{file} is for {told.name}; a search begins with files for {STRATEGY}")
    rows: list[Mapping[str, Any]] = [settings_of(strategy), *(each.settings() for each in strategy.later)]
    if len(rows) not in (1, phases):
        raise UserError(f"{file} has {len(rows)} phases; begin a search with --phases {len(rows)} from it")
    table = normalise(np.array([[row[term] for term in terms] for row in rows], np.float64))
    return plain(np.repeat(table, phases // len(rows), axis=0))


def _provenance(strategy: EvolvedStrategy) -> dict[str, Any]:
    plan = strategy.plan
    return {
        "world": plan.world,
        "topic": plan.topic,
        "search": plan.search,
        "population": plan.population,
        "generations": plan.generations,
        "crawl_length": plan.crawl_length,
        "runs": plan.runs,
        "seed": plan.seed,
        "phases": plan.phases,
        "phases_by": "distance" if plan.ranking.by_distance else "pages",
        "margin": plan.ranking.margin,
        "letter": plan.letter,
        "reach": plan.reach,
        "begun_with": len(plan.known),
        "terms": list(plan.searched),
        **({} if plan.least_good is None else {"least_good": plan.least_good}),
        "rewards": {"hosts": plan.goal.hosts, "distance": plan.goal.distance, "length": plan.goal.late},
        "training_seeds": plan.training_seeds,
        "choosing_seeds": plan.choosing_seeds,
        "held_back_seeds": plan.held_back_seeds,
        "versions": plan.versions,
        "training_fitness": strategy.trained,
        "fitness": _bounds(strategy.fitness),
        "best_first": _bounds(strategy.best_first),
        "ahead_of_best_first": _bounds(strategy.ahead),
        "ablation": {term: _bounds(loss) for term, loss in strategy.losses.items()},
        "seeds": list(plan.seeds),
    }


def _bounds(interval: Interval) -> dict[str, float]:
    return {"mean": interval.mean, "low": interval.low, "high": interval.high}
