"""What came of a league, for people: who wins where, and web by web how the strategies stand."""

from __future__ import annotations

from collections.abc import Sequence

from salticid.lab.league import League, MatchResult, Place
from salticid.lab.plots.numbers import MISSING, finite, number, p_value
from salticid.lab.report import report_templates
from salticid.lab.report.leaders import LEVEL
from salticid.lab.report.tables import Cell, ReportTable, Row
from salticid.lab.reproduce.markdown import markdown_table
from salticid.lab.reproduce.reproduction import FigureTable
from salticid.lab.results import Score, Test
from salticid.text.templates import content_hash

_BEST = " best"
_MOST_NAMES = 3


def tables(results: Sequence[MatchResult]) -> list[FigureTable]:
    """Who wins where, then a table for each web."""
    webs = dict.fromkeys(match.web for match in results)
    return [
        _winners(results),
        *(_standings(web, [match for match in results if match.web == web]) for web in webs),
    ]


def markdown(league: League, results: Sequence[MatchResult]) -> str:
    """The tables as a document shows them."""
    return "\n\n".join([terms(league), *map(markdown_table, tables(results))]) + "\n"


def render(league: League, results: Sequence[MatchResult], report: str) -> str:
    """The tables as one page that needs nothing else; it leads to the `report` of each match beside it."""
    environment = report_templates("salticid.lab")
    return environment.get_template("league.html.j2").render(
        style_hash=content_hash(environment, "report.css"),
        terms=terms(league),
        tables=[(table.title, table.head[0], _report_table(table)) for table in tables(results)],
        matches=[(f"{match.web}, {begins(match)}", f"{match.folder}/{report}") for match in results],
    )


def terms(league: League) -> str:
    """Under which terms all crawled, and how to read the figures."""
    links = "any number of" if league.max_buffer is None else f"{league.max_buffer:,}"
    return (
        f"{league.max_pages:,} pages a crawl, {links} links remembered, judge {league.judge} for all, seed "
        f"{league.seed}. "
        "Shares of the oracle in %, the mean over topics. In brackets the 95 % interval of the distance to the best "
        "(bootstrap over topics, paired); p is of the paired t-test. Harvest in %, and hosts with targets, in the "
        "order of the columns."
    )


def begins(match: MatchResult) -> str:
    """How the crawls of a match begin."""
    return f"{match.task}, keywords alone" if match.keywords_alone else match.task


def _winners(results: Sequence[MatchResult]) -> FigureTable:
    head = [
        "web", "task", "topics", "best", "next", "ahead by", "p", "targets on most hosts",
        "not told apart from the best",
    ]  # fmt: skip
    return FigureTable("Who wins where", head, [_winner(match) for match in results])


def _winner(match: MatchResult) -> list[str]:
    best, *others = match.places
    second = others[0] if others else None
    lead = second.behind if second else None
    near = [each.strategy for each in others if not _is_behind(each.behind)]
    widest = max(match.places, key=lambda place: finite(place.relevant_hosts.mean) or 0.0)
    return [
        match.web,
        begins(match),
        str(match.topics),
        f"{best.strategy} {_percent(best.oracle_share)}",
        f"{second.strategy} {_percent(second.oracle_share)}" if second else MISSING,
        f"{number(100 * lead.diff, 1)} ({_interval(lead.low, lead.high)})" if lead else MISSING,
        p_value(lead.p if lead else None),
        f"{widest.strategy} {_hosts(widest)}"
        + ("" if widest is best else f" ({best.strategy} {_hosts(best)})"),
        _some(near),
    ]


def _some(names: Sequence[str]) -> str:
    """A few names, and how many more.

    >>> _some([]), _some(["a", "b"]), _some(["a", "b", "c", "d", "e"])
    ('none', 'a, b', 'a, b, c and 2 more')
    """
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more or "none"


def _standings(web: str, results: Sequence[MatchResult]) -> FigureTable:
    """A row a strategy, the best in the mean of all matches first."""
    by_name = [{place.strategy: place for place in match.places} for match in results]
    names = sorted(
        by_name[0], key=lambda name: -sum(finite(each[name].oracle_share.mean) or 0.0 for each in by_name)
    )
    rows = []
    for name in names:
        mine = [each[name] for each in by_name]
        rows.append(
            [
                name,
                *map(_share, mine),
                " / ".join(_percent(place.harvest, 0) for place in mine),
                " / ".join(map(_hosts, mine)),
            ]
        )
    return FigureTable(web, ["strategy", *map(begins, results), "harvest", "hosts"], rows)


def _report_table(table: FigureTable) -> ReportTable:
    """The table as reports show it, the best in bold."""
    rows = [
        Row(head, [Cell(text, bold=text.partition(",")[0].endswith(_BEST)) for text in cells])
        for head, *cells in table.rows
    ]
    return ReportTable(table.head[1:], rows)


def _share(place: Place) -> str:
    """The share of a strategy, and how far it is from the best."""
    share, test = _percent(place.oracle_share), place.behind
    failed = f", failed on {place.failed}" if place.failed else ""
    if test is None:
        return f"{share}{failed}" if finite(place.oracle_share.mean) is None else f"{share}{_BEST}{failed}"
    return f"{share} ({_interval(-test.high, -test.low)}){failed}"


def _is_behind(test: Test | None) -> bool:
    """Whether a strategy is behind the best by more than chance; one without a value is."""
    return test is None or (test.p is not None and test.p < LEVEL)


def _interval(low: float, high: float) -> str:
    return f"{number(100 * low, 1)} to {number(100 * high, 1)}"


def _percent(score: Score, digits: int = 1) -> str:
    mean = finite(score.mean)
    return MISSING if mean is None else number(100 * mean, digits)


def _hosts(place: Place) -> str:
    return number(finite(place.relevant_hosts.mean), 1)
