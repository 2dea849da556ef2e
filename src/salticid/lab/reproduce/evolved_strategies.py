"""System 5 again: ranking the frontier by weights that a genetic search found on simulated crawls."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np

from salticid.evolve.crawl_figures import Figures
from salticid.evolve.finalists import FINALISTS
from salticid.evolve.search_plan import CHOOSING, HELD_BACK, PAPER_TERMS
from salticid.lab.reproduce.findings import Finding, finding_of, untestable
from salticid.lab.reproduce.paper import paper
from salticid.lab.reproduce.rank_search import (
    BEST_FIRST,
    EVOLVED,
    LENGTHS,
    CaseResult,
    SearchCase,
    mean_counts,
    try_case,
)
from salticid.lab.reproduce.reproduction import FigureTable, Reproduction, Setup
from salticid.lab.reproduce.worlds import Ground, grounds
from salticid.lab.statistics import compare, summary
from salticid.model import Topic
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.labels import labels_of

NUMBER = 5
MAX_PAGES = 10_000
POPULATION, GENERATIONS, RUNS = 50, 50, 3
ROOM = 300
"""So many times larger than a crawl the generated web is: 3,000,000 pages for the paper's 10,000."""
SMALL_ROOM = 20
"""On the small public collections a crawl is at most this part of the world."""
SEEDS, OTHER_SEEDS = 139, (50, 250)
FEWEST_SEEDS, FEWEST_OTHERS = 10, (5, 20)
GENERATED_WEB = "generated"
HEAVIEST = ("comm_in", "comm_out", "parent_1")
LIGHT = 0.05
"""A weight below this is light."""


def reproduce(setup: Setup) -> Reproduction:
    """Evolve on the public collections, as far as they are there, and on a generated web, and test."""
    places = grounds(setup.data, setup.out, setup.watch, ROOM * setup.pages)
    results = [
        try_case(case, (POPULATION, GENERATIONS, RUNS), setup.out, setup.workers, setup.watch)
        for ground in places
        for case in _cases(ground, setup.pages)
    ]
    return Reproduction(
        number=NUMBER,
        paper=paper(NUMBER).title,
        data="; ".join(_description(each.case) for each in results),
        settings={
            "pages of a training crawl": f"{setup.pages:,}, on small worlds a twentieth of their pages",
            "search": f"genetic, {POPULATION} individuals, {GENERATIONS} generations, {RUNS} crawls each, the same "
            "random seeds for all",
            "choice": f"of the {FINALISTS} fittest, the best on {CHOOSING} other random seeds",
            "tests": f"{HELD_BACK} more random seeds, two other sets of start pages, three lengths",
            "terms": "the paper's nine",
            "good": "an SVM on words and pairs of words says so, learned from the training seeds and random pages",
        },
        tables=[_weights(results), *(table for each in results for table in _tables(each))],
        findings=[finding for each in results for finding in _findings(each)],
    )


