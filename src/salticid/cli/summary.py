"""The summary of a finished crawl, for a person or a script."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from contextlib import closing
from itertools import accumulate
from typing import Any

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from salticid.cli.console import err, errors, even_sample, out, print_json, safe, show_table, sparkline
from salticid.cli.going_on import CAN_GO_ON, how_to_go_on, say_how_to_go_on
from salticid.cli.interrupts import INTERRUPTED
from salticid.crawl import HARVEST_WINDOW, NOWHERE_TO_GO
from salticid.model import Limits, Outcome, StopReason
from salticid.outlook import outlook
from salticid.runs.fates import fates_of_start_points
from salticid.runs.order import WHY, Order, Result
from salticid.store.crawl_folder import CrawlFolder, StoredVisit

BEST_PAGES, MOST_FATES = 10, 10
NOTHING_READ = 1
"""The exit status of a crawl that read no page."""
_CURVE_WIDTH = 60
_TITLE, _LEAST_TITLE = 45, 12
"""Characters of a title: at most, and at least where URLs are long."""


def tell(order: Order, result: Result, json: bool) -> int:
    """Say what came of a crawl, to a person or to a script; the exit status."""
    with closing(CrawlFolder(order.folder)) as folder:
        facts = {
            "topic": order.topic.name,
            "strategy": order.spec.strategy,
            "web": order.spec.web,
            "pages": result.pages,
            "fetches": result.fetches,
            "on_topic": len(folder.on_topic()),
            "hosts_on_topic": folder.hosts_on_topic(),
            "outcomes": folder.outcomes(),
            "stopped": result.stopped.value,
            "seconds": round(result.seconds, 3),
            "out": str(order.folder),
        }
        if json:
            print_json(facts)
        else:
            _show(folder, result.stopped, facts, order.spec.limits)
        _tell_fates(folder, result)
    if result.stopped is StopReason.INTERRUPTED:
        if json:
            say_how_to_go_on(order.folder)
        return INTERRUPTED
    return 0 if result.pages else NOTHING_READ


def _tell_fates(folder: CrawlFolder, result: Result) -> None:
    """Say on stderr which start points could not be read, and what to do about each."""
    fates = fates_of_start_points(folder)
    sentences = [fate.sentence for fate in fates if fate.state == "failed"]
    if not sentences and (result.pages or result.stopped is StopReason.INTERRUPTED):
        return
    about = f"{len(sentences)} of {len(fates)} start points could not be read"
    if not result.pages:
        about = "Nothing was read" if sentences else f"Nothing was read: {WHY[result.stopped]}"
    console = err if result.pages else errors
    console.print(f"{about}{':' if sentences else '.'}", highlight=False)
    for sentence in sentences[:MOST_FATES]:
        console.print(Text("  ") + safe(sentence), soft_wrap=True, highlight=False)
    if len(sentences) > MOST_FATES:
        more = f"salticid visits {shlex.quote(str(folder.folder))} --failed"
        console.print(
            Text("  ") + safe(f"and {len(sentences) - MOST_FATES} more; see {more}"), soft_wrap=True
        )


def outlook_text(positive: list[bool], reason: StopReason) -> str | None:
    """What seems to be left, in words; None while it is too early to say."""
    if reason in NOWHERE_TO_GO:
        return "no link is left to follow, so what else there is cannot be known from here."
    ahead = outlook([page for page, good in enumerate(positive, start=1) if good], len(positive))
    return None if ahead is None else f"{ahead.sentence}, as the judge sees it."


def _show(folder: CrawlFolder, reason: StopReason, facts: Mapping[str, Any], limits: Limits) -> None:
    """The best pages, the harvest curve, why it stopped, and what to type next."""
    if best := folder.best(BEST_PAGES):
        show_table(best_pages(best))
    positive = folder.positive()
    curve = even_sample(_running_harvest(positive), _CURVE_WIDTH)
    on_topic = facts["on_topic"]
    alike = len(folder.on_topic(twins=True)) - on_topic
    others = f", and {alike} that say the same" if alike else ""
    hosts = facts["hosts_on_topic"]
    where = f", on {hosts} {'host' if hosts == 1 else 'hosts'}" if hosts else ""
    out.print(
        f"Harvest {sparkline(curve, 1.0)} {on_topic} of {len(positive)} pages on topic{others}{where}",
        highlight=False,
        soft_wrap=True,
    )
    if (ahead := outlook_text(positive, reason)) is not None:
        out.print(f"Outlook: {ahead}", highlight=False, soft_wrap=True)
    failures = ", ".join(f"{count} {name}" for name, count in facts["outcomes"].items() if name != Outcome.OK)
    out.print(f"Fetches {facts['fetches']}" + (f" ({failures})" if failures else ""), highlight=False)
    out.print(f"Stopped: {reason.value} - {WHY[reason]}.", highlight=False)
    if reason in CAN_GO_ON:
        command = how_to_go_on(facts["out"], reason, limits)
        out.print(safe(f"Go on with: {command}"), soft_wrap=True, highlight=False)
    out.print(
        f"Kept in {facts['out']}; see every visit with: salticid visits {shlex.quote(facts['out'])}",
        highlight=False,
        soft_wrap=True,
    )


def best_pages(visits: list[StoredVisit]) -> Table:
    """Pages with the judge's score, as a table; where it is too narrow titles are cut first, and no URL is broken."""
    table = Table(title="Best pages", title_justify="left", box=None, pad_edge=False)
    table.add_column("score", justify="right", no_wrap=True)
    title, page = _widths(visits) if out.is_terminal else (_TITLE, None)
    table.add_column("title", overflow="ellipsis", no_wrap=True, max_width=title)
    table.add_column("page", overflow="ellipsis", no_wrap=True, max_width=page)
    for visit in visits:
        table.add_row(f"{visit.current_score:.3f}", safe(visit.title or ""), safe(visit.final_url))
    return table


def _widths(visits: list[StoredVisit]) -> tuple[int, int]:
    """How wide titles and URLs may be, that a row fits the terminal."""
    room = out.width - len("score") - 4
    longest = max((cell_len(visit.final_url) for visit in visits), default=0)
    title = min(_TITLE, max(room - longest, _LEAST_TITLE))
    return title, max(room - title, 1)


def _running_harvest(positive: list[bool]) -> list[float]:
    """The share of positives among the last pages, after each page.

    >>> _running_harvest([True, False])
    [1.0, 0.5]
    """
    so_far = list(accumulate(positive, initial=0))
    begins = (max(0, end - HARVEST_WINDOW) for end in range(1, len(so_far)))
    return [(so_far[end] - so_far[begin]) / (end - begin) for end, begin in enumerate(begins, start=1)]
