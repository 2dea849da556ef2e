"""System 5 again: ranking the frontier by weights that a genetic search found on simulated crawls."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from salticid.evolve.crawl_figures import Figures
from salticid.evolve.finalists import FINALISTS
from salticid.evolve.search_plan import CHOOSING, HELD_BACK, PAPER_TERMS
from salticid.lab.compare import Watch
from salticid.lab.reproduce.findings import Finding, Reproduction, Table, Verdict
from salticid.lab.reproduce.rank_search import (
    BEST_FIRST,
    EVOLVED,
    LENGTHS,
    Case,
    Tried,
    mean_counts,
    try_case,
)
from salticid.lab.reproduce.worlds import Ground, grounds
from salticid.lab.statistics import compare, summary
from salticid.model import Topic
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.labels import labels_of

PAPER = 'Johnson, Tsioutsiouliklis, Giles, "Evolving strategies for focused web crawling", ICML 2003'
MAX_PAGES = 10_000
POPULATION, GENERATIONS, RUNS = 50, 50, 3
ROOM = 300
"""So many times larger than a crawl the generated web is: 3,000,000 pages for the paper's 10,000."""
SMALL_ROOM = 20
"""On the small public collections a crawl is at most this part of the world."""
SEEDS, OTHER_SEEDS = 139, (50, 250)
FEWEST_SEEDS, FEWEST_OTHERS = 10, (5, 20)
GENERATED = "generated"
SURE = 0.05
TOLD = {
    "hub": 0.025828,
    "authority": 0.025852,
    "comm_in": 0.196382,
    "comm_out": 0.312661,
    "parent_1": 0.250646,
    "parent_2": 0.093023,
    "parent_3": 0.080103,
    "parent_4": 0.005168,
    "parent_5": 0.010336,
}
"""The weights of the paper's best strategy."""
HEAVIEST = ("comm_in", "comm_out", "parent_1")
LIGHT = 0.05
"""A weight below this is light."""


def reproduce(
    data: Path | None, out: Path, workers: int, watch: Watch, pages: int = MAX_PAGES
) -> Reproduction:
    """Evolve on the public collections in `data`, as far as they are there, and on a generated web, and test."""
    places = grounds(data, out, watch, ROOM * pages)
    tried = [
        try_case(case, (POPULATION, GENERATIONS, RUNS), out, workers, watch)
        for ground in places
        for case in _cases(ground, pages)
    ]
    return Reproduction(
        number=5,
        paper=PAPER,
        data="; ".join(_described(each.case) for each in tried),
        settings={
            "pages of a training crawl": f"{pages:,}, on small worlds a twentieth of their pages",
            "search": f"genetic, {POPULATION} individuals, {GENERATIONS} generations, {RUNS} crawls each, the same "
            "random seeds for all",
            "choice": f"of the {FINALISTS} fittest, the best on {CHOOSING} other random seeds",
            "tests": f"{HELD_BACK} more random seeds, two other sets of start pages, three lengths",
            "terms": "the paper's nine",
            "good": "an SVM on words and pairs of words says so, learned from the training seeds and random pages",
        },
        tables=[_weights(tried), *(table for each in tried for table in _tables(each))],
        findings=[finding for each in tried for finding in _findings(each)],
    )


