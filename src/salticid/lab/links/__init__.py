"""How well links predict the pages they lead to: labelled links, classifiers, trials."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.lab.links.classifiers import (
        ALL_WORDS,
        ANCHOR,
        CALIBRATED,
        CONTEXT,
        NEIGHBOURHOOD,
        TRANSITION,
        TRUSTS,
        Context,
        short_list,
        transition_by_class,
    )
    from salticid.lab.links.examples import Split, at_random, by_university, labelled_links, with_paths
    from salticid.lab.links.trial import (
        WITH_PATH,
        Difference,
        ScoreTable,
        Trial,
        beside_paths,
        checked_target,
        context_file,
        difference,
        figures,
        link_strategy_file,
        link_table,
        mean_over_pages,
        percent,
        run_trial,
    )
else:
    from salticid.doors import door

    __all__, __getattr__ = door(__name__)
