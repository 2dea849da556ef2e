"""Measures over texts: similarity to the topic, classifiers, retrieval ranks, estimates, the judge's own ranking."""

from __future__ import annotations

import numpy as np

from salticid.metrics.parts.judged import JudgedCrawl
from salticid.metrics.parts.measure import Better, Group, Measure, Need
from salticid.metrics.parts.retrieval import TOP, TOPS, coverage_curve, estimated_recall, estimated_recency, mean_so_far
from salticid.model import Bools, Floats


@Measure(
    better=Better.HIGHER, group=Group.WORDS, unit="cosine", claim="stays nearest to the topic's description",
    digits=3, needs=(Need.PAGES,),
)  # fmt: skip
def mean_similarity(crawl: JudgedCrawl) -> Floats:
    """Mean tf-idf cosine of the fetched pages and the topic's description.

    Paper: Menczer, Pant, Ruiz, Srinivasan, "Evaluating topic-driven web crawlers", SIGIR 2001.
    """
    return mean_so_far(crawl.topic.similarity[crawl.places])


# How near the pages fetched are to a description in more words.


@Measure(
    title="similarity, expanded", better=Better.HIGHER, group=Group.WORDS, unit="cosine",
    claim="stays nearest to the known relevant pages", digits=3, needs=(Need.EXAMPLES, Need.PAGES),
)  # fmt: skip
def expanded_similarity(crawl: JudgedCrawl) -> float:
    """Mean similarity of the fetched pages and a query expanded by known relevant pages, which credits pages that say
    it in other words.

    Paper: Menczer, Pant, Ruiz, Srinivasan, "Evaluating topic-driven web crawlers", SIGIR 2001.
    """
    return float(mean_so_far(crawl.topic.expanded_similarity[crawl.places])[-1])


# How high the pages fetched stand, as SMART ranks them.


@Measure(
    title="mean SMART rank", better=Better.LOWER, group=Group.WORDS, unit="rank",
    claim="gets the pages that SMART ranks best", digits=0, needs=(Need.PAGES,),
)  # fmt: skip
def smart_rank(crawl: JudgedCrawl) -> Floats:
    """Mean rank of the fetched pages when SMART (atc) ranks the pool of all crawls of the topic by its description; 1
    is the best.

    Paper: Menczer, Pant, Ruiz, Srinivasan, "Evaluating topic-driven web crawlers", SIGIR 2001.
    """
    return mean_so_far(crawl.topic.smart[crawl.places])


# How high the pages fetched stand, as two retrieval systems rank them together.


@Measure(
    title="mean averaged rank", better=Better.LOWER, group=Group.WORDS, unit="rank",
    claim="gets the pages that SMART and BM25 together rank best", digits=0, needs=(Need.PAGES,),
)  # fmt: skip
def averaged_rank(crawl: JudgedCrawl) -> float:
    """Mean rank of the fetched pages when the ranks of SMART and of BM25 are averaged; 1 is the best.

    Paper: Menczer, Pant, Ruiz, Srinivasan, "Evaluating topic-driven web crawlers", SIGIR 2001.
    """
    return float(mean_so_far(crawl.topic.smart_and_bm25[crawl.places])[-1])


# How many of the best pages a crawl got, best by their words.


@Measure(
    title="coverage by words", better=Better.HIGHER, group=Group.WORDS, unit="share",
    claim="gets most of the pages that SMART ranks best", of="of the best 100", tops=TOPS, top=TOP,
)  # fmt: skip
def coverage_lexical(crawl: JudgedCrawl) -> Floats:
    """Share of the pool's 100 pages of best SMART rank that the crawl fetched.

    Paper: Pant, Srinivasan, Menczer, "Exploration versus exploitation in topic driven crawlers", 2002.
    """
    ranks = crawl.topic.smart
    return coverage_curve(ranks[crawl.places], TOPS, ranks)


# How well a judge ranks pages: average precision of its scores, given what is relevant.


@Measure(
    title="judge's average precision", better=Better.HIGHER, group=Group.CLASSIFIERS, unit="share",
    claim="has the judge that knows targets best", needs=(Need.FOUND,),
)  # fmt: skip
def judge_ap(crawl: JudgedCrawl) -> float | None:
    """Average precision of the crawl's pages ranked by the judge's scores: how well the crawler knew what it had."""
    return average_precision(crawl.scores[crawl.is_counted], crawl.is_target[crawl.is_counted])


