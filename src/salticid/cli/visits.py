"""`salticid visits`: every visit of a crawl."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from salticid.cli.console import out, print_json, safe
from salticid.cli.crawl_reading import crawl_in
from salticid.model import Outcome
from salticid.runs.fates import Causes, failures, failures_by_host
from salticid.store.crawl_folder import CrawlFolder, StoredVisit
from salticid.store.exports.selection import PageOrder
from salticid.store.verdicts import is_on_topic


def visits(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a crawl.")],
    json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
    order: Annotated[PageOrder, typer.Option(help="As visited, or the best first.")] = PageOrder.VISITS,
    failed: Annotated[bool, typer.Option("--failed", help="What could not be read, and why.")] = False,
    digest: Annotated[bool, typer.Option("--digest", help="Only a digest: equal for equal crawls.")] = False,
) -> None:
    """List every visit of a crawl, in order or the best first; or what failed, host by host.

    Example: salticid visits crawls/ballooning-best_first --json | head
    """
    with crawl_in(folder) as crawl:
        if digest:
            typer.echo(crawl.digest())
        elif failed:
            _list_failures(crawl, json)
        else:
            _list_visits(crawl, order, json)


def _list_visits(crawl: CrawlFolder, order: PageOrder, json: bool) -> None:
    line = crawl.line()
    for visit in crawl.visits() if order is PageOrder.VISITS else crawl.visits_at(crawl.ranking()):
        if json:
            print_json(visit.listing())
        else:
            out.print(_line(visit, line), soft_wrap=True, highlight=False)


def _list_failures(crawl: CrawlFolder, json: bool) -> None:
    """Each that failed for a script; for a person the hosts and the causes, those with most first."""
    if json:
        causes = Causes(crawl)
        for visit in failures(crawl):
            print_json({**visit.listing(), "cause": causes.of(visit)})
        return
    for host in failures_by_host(crawl):
        many = f"{host.count} links, as" if host.count > 1 else "as"
        out.print(safe(f"{host.host}: {host.cause} ({many} {host.url})"), soft_wrap=True, highlight=False)


def _line(visit: StoredVisit, line: float) -> Text:
    """A visit as it is judged by now."""
    good = visit.outcome == Outcome.OK and is_on_topic(visit.current_score, visit.word, line)
    mark = "+" if good else " "
    start = Text(f"{visit.step:>6} {mark} {visit.current_score:.3f} {visit.outcome:<15} ")
    said = f"({visit.word}) " if visit.word else ""
    return start + safe(visit.final_url) + Text("  ") + safe(f"{said}{visit.title or ''}")
