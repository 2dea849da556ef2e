"""The figures and tables of system 5: fitness and cohesiveness by start and length, distances, weights, transfer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from salticid.evolve import PAPER_TERMS, Figures, Interval
from salticid.lab.reproduce.findings import paper
from salticid.lab.reproduce.rank_search import LENGTHS, Found, PlaceTests
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
    return [f"evolved on {found.place.ground} {number}" for number in range(1, len(found.best) + 1)]


def mean_text(values: Sequence[float]) -> str:
    """Mean and standard error."""
    score = summary(values)
    return f"{score.mean:.3f} ± {score.se:.3f}"


def figures(tests: PlaceTests, ours: Sequence[str]) -> Iterator[PaperFigure]:
    """The figures of a place, for Best-First and the strategies that were evolved there."""
    place, printed = tests.place, paper(NUMBER).figures
    groups = [f"{length * place.length:,}/{len(seeds)}" for seeds in place.starts for length in LENGTHS]
    for measure, number in (_RARE if place.rare else _POPULAR).items():
        curves = {
            name: _bars(
                [
                    tests.values([name], start, length, MEASURES[measure])
                    for start in range(len(place.starts))
                    for length in LENGTHS
                ]
            )
            for name in (BEST_FIRST, *ours)
        }
        figure = printed[number]
        yield PaperFigure(
            f"Figure {number}", figure.title, place.name, figure.quote, "pages / seeds they start from",
            measure, curves, groups=groups, main=measure == "good pages",
        )  # fmt: skip
    yield _histogram(tests, ours[0])


def _bars(groups: list[list[float]]) -> Curve:
    scores = [summary(values) for values in groups]
    return Curve(
        [float(at) for at in range(len(groups))],
        [score.mean or 0.0 for score in scores],
        [score.se or 0.0 for score in scores],
    )


def _histogram(tests: PlaceTests, evolved: str) -> PaperFigure:
    """Pages by their distance, of the shortest crawls from the larger start."""
    place, last = tests.place, len(tests.place.starts) - 1
    kinds: dict[str, Callable[[Figures], list[int]]] = {
        "": lambda each: each.away,
        ", good": lambda each: each.good_away,
    }
    longest = max(len(each.away) for name in (BEST_FIRST, evolved) for each in tests.crawls[name, last, 1])
    curves = {
        f"{name}{kind}": _bars(
            [[_count(of(each), far) for each in tests.crawls[name, last, 1]] for far in range(longest)]
        )
        for name in (BEST_FIRST, evolved)
        for kind, of in kinds.items()
    }
    number = _HISTOGRAMS[place.rare]
    figure = paper(NUMBER).figures[number]
    return PaperFigure(
        f"Figure {number}", figure.title, place.name, figure.quote,
        f"links from the {len(place.starts[last])} seeds", f"pages of {place.length:,}", curves,
        groups=[str(far) for far in range(longest)], main=True,
    )  # fmt: skip


def _count(counts: list[int], far: int) -> float:
    return float(counts[far]) if far < len(counts) else 0.0


def weight_table(results: Sequence[Found]) -> FigureTable:
    """The weights of each search's best strategy beside the paper's."""
    printed = paper(NUMBER).numbers["weights"]
    return FigureTable(
        "Table 1: weights of the best strategy, by what it was evolved on",
        ["term", "the paper", *(each.place.name for each in results)],
        [[term, f"{printed[term]:.3f}", *(f"{each.weight(term):.3f}" for each in results)] for term in PAPER_TERMS],
    )


def place_table(tests: PlaceTests, ours: Sequence[str]) -> FigureTable:
    """All measures of a place's own strategies, at every length and start."""
    place = tests.place
    return FigureTable(
        f"From other seeds and for longer, {place.name}",
        ["seeds", "pages", "crawler", *MEASURES],
        [
            [
                f"{len(seeds)}",
                f"{length * place.length:,}",
                name,
                *(mean_text(tests.values([name], start, length, of)) for of in MEASURES.values()),
            ]
            for start, seeds in enumerate(place.starts)
            for length in LENGTHS
            for name in (BEST_FIRST, *ours)
        ],
    )


def transfer_table(results: Sequence[Found], everywhere: Sequence[PlaceTests]) -> FigureTable:
    """Who was evolved where, and how far it is ahead of Best-First elsewhere: the mean of the three best."""
    groups = {each.place.name: names(each) for each in results}
    groups["the paper's best strategy (Table 1)"] = [THE_PAPERS]
    return FigureTable(
        "Transfer: share of good pages ahead of Best-First (95 %), both starts, by where strategies were evolved "
        "(rows) and tested (columns)",
        ["evolved on", "length", *(tests.place.name for tests in everywhere)],
        [
            [origin, f"{length} x", *(_lead(tests, group, length) for tests in everywhere)]
            for origin, group in groups.items()
            for length in LENGTHS
        ],
    )


def _lead(tests: PlaceTests, group: Sequence[str], length: int) -> str:
    share = MEASURES["good pages"]
    mine, theirs = (tests.values(each, None, length, share) for each in (group, [BEST_FIRST]))
    lead = Interval.between(mine, theirs)
    return f"{lead.mean:+.3f} ({lead.low:+.3f} to {lead.high:+.3f})"


def loss_table(found: Found) -> FigureTable:
    """What the best strategy loses without each of its terms."""
    return FigureTable(
        f"What is lost without a term, {found.place.name}: {found.evidence.verdict()}",
        ["term", "weight", "loss (95 %)"],
        [[term, f"{found.weight(term):.3f}", str(loss)] for term, loss in found.evidence.losses.items()],
    )
