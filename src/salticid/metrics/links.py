"""Measures over links: distance from the seeds, authority, cohesiveness, robustness."""

from __future__ import annotations

import numpy as np

from salticid.metrics.parts import graph
from salticid.metrics.parts.judged import JudgedCrawl
from salticid.metrics.parts.measure import Better, Group, Measure, Need
from salticid.metrics.parts.retrieval import TOP, TOPS, coverage_curve, mean_so_far
from salticid.model import Floats, Ints


@Measure(
    group=Group.LINKS, unit="links", claim="finds targets farthest from the seeds",
    needs=("a target found that links lead to from the seeds",),
)  # fmt: skip
def distance(crawl: JudgedCrawl) -> float | None:
    """Mean number of links from the nearest seed to the targets found: how far out the crawl keeps its course.

    Paper: Johnson, Tsioutsiouliklis, Giles, "Evolving strategies for focused web crawling", ICML 2003.
    """
    return mean_distance(crawl.topic.away, crawl.pages[crawl.is_target])


def mean_distance(away: Ints, pages: Ints) -> float | None:
    """The mean distance from the seeds of some pages, here the relevant ones that a crawl fetched.

    `away` has the distance of every page of the world (`PageLinks.distances`). Pages that no way leads to, so
    that a crawler must have been told of them, are left out; None when no page is left. Spec 1 calls it
    remoteness: the farther out a crawler finds relevant pages, the better it keeps its course.

    >>> mean_distance(away=np.array([0, 1, -1, 4]), pages=np.array([1, 2, 3]))
    2.5
    """
    distances = away[pages]
    distances = distances[distances >= 0]
    return float(distances.mean()) if len(distances) else None


def histogram(away: Ints, pages: Ints) -> list[int]:
    """How many of these pages lie 0, 1, 2, ... links from the seeds (spec 5: of all and of good pages).

    >>> histogram(away=np.array([0, 1, -1, 3, 1]), pages=np.array([1, 2, 3, 4]))
    [0, 2, 0, 1]
    """
    distances = away[pages]
    counts: list[int] = np.bincount(distances[distances >= 0]).tolist()
    return counts


# Robustness: how far two crawls from different halves of the seeds end up on the same pages.


@Measure(
    better=Better.HIGHER, unit="share", claim="depends least on where it starts", of="of the pages in common",
    needs=(Need.HALVES,),
)  # fmt: skip
def robustness(crawl: JudgedCrawl) -> float | None:
    """Share of pages that two crawls have in common when they start from either half of the seeds.

    Paper: Chakrabarti, van den Berg, Dom, "Focused crawling: a new approach to topic-specific web resource discovery",
    WWW8, 1999.
    """
    return None if crawl.halves is None else overlap(*crawl.halves)


def overlap(a: Ints, b: Ints) -> float | None:
    """|A and B| / max(|A|, |B|): the share of the larger crawl that the other one has too; None without pages.

    `a` and `b` are what two crawls fetched: repeated pages count once.
    The papers name the overlap without a formula. Crawls of one budget are mostly of one size, and then this
    is the plain share of common pages; the larger one is the measure when sizes differ, for a crawl that ends
    after its first page is not robust.

    >>> overlap(np.array([3, 1, 4, 1]), np.array([1, 3]))
    0.6666666666666666
    """
    larger = max(len(np.unique(a)), len(np.unique(b)))
    return len(np.intersect1d(a, b)) / larger if larger else None


# How much authority the pages fetched have.


@Measure(
    title="authority", better=Better.HIGHER, group=Group.LINKS, unit="times the pool's mean",
    claim="gets the pages of most authority", digits=2, needs=(Need.PAGES,),
)  # fmt: skip
def authority(crawl: JudgedCrawl) -> Floats:
    """Mean PageRank of the fetched pages, whatever they are about, as a multiple of the mean of the topic's pool.

    PageRank is by the links among all pages that the crawls of all topics fetched.

    Paper: none has it; authority is named as wanted in Menczer, Pant, Ruiz, Srinivasan, "Evaluating topic-driven web
    crawlers", SIGIR 2001.
    """
    pool = crawl.topic.pagerank
    return mean_so_far(pool[crawl.places] / pool.mean())


# Cohesiveness: how many links lead from a page of a community into it.


@Measure(
    group=Group.LINKS, unit="links", claim="has the community that hangs together most",
    needs=("a target or seed among the pages fetched",),
)  # fmt: skip
def cohesiveness(crawl: JudgedCrawl) -> float | None:
    """Pages of the community (targets found, and seeds) that a page of the community links to, in the mean.

    Paper: Johnson, Tsioutsiouliklis, Giles, "Evolving strategies for focused web crawling", ICML 2003.
    """
    links = crawl.topic.world.oracle.links.among(crawl.pages)
    return graph.community_cohesiveness(*links, crawl.is_target | crawl.is_seed)


# Overall cohesiveness: how many links lead from any page of a crawl into its community.


@Measure(
    group=Group.LINKS, unit="links", claim="has the pages that link to its community most", needs=(Need.PAGES,),
)  # fmt: skip
def overall_cohesiveness(crawl: JudgedCrawl) -> float | None:
    """Pages of the community (targets found, and seeds) that a fetched page links to, in the mean.

    Paper: Johnson, Tsioutsiouliklis, Giles, "Evolving strategies for focused web crawling", ICML 2003.
    """
    links = crawl.topic.world.oracle.links.among(crawl.pages)
    return graph.community_overall(*links, crawl.is_target | crawl.is_seed)


# How high the pages fetched stand by their keywords and links.


@Measure(
    title="mean linkage rank", better=Better.LOWER, group=Group.LINKS, unit="rank",
    claim="gets the pages ranked best by keywords and PageRank", digits=0, needs=(Need.PAGES,),
)  # fmt: skip
def linkage_rank(crawl: JudgedCrawl) -> Floats:
    """Mean rank of the fetched pages in the pool: by number of the topic's keywords, ties by PageRank; 1 is the best.

    Paper: Pant, Srinivasan, Menczer, "Exploration versus exploitation in topic driven crawlers", 2002.
    """
    return mean_so_far(crawl.topic.linkage[crawl.places])


# How many of the best pages a crawl got, best by their keywords and links.


@Measure(
    title="coverage by links", better=Better.HIGHER, group=Group.LINKS, unit="share",
    claim="gets most of the best pages by keywords and PageRank", of="of the best 100", tops=TOPS, top=TOP,
)  # fmt: skip
def coverage_linkage(crawl: JudgedCrawl) -> Floats:
    """Share of the pool's 100 best pages by keywords and PageRank that the crawl fetched.

    Paper: Pant, Srinivasan, Menczer, "Exploration versus exploitation in topic driven crawlers", 2002.
    """
    ranks = crawl.topic.linkage
    return coverage_curve(ranks[crawl.places], TOPS, ranks)
