"""A crawl at a terminal: progress, Ctrl-C, the summary at its end, and the command that resumes it."""

from __future__ import annotations

import shlex
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from salticid.api import HuntProgress
from salticid.cli.console import Work, err, errors, even_sample, out, print_json, safe, show_table, sparkline
from salticid.cli.interrupts import INTERRUPTED
from salticid.crawl import HARVEST_WINDOW, NOWHERE_TO_GO
from salticid.model import Outcome, StopReason, Visit
from salticid.outlook import outlook
from salticid.runs import (
    WHY,
    Onlooker,
    Order,
    Result,
    Run,
    fates_of_start_points,
    run,
    walls_sentence,
    without_password,
    without_value,
)
from salticid.store import CrawlFolder, StoredVisit
from salticid.topic import Limits

if TYPE_CHECKING:
    from salticid.runs import MetricsServer

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def hunt(order: Order, verbose: bool = False, metrics: MetricsServer | None = None) -> Result:
    """Crawl, or go on with a crawl, and show how far it is; of every visit what came of it, if that is wanted.

    `metrics` serves its numbers meanwhile.
    """
    with (VerboseTerminal if verbose else Terminal)(order.folder) as terminal:
        if metrics is not None:
            terminal.serve_metrics(metrics)
        return run(order, terminal)


class Terminal(HuntProgress):
    """Shows a crawl on a console, and ends it on signals. Use it as a context."""

    def __init__(self, folder: Path, console: Console = err, signals: Sequence[signal.Signals] = _SIGNALS) -> None:
        super().__init__(folder, True, signals)
        self._console = console
        self._numbers = Onlooker()

    def serve_metrics(self, server: MetricsServer) -> None:
        """Let programs ask for its numbers."""
        from salticid.runs import MetricsPort  # here: few need it

        self._numbers = MetricsPort(server)
        self.warn(server.notice)

    def say(self, sentence: str) -> None:
        self._console.print(safe(sentence), highlight=False, soft_wrap=True)

    def work(self, what: str, total: int) -> Work:
        return Work(what, total, self._console)

    def ready(self, run: Run) -> None:
        self._numbers.ready(run)
        super().ready(run)

    def visit(self, visit: Visit) -> None:
        self._numbers.visit(visit)
        super().visit(visit)


class VerboseTerminal(Terminal):
    """Tells of every visit, too."""

    def visit(self, visit: Visit) -> None:
        start = f"{visit.step:>6} {'+' if visit.positive else ' '} {visit.score:.3f} {visit.outcome:<15} "
        url = safe(self._run.crawl.brief.urls[visit.final])
        self._console.print(Text(start) + url, highlight=False, soft_wrap=True)
        super().visit(visit)


# The command that goes on with a crawl: what was typed, with a larger limit where it had come to one.

_AT_A_LIMIT = (StopReason.BUDGET, StopReason.FETCHES, StopReason.TIME)
CAN_GO_ON = (*_AT_A_LIMIT, StopReason.WAITING, StopReason.INTERRUPTED)
"""Reasons after which the same command, perhaps with a larger limit, finds something to do."""
_SECRET = {"--proxy": without_password, "--header": without_value}
"""Options of which not all may be shown."""
_FACTOR = 2
"""A limit that a crawl has come to is so many times as large in the command that goes on."""


def how_to_go_on(folder: str, reason: StopReason, limits: Limits) -> str:
    """What to type to continue the crawl in a folder, which ended for this reason under these limits."""
    words = _without_passwords([word for word in sys.argv[1:] if word != "--new"])
    if not any(word == "--out" or word.startswith("--out=") for word in words):
        words = [*words, "--out", folder]
    return shlex.join(["salticid", *_with_more_room(words, reason, limits)])


def say_how_to_go_on(folder: Path) -> None:
    """A crawl was interrupted: say on stderr what continues it."""
    command = how_to_go_on(str(folder), StopReason.INTERRUPTED, Limits())
    err.print(safe(f"Interrupted. Go on with: {command}"), soft_wrap=True)


def _with_more_room(words: Sequence[str], reason: StopReason, limits: Limits) -> list[str]:
    """What was typed, with a larger limit if the crawl has come to one.

    >>> _with_more_room(["crawl", "t.toml", "--max-pages=30"], StopReason.BUDGET, Limits(max_pages=30))
    ['crawl', 't.toml', '--max-pages', '60']
    >>> _with_more_room(["crawl", "t.toml", "--max-time", "1m"], StopReason.TIME, Limits(max_seconds=60))
    ['crawl', 't.toml', '--max-time', '120s']
    >>> _with_more_room(["crawl", "--stop-when", "seconds > 60"], StopReason.TIME, Limits(max_seconds=60))
    ['crawl', '--stop-when', 'seconds > 120']
    """
    match reason:
        case StopReason.BUDGET:
            return _with_option(words, "--max-pages", f"{_FACTOR * limits.max_pages}")
        case StopReason.FETCHES:
            return _with_option(words, "--max-fetches", f"{_FACTOR * limits.fetches}")
        case StopReason.TIME if limits.max_seconds is not None:
            seconds = f"{_FACTOR * limits.max_seconds:g}"
            if any(word.removeprefix("--stop-when=").strip().startswith("seconds") for word in words):
                return _with_option(words, "--stop-when", f"seconds > {seconds}")
            return _with_option(words, "--max-time", f"{seconds}s")
    return list(words)


def _with_option(words: Sequence[str], option: str, value: str) -> list[str]:
    """What was typed, with this value of an option where it stood, else at the end."""
    found: list[str] = []
    rest, at = iter(words), None
    for word in rest:
        if word == option or word.startswith(f"{option}="):
            at = len(found) if at is None else at
            if word == option:
                next(rest, None)
        else:
            found.append(word)
    at = len(found) if at is None else at
    return [*found[:at], option, value, *found[at:]]


def _without_passwords(words: Sequence[str]) -> list[str]:
    """What was typed, as it may be shown.

    >>> _without_passwords(["crawl", "--proxy=http://me:secret@p.example", "--header", "a.example: X-Key: secret"])
    ['crawl', '--proxy=http://***@p.example', '--header', 'a.example: X-Key: ***']
    """
    shown: list[str] = []
    before = ""
    for word in words:
        option, equals, value = word.partition("=")
        if equals and option in _SECRET:
            word = f"{option}={_SECRET[option](value)}"
        elif before in _SECRET:
            word = _SECRET[before](word)
        shown.append(word)
        before = word
    return shown


# The summary of a finished crawl, for a person or a script.

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
            "outcomes": (outcomes := folder.outcomes()),
            "kept_out": outcomes.get(Outcome.KEPT_OUT.value, 0),
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
        console.print(Text("  ") + safe(f"and {len(sentences) - MOST_FATES} more; see {more}"), soft_wrap=True)


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
    if facts["kept_out"]:
        see = f"salticid visits {shlex.quote(facts['out'])} --failed"
        out.print(safe(f"Walls: {walls_sentence(folder)}; see {see}"), soft_wrap=True, highlight=False)
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
