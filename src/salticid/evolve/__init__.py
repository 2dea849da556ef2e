"""Strategies found by search: crawls simulated at speed, and the optimizers that find the weights of `linear_rank`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
        FINALISTS,
        HELD_BACK,
        LEADERS,
        LONGEST,
        PAPER_TERMS,
        Checkpoint,
        Evolution,
        Generation,
        HeldBack,
        SearchPlan,
        State,
        best_finalist,
        digest_of,
        enough_good,
        fitting_length,
        held_back,
        ranked_finalists,
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
    from salticid.doors import door

    __all__, __getattr__ = door(__name__)