def average_precision(scores: Floats, relevant: Bools) -> float | None:
    """AP = sum over the distinct scores, from the highest, of (R_k - R_k-1) P_k; None if nothing is relevant.

    P_k and R_k are precision and recall of all pages with at least the k-th highest score, so that pages of
    equal score come all at once and their order has no say. scikit-learn's average_precision_score agrees.

    Of three pages the best and the last two, which tie, hold one relevant page each: 1/2 * 1 + 1/2 * 2/3.

    >>> average_precision(np.array([0.9, 0.1, 0.1]), np.array([True, False, True]))
    0.8333333333333333
    """
    if not relevant.any():
        return None
    order = np.argsort(-scores, kind="stable")
    last_of_score = np.append(np.flatnonzero(np.diff(scores[order])), len(order) - 1)
    hits = np.cumsum(relevant[order])[last_of_score]
    precision = hits / (last_of_score + 1)
    return float((np.diff(hits, prepend=0) * precision).sum() / hits[-1])


# Precision as estimated from a description of relevant pages.


@Measure(
    title="estimated precision", better=Better.HIGHER, group=Group.WORDS, unit="cosine", digits=3,
    needs=(Need.PAGES,),
)  # fmt: skip
def est_precision(crawl: JudgedCrawl) -> Floats:
    """Mean cosine of the fetched pages, start pages left out, and a text about known relevant pages.

    Paper: Menczer, "Complementing search engines with online web mining agents", Decision Support Systems 35,
    2003.
    """
    return mean_so_far(crawl.topic.likeness[crawl.places[~crawl.is_seed]])


# Recall as estimated from a description of relevant pages.


@Measure(
    title="estimated recall", better=Better.HIGHER, group=Group.WORDS, unit="pages' worth", digits=1,
    needs=(Need.PAGES,),
)  # fmt: skip
def est_recall(crawl: JudgedCrawl) -> Floats:
    """Estimated precision times the number of pages fetched.

    Paper: Menczer, "Complementing search engines with online web mining agents", Decision Support Systems 35,
    2003.
    """
    return estimated_recall(crawl.topic.likeness[crawl.places[~crawl.is_seed]])


# Recency as estimated from the dates of pages.


@Measure(
    title="estimated recency", better=Better.HIGHER, group=Group.WORDS, unit="share",
    claim="gets the most recent pages", digits=3, needs=(Need.DATES,),
)  # fmt: skip
def est_recency(crawl: JudgedCrawl) -> Floats:
    """Mean of 1 / (1 + days between the indexing of a page and its later change).

    A crawl has just read its pages, so that only an older index can be behind.

    Paper: Menczer, "Complementing search engines with online web mining agents", Decision Support Systems 35,
    2003.
    """
    return estimated_recency(crawl.topic.dates(crawl.pages), np.inf)


@Measure(
    title="Rocchio", better=Better.HIGHER, group=Group.CLASSIFIERS, unit="share",
    claim="convinces the Rocchio classifier most often", of="of all it fetched", needs=(Need.CLASSIFIERS,),
)  # fmt: skip
def classifier_rocchio(crawl: JudgedCrawl) -> Floats | float:
    """Share of the fetched pages that a Rocchio classifier, trained on known relevant pages, calls positive.

    Paper: Menczer, Pant, Ruiz, Srinivasan, "Evaluating topic-driven web crawlers", SIGIR 2001.
    """
    positive = crawl.topic.called_positive["rocchio"][crawl.places]
    return mean_so_far(positive.astype(np.float64)) if len(positive) else 0.0


# Pages that a Widrow-Hoff classifier calls positive, which no crawler has seen.


@Measure(
    title="Widrow-Hoff", better=Better.HIGHER, group=Group.CLASSIFIERS, unit="share",
    claim="convinces the Widrow-Hoff classifier most often", of="of all it fetched", needs=(Need.CLASSIFIERS,),
)  # fmt: skip
def classifier_widrow_hoff(crawl: JudgedCrawl) -> float:
    """Share of the fetched pages that a Widrow-Hoff classifier, trained on known relevant pages, calls positive.

    Paper: Menczer, Pant, Ruiz, Srinivasan, "Evaluating topic-driven web crawlers", SIGIR 2001.
    """
    positive = crawl.topic.called_positive["widrow_hoff"][crawl.places]
    return float(positive.mean()) if len(positive) else 0.0


# Pages that an exponentiated-gradient classifier calls positive, which no crawler has seen.


@Measure(
    title="exponentiated gradient", better=Better.HIGHER, group=Group.CLASSIFIERS, unit="share",
    claim="convinces the exponentiated-gradient classifier most often", of="of all it fetched",
    needs=(Need.CLASSIFIERS,),
)  # fmt: skip
def classifier_eg(crawl: JudgedCrawl) -> float:
    """Share of the fetched pages that an exponentiated-gradient classifier, trained on known relevant pages, calls
    positive.

    Paper: Menczer, Pant, Ruiz, Srinivasan, "Evaluating topic-driven web crawlers", SIGIR 2001.
    """
    positive = crawl.topic.called_positive["eg"][crawl.places]
    return float(positive.mean()) if len(positive) else 0.0
