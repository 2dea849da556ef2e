"""The measures of a comparison: what each one says, which way is better, what it needs, who invented it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Better(StrEnum):
    """Which of two values speaks for a strategy; some measures describe a crawl without praising it."""

    HIGHER = "higher"
    LOWER = "lower"
    NEITHER = "neither"


class Group(StrEnum):
    """What a measure looks at."""

    TARGETS = "Targets found"
    CLASSIFIERS = "Judged by classifiers"
    WORDS = "Judged by words"
    LINKS = "Judged by links"
    WHOLE = "The crawl as a whole"


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure of a crawl.

    `title` heads columns and axes. `claim` completes "best_first ...", said of the best; `of` follows its value.
    `digits` are the decimals shown when no standard error tells how many are worth it. `needs` says what has to
    be there for it to be computed.
    """

    name: str
    title: str
    meaning: str
    group: Group
    better: Better
    unit: str
    claim: str
    of: str = ""
    digits: int = 2
    needs: str = "a crawl that fetched a page"
    paper: str = ""


SIGIR = "Menczer, Pant, Ruiz, Srinivasan, Evaluating topic-driven web crawlers, SIGIR 2001"
AGENTS = (
    "Menczer, Complementing search engines with online web mining agents, Decision Support Systems 35, 2003"
)
EXPLORE = "Pant, Srinivasan, Menczer, Exploration versus exploitation in topic driven crawlers, 2002"
FOCUSED = "Chakrabarti, van den Berg, Dom, Focused crawling, WWW8, 1999"
EVOLVED = "Johnson, Tsioutsiouliklis, Giles, Evolving strategies for focused web crawling, ICML 2003"

_TARGETS = "targets that are neither seeds nor examples"
_EXAMPLES = "three known relevant pages of the topic, and other topics that share none of them"
_DESCRIPTION = "a description of the topic"
_KEYWORDS = "keywords of the topic"

