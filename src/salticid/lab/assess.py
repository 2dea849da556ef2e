"""All measures of all crawls of one topic."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import isfinite
from typing import TypeVar
from zlib import crc32

import msgspec
import numpy as np

from salticid.lab.crawling import CrawlRecord, opened
from salticid.lab.experiment import Case, Experiment, topic_of, truth_of
from salticid.lab.linkage import Ranked
from salticid.lab.material import oracle_of, pages_at, terms_of, url_ids
from salticid.lab.traits import heterogeneity
from salticid.metrics import distance as distances
from salticid.metrics import estimates, linkage
from salticid.metrics.bm25 import bm25
from salticid.metrics.classified import TopicClassifiers, share_positive
from salticid.metrics.cohesiveness import cohesiveness, overall_cohesiveness
from salticid.metrics.expanded import expanded_query
from salticid.metrics.harvest import harvest, harvest_curve
from salticid.metrics.judge_ap import average_precision
from salticid.metrics.novelty import novelty, novelty_line, relevant_hosts
from salticid.metrics.oracle_share import oracle_share
from salticid.metrics.overlap import overlap
from salticid.metrics.pool_terms import PoolTerms
from salticid.metrics.ranks import averaged, coverage, coverage_curve, mean_rank_curve, ranks
from salticid.metrics.recall_auc import recall_auc
from salticid.metrics.search_length import censored_search_length
from salticid.metrics.similarity import cosines, idf, mean_so_far, similarities
from salticid.metrics.smart import atc
from salticid.metrics.target_recall import recall_curve, target_recall
from salticid.model import Bools, Floats, Ints

POINTS = 100
"""Values a curve is shown with."""
HALF = 0.5
"""The share of the targets that search length asks for."""
TOP = 100
"""The best pages of a pool that coverage asks for; its curve goes on to the whole pool."""
_TOPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)

T = TypeVar("T")
Crawls = Sequence[tuple[Case, CrawlRecord]]


class Assessed(msgspec.Struct, frozen=True):
    """One topic measured: its traits, each strategy's values (the mean of its repeats), curves and histograms.

    Curves are the values after `grid(max_pages)` pages; those of coverage for the `_TOPS` best pages.
    """

    name: str
    targets: int
    heterogeneity: float | None
    distance: float | None
    values: dict[str, dict[str, float | None]]
    failed: dict[str, str]
    curves: dict[str, dict[str, list[float]]]
    histograms: dict[str, dict[str, list[int]]]
    swept: dict[str, dict[int, float]]


def grid(max_pages: int) -> list[int]:
    """After how many pages curves are looked at.

    >>> grid(3)
    [1, 2, 3]
    """
    found: list[int] = np.unique(np.rint(np.linspace(1, max_pages, POINTS)).astype(np.int64)).tolist()
    return found


def tops() -> Sequence[int]:
    """For how many best pages of a pool coverage is looked at."""
    return _TOPS


def assess(experiment: Experiment, crawls: Crawls, known: dict[str, list[int]], ranked: Ranked) -> Assessed:
    """Measure the crawls of one topic; `known` are the pages each topic is known by, by topic file."""
    file = crawls[0][0].topic
    topic = _Topic(experiment, file, [record.pages for case, record in crawls if _plain(experiment, case)])
    called = topic.classifiers(file, known)
    pagerank = ranked[1][ranked[0].searchsorted(topic.pool.pages)]
    linked = linkage.keyword_pagerank_ranks(topic.keyword_hits, pagerank)
    measured: dict[str, list[_Measured]] = {}
    failed: dict[str, str] = {}
    swept: dict[str, dict[int, float]] = {}
    for case, record in crawls:
        if record.failed is not None:
            failed[case.strategy] = record.failed
        elif _plain(experiment, case):
            measured.setdefault(case.strategy, []).append(topic.measure(record, linked, called))
        if record.failed is None and not case.half and not case.repeat and case.max_buffer is not None:
            share = topic.share_of_oracle(np.array(record.pages, np.int32))
            if experiment.sweep and share is not None:
                swept.setdefault(case.strategy, {})[case.max_buffer] = share
    for strategy in failed:
        measured.pop(strategy, None)
        swept.pop(strategy, None)
    values = {strategy: _means(each) for strategy, each in measured.items()}
    for strategy, found in _robustness(crawls).items():
        if strategy in values:
            values[strategy]["robustness"] = found
    return Assessed(
        name=topic.name,
        targets=len(topic.targets),
        heterogeneity=topic.heterogeneity,
        distance=distances.distance(topic.away, topic.targets),
        values=values,
        failed=failed,
        curves=_mean_curves(measured),
        histograms=_summed_histograms(measured),
        swept=swept,
    )


class _Measured(msgspec.Struct):
    """One crawl measured."""

    values: dict[str, float | None]
    curves: dict[str, list[float]]
    histograms: dict[str, list[int]]


class _Topic:
    """What is true about a topic, and the pool of its crawls."""

    def __init__(self, experiment: Experiment, file: str, crawled: list[list[int]]) -> None:
        told, truth = topic_of(file), truth_of(file)
        self._world, self._length = experiment.world, experiment.max_pages
        self._web = opened(experiment.world)
        self._seed = experiment.seed
        self.name = told.name
        self._told = np.unique(
            np.concatenate([pages_at(self._web, told.seeds), pages_at(self._web, told.examples)])
        )
        targets = pages_at(self._web, truth.targets)
        self.targets = np.unique(targets[~np.isin(targets, self._told)])
        self._seeds = url_ids(self._web, told.seeds)
        self._seed_pages = pages_at(self._web, told.seeds)
        oracle = oracle_of(experiment.world)
        self._links = oracle.links
        self.away = oracle.links.distances(self._seeds)
        self._page_url = self._web.arrays["page.url"]
        self._oracle = oracle.crawl(self._seeds, self._page_url[self.targets], self._length)
        description = truth.description or told.keywords
        pages = np.unique(
            np.concatenate([np.zeros(0, np.int32), *(np.array(each, np.int32) for each in crawled)])
        )
        terms = terms_of(experiment.world)
        self.pool = PoolTerms(terms, pages, [description, told.keywords])
        counts, text = self.pool.counts, self.pool.query(description)
        self._smart = ranks(atc(counts, text))
        self._both = averaged(self._smart, ranks(bm25(counts, text)))
        self._similar = similarities(counts, text)
        self._plain = cosines(counts, text)
        examples = pages_at(self._web, told.examples)
        expanded = (
            expanded_query(text, self.pool.counts_of(examples), idf=idf(counts)) if len(examples) else None
        )
        self._expanded = None if expanded is None else similarities(counts, expanded)
        self.keyword_hits = linkage.keyword_hits(counts, self.pool.query(told.keywords))
        at_targets = PoolTerms(terms, self.targets, [description])
        self.heterogeneity = heterogeneity(at_targets.counts, at_targets.counts)
        self._novel_below = novelty_line(cosines(at_targets.counts, at_targets.query(description)))

    def classifiers(self, file: str, known: dict[str, list[int]]) -> dict[str, Bools]:
        """Which pages of the pool the classifiers call positive, if there is enough to train them with."""
        own = set(known[file])
        others = [
            page
            for other, pages in known.items()
            if other != file and own.isdisjoint(pages)
            for page in pages
        ]
        pages = np.array([*known[file], *dict.fromkeys(others)], np.int32)
        positive = np.arange(len(pages)) < len(own)
        trained_on = PoolTerms(terms_of(self._world), np.unique(pages))
        rng = np.random.default_rng([self._seed, crc32(self.name.encode())])
        trained = TopicClassifiers.train(trained_on.counts_of(pages), positive, rng)
        return {} if trained is None else trained.positives(trained_on.counts_of(self.pool.pages))

    def share_of_oracle(self, pages: Ints) -> float | None:
        """How near a crawl came to the oracle."""
        return oracle_share(np.isin(pages, self.targets).tolist(), self._oracle, self._length)

    def measure(self, record: CrawlRecord, linked: Floats, called: dict[str, Bools]) -> _Measured:
        """All measures of one crawl."""
        pages = np.array(record.pages, np.int32)
        at = self.pool.places(pages)
        is_target = np.isin(pages, self.targets)
        counted = ~np.isin(pages, self._told)
        relevant = is_target[counted].tolist()
        many = len(self.targets)
        start, link = self._links.among(pages)
        community = is_target | np.isin(pages, self._seed_pages)
        smart, link_ranks = self._smart[at], linked[at]
        away_from_start = at[~np.isin(pages, self._seed_pages)]
        described = self._plain[away_from_start]
        precision, recall = estimates.estimated_precision(described), estimates.estimated_recall(described)
        recency = estimates.estimated_recency(self._modified(pages), np.inf)
        curves: dict[str, Floats] = {
            "harvest": np.array(harvest_curve(relevant)),
            "target_recall": recall_curve(relevant, many) if many else np.zeros(0),
            "smart_rank": mean_rank_curve(smart),
            "mean_similarity": mean_so_far(self._similar[at]),
            "linkage_rank": mean_rank_curve(link_ranks),
            "est_precision": precision,
            "est_recall": recall,
            "est_recency": recency if np.isfinite(recency).all() else np.zeros(0),
        }
        if "rocchio" in called:
            curves["classifier_rocchio"] = mean_so_far(called["rocchio"][at].astype(np.float64))
        values: dict[str, float | None] = {
            "harvest": harvest(relevant),
            "target_recall": target_recall(relevant, many) if many else None,
            "recall_auc": recall_auc(relevant, many, self._length) if many else None,
            "search_length": censored_search_length(relevant, many, HALF, self._length) if many else None,
            "oracle_share": self.share_of_oracle(pages),
            "smart_rank": _last(curves["smart_rank"]),
            "averaged_rank": _last(mean_rank_curve(self._both[at])),
            "mean_similarity": _last(curves["mean_similarity"]),
            "expanded_similarity": None if self._expanded is None else _last(mean_so_far(self._expanded[at])),
            "coverage_lexical": coverage(smart, TOP, self._smart),
            "coverage_linkage": coverage(link_ranks, TOP, linked),
            "linkage_rank": _last(curves["linkage_rank"]),
            "est_precision": _last(precision),
            "est_recall": _last(recall),
            "est_recency": _last(recency),
            "cohesiveness": cohesiveness(start, link, community),
            "overall_cohesiveness": overall_cohesiveness(start, link, community),
            "distance": distances.distance(self.away, pages[is_target]),
            "novelty": None
            if self._novel_below is None
            else novelty(is_target, self._plain[at], self._novel_below),
            "relevant_hosts": float(relevant_hosts(self._web.urls, self._page_url[pages[is_target]])),
            "robustness": None,
            "judge_ap": average_precision(np.array(record.scores)[counted], is_target[counted]),
        }
        for name in ("rocchio", "widrow_hoff", "eg"):
            values[f"classifier_{name}"] = share_positive(called[name][at]) if name in called else None
        kept = {name: _at_grid(curve, self._length) for name, curve in curves.items() if len(curve)}
        for name, own, pool in (("lexical", smart, self._smart), ("linkage", link_ranks, linked)):
            kept[f"coverage_{name}"] = coverage_curve(own, _TOPS, pool).tolist()
        if many:
            kept["precision_recall"] = _precision_at_recall(np.array(relevant, np.bool_), many)
        histograms = {
            "distance_all": distances.histogram(self.away, pages),
            "distance_relevant": distances.histogram(self.away, pages[is_target]),
        }
        return _Measured({name: _finite(value) for name, value in values.items()}, kept, histograms)

    def _modified(self, pages: Ints) -> Floats:
        rows = self._web.arrays["url.row"][self._page_url[pages]]
        dates: Floats = self._web.arrays["row.modified"][rows]
        return dates


RECALLS = tuple(round(0.05 * step, 2) for step in range(1, 21))
"""Recall at which precision is looked at."""


def _precision_at_recall(relevant: Bools, targets: int) -> list[float]:
    """Precision at the page where each recall is reached; 0 where it never is."""
    found = np.cumsum(relevant)
    reached = found.searchsorted([np.ceil(recall * targets - 1e-9) for recall in RECALLS])
    pages = np.minimum(reached, max(len(found) - 1, 0))
    there = reached < len(found)
    precise = found[pages] / (pages + 1) if len(found) else np.zeros(len(RECALLS))
    shares: list[float] = np.where(there, precise, 0.0).tolist()
    return shares


def _plain(experiment: Experiment, case: Case) -> bool:
    """Whether a crawl is one of those compared, none of a sweep or from half the seeds."""
    return not case.half and case.max_buffer == experiment.max_buffer


def _robustness(crawls: Crawls) -> dict[str, float | None]:
    """By strategy the overlap of its crawls from either half of the seeds, where there are both."""
    halves: dict[str, dict[int, Ints]] = {}
    for case, record in crawls:
        if case.half and record.failed is None:
            halves.setdefault(case.strategy, {})[case.half] = np.array(record.pages, np.int32)
    return {name: overlap(both[1], both[2]) for name, both in halves.items() if len(both) == 2}


def _at_grid(curve: Floats, length: int) -> list[float]:
    """The values of a curve at the grid; one that ended sooner keeps its last."""
    places = np.minimum(np.array(grid(length)), len(curve)) - 1
    found: list[float] = curve[places].tolist()
    return found


def _last(curve: Floats) -> float | None:
    return float(curve[-1]) if len(curve) else None


def _finite(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None


def _means(crawls: list[_Measured]) -> dict[str, float | None]:
    """The mean of each measure over the repeats that have it."""
    return {name: _mean(crawl.values[name] for crawl in crawls) for name in crawls[0].values}


def _mean(values: Iterable[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return sum(there) / len(there) if there else None


def _mean_curves(measured: dict[str, list[_Measured]]) -> dict[str, dict[str, list[float]]]:
    return _by_name(measured, lambda crawl: crawl.curves, lambda rows: np.mean(rows, axis=0).tolist())


def _summed_histograms(measured: dict[str, list[_Measured]]) -> dict[str, dict[str, list[int]]]:
    def summed(rows: list[list[int]]) -> list[int]:
        longest = max(map(len, rows))
        padded = [row + [0] * (longest - len(row)) for row in rows]
        total: list[int] = np.sum(padded, axis=0).tolist()
        return total

    return _by_name(measured, lambda crawl: crawl.histograms, summed)


def _by_name(
    measured: dict[str, list[_Measured]],
    part: Callable[[_Measured], dict[str, list[T]]],
    joined: Callable[[list[list[T]]], list[T]],
) -> dict[str, dict[str, list[T]]]:
    """By name and strategy what the repeats have in common."""
    found: dict[str, dict[str, list[T]]] = {}
    for strategy, crawls in measured.items():
        for name in part(crawls[0]):
            rows = [part(crawl)[name] for crawl in crawls if name in part(crawl)]
            found.setdefault(name, {})[strategy] = joined(rows)
    return found
