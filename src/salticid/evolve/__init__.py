"""Strategies found by search: crawls simulated at speed, and the optimizers that find the weights of `linear_rank`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.evolve.finalists import FINALISTS, LEADERS, HeldBack, best_finalist, held_back, ranked_finalists
    from salticid.evolve.fitness import CrawlTrial, Figures, Goal, Interval, figures
    from salticid.evolve.optimizers import (
        BEST_FIRST,
        PARENT,
        THE_PAPERS,
        Weights,
        known_starts,
        normalise,
        plain,
        row_for_all,
        within_reach,
    )
    from salticid.evolve.scored_pages import judge_for
    from salticid.evolve.search import (
        CHOOSING,
        HELD_BACK,
        LONGEST,
        PAPER_TERMS,
        Checkpoint,
        Evolution,
        Generation,
        SearchPlan,
        State,
        digest_of,
        enough_good,
        fitting_length,
        versions,
        with_parents,
    )
    from salticid.evolve.simulation import (
        Crawlers,
        Simulation,
        Stage,
        crawlers,
        in_groups,
        prepare_worker,
        run_task,
        strategy_of,
    )
else:
    from salticid.doors import lazy_names

    __getattr__ = lazy_names(__name__)


__all__ = [
    "BEST_FIRST",
    "CHOOSING",
    "FINALISTS",
    "HELD_BACK",
    "LEADERS",
    "LONGEST",
    "PAPER_TERMS",
    "PARENT",
    "THE_PAPERS",
    "Checkpoint",
    "CrawlTrial",
    "Crawlers",
    "Evolution",
    "Figures",
    "Generation",
    "Goal",
    "HeldBack",
    "Interval",
    "SearchPlan",
    "Simulation",
    "Stage",
    "State",
    "Weights",
    "best_finalist",
    "crawlers",
    "digest_of",
    "enough_good",
    "figures",
    "fitting_length",
    "held_back",
    "in_groups",
    "judge_for",
    "known_starts",
    "normalise",
    "plain",
    "prepare_worker",
    "ranked_finalists",
    "row_for_all",
    "run_task",
    "strategy_of",
    "versions",
    "with_parents",
    "within_reach",
]
