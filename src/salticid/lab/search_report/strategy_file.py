"""The strategy file of a search: weights that any crawl takes, and how they were found."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import tomli_w

from salticid.errors import UserError
from salticid.evolve.genome import normalise
from salticid.evolve.interval import Interval
from salticid.evolve.optimizer import Weights, plain
from salticid.evolve.simulation import strategy_of
from salticid.lab.search_report.evidence import EvolvedStrategy
from salticid.registry import NOTES_TABLE, read_strategy_file, settings_of
from salticid.strategies import strategies
from salticid.strategies.linear_rank import LinearRank

STRATEGY = "linear_rank"
_WIDTH = 100


def strategy_file(strategy: EvolvedStrategy) -> str:
    """The text of the file: comments that tell what it does, its judge, the weights as settings, and `[found]`."""
    title = f"Evolved for {strategy.plan.topic}."
    sentences = [title, strategy.verdict(), strategy.what_matters()]
    settings = msgspec.to_builtins(
        settings_of(strategy_of(np.array(strategy.weights), strategy.plan.ranking))
    )
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
