"""`salticid watch`: what is new since last time; `salticid refresh`: ask again for the good pages of a crawl."""

from __future__ import annotations

import shlex
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from salticid.cli import options
from salticid.cli.console import Work, err, out, print_json, print_table, safe, warn
from salticid.cli.interrupts import INTERRUPTED, interruptible
from salticid.errors import SalticidError, UserError
from salticid.runs import LiveSettings, keywords, values_of
from salticid.topic import duration

if TYPE_CHECKING:
    from salticid.runs import Order
    from salticid.store.news import NewsPage, RoundNews

# What a round of watching brought, for a person at a terminal.

MOST_ROWS = 20
"""Pages of each kind that are shown."""
_TITLE, _STORY = 50, 80


def print_round(news: RoundNews, digest: Path) -> None:
    """Print the pages of a round, the best first, and where its digest lies, if it has one yet."""
    from salticid.store.news import in_short

    kinds = (("new", news.new), ("changed", news.changed), ("gone", news.gone), ("back", news.back))
    rows = [row for kind, pages in kinds for row in _rows(kind, pages)]
    print_table(f"Round {news.round}: {in_short(news)}", ("", "score", "title", "what", "address"), rows)
    if digest.is_file():
        out.print(safe(f"All of it: {digest}"), highlight=False, soft_wrap=True)


def _rows(kind: str, pages: Sequence[NewsPage]) -> Iterable[tuple[str, ...]]:
    for page in pages[:MOST_ROWS]:
        title, story = safe(page.title, _TITLE).plain, safe(_story(page), _STORY).plain
        yield kind, f"{page.score:.3f}", title, story, page.url
    if len(pages) > MOST_ROWS:
        yield kind, "", f"and {len(pages) - MOST_ROWS} more", "", ""


def _story(page: NewsPage) -> str:
    """What is new about a page, in a few words."""
    from salticid.store.news import ChangedPage, GonePage, NewPage

    match page:
        case NewPage(opening=opening):
            return opening
        case ChangedPage(change=change) if change is not None:
            added, removed = (
                len(change.added) + change.more_added,
                len(change.removed) + change.more_removed,
            )
            return f"+{added} -{removed} {' '.join(change.added[:1] or change.removed[:1])}"
        case GonePage(before=before) if before is not None:
            return f"last read {before:%Y-%m-%d}"
    return ""


_NOBODY_THERE, _NOTHING_FETCHED = 1, 3
"""Exit statuses: the round could not finish, and the next one resumes it; it had pages to revisit and fetched none."""


