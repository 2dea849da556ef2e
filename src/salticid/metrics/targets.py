"""Measures over targets: how many relevant pages were found, and how soon."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from salticid.metrics.parts.judged import JudgedCrawl
from salticid.metrics.parts.measure import Better, Group, Measure, Need, harvest_curve
from salticid.metrics.parts.retrieval import cosines
from salticid.model import Bools, Floats
from salticid.webs import URL


@Measure(
    better=Better.HIGHER, group=Group.TARGETS, unit="share", of="of all it fetched", needs=(Need.TARGETS,),
)  # fmt: skip
def harvest(crawl: JudgedCrawl) -> list[float] | float:
    """Share of the fetched pages that are targets; seeds and examples count neither for nor against."""
    return harvest_curve(crawl.relevant) or 0.0


# Target recall: how many of the known relevant pages were found.


@Measure(
    title="targets found", better=Better.HIGHER, group=Group.TARGETS, unit="share", claim="finds most targets",
    of="of them", needs=(Need.TARGETS,),
)  # fmt: skip
def target_recall(crawl: JudgedCrawl) -> Floats | float:
    """Share of the topic's targets among the pages fetched.

    Paper: Pant, Srinivasan, Menczer, "Exploration versus exploitation in topic driven crawlers", 2002.
    """
    curve = recall_curve(crawl.relevant, len(crawl.topic.targets))
    return curve if len(curve) else 0.0


def recall_curve(relevant: Sequence[bool], targets: int) -> Floats:
    """r(n) = targets among the first n pages / all targets, for n = 1, 2, ... (spec 4, task 2).

    A topic without targets leaves nothing to find: 0 throughout.

    >>> recall_curve([True, False, True], 4).tolist()
    [0.25, 0.25, 0.5]
    """
    hits: Floats = np.cumsum(np.asarray(relevant, np.bool_), dtype=np.float64)
    return hits / max(targets, 1)


# The area under the recall curve: how soon targets are found, and how many.


@Measure(
    title="area under recall", better=Better.HIGHER, group=Group.TARGETS, unit="share",
    claim="finds targets earliest", of="of the targets in the mean over the crawl", needs=(Need.TARGETS,),
)  # fmt: skip
def recall_auc(crawl: JudgedCrawl) -> float:
    """Mean of the share of targets found over all pages of the crawl: high when targets are found early."""
    return area_under_recall(crawl.relevant, len(crawl.topic.targets), crawl.topic.length)


def area_under_recall(relevant: Sequence[bool], targets: int, length: int) -> float:
    """The mean of r(n) over n = 1..length; a crawl that ended sooner keeps its last value.

    1 would be all targets on the first page; no crawl gets there.

    >>> area_under_recall([True, False, True], 4, length=3)
    0.3333333333333333
    >>> area_under_recall([True, False, True], 4, length=5)
    0.4
    """
    curve = recall_curve(relevant, targets)[:length]
    if not len(curve):
        return 0.0
    return float(curve.sum() + curve[-1] * (length - len(curve))) / length


# Search length: the pages that have to be fetched until a share of the targets is found.

_ROUNDING = 1e-9
"""Three tenths of ten targets are three of them, though the product of the two floats is a little more."""


@Measure(
    better=Better.LOWER, group=Group.TARGETS, unit="pages", claim="needs fewest pages to find half of the targets",
    of="pages", digits=0, needs=(Need.TARGETS,),
)  # fmt: skip
def search_length(crawl: JudgedCrawl) -> float:
    """Pages fetched until half of the targets are found; where they never are, one page more than the budget, so that
    the mean is a lower bound.

    To leave out the topics on which a crawler fails would make its mean the better the more often it fails. So
    every topic counts, and one that was not solved counts as solved on the first page that nobody paid for: the
    least it can have been. That flatters those who fail, but no failure comes before a success.

    Paper: Menczer, Pant, Ruiz, Srinivasan, "Evaluating topic-driven web crawlers", SIGIR 2001, section 3.2.
    """
    topic = crawl.topic
    pages = pages_until(crawl.relevant[: topic.length], len(topic.targets))
    return topic.length + 1.0 if pages is None else pages


def pages_until(relevant: Sequence[bool], targets: int, share: float = 0.5) -> float | None:
    """The least n for which the first n pages hold `share` of all targets; None if the crawl never got there.

    >>> pages_until([False, True, False, True], targets=4)
    4.0
    >>> pages_until([False, True, False, True], targets=4, share=0.75) is None
    True
    """
    if not targets:
        return None
    hits = np.cumsum(np.asarray(relevant, np.bool_))
    n = int(hits.searchsorted(share * targets - _ROUNDING)) + 1
    return float(n) if n <= len(hits) else None


# Oracle share: how near a crawl came to one that knows all links and all targets.


@Measure(
    title="share of the oracle", better=Better.HIGHER, group=Group.TARGETS, unit="share",
    claim="comes nearest to the oracle", of="of its area",
    needs=(Need.TARGETS, "one of them that the oracle can reach"),
)  # fmt: skip
def oracle_share(crawl: JudgedCrawl) -> float | None:
    """Area under the curve of targets found against pages fetched, divided by that of an oracle that knows all links
    and all targets.
    """
    return share_of_area(crawl.is_target.tolist(), crawl.topic.oracle, crawl.topic.length)


def share_of_area(crawl: Sequence[bool], oracle: Sequence[bool], length: int) -> float | None:
    """The area under the crawl's curve of targets found against pages fetched, divided by the oracle's.

        share = sum of f(n) over n = 1..length / the same of the oracle, f(n) = targets among the first n pages

    Both sequences hold one entry for every good page, seeds and examples among them: they cost a page as any
    other does, but are never found. `length` is the number of pages that all crawls compared were allowed; one
    that ended sooner, the oracle too, keeps what it has found. None when the oracle finds nothing.

    The oracle (`salticid.metrics.parts.graph`) is greedy, so that a lucky crawl may pass it: the share can exceed 1.

    >>> share_of_area([False, False, True, True], [False, True, True], length=4)
    0.6
    """
    best = _area(oracle, length)
    return _area(crawl, length) / best if best else None


def _area(hits: Sequence[bool], length: int) -> int:
    """A target found on page n counts on that page and on all after it."""
    return int((length - np.flatnonzero(hits[:length])).sum())


# On how many hosts relevant pages were found.


@Measure(
    title="hosts with targets", better=Better.HIGHER, group=Group.TARGETS, unit="hosts",
    claim="finds targets on most hosts", of="hosts", digits=1, needs=(Need.TARGETS,),
)  # fmt: skip
def relevant_hosts(crawl: JudgedCrawl) -> Floats | float:
    """Hosts on which the targets found lie.

    Paper: Kontogiannis, Kelesis, Pollatos, Giannakopoulos, Paliouras, "Tree-based focused web crawling with
    reinforcement learning", 2021.
    """
    hosts = crawl.topic.world.web.arrays[URL.host][crawl.topic.urls(crawl.pages[crawl.is_counted])]
    found = np.flatnonzero(crawl.relevant)
    first = found[np.unique(hosts[found], return_index=True)[1]]
    is_new = np.zeros(len(hosts))
    is_new[first] = 1
    return np.cumsum(is_new) if len(hosts) else 0.0


# Novelty: relevant pages that the words of the topic would not have led to.


@Measure(
    better=Better.HIGHER, unit="share", claim="finds most targets that the topic's words do not lead to",
    of="of them", needs=(Need.FOUND,),
)  # fmt: skip
def novelty(crawl: JudgedCrawl) -> float | None:
    """Share of the targets found that are less similar to the topic's text than half of all its targets; 0.5 for a
    crawler that does not follow the words.

    Paper: the "novel relevant pages with small similarity to the topic" of Menczer, Pant, Ruiz, Srinivasan, "Evaluating
    topic-driven web crawlers", SIGIR 2001, section 8, who leave the measure open.
    """
    topic = crawl.topic
    line = novelty_line(cosines(topic.target_terms.counts, topic.target_terms.query(topic.description)))
    return None if line is None else share_below(crawl.is_target, topic.likeness[crawl.places], line)


def share_below(relevant: Bools, similarity: Floats, line: float) -> float | None:
    """The share of the relevant pages of a crawl whose similarity to the topic's text lies below `line`.

    One value of each per fetched page; a page on the line counts half. None when nothing relevant was found.
    The line is that of the topic, the same for all crawlers, as `novelty_line` draws it: then a crawler that
    finds its targets without regard to the topic's words gets 0.5, one that only follows these words less.

    >>> share_below(np.array([True, False, True, True]), np.array([0.1, 0.0, 0.3, 0.2]), line=0.2)
    0.5
    """
    if not relevant.any():
        return None
    similarities = similarity[relevant]
    return float(((similarities < line) + 0.5 * (similarities == line)).mean())


def novelty_line(similarity: Floats) -> float | None:
    """The median similarity of all targets of a topic to its text, found or not; None without targets.

    >>> novelty_line(np.array([0.1, 0.4, 0.2]))
    0.2
    """
    return float(np.median(similarity)) if len(similarity) else None
