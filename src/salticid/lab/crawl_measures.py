"""All measures of one crawl."""

from __future__ import annotations

from math import isfinite

import msgspec
import numpy as np

from salticid.lab.axes import RECALLS, TOPS, grid
from salticid.lab.crawl_record import CrawlRecord
from salticid.lab.judged_topic import JudgedTopic
from salticid.metrics.classified import share_positive
from salticid.metrics.cohesiveness import cohesiveness, overall_cohesiveness
from salticid.metrics.distance import distance, histogram
from salticid.metrics.estimates import estimated_precision, estimated_recall, estimated_recency
from salticid.metrics.harvest import harvest, harvest_curve
from salticid.metrics.judge_ap import average_precision
from salticid.metrics.novelty import novelty, relevant_hosts
from salticid.metrics.ranks import coverage, coverage_curve, mean_rank_curve
from salticid.metrics.recall_auc import recall_auc
from salticid.metrics.search_length import censored_search_length
from salticid.metrics.similarity import mean_so_far
from salticid.metrics.target_recall import recall_curve, target_recall
from salticid.model import Bools, Floats

HALF = 0.5
"""The share of the targets that search length asks for."""
TOP = 100
"""The best pages of a pool that coverage asks for."""


class Measured(msgspec.Struct):
    """What the measures say of a crawl: a value each, curves at the places of `lab.axes`, histograms."""

    values: dict[str, float | None]
    curves: dict[str, list[float]]
    histograms: dict[str, list[int]]


def measure(topic: JudgedTopic, record: CrawlRecord) -> Measured:
    """Measure one crawl of a topic."""
    fetched = _Fetched(topic, record)
    curves = fetched.curves()
    values = {**fetched.found(), **fetched.read(curves), **fetched.linked()}
    return Measured(
        values={
            name: value if value is not None and isfinite(value) else None for name, value in values.items()
        },
        curves={
            **{name: _at_grid(curve, topic.length) for name, curve in curves.items() if len(curve)},
            **fetched.other_curves(),
        },
        histograms={
            "distance_all": histogram(topic.away, fetched.pages),
            "distance_relevant": histogram(topic.away, fetched.pages[fetched.is_target]),
        },
    )


class _Fetched:
    """The good pages of a crawl in their order: where they stand in the pool, and which of them are targets."""

    def __init__(self, topic: JudgedTopic, record: CrawlRecord) -> None:
        self.topic = topic
        self.pages = np.array(record.pages, np.int32)
        self.scores = np.array(record.scores)
        self.at = topic.pool.places(self.pages)
        self.is_target = np.isin(self.pages, topic.targets)
        self.counted = ~np.isin(self.pages, topic.told)
        self.relevant = self.is_target[self.counted].tolist()
        self.is_seed = np.isin(self.pages, topic.seeds)

    def curves(self) -> dict[str, Floats]:
        """Measures along the crawl; empty where there is nothing to measure."""
        topic, at = self.topic, self.at
        likeness = topic.likeness[at[~self.is_seed]]
        recency = estimated_recency(topic.modified(self.pages), np.inf)
        found = {
            "harvest": np.array(harvest_curve(self.relevant)),
            "smart_rank": mean_rank_curve(topic.smart[at]),
            "mean_similarity": mean_so_far(topic.similarity[at]),
            "linkage_rank": mean_rank_curve(topic.linkage[at]),
            "est_precision": estimated_precision(likeness),
            "est_recall": estimated_recall(likeness),
            "est_recency": recency if np.isfinite(recency).all() else recency[:0],
        }
        if len(topic.targets):
            found["target_recall"] = recall_curve(self.relevant, len(topic.targets))
        if "rocchio" in topic.called:
            found["classifier_rocchio"] = mean_so_far(topic.called["rocchio"][at].astype(np.float64))
        return found

    def other_curves(self) -> dict[str, list[float]]:
        """Coverage against the best pages, precision against recall."""
        topic = self.topic
        found = {
            "coverage_lexical": coverage_curve(topic.smart[self.at], TOPS, topic.smart).tolist(),
            "coverage_linkage": coverage_curve(topic.linkage[self.at], TOPS, topic.linkage).tolist(),
        }
        if len(topic.targets):
            found["precision_recall"] = _precision_at_recall(
                np.array(self.relevant, np.bool_), len(topic.targets)
            )
        return found

    def found(self) -> dict[str, float | None]:
        """Measures by the targets found."""
        topic, relevant, many = self.topic, self.relevant, len(self.topic.targets)
        targets = self.pages[self.is_target]
        novel = topic.novel_below
        return {
            "harvest": harvest(relevant),
            "target_recall": target_recall(relevant, many) if many else None,
            "recall_auc": recall_auc(relevant, many, topic.length) if many else None,
            "search_length": censored_search_length(relevant, many, HALF, topic.length) if many else None,
            "oracle_share": topic.share_of_oracle(self.pages),
            "distance": distance(topic.away, targets),
            "novelty": None if novel is None else novelty(self.is_target, topic.likeness[self.at], novel),
            "relevant_hosts": float(relevant_hosts(topic.web.urls, topic.page_url[targets])),
            "robustness": None,
            "judge_ap": average_precision(self.scores[self.counted], self.is_target[self.counted]),
        }

    def read(self, curves: dict[str, Floats]) -> dict[str, float | None]:
        """Measures by what the pages say: where curves of them end, and by classifiers."""
        topic, at = self.topic, self.at
        names = (
            "smart_rank",
            "mean_similarity",
            "linkage_rank",
            "est_precision",
            "est_recall",
            "est_recency",
        )
        found = {name: _last(curves[name]) for name in names}
        expanded = topic.expanded_similarity
        found["averaged_rank"] = _last(mean_rank_curve(topic.smart_and_bm25[at]))
        found["expanded_similarity"] = None if expanded is None else _last(mean_so_far(expanded[at]))
        for name in ("rocchio", "widrow_hoff", "eg"):
            called = topic.called.get(name)
            found[f"classifier_{name}"] = None if called is None else share_positive(called[at])
        return found

    def linked(self) -> dict[str, float | None]:
        """Measures by the best pages got, and by links among the pages."""
        topic = self.topic
        start, link = topic.links.among(self.pages)
        community = self.is_target | self.is_seed
        return {
            "coverage_lexical": coverage(topic.smart[self.at], TOP, topic.smart),
            "coverage_linkage": coverage(topic.linkage[self.at], TOP, topic.linkage),
            "cohesiveness": cohesiveness(start, link, community),
            "overall_cohesiveness": overall_cohesiveness(start, link, community),
        }


def _precision_at_recall(relevant: Bools, targets: int) -> list[float]:
    """Precision at the page where each recall is reached; 0 where it never is."""
    found = np.cumsum(relevant)
    reached = found.searchsorted([np.ceil(recall * targets - 1e-9) for recall in RECALLS])
    pages = np.minimum(reached, max(len(found) - 1, 0))
    there = reached < len(found)
    precise = found[pages] / (pages + 1) if len(found) else np.zeros(len(RECALLS))
    shares: list[float] = np.where(there, precise, 0.0).tolist()
    return shares


def _at_grid(curve: Floats, length: int) -> list[float]:
    """The values of a curve at the grid; one that ended sooner keeps its last."""
    places = np.minimum(np.array(grid(length)), len(curve)) - 1
    found: list[float] = curve[places].tolist()
    return found


def _last(curve: Floats) -> float | None:
    return float(curve[-1]) if len(curve) else None
