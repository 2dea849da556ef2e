"""What the paper of system 5 leaves to others: other goals, sub-strategies, beginnings and terms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from salticid.evolve.fitness import Goal
from salticid.evolve.genome import normalise
from salticid.evolve.interval import Interval
from salticid.evolve.optimizer import Weights, plain
from salticid.evolve.simulation import Simulation
from salticid.lab.reproduce.findings import Finding, finding_of
from salticid.lab.reproduce.paper import paper
from salticid.lab.reproduce.rank_search import LENGTHS, Found, PlaceTests, SearchKind, Workplace
from salticid.lab.reproduce.reproduction import FigureTable
from salticid.lab.statistics import compare

PLAIN = "as the paper"
PHASES = 3
SHORTER = 5
"""Injected are the best strategies of crawls so many times shorter."""


@dataclass(frozen=True, slots=True)
class Extended:
    """The tests of the plain search's best strategy and of each extension's, by name, at one place.

    `claims` names what the paper supposes of each.
    """

    plain: Found
    tests: PlaceTests
    claims: dict[str, tuple[str, dict[str, str]]]

    def lead(self, name: str, length: int) -> tuple[list[float], list[float]]:
        """The share of good pages of an extension and of the plain strategy, crawl by crawl from both starts."""
        mine, plain_values = (
            self.tests.values([each], None, length, lambda figures: figures.share) for each in (name, PLAIN)
        )
        return mine, plain_values


def extended(found: Found, workplace: Workplace) -> Extended:
    """Search in each other way at the same place, as long as before, and test the best of each."""
    place = found.place
    tests = workplace.test(place, {PLAIN: found.best[0]})
    claims: dict[str, tuple[str, dict[str, str]]] = {}
    for kind, claim, parts in _kinds():
        if kind.name == "injection":
            short = workplace.search(place, SearchKind("shorter", shorter=SHORTER))
            kind = SearchKind(kind.name, known=tuple(_searched(each, short) for each in short.best))
        other = workplace.search(place, kind)
        tests = tests.with_more(workplace.test(place, {kind.name: other.best[0]}, kind.by_distance))
        claims[kind.name] = claim, parts
    return Extended(found, tests, claims)


def _kinds() -> Iterator[tuple[SearchKind, str, dict[str, str]]]:
    """Each way with the claim it tries."""
    yield SearchKind("reward for hosts", goal=Goal(hosts=1.0)), "rewards", {"what": "new hosts"}
    yield SearchKind("reward for distance", goal=Goal(distance=1.0)), "rewards", {"what": "distance"}
    yield SearchKind("reward for length", goal=Goal(late=1.0)), "rewards", {"what": "good pages found late"}
    yield SearchKind("phases", phases=PHASES), "phases", {}
    yield SearchKind("phases by distance", phases=PHASES, by_distance=True), "distance", {}
    yield SearchKind("injection"), "injection", {}
    yield SearchKind("all terms", terms=Simulation.terms), "terms", {}


def extension_table(outcome: Extended) -> FigureTable:
    """The share of good pages by each way, and its lead over the plain search."""
    rows = []
    for name in (PLAIN, *outcome.claims):
        cells = []
        for length in LENGTHS:
            mine, plain_values = outcome.lead(name, length)
            share = f"{sum(mine) / len(mine):.3f}"
            cells += [share, "" if name == PLAIN else str(Interval.between(mine, plain_values))]
        rows.append([name, *cells])
    place = outcome.plain.place
    heads = [head for n in LENGTHS for head in (f"{n * place.length:,} pages", "ahead (95 %)")]
    return FigureTable(
        f"What the paper leaves to others, {place.name}: share of good pages from both starts",
        ["search", *heads],
        rows,
    )


def extension_findings(outcome: Extended) -> Iterator[Finding]:
    """Whether each does better than the plain search in the longest crawls."""
    longest, place = LENGTHS[-1], outcome.plain.place
    for name, (claim, parts) in outcome.claims.items():
        mine, plain_values = outcome.lead(name, longest)
        means = " against ".join(f"{sum(each) / len(each):.3f}" for each in (mine, plain_values))
        said = paper(5).claims[claim].about(pages=f"{longest * place.length:,}", **parts)
        test = compare("good pages", name, PLAIN, mine, plain_values, 0)
        yield finding_of(said, place.name, means, test)


def _searched(weights: Weights, found: Found) -> Weights:
    """Weights of all terms as those of the terms that are sought."""
    plan = found.state.plan
    places = [plan.terms.index(term) for term in plan.searched]
    return plain(normalise(np.array(weights)[:, places]))