def _cases(ground: Ground, pages: int) -> Iterator[SearchCase]:
    """The topic with the most pages; on the generated web the one with the fewest too, like the paper's second."""
    labels = labels_of(ground.world)
    by_size = sorted(labels, key=lambda label: (-len(labels[label]), label))
    length = pages
    if ground.name != GENERATED_WEB:
        length = min(pages, RecordedWeb(ground.world).pages // SMALL_ROOM)
    yield _case(ground, by_size[0], labels[by_size[0]], length, rare=False)
    if ground.name == GENERATED_WEB:
        yield _case(ground, by_size[-1], labels[by_size[-1]], length, rare=True)


def _case(ground: Ground, label: str, urls: list[str], length: int, *, rare: bool) -> SearchCase:
    topic, others = topic_of(label, urls, length)
    return SearchCase(ground.name, ground.world, topic, len(urls), others, length, rare)


def topic_of(label: str, urls: list[str], length: int) -> tuple[Topic, tuple[tuple[str, ...], ...]]:
    """A topic that is known by some of its pages, which are its seeds; and two other starts.

    All of them are drawn by chance, by the topic's name; no page is in two of them. They have as many pages for
    a crawl of this length as the paper has for its own, but a few at least.
    """
    digest = hashlib.blake2b(label.encode(), digest_size=8).digest()
    rng = np.random.default_rng(int.from_bytes(digest, "little"))
    order = iter([urls[at] for at in rng.permutation(len(urls))])
    sizes = zip((SEEDS, *OTHER_SEEDS), (FEWEST_SEEDS, *FEWEST_OTHERS), strict=True)
    counts = [max(fewest, round(count * length / MAX_PAGES)) for count, fewest in sizes]
    seeds, *others = [tuple(islice(order, count)) for count in counts]
    return Topic(label, re.sub(r"[._]+", " ", label), seeds, examples=seeds), tuple(others)


def _description(case: SearchCase) -> str:
    """A case with the web it is on; a generated one can be had again by what it was built from."""
    web = RecordedWeb(case.world)
    source = web.arrays.manifest.built_from if case.ground == GENERATED_WEB else f"{web.pages:,}"
    return f"{case.name}: {case.pages:,} pages on topic of {source}, crawls of {case.length:,}"


def _weights(results: list[CaseResult]) -> FigureTable:
    printed = paper(NUMBER).numbers["weights"]
    rows = [
        [term, f"{printed[term]:.3f}", *(f"{_weight(each, term):.3f}" for each in results)]
        for term in PAPER_TERMS
    ]
    return FigureTable(
        "Weights of the best strategy", ["term", "the paper", *(each.case.name for each in results)], rows
    )


def _weight(result: CaseResult, term: str) -> float:
    return result.strategy.weights[0][result.strategy.plan.terms.index(term)]


def _tables(result: CaseResult) -> Iterator[FigureTable]:
    case = result.case
    rows = [
        [
            f"{len(seeds)}",
            f"{length * case.length:,}",
            strategy,
            *(_mean(result, strategy, start, length, of) for of in _FIGURES.values()),
        ]
        for start, seeds in enumerate(case.starts)
        for length in LENGTHS
        for strategy in (EVOLVED, BEST_FIRST)
    ]
    title = f"From other seeds and for longer, {case.name}"
    yield FigureTable(title, ["seeds", "pages", "crawler", *_FIGURES], rows)
    kinds: dict[str, Callable[[Figures], list[int]]] = {
        "all": lambda each: each.away,
        "good": lambda each: each.good_away,
    }
    last = len(case.starts) - 1
    counts = {
        (strategy, kind): mean_counts(map(of, result.crawls[strategy, last, 1]))
        for strategy in (EVOLVED, BEST_FIRST)
        for kind, of in kinds.items()
    }
    longest = max(map(len, counts.values()))
    yield FigureTable(
        f"Pages by links from the seeds, {case.name}, {len(case.starts[last])} seeds, {case.length:,} pages",
        ["crawler", "pages", *map(str, range(longest))],
        [
            [strategy, kind, *(f"{count:.0f}" for count in row), *[""] * (longest - len(row))]
            for (strategy, kind), row in counts.items()
        ],
    )
    losses = result.strategy.losses
    yield FigureTable(
        f"What is lost without a term, {case.name}: {result.strategy.verdict()}",
        ["term", "weight", "loss (95 %)"],
        [[term, f"{_weight(result, term):.3f}", str(loss)] for term, loss in losses.items()],
    )


_FIGURES: dict[str, Callable[[Figures], float]] = {
    "good pages": lambda each: each.share,
    "community cohesiveness": lambda each: each.community,
    "overall cohesiveness": lambda each: each.overall,
    "links from the seeds": lambda each: each.mean_distance,
    "farthest": lambda each: each.farthest,
}


def _mean(result: CaseResult, strategy: str, start: int, length: int, of: Callable[[Figures], float]) -> str:
    score = summary(result.values(strategy, start, length, of))
    return f"{score.mean:.3f} ± {score.se:.3f}"


def _findings(result: CaseResult) -> Iterator[Finding]:
    case = result.case
    for start, seeds in enumerate(case.starts):
        for length in LENGTHS:
            name = "popular" if not case.rare else "rare_longest" if length == LENGTHS[-1] else "rare"
            sign = -1 if name == "rare_longest" else 1
            parts = {"pages": f"{length * case.length:,}", "seeds": len(seeds)}
            yield _differs(result, name, sign, start, length, "good pages", **parts)
    last = len(case.starts) - 1
    yield _differs(result, "community", 1, last, 1, "community cohesiveness")
    yield _differs(result, "overall", 1, last, 1, "overall cohesiveness")
    yield _differs(result, "nearer", -1, last, 1, "links from the seeds")
    yield _differs(result, "farthest", -1, last, 1, "farthest")
    yield from _on_weights(result)


def _differs(
    result: CaseResult, name: str, sign: int, start: int, length: int, what: str, **parts: object
) -> Finding:
    """Whether evolved crawls have more (1) or less (-1) of a figure than Best-First's, seed by seed."""
    of = _FIGURES[what]
    ours, theirs = (result.values(name, start, length, of) for name in (EVOLVED, BEST_FIRST))
    means = " against ".join(_mean(result, name, start, length, of) for name in (EVOLVED, BEST_FIRST))
    claim = paper(NUMBER).claims[name].about(**parts)
    return finding_of(
        claim, result.case.name, means, compare(what, EVOLVED, BEST_FIRST, ours, theirs, 0), sign
    )


def _on_weights(result: CaseResult) -> Iterator[Finding]:
    """What the weights of one search say; one search is no sample, so nothing is tested."""
    claims = paper(NUMBER).claims
    weights = {term: _weight(result, term) for term in PAPER_TERMS}
    heaviest = sorted(weights, key=lambda term: -weights[term])[: len(HEAVIEST)]
    told = ", ".join(f"{term} {weights[term]:.3f}" for term in heaviest)
    yield untestable(claims["heaviest"], result.case.name, f"{told}; one search is no sample")
    told = f"hub {weights['hub']:.3f}, authority {weights['authority']:.3f}"
    yield untestable(claims["light"].about(limit=LIGHT), result.case.name, f"{told}; one search is no sample")
