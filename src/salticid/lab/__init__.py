"""The laboratory: comparisons of strategies under equal budgets, judged by measures that no crawl sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.lab.compare import read_plan, run_experiment
    from salticid.lab.demo import LIMITS, PAGES, STRATEGIES, TOPIC, demo_crawl, make_world, write_page
    from salticid.lab.experiment import Case, Experiment, Instances
    from salticid.lab.league import (
        LEAGUE_REPORT,
        League,
        MatchResult,
        Web,
        markdown,
        play,
        render,
        shares,
        tables,
        terms,
    )
    from salticid.lab.prior_fitting import FitPlan, Source, fit_prior
    from salticid.lab.results import Results, make_folder
    from salticid.lab.rounds import (
        FIGURE,
        PolicyRace,
        figure,
        policy_markdown,
        policy_table,
        policy_terms,
        race_policies,
    )
    from salticid.lab.search_report import (
        SEARCH_REPORT,
        EvolvedStrategy,
        render_search,
        strategy_file,
        summary,
        weights_in,
        with_evidence,
    )
else:
    from salticid.doors import door

    __all__, __getattr__ = door(__name__)
