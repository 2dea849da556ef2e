"""System 3 again: agents that search online, against the next hits of a search engine that read a part long ago."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from salticid.lab.reproduce.agent_searches import STARTS, Search, SearchLaboratory, Trail
from salticid.lab.reproduce.findings import Claim, Finding, finding_of, paper
from salticid.lab.reproduce.race import SHARE, equality, mean_text, part_of_mean
from salticid.lab.reproduce.reproduction import FigureTable, PaperFigure, Reproduction, Setup
from salticid.lab.results import Curve
from salticid.lab.statistics import compare, curve
from salticid.metrics import product, product_se
from salticid.model import Floats

NUMBER = 3
AGENTS, LETTER, ENGINE = "MySpiders", "MySpiders, letter", "the engine"
SPIDERS, LETTER_SPIDERS = "myspiders", "myspiders:memory=page,near=links,beta=8"
"""MySpiders as they are here, and by the letter of the paper."""
COVERAGES, AGES = (0.05, 0.16, 0.3, 0.6, 1.0), (30, 90, 180, 365)
"""The engines of the grid: which share of the web they read, how many days ago."""
EARLY = 5
ORDERS = 0.1
"""The smallest difference of orders of magnitude that matters."""


def reproduce(setup: Setup) -> Reproduction:
    """Run the experiment on two days of a generated web; nobody has a recording of a web on two days."""
    engine = paper(NUMBER).numbers["engine"]
    agents = {AGENTS: SPIDERS, **({LETTER: LETTER_SPIDERS} if setup.letter else {})}
    laboratory = SearchLaboratory(setup, agents, ENGINE)
    main = laboratory.search(engine["coverage"], int(engine["days"]))
    tables = [_table(main, setup.pages)]
    figures = list(_figures(main))
    if setup.full:
        grid = [laboratory.search(coverage, days) for days in AGES for coverage in COVERAGES]
        tables += [_grid_table(grid, at) for at in _lengths(setup.pages)]
        figures += _grid_figures(grid, setup.pages)
    return Reproduction(
        number=NUMBER,
        paper=paper(NUMBER).title,
        data=f"a generated web of {laboratory.size:,} pages, read by the engine on day 0 and searched later",
        settings={
            "topics": f"{len(main.trails[ENGINE])}; {main.left_out} left out, for which the engine has too few hits",
            "pages": str(setup.pages),
            "start pages": f"the engine's first {STARTS} hits that are still there",
            "the engine": f"BM25 over {main.coverage:.0%} of the web as it was {main.days} days before, as the paper "
            "says of engines; its next hits, judged as they are now",
            "other engines": f"{len(COVERAGES)} shares of the web at {len(AGES)} ages" if setup.full else "with --full",
        },
        tables=tables,
        findings=[finding for name in agents for finding in _findings(main, name, setup.pages)],
        figures=figures,
    )


_PARTS: dict[str, Callable[[Trail], Floats]] = {
    "precision": lambda trail: trail.precision,
    "recall": lambda trail: trail.recall,
    "recency": lambda trail: trail.recency,
}


def _curves(search: Search, part: str) -> dict[str, Curve]:
    return {name: curve([_PARTS[part](trail) for trail in trails]) for name, trails in search.trails.items()}


def _figures(search: Search) -> Iterator[PaperFigure]:
    """Figures 5 to 10: three curves, two of one against the other, and a product with the paper's error."""
    p, r, t = (_curves(search, part) for part in _PARTS)
    for number, curves in (("5", p), ("6", r), ("7", t)):
        yield _figure(search, number, curves, main=True)
    for number, curves in (("8", p), ("9", t)):
        against = {name: Curve(r[name].mean, each.mean, each.se) for name, each in curves.items()}
        errors = {name: each.se for name, each in r.items()}
        yield _figure(search, number, against, x="estimated recall", x_errors=errors, main=True)
    products = {
        name: Curve(
            r[name].x,
            product(np.array(t[name].mean), np.array(r[name].mean)).tolist(),
            product_se(*(np.array(each) for each in (t[name].mean, t[name].se, r[name].mean, r[name].se))).tolist(),
        )
        for name in r
    }
    yield _figure(search, "10", products, main=True)


