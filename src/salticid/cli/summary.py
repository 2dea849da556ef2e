"""How a finished crawl is told to a person."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from typing import Any

from rich.table import Table

from salticid.cli.console import out, safe, sparkline, thinned
from salticid.crawl import HARVEST_WINDOW
from salticid.model import Outcome, StopReason
from salticid.store.folder import CrawlFolder, StoredVisit

BEST_PAGES = 10
_CURVE_WIDTH = 60

_WHY = {
    StopReason.BUDGET: "the page budget is used up",
    StopReason.FETCHES: "the fetch budget is used up: most links led nowhere",
    StopReason.TIME: "the time is up",
    StopReason.CONDITION: "the stop condition came true",
    StopReason.FRONTIER_EMPTY: "no link is left to follow",
    StopReason.EXTINCT: "the last agent died",
    StopReason.STALLED: "the agents only went in circles",
    StopReason.WAITING: "only hosts are left that asked us to stay away",
    StopReason.INTERRUPTED: "it was interrupted",
}

_LARGER = {
    StopReason.BUDGET: "--max-pages",
    StopReason.FETCHES: "--max-fetches",
    StopReason.TIME: "--max-time",
}
"""The limit that a crawl has come to."""
_CAN_GO_ON = (*_LARGER, StopReason.WAITING, StopReason.INTERRUPTED)


def show_summary(crawled: CrawlFolder, stopped: StopReason, result: Mapping[str, Any]) -> None:
    """The best pages, the harvest curve, why it stopped, and what to type next."""
    if best := crawled.best(BEST_PAGES):
        out.print(best_pages(best))
    pages = [visit for visit in crawled.visits() if visit.outcome == Outcome.OK and not visit.revisit]
    found = sum(visit.positive for visit in pages)
    curve = thinned(_running_harvest([visit.positive for visit in pages]), _CURVE_WIDTH)
    out.print(
        f"Harvest {sparkline(curve, 1.0)} {found} of {len(pages)} pages judged on topic", highlight=False
    )
    failed = ", ".join(f"{count} {name}" for name, count in result["outcomes"].items() if name != Outcome.OK)
    out.print(f"Fetches {result['fetches']}" + (f" ({failed})" if failed else ""), highlight=False)
    out.print(f"Stopped: {stopped.value} - {_WHY[stopped]}.", highlight=False)
    if stopped in _CAN_GO_ON:
        out.print(safe(f"Go on with: {how_to_go_on(result['out'], stopped)}"), soft_wrap=True)
    out.print(
        f"Kept in {result['out']}; see every visit with: salticid visits {shlex.quote(result['out'])}",
        highlight=False,
        soft_wrap=True,
    )


def how_to_go_on(folder: str, stopped: StopReason) -> str:
    """What to type to continue the crawl in a folder."""
    words = sys.argv[1:]
    if not any(word == "--out" or word.startswith("--out=") for word in words):
        words = [*words, "--out", folder]
    command = shlex.join(["salticid", *words])
    larger = _LARGER.get(stopped)
    return f"{command} with a larger {larger}" if larger else command


def best_pages(visits: list[StoredVisit]) -> Table:
    """Pages with the judge's score, as a table."""
    table = Table(title="Best pages", title_justify="left", box=None, pad_edge=False)
    table.add_column("score", justify="right")
    table.add_column("title", overflow="ellipsis", no_wrap=True, max_width=45)
    table.add_column("page", overflow="fold")
    for visit in visits:
        table.add_row(f"{visit.score:.3f}", safe(visit.title or "", 45), safe(visit.final_url))
    return table


def _running_harvest(positive: list[bool]) -> list[float]:
    """The share of positives among the last pages, after each page."""
    windows = (positive[max(0, at - HARVEST_WINDOW) : at] for at in range(1, len(positive) + 1))
    return [sum(window) / len(window) for window in windows]
