"""System 3 again: agents that search online, against the next hits of a search engine that read a part long ago."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from salticid.lab.reproduce.agent_searches import STARTS, Search, SearchLaboratory, Trail
from salticid.lab.reproduce.findings import Claim, Finding, finding_of, paper
from salticid.lab.reproduce.race import EQUAL, mean_text
from salticid.lab.reproduce.reproduction import FigureTable, PaperFigure, Reproduction, Setup
from salticid.lab.results import Curve
from salticid.lab.statistics import compare, curve, p_of_equality
from salticid.metrics import product, product_se
from salticid.model import Floats

NUMBER = 3
AGENTS, ENGINE = "MySpiders", "the engine"
COVERAGES, AGES = (0.05, 0.16, 0.3, 0.6, 1.0), (30, 90, 180, 365)
"""The engines of the grid: which share of the web they read, how many days ago."""
EARLY = 5


def reproduce(setup: Setup) -> Reproduction:
    """Run the experiment on two days of a generated web; nobody has a recording of a web on two days."""
    engine = paper(NUMBER).numbers["engine"]
    laboratory = SearchLaboratory(setup)
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
            "topics": f"{len(main.agents)}; {main.left_out} left out, for which the engine has too few hits",
            "pages": str(setup.pages),
            "start pages": f"the engine's first {STARTS} hits that are still there",
            "the engine": f"BM25 over {main.coverage:.0%} of the web as it was {main.days} days before, as the paper "
            "says of engines; its next hits, judged as they are now",
            "other engines": f"{len(COVERAGES)} shares of the web at {len(AGES)} ages" if setup.full else "with --full",
        },
        tables=tables,
        findings=list(_findings(main, setup.pages)),
        figures=figures,
    )


_PARTS: dict[str, Callable[[Trail], Floats]] = {
    "precision": lambda trail: trail.precision,
    "recall": lambda trail: trail.recall,
    "recency": lambda trail: trail.recency,
}


def _curves(search: Search, part: str) -> dict[str, Curve]:
    sides = {AGENTS: search.agents, ENGINE: search.engine}
    return {name: curve([_PARTS[part](trail) for trail in trails]) for name, trails in sides.items()}


def _figures(search: Search) -> Iterator[PaperFigure]:
    """Figures 5 to 10: three curves, two of one against the other, and a product with the paper's error."""
    p, r, t = (_curves(search, part) for part in _PARTS)
    for number, curves in (("5", p), ("6", r), ("7", t)):
        yield _figure(search, number, curves, main=True)
    for number, curves in (("8", p), ("9", t)):
        against = {name: Curve(r[name].mean, each.mean, each.se) for name, each in curves.items()}
        errors = {name: each.se for name, each in r.items()}
        yield _figure(search, number, against, x="estimated recall", x_errors=errors)
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
        for name, trails in ((AGENTS, search.agents), (ENGINE, search.engine))
        for at in (EARLY, *_lengths(pages))
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
    ours, theirs = ([_at(trail.precision, at) for trail in side] for side in (search.agents, search.engine))
    test = compare("precision", AGENTS, ENGINE, ours, theirs, 0)
    return "too few hits" if test is None or test.p is None else f"{test.diff:+.3f}, p = {test.p:.1g}"


def _grid_figures(grid: list[Search], pages: int) -> Iterator[PaperFigure]:
    """Where agents overtake the engine: their lead by the share of the web that it read, for each age."""
    printed = paper(NUMBER).figures["5"]
    for at in (EARLY, *_lengths(pages)):
        curves = {}
        for days in AGES:
            cells = [each for each in grid if each.days == days and each.agents]
            tests = [
                compare(
                    "precision",
                    AGENTS,
                    ENGINE,
                    [_at(trail.precision, at) for trail in each.agents],
                    [_at(trail.precision, at) for trail in each.engine],
                    0,
                )
                for each in cells
            ]
            points = [(each.coverage, test) for each, test in zip(cells, tests, strict=True) if test]
            errors = [(test.high - test.low) / 3.92 for _, test in points]
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