def _figure(
    search: Search,
    number: str,
    curves: dict[str, Curve],
    x: str = "pages",
    x_errors: dict[str, list[float]] | None = None,
    main: bool = False,
) -> PaperFigure:
    printed = paper(NUMBER).figures[number]
    y = printed.title[0].lower() + printed.title.partition(" against ")[0][1:]
    return PaperFigure(
        f"Figure {number}",
        printed.title,
        search.where,
        printed.quote,
        x,
        y,
        curves,
        x_errors=x_errors or {},
        main=main,
    )


def _table(search: Search, pages: int) -> FigureTable:
    rows = [
        [
            name,
            str(at),
            *(mean_text([_at(part(trail), at) for trail in trails]) for part in _PARTS.values()),
            mean_text([_at(trail.product, at) for trail in trails]),
        ]
        for name, trails in search.trails.items()
        for at in sorted({EARLY, *_lengths(pages)})
    ]
    return FigureTable(
        f"Estimated precision, recall, recency, and recency times recall, {search.where}",
        ["who", "pages", "P", "R", "T", "T*R"],
        rows,
    )


def _grid_table(grid: list[Search], at: int) -> FigureTable:
    """The lead of the agents in precision over each engine, with its p."""
    cells = {(each.days, each.coverage): _lead(each, at) for each in grid}
    return FigureTable(
        f"Lead of the agents in estimated precision after {at} pages, and its p, by engine",
        ["read", *(f"{coverage:.0%} of the web" for coverage in COVERAGES)],
        [[f"{days} days ago", *(cells[days, coverage] for coverage in COVERAGES)] for days in AGES],
    )


def _lead(search: Search, at: int) -> str:
    ours, theirs = ([_at(trail.precision, at) for trail in search.trails[side]] for side in (AGENTS, ENGINE))
    test = compare("precision", AGENTS, ENGINE, ours, theirs)
    return "too few hits" if test is None or test.p is None else f"{test.diff:+.3f}, p = {test.p:.1g}"


def _grid_figures(grid: list[Search], pages: int) -> Iterator[PaperFigure]:
    """Where agents overtake the engine: their lead by the share of the web that it read, for each age."""
    printed = paper(NUMBER).figures["5"]
    for at in sorted({EARLY, *_lengths(pages)}):
        curves = {}
        for days in AGES:
            cells = [each for each in grid if each.days == days and each.trails[ENGINE]]
            tests = [
                compare(
                    "precision",
                    AGENTS,
                    ENGINE,
                    [_at(trail.precision, at) for trail in each.trails[AGENTS]],
                    [_at(trail.precision, at) for trail in each.trails[ENGINE]],
                )
                for each in cells
            ]
            points = [(each.coverage, test) for each, test in zip(cells, tests, strict=True) if test]
            errors = [(test.width or 0.0) / 3.92 for _, test in points]
            curves[f"{days} days old"] = Curve(
                [100 * coverage for coverage, _ in points], [test.diff for _, test in points], errors
            )
        yield PaperFigure(
            f"Beyond Figure 5, {at} pages",
            "Lead of the agents in precision over engines that read more of the web",
            "generated",
            printed.quote,
            "share of the web that the engine read, %",
            "lead in estimated precision",
            curves,
            log=True,
        )