@options.spec_options(again=True)
def watch(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a crawl of the live web.")],
    max_fetches: Annotated[
        int | None,
        typer.Option(min=1, help="Requests of a round, looking again and hunting on together."),
    ] = None,
    every: Annotated[
        str | None,
        typer.Option(help="Stay, and make a round as often as that, as in 1d.", metavar="DURATION"),
    ] = None,
    keep: options.Keep = None,
    strategy: Annotated[
        str | None,
        typer.Option(help="The crawl's strategy, if it is a class of your own.", metavar="FILE.py:Class"),
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(help="The crawl's judge, if it is a class of your own.", metavar="FILE.py:Class"),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object a round.")] = False,
    quiet: options.Quiet = False,
    **fields: Any,
) -> int:
    """Look at the pages of a crawl again, hunt on from what is new, and tell what that brought.

    One round; with --every, rounds until it is stopped. What a round brought lies in DIR/rounds, as a page, as JSON and
    as a feed.

    Example: salticid watch crawls/ballooning-hunter --every 1d
    """
    typed = {name: value for name, value in fields.items() if options.is_typed(context, name)}
    seconds = None if every is None else duration(every)
    if seconds == 0:
        raise UserError("--every 0 leaves no time between rounds; say how long, as in --every 1d")
    order = partial(_order, folder, typed, (strategy, judge))
    order()  # an error here cannot heal by waiting
    return _rounds(partial(_round, folder, order, max_fetches, keep, json), folder, seconds)


def _rounds(make_round: Callable[[], int], folder: Path, every: float | None) -> int:
    """One round, or one after another; the exit status."""
    try:
        if every is None:
            status = make_round()
        while every is not None:
            start = time.monotonic()
            status = _retried(make_round)
            if status == INTERRUPTED or _is_stopped_until(start + every):
                break
    except KeyboardInterrupt:
        status = INTERRUPTED
    if every is not None or status == INTERRUPTED:
        how = f"Interrupted. Go on with: salticid watch {shlex.quote(str(folder))}"
        err.print(safe(how), highlight=False, soft_wrap=True)
        return INTERRUPTED
    return status


def _retried(make_round: Callable[[], int]) -> int:
    """One round of many: an error is reported, and the next round tries again."""
    try:
        return make_round()
    except (SalticidError, OSError, sqlite3.Error) as error:
        warn(f"This round failed: {error}. The next round tries again.")
        return _NOBODY_THERE


def _is_stopped_until(then: float) -> bool:
    """Sleep until the next round; whether somebody wants no more of them."""
    seconds = max(then - time.monotonic(), 0.0)
    err.print(f"The next round begins in {_length(seconds)}.", highlight=False)
    with interruptible() as interrupted:
        interrupted.wait(seconds)
    return interrupted.is_set()


def _order(
    folder: Path,
    typed: Mapping[str, Any],
    own: tuple[str | None, str | None],
    say: Callable[[str], None] = lambda _: None,
) -> tuple[Order, LiveSettings]:
    """The crawl in a folder, to be fetched as the command says; `say` hears which options are missing.

    `own`: the strategy and the judge that the user named again.
    """
    from salticid.runs import (
        kept_order,  # here, as what follows: it takes its time to import
        last_settings,
    )
    from salticid.worlds import backlinks_from

    settings = last_settings(folder, values_of(typed, LiveSettings), say)
    return kept_order(folder, settings, backlinks_from, *own), settings


def _round(
    folder: Path,
    order_again: Callable[..., tuple[Order, LiveSettings]],
    fetches: int | None,
    keep: int | None,
    json: bool,
) -> int:
    """One round, and what it brought; the exit status."""
    import asyncio  # here, as what follows: it takes its time to import

    from salticid.cli.terminal import Terminal
    from salticid.runs import ROUND_INTERRUPTED, watch_crawl
    from salticid.store.news import digest_folder

    order, settings = order_again(say=warn)
    with Terminal(folder) as terminal:
        result = asyncio.run(watch_crawl(order, settings, fetches, terminal, keep=keep))
    facts = {
        "round": result.news.round,
        **result.news.counts,
        "fetches": result.fetches,
        "stopped": result.stopped,
        "out": str(folder),
    }
    if json:
        print_json(facts)
    else:
        print_round(result.news, digest_folder(folder, result.news.round) / "digest.html")
    if result.nobody_there:
        err.print(f"Nobody could be reached for {settings.patience:.0f} s.", highlight=False)
        return _NOBODY_THERE
    if result.stopped == ROUND_INTERRUPTED:
        return INTERRUPTED
    if result.why_none:
        warn(result.why_none)
        return _NOTHING_FETCHED
    return 0


def _length(seconds: float) -> str:
    """A stretch of time in words.

    >>> _length(90061), _length(59.6)
    ('1 d 1 h', '1 min')
    """
    minutes = round(seconds / 60)
    parts = ((minutes // 1440, "d"), (minutes // 60 % 24, "h"), (minutes % 60, "min"))
    told = [f"{many} {unit}" for many, unit in parts if many][:2]
    return " ".join(told) or f"{seconds:.0f} s"


@options.spec_options(again=True)
def refresh(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a crawl of the live web.")],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: options.Quiet = False,
    keep: options.Keep = None,
    **fields: Any,
) -> int:
    """Ask again for the good pages of a crawl: changed, gone, or the same.

    They are asked for as in the last run of the crawl, but for what is typed here.

    Example: salticid refresh crawls/ballooning-hunter
    """
    return _refresh(folder, _typed_options(context), json, keep)


def refresh_alias(context: typer.Context, folder: Path, json: bool) -> int:
    """`salticid crawl --refresh DIR`, which takes no option of a crawl but those of the live web."""
    params = _typed_options(context)
    live = {name for name, field in keywords().items() if field.home is LiveSettings}
    if odd := sorted(params.keys() - {*live, "refresh", "quiet"}):
        what = str(params["topic_file"]) if "topic_file" in odd else f"--{odd[0].replace('_', '-')}"
        raise UserError(f"{what} says nothing to --refresh, which asks again for what {folder} holds; leave it out")
    return _refresh(folder, params, json)


def _typed_options(context: typer.Context) -> dict[str, Any]:
    """The options that were typed."""
    own = ("folder", "json", "keep")
    return {
        name: value for name, value in context.params.items() if name not in own and options.is_typed(context, name)
    }


def _refresh(folder: Path, params: Mapping[str, Any], json: bool, keep: int | None = None) -> int:
    import asyncio  # here, as what follows: it takes its time to import

    from salticid.cli.terminal import Terminal
    from salticid.runs import PageFate, Refresh, last_settings
    from salticid.runs import refresh as ask_again
    from salticid.store.archive import thin_folder

    settings = last_settings(folder, values_of(params, LiveSettings), warn)
    start = time.monotonic()
    with Terminal(folder) as terminal, Work("reading the crawl", 0, err) as work:

        def watch(run: Refresh) -> None:
            work.part("asking again", run.fates.total(), run.pages)

        run = asyncio.run(ask_again(folder, settings, terminal, watch))
    thinned = None if keep is None or run.stopped else thin_folder(folder, keep)
    result = {
        "out": str(folder),
        "pages": run.pages,
        **{fate.value: run.fates[fate] for fate in PageFate},
        "thinned": thinned and thinned.versions,
        "stopped": "interrupted" if run.stopped else "done",
        "seconds": round(time.monotonic() - start, 3),
    }
    if json:
        print_json(result)
    else:
        counts = ", ".join(f"{run.fates[fate]} {fate.value}" for fate in PageFate)
        out.print(f"{run.pages} pages: {counts}.", highlight=False)
        if thinned is not None:
            out.print(
                f"{thinned.versions} old versions and {thinned.exchanges} exchanges taken out.",
                highlight=False,
            )
    if run.stopped:
        err.print(f"Interrupted. Go on with: salticid refresh {shlex.quote(str(folder))}", highlight=False)
    return INTERRUPTED if run.stopped else 0
