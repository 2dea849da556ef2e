"""Measures of crawls: functions of what was fetched and what is true, each found by its name."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

from salticid.registry import Room

if TYPE_CHECKING:
    from salticid.metrics.links import histogram, mean_distance
    from salticid.metrics.parts.classifiers import unit_vectors
    from salticid.metrics.parts.graph import community_cohesiveness, community_overall, gather
    from salticid.metrics.parts.judged import JudgedCrawl, JudgedTopic, JudgedWorld, PoolTerms, WorldTerms
    from salticid.metrics.parts.measure import Better, Group, Measure, Metric, Need, harvest_curve, hits, measure_of
    from salticid.metrics.parts.retrieval import (
        TOPS,
        bm25,
        cosines,
        estimated_recall,
        estimated_recency,
        idf,
        mean_so_far,
        product,
        product_se,
    )
    from salticid.metrics.targets import oracle_share
else:
    from salticid.doors import lazy_names

    __getattr__ = lazy_names(__name__)


class _Measures(Room["Metric"]):
    """Every function that `@Measure` marks, in any file of this package; in a file without one, that of its name."""

    def _own(self) -> dict[str, str]:
        found = {}
        for name, home in super()._own().items():
            members = vars(import_module(home))
            marked = [key for key, each in members.items() if hasattr(each, "measure") and each.__module__ == home]
            found.update(dict.fromkeys(marked or [name], home))
        return found


metrics = _Measures("measure", sys.modules[__name__], "__call__")


__all__ = [
    "TOPS",
    "Better",
    "Group",
    "JudgedCrawl",
    "JudgedTopic",
    "JudgedWorld",
    "Measure",
    "Metric",
    "Need",
    "PoolTerms",
    "WorldTerms",
    "bm25",
    "community_cohesiveness",
    "community_overall",
    "cosines",
    "estimated_recall",
    "estimated_recency",
    "gather",
    "harvest_curve",
    "histogram",
    "hits",
    "idf",
    "mean_distance",
    "mean_so_far",
    "measure_of",
    "metrics",
    "oracle_share",
    "product",
    "product_se",
    "unit_vectors",
]