def _cases(ground: Ground, pages: int) -> Iterator[Case]:
    """The topic with the most pages; on the generated web the one with the fewest too, like the paper's second."""
    labels = labels_of(ground.world)
    by_size = sorted(labels, key=lambda label: (-len(labels[label]), label))
    length = pages
    if ground.name != GENERATED:
        length = min(pages, RecordedWeb(ground.world).pages // SMALL_ROOM)
    yield _case(ground, by_size[0], labels[by_size[0]], length, rare=False)
    if ground.name == GENERATED:
        yield _case(ground, by_size[-1], labels[by_size[-1]], length, rare=True)


def _case(ground: Ground, label: str, urls: list[str], length: int, *, rare: bool) -> Case:
    topic, others = topic_of(label, urls, length)
    return Case(ground.name, ground.world, topic, len(urls), others, length, rare)


def topic_of(label: str, urls: list[str], length: int) -> tuple[Topic, tuple[tuple[str, ...], ...]]:
    """A topic that is known by some of its pages, which are its seeds; and two other starts.

    All of them are drawn by chance, by the topic's name; no page is in two of them.
    """
    digest = hashlib.blake2b(label.encode(), digest_size=8).digest()
    rng = np.random.default_rng(int.from_bytes(digest, "little"))
    drawn = iter([urls[at] for at in rng.permutation(len(urls))])
    wanted = zip((SEEDS, *OTHER_SEEDS), (FEWEST_SEEDS, *FEWEST_OTHERS), strict=True)
    seeds, *others = [tuple(islice(drawn, _scaled(count, fewest, length))) for count, fewest in wanted]
    return Topic(label, re.sub(r"[._]+", " ", label), seeds, examples=seeds), tuple(others)


def _scaled(seeds: int, fewest: int, length: int) -> int:
    """As many seeds for a crawl of this length as the paper has for its own, but a few at least."""
    return max(fewest, round(seeds * length / MAX_PAGES))


def _described(case: Case) -> str:
    """A case with the web it is on; a generated one can be had again by what it was built from."""
    web = RecordedWeb(case.world)
    source = web.arrays.manifest.built_from if case.ground == GENERATED else f"{web.pages:,}"
    return f"{case.name}: {case.pages:,} pages on topic of {source}, crawls of {case.length:,}"


def _weights(tried: list[Tried]) -> Table:
    rows = [
        [term, f"{TOLD[term]:.3f}", *(f"{_weight(each, term):.3f}" for each in tried)] for term in PAPER_TERMS
    ]
    return Table(
        "Weights of the best strategy", ["term", "the paper", *(each.case.name for each in tried)], rows
    )


def _weight(tried: Tried, term: str) -> float:
    return tried.evolved.weights[0][tried.evolved.plan.terms.index(term)]


def _tables(tried: Tried) -> Iterator[Table]:
    case = tried.case
    rows = [
        [
            f"{len(seeds)}",
            f"{length * case.length:,}",
            strategy,
            *(_mean(tried, strategy, start, length, of) for of in _SHOWN.values()),
        ]
        for start, seeds in enumerate(case.starts)
        for length in LENGTHS
        for strategy in (EVOLVED, BEST_FIRST)
    ]
    yield Table(f"From other seeds and for longer, {case.name}", ["seeds", "pages", "crawler", *_SHOWN], rows)
    kinds: dict[str, Callable[[Figures], list[int]]] = {
        "all": lambda each: each.away,
        "good": lambda each: each.good_away,
    }
    last = len(case.starts) - 1
    counts = {
        (strategy, kind): mean_counts(map(of, tried.crawls[strategy, last, 1]))
        for strategy in (EVOLVED, BEST_FIRST)
        for kind, of in kinds.items()
    }
    longest = max(map(len, counts.values()))
    yield Table(
        f"Pages by links from the seeds, {case.name}, {len(case.starts[last])} seeds, {case.length:,} pages",
        ["crawler", "pages", *map(str, range(longest))],
        [
            [strategy, kind, *(f"{count:.0f}" for count in row), *[""] * (longest - len(row))]
            for (strategy, kind), row in counts.items()
        ],
    )
    losses = tried.evolved.losses
    yield Table(
        f"What is lost without a term, {case.name}: {tried.evolved.verdict()}",
        ["term", "weight", "loss (95 %)"],
        [[term, f"{_weight(tried, term):.3f}", str(loss)] for term, loss in losses.items()],
    )


_SHOWN: dict[str, Callable[[Figures], float]] = {
    "good pages": lambda each: each.share,
    "community cohesiveness": lambda each: each.community,
    "overall cohesiveness": lambda each: each.overall,
    "links from the seeds": lambda each: each.mean_distance,
    "farthest": lambda each: each.farthest,
}


def _mean(tried: Tried, strategy: str, start: int, length: int, of: Callable[[Figures], float]) -> str:
    score = summary(tried.values(strategy, start, length, of))
    return f"{score.mean:.3f} ± {score.se:.3f}"


def _findings(tried: Tried) -> Iterator[Finding]:
    case = tried.case
    for start, seeds in enumerate(case.starts):
        for length in LENGTHS:
            at = f"{length * case.length:,} pages from {len(seeds)} seeds"
            if case.rare and length == LENGTHS[-1]:
                yield _differs(
                    tried,
                    f"On a small topic Best-First wins the longest crawl: {at}",
                    -1,
                    start,
                    length,
                    "good pages",
                )
            else:
                yield _differs(tried, f"Evolved beats Best-First: {at}", 1, start, length, "good pages")
    last = len(case.starts) - 1
    yield _differs(tried, "Its community is more cohesive", 1, last, 1, "community cohesiveness")
    yield _differs(tried, "Its crawls are more cohesive overall", 1, last, 1, "overall cohesiveness")
    yield _differs(tried, "It stays nearer to the seeds", -1, last, 1, "links from the seeds")
    yield _differs(tried, "It goes less far at most", -1, last, 1, "farthest")
    yield from _on_weights(tried)


def _differs(tried: Tried, claim: str, sign: int, start: int, length: int, what: str) -> Finding:
    """Whether evolved crawls have more (1) or less (-1) of a figure than Best-First's, seed by seed."""
    of = _SHOWN[what]
    ours, theirs = (tried.values(name, start, length, of) for name in (EVOLVED, BEST_FIRST))
    told = " against ".join(_mean(tried, name, start, length, of) for name in (EVOLVED, BEST_FIRST))
    claim = f"{claim} ({tried.case.name})"
    test = compare(what, EVOLVED, BEST_FIRST, ours, theirs, 0)
    if test is None or test.p is None:
        return Finding(claim, told, Verdict.NOT_TESTABLE)
    holds = test.diff * sign > 0 and test.p < SURE
    p = "p < 0.001" if test.p < 0.001 else f"p = {test.p:.2g}"
    turned = "" if test.diff * sign > 0 else ", the other way round"
    verdict = Verdict.HOLDS if holds else Verdict.DOES_NOT_HOLD
    return Finding(claim, f"{told}; {p}{turned}", verdict, test.p, test.low, test.high)


def _on_weights(tried: Tried) -> Iterator[Finding]:
    name = tried.case.name
    weights = {term: _weight(tried, term) for term in PAPER_TERMS}
    heaviest = sorted(weights, key=lambda term: -weights[term])[: len(HEAVIEST)]
    yield Finding(
        f"COMM_out, PARENT_1 and COMM_in weigh most ({name})",
        ", ".join(f"{term} {weights[term]:.3f}" for term in heaviest),
        Verdict.HOLDS if set(heaviest) == set(HEAVIEST) else Verdict.DOES_NOT_HOLD,
    )
    light = max(weights["hub"], weights["authority"]) < LIGHT
    yield Finding(
        f"Hubs and authorities are not important: both below {LIGHT} ({name})",
        f"hub {weights['hub']:.3f}, authority {weights['authority']:.3f}",
        Verdict.HOLDS if light else Verdict.DOES_NOT_HOLD,
    )