def _findings(search: Search, pages: int) -> Iterator[Finding]:
    claims = paper(NUMBER).claims
    quarter, middle, turn, late = pages // 4, pages // 2, 7 * pages // 10, 4 * pages // 5
    ask = _Questions(search)
    for at in (EARLY, quarter):
        yield ask.ahead(claims["precise_early"].about(pages=at), "precision", at)
    yield ask.fall(claims["peak"].about(pages=pages), AGENTS, "precision", EARLY, pages)
    yield ask.equal(claims["tie"].about(pages=middle), "precision", middle)
    for at in (late, pages):
        yield ask.ahead(claims["precise_late"].about(pages=at), "precision", at)
    yield ask.fall(claims["declining"].about(early=late, late=pages), ENGINE, "precision", late, pages)
    yield ask.ahead(claims["recall_early"].about(pages=EARLY), "recall", EARLY)
    yield ask.ahead(claims["recall_late"].about(pages=pages), "recall", pages)
    for at in (EARLY, middle, pages):
        yield ask.ahead(claims["recent"].about(pages=at), "recency", at)
    yield ask.by_far(claims["by_far"].about(pages=pages), pages)
    yield ask.fall(claims["staler"].about(early=turn, late=pages), ENGINE, "recency", turn, pages)
    span = {"early": turn, "late": pages}
    yield ask.fall(claims["product_grows"].about(**span), AGENTS, "product", pages, turn)
    yield ask.fall(claims["product_falls"].about(**span), ENGINE, "product", turn, pages)
    yield ask.growing_margin(claims["margin_grows"].about(**span), turn, pages)


@dataclass(frozen=True, slots=True)
class _Questions:
    """Questions to the trails, each answered by a test over topics."""

    search: Search

    def ahead(self, claim: Claim, part: str, at: int) -> Finding:
        """Whether agents have more of a measure than the engine after so many pages."""
        return self._differ(claim, self._values(AGENTS, part, at), self._values(ENGINE, part, at))

    def equal(self, claim: Claim, part: str, at: int) -> Finding:
        """Whether both have as much of a measure, to a tenth."""
        a, b = self._values(AGENTS, part, at), self._values(ENGINE, part, at)
        p = p_of_equality(a, b, EQUAL * float(np.mean([a, b]))) if a else None
        test = compare(claim.finding, AGENTS, ENGINE, a, b, 0)
        return finding_of(claim, self.search.where, self._means(a, b), test, p_same=p)

    def fall(self, claim: Claim, side: str, part: str, high: int, low: int) -> Finding:
        """Whether one side has more of a measure after `high` pages than after `low`."""
        a, b = self._values(side, part, high), self._values(side, part, low)
        here = f"{mean_text(a)} after {high} pages, {mean_text(b)} after {low}"
        return finding_of(claim, self.search.where, here, compare(claim.finding, side, side, a, b, 0))

    def by_far(self, claim: Claim, at: int) -> Finding:
        """Whether the agents' recency is more than one and a half orders of magnitude above the engine's."""
        orders = [
            float(np.log10(a / b))
            for a, b in zip(self._values(AGENTS, "recency", at), self._values(ENGINE, "recency", at), strict=True)
        ]
        test = compare(claim.finding, AGENTS, ENGINE, orders, [1.5] * len(orders), 0)
        here = f"{mean_text(orders)} orders of magnitude"
        return finding_of(claim, self.search.where, here, test)

    def growing_margin(self, claim: Claim, early: int, late: int) -> Finding:
        """Whether agents are further ahead in recency times recall later on."""
        margins = [
            [
                a - b
                for a, b in zip(self._values(AGENTS, "product", at), self._values(ENGINE, "product", at), strict=True)
            ]
            for at in (early, late)
        ]
        here = f"{mean_text(margins[0])} after {early} pages, {mean_text(margins[1])} after {late}"
        test = compare(claim.finding, AGENTS, ENGINE, margins[1], margins[0], 0)
        return finding_of(claim, self.search.where, here, test)

    def _differ(self, claim: Claim, a: list[float], b: list[float]) -> Finding:
        test = compare(claim.finding, AGENTS, ENGINE, a, b, 0)
        return finding_of(claim, self.search.where, self._means(a, b), test)

    def _values(self, side: str, part: str, at: int) -> list[float]:
        trails = self.search.agents if side == AGENTS else self.search.engine
        return [_at(getattr(trail, part), at) for trail in trails]

    def _means(self, a: list[float], b: list[float]) -> str:
        return f"{AGENTS} {mean_text(a)}, {ENGINE} {mean_text(b)}"


def _at(values: Floats, pages: int) -> float:
    """A curve after so many pages; one that ended sooner keeps its last."""
    return float(values[min(pages, len(values)) - 1])


def _lengths(pages: int) -> list[int]:
    return sorted({max(pages // 4, 1), max(pages // 2, 1), max(4 * pages // 5, 1), pages})