_ALL = (
    Measure(
        "oracle_share",
        "share of the oracle",
        "Area under the curve of targets found against pages fetched, divided by that of an oracle that knows all "
        "links and all targets.",
        Group.TARGETS,
        Better.HIGHER,
        "share",
        "comes nearest to the oracle",
        "of its area",
        needs=f"{_TARGETS}, one of which the oracle can reach",
    ),
    Measure(
        "target_recall",
        "targets found",
        "Share of the topic's targets among the pages fetched.",
        Group.TARGETS,
        Better.HIGHER,
        "share",
        "finds most targets",
        "of them",
        needs=_TARGETS,
        paper=EXPLORE,
    ),
    Measure(
        "recall_auc",
        "area under recall",
        "Mean of the share of targets found over all pages of the crawl: high when targets are found early.",
        Group.TARGETS,
        Better.HIGHER,
        "share",
        "finds targets earliest",
        "of the targets in the mean over the crawl",
        needs=_TARGETS,
    ),
    Measure(
        "harvest",
        "harvest",
        "Share of the fetched pages that are targets; seeds and examples count neither for nor against.",
        Group.TARGETS,
        Better.HIGHER,
        "share",
        "has the highest harvest",
        "of all it fetched",
        needs="targets and a crawl that fetched a page",
    ),
    Measure(
        "search_length",
        "search length",
        "Pages fetched until half of the targets are found; where they never are, one page more than the budget, so "
        "that the mean is a lower bound.",
        Group.TARGETS,
        Better.LOWER,
        "pages",
        "needs fewest pages to find half of the targets",
        "pages",
        digits=0,
        needs=_TARGETS,
        paper=SIGIR,
    ),
    Measure(
        "classifier_rocchio",
        "Rocchio",
        "Share of the fetched pages that a Rocchio classifier, trained on known relevant pages, calls positive.",
        Group.CLASSIFIERS,
        Better.HIGHER,
        "share",
        "convinces the Rocchio classifier most often",
        "of all it fetched",
        needs=_EXAMPLES,
        paper=SIGIR,
    ),
    Measure(
        "classifier_widrow_hoff",
        "Widrow-Hoff",
        "Share of the fetched pages that a Widrow-Hoff classifier, trained on known relevant pages, calls positive.",
        Group.CLASSIFIERS,
        Better.HIGHER,
        "share",
        "convinces the Widrow-Hoff classifier most often",
        "of all it fetched",
        needs=_EXAMPLES,
        paper=SIGIR,
    ),
    Measure(
        "classifier_eg",
        "exponentiated gradient",
        "Share of the fetched pages that an exponentiated-gradient classifier, trained on known relevant pages, "
        "calls positive.",
        Group.CLASSIFIERS,
        Better.HIGHER,
        "share",
        "convinces the exponentiated-gradient classifier most often",
        "of all it fetched",
        needs=_EXAMPLES,
        paper=SIGIR,
    ),
    Measure(
        "judge_ap",
        "judge's average precision",
        "Average precision of the crawl's pages ranked by the judge's scores: how well the crawler knew what it had.",
        Group.CLASSIFIERS,
        Better.HIGHER,
        "share",
        "has the judge that knows targets best",
        needs="a target among the pages fetched",
    ),
    Measure(
        "smart_rank",
        "mean SMART rank",
        "Mean rank of the fetched pages when SMART (atc) ranks the pool of all crawls of the topic by its "
        "description; 1 is the best.",
        Group.WORDS,
        Better.LOWER,
        "rank",
        "gets the pages that SMART ranks best",
        digits=0,
        needs=_DESCRIPTION,
        paper=SIGIR,
    ),
    Measure(
        "averaged_rank",
        "mean averaged rank",
        "Mean rank of the fetched pages when the ranks of SMART and of BM25 are averaged; 1 is the best.",
        Group.WORDS,
        Better.LOWER,
        "rank",
        "gets the pages that SMART and BM25 together rank best",
        digits=0,
        needs=_DESCRIPTION,
        paper=SIGIR,
    ),
    Measure(
        "coverage_lexical",
        "coverage by words",
        "Share of the pool's 100 pages of best SMART rank that the crawl fetched.",
        Group.WORDS,
        Better.HIGHER,
        "share",
        "gets most of the pages that SMART ranks best",
        "of the best 100",
        needs=_DESCRIPTION,
        paper=EXPLORE,
    ),
    Measure(
        "mean_similarity",
        "mean similarity",
        "Mean tf-idf cosine of the fetched pages and the topic's description.",
        Group.WORDS,
        Better.HIGHER,
        "cosine",
        "stays nearest to the topic's description",
        digits=3,
        needs=_DESCRIPTION,
        paper=SIGIR,
    ),
    Measure(
        "expanded_similarity",
        "similarity, expanded",
        "Mean similarity of the fetched pages and a query expanded by known relevant pages, which credits pages "
        "that say it in other words.",
        Group.WORDS,
        Better.HIGHER,
        "cosine",
        "stays nearest to the known relevant pages",
        digits=3,
        needs="known relevant pages of the topic",
        paper=SIGIR,
    ),
    Measure(
        "est_precision",
        "estimated precision",
        "Mean cosine of the fetched pages, start pages left out, and a text about known relevant pages.",
        Group.WORDS,
        Better.HIGHER,
        "cosine",
        "has the highest estimated precision",
        digits=3,
        needs=_DESCRIPTION,
        paper=AGENTS,
    ),
    Measure(
        "est_recall",
        "estimated recall",
        "Estimated precision times the number of pages fetched.",
        Group.WORDS,
        Better.HIGHER,
        "pages' worth",
        "has the highest estimated recall",
        digits=1,
        needs=_DESCRIPTION,
        paper=AGENTS,
    ),
    Measure(
        "est_recency",
        "estimated recency",
        "Mean of 1 / (1 + days between the indexing of a page and its later change).",
        Group.WORDS,
        Better.HIGHER,
        "share",
        "gets the most recent pages",
        digits=3,
        needs="dates of the pages; a crawl has just read its own, so that only an older index can be behind",
        paper=AGENTS,
    ),
    Measure(
        "coverage_linkage",
        "coverage by links",
        "Share of the pool's 100 best pages by keywords and PageRank that the crawl fetched.",
        Group.LINKS,
        Better.HIGHER,
        "share",
        "gets most of the best pages by keywords and PageRank",
        "of the best 100",
        needs=_KEYWORDS,
        paper=EXPLORE,
    ),
    Measure(
        "linkage_rank",
        "mean linkage rank",
        "Mean rank of the fetched pages in the pool: by number of the topic's keywords, ties by PageRank; 1 is the "
        "best.",
        Group.LINKS,
        Better.LOWER,
        "rank",
        "gets the pages ranked best by keywords and PageRank",
        digits=0,
        needs=_KEYWORDS,
        paper=EXPLORE,
    ),
    Measure(
        "cohesiveness",
        "cohesiveness",
        "Pages of the community (targets found, and seeds) that a page of the community links to, in the mean.",
        Group.LINKS,
        Better.NEITHER,
        "links",
        "has the community that hangs together most",
        needs="a target or seed among the pages fetched",
        paper=EVOLVED,
    ),
    Measure(
        "overall_cohesiveness",
        "overall cohesiveness",
        "Pages of the community (targets found, and seeds) that a fetched page links to, in the mean.",
        Group.LINKS,
        Better.NEITHER,
        "links",
        "has the pages that link to its community most",
        paper=EVOLVED,
    ),
    Measure(
        "distance",
        "distance",
        "Mean number of links from the nearest seed to the targets found: how far out the crawl keeps its course.",
        Group.LINKS,
        Better.NEITHER,
        "links",
        "finds targets farthest from the seeds",
        needs="a target found that links lead to from the seeds",
        paper=EVOLVED,
    ),
    Measure(
        "novelty",
        "novelty",
        "Share of the targets found that are less similar to the topic's text than half of all its targets; 0.5 for "
        "a crawler that does not follow the words.",
        Group.WHOLE,
        Better.HIGHER,
        "share",
        "finds most targets that the topic's words do not lead to",
        "of them",
        needs="a target among the pages fetched",
        paper=SIGIR,
    ),
    Measure(
        "relevant_hosts",
        "hosts with targets",
        "Hosts on which the targets found lie.",
        Group.WHOLE,
        Better.HIGHER,
        "hosts",
        "finds targets on most hosts",
        "hosts",
        digits=1,
    ),
    Measure(
        "robustness",
        "robustness",
        "Share of pages that two crawls have in common when they start from either half of the seeds.",
        Group.WHOLE,
        Better.HIGHER,
        "share",
        "depends least on where it starts",
        "of the pages in common",
        needs="the option --robustness, which makes crawls of their own, and two seeds",
        paper=FOCUSED,
    ),
)

MEASURES = {measure.name: measure for measure in _ALL}
"""All measures by name, in the order in which a report shows them."""


def measure_of(name: str) -> Measure:
    """The measure of that name; one that the table does not know praises nobody.

    >>> measure_of("target_recall").claim
    'finds most targets'
    >>> measure_of("cpu_ms_per_page").better.value
    'neither'
    """
    known = MEASURES.get(name)
    if known:
        return known
    title = name.replace("_", " ")
    return Measure(name, title, f"{name}.", Group.WHOLE, Better.NEITHER, "", f"has the highest {title}")