def _findings(search: Search, agents: str, pages: int) -> Iterator[Finding]:
    """All that the paper says of agents; of the engine alone only once."""
    claims = paper(NUMBER).claims
    quarter, middle, turn, late = pages // 4, pages // 2, 7 * pages // 10, 4 * pages // 5
    ask = _Questions(search, agents)
    for at in sorted({EARLY, quarter}):
        yield ask.ahead(claims["precise_early"].about(pages=at), "precision", at)
    yield ask.fall(claims["peak"].about(pages=pages), agents, "precision", EARLY, pages)
    yield ask.equal(claims["tie"].about(pages=middle), "precision", middle)
    for at in (late, pages):
        yield ask.ahead(claims["precise_late"].about(pages=at), "precision", at)
    yield ask.ahead(claims["recall_early"].about(pages=EARLY), "recall", EARLY)
    yield ask.ahead(claims["recall_late"].about(pages=pages), "recall", pages)
    for at in sorted({EARLY, middle, pages}):
        yield ask.ahead(claims["recent"].about(pages=at), "recency", at)
    yield ask.by_far(claims["by_far"].about(pages=pages), pages)
    span = {"early": turn, "late": pages}
    yield ask.fall(claims["product_grows"].about(**span), agents, "product", pages, turn)
    yield ask.growing_margin(claims["margin_grows"].about(**span), turn, pages)
    if agents == AGENTS:
        yield ask.fall(claims["declining"].about(early=late, late=pages), ENGINE, "precision", late, pages)
        yield ask.fall(claims["staler"].about(**span), ENGINE, "recency", turn, pages)
        yield ask.fall(claims["product_falls"].about(**span), ENGINE, "product", turn, pages)


@dataclass(frozen=True, slots=True)
class _Questions:
    """Questions to the trails, each answered by a test over topics."""

    search: Search
    agents: str

    @property
    def where(self) -> str:
        """On what, and whether by the letter."""
        return self.search.where + ("" if self.agents == AGENTS else ", letter")

    def ahead(self, claim: Claim, part: str, at: int) -> Finding:
        """Whether agents have more of a measure than the engine after so many pages."""
        a, b = self._values(self.agents, part, at), self._values(ENGINE, part, at)
        return self._differ(claim, self._means(a, b), a, b, self._least(part, a, b))

    def equal(self, claim: Claim, part: str, at: int) -> Finding:
        """Whether both have as much of a measure, to a tenth."""
        a, b = self._values(self.agents, part, at), self._values(ENGINE, part, at)
        return equality(claim, self.where, self._means(a, b), a, b)

    def fall(self, claim: Claim, side: str, part: str, high: int, low: int) -> Finding:
        """Whether one side has more of a measure after `high` pages than after `low`."""
        a, b = self._values(side, part, high), self._values(side, part, low)
        here = f"{mean_text(a)} after {high} pages, {mean_text(b)} after {low}"
        return self._differ(claim, here, a, b, self._least(part, a, b))

    def by_far(self, claim: Claim, at: int) -> Finding:
        """Whether the agents' recency is more than one and a half orders of magnitude above the engine's."""
        orders = np.log10(self._values(self.agents, "recency", at)) - np.log10(self._values(ENGINE, "recency", at))
        here = f"{mean_text(orders.tolist())} orders of magnitude"
        return self._differ(claim, here, orders.tolist(), [1.5] * len(orders), ORDERS)

    def growing_margin(self, claim: Claim, early: int, late: int) -> Finding:
        """Whether agents are further ahead in recency times recall later on."""
        sides = [[self._values(side, "product", at) for side in (self.agents, ENGINE)] for at in (early, late)]
        before, after = ([a - b for a, b in zip(*both, strict=True)] for both in sides)
        here = f"{mean_text(before)} after {early} pages, {mean_text(after)} after {late}"
        return self._differ(claim, here, after, before, part_of_mean(*sides[0]))

    def _differ(self, claim: Claim, here: str, a: list[float], b: list[float], least: float) -> Finding:
        return finding_of(claim, self.where, here, compare(claim.finding, "", "", a, b), least)

    def _least(self, part: str, a: list[float], b: list[float]) -> float:
        return SHARE if part in ("precision", "recency") else part_of_mean(a, b)

    def _values(self, side: str, part: str, at: int) -> list[float]:
        return [_at(getattr(trail, part), at) for trail in self.search.trails[side]]

    def _means(self, a: list[float], b: list[float]) -> str:
        return f"{self.agents} {mean_text(a)}, {ENGINE} {mean_text(b)}"


def _at(values: Floats, pages: int) -> float:
    """A curve after so many pages; one that ended sooner keeps its last."""
    return float(values[min(pages, len(values)) - 1])


def _lengths(pages: int) -> list[int]:
    return sorted({max(pages // 4, 1), max(pages // 2, 1), max(4 * pages // 5, 1), pages})
