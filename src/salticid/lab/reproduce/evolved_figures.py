"""The figures and tables of system 5: fitness and cohesiveness by start and length, distances, weights, transfer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from salticid.evolve import PAPER_TERMS, Figures
from salticid.lab.reproduce.findings import paper
from salticid.lab.reproduce.race import mean_text
from salticid.lab.reproduce.rank_search import LENGTHS, OTHER_SEEDS, Found, TopicTests
from salticid.lab.reproduce.reproduction import FigureTable, PaperFigure
from salticid.lab.results import Curve
from salticid.lab.statistics import summary

NUMBER = 5
BEST_FIRST = "BestFirst"
THE_PAPERS = "the paper's best"

MEASURES: dict[str, Callable[[Figures], float]] = {
    "good pages": lambda each: each.share,
    "community cohesiveness": lambda each: each.community,
    "overall cohesiveness": lambda each: each.overall,
    "links from the seeds": lambda each: each.mean_distance,
    "farthest": lambda each: each.farthest,
}
_RARE = {"good pages": "3", "community cohesiveness": "5", "overall cohesiveness": "6"}
_POPULAR = {"good pages": "4", "community cohesiveness": "7", "overall cohesiveness": "8"}
_HISTOGRAMS = {True: "10", False: "9"}


def names(found: Found) -> list[str]:
    """What the best strategies of a search are called."""
    return [f"evolved {number}" for number in range(1, len(found.best) + 1)]


def figures(tests: TopicTests, ours: Sequence[str], *, rare: bool) -> Iterator[PaperFigure]:
    """The figures of topics of one kind, for Best-First and the strategies that were evolved; topics are the units."""
    printed = paper(NUMBER).figures
    for measure, number in (_RARE if rare else _POPULAR).items():
        of = MEASURES[measure]
        curves = {name: _bars([tests.values([name], length, of) for length in LENGTHS]) for name in (BEST_FIRST, *ours)}
        figure = printed[number]
        yield PaperFigure(
            f"Figure {number}", figure.title, tests.name, figure.quote, "pages of a crawl",
            measure, curves, groups=[f"{length * tests.length:,}" for length in LENGTHS], main=True,
        )  # fmt: skip
    yield _histogram(tests, ours[0], _HISTOGRAMS[rare])


def _bars(groups: list[list[float]]) -> Curve:
    scores = [summary(values) for values in groups]
    return Curve(
        [float(at) for at in range(len(groups))],
        [score.mean or 0.0 for score in scores],
        [score.se or 0.0 for score in scores],
    )


def _histogram(tests: TopicTests, evolved: str, number: str) -> PaperFigure:
    """Pages by their distance, of the shortest crawls from the larger start."""
    last = len(OTHER_SEEDS) - 1
    kinds: dict[str, Callable[[Figures], list[int]]] = {
        "": lambda each: each.away,
        ", good": lambda each: each.good_away,
    }
    longest = max(
        len(each.away) for crawls in tests.crawls for name in (BEST_FIRST, evolved) for each in crawls[name, last, 1]
    )

    def bars(name: str, of: Callable[[Figures], list[int]]) -> Curve:
        return _bars([tests.values([name], 1, partial(_count, of, far), last) for far in range(longest)])

    figure = paper(NUMBER).figures[number]
    return PaperFigure(
        f"Figure {number}", figure.title, tests.name, figure.quote,
        "links from the seeds", f"pages of {tests.length:,}",
        {f"{name}{kind}": bars(name, of) for name in (BEST_FIRST, evolved) for kind, of in kinds.items()},
        groups=[str(far) for far in range(longest)],
    )  # fmt: skip


def _count(of: Callable[[Figures], list[int]], far: int, crawl: Figures) -> float:
    counts = of(crawl)
    return float(counts[far]) if far < len(counts) else 0.0


def weight_table(results: Sequence[Found]) -> FigureTable:
    """The weights of each search's best strategy beside the paper's."""
    printed = paper(NUMBER).numbers["weights"]
    return FigureTable(
        "Table 1: weights of the best strategy, by what it was evolved on",
        ["term", "the paper", *(each.place.name for each in results)],
        [[term, f"{printed[term]:.3f}", *(f"{each.weight(term):.3f}" for each in results)] for term in PAPER_TERMS],
    )


def tested_table(tests: TopicTests, ours: Sequence[str]) -> FigureTable:
    """All measures of all strategies at every length, topics being the units."""
    return FigureTable(
        f"From other seeds and for longer, {tests.name}, {len(tests.places)} topics",
        ["pages", "crawler", *MEASURES],
        [
            [
                f"{length * tests.length:,}",
                name,
                *(mean_text(tests.values([name], length, of)) for of in MEASURES.values()),
            ]
            for length in LENGTHS
            for name in (BEST_FIRST, *ours, THE_PAPERS)
        ],
    )


def loss_table(found: Found) -> FigureTable:
    """What the best strategy loses without each of its terms."""
    return FigureTable(
        f"What is lost without a term, {found.place.name}: {found.evidence.verdict()}",
        ["term", "weight", "loss (95 %)"],
        [[term, f"{found.weight(term):.3f}", str(loss)] for term, loss in found.evidence.losses.items()],
    )
