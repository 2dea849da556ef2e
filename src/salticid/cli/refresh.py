"""`salticid crawl --refresh`: ask again for the good pages of a crawl."""

from __future__ import annotations

import asyncio
import shlex
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import typer

from salticid.cli import options
from salticid.cli.console import err, out, print_json
from salticid.cli.hunting import say_it_pauses
from salticid.cli.hunting_live import on_signals
from salticid.cli.interrupts import INTERRUPTED
from salticid.cli.progress import Work
from salticid.errors import UserError
from salticid.runs.live_settings import NOT_KEPT, LiveSettings
from salticid.runs.live_web import live_web
from salticid.runs.order import NOBODY_THERE
from salticid.runs.refresh import Found, Refresh
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.log import CrawlLog
from salticid.store.record import Record
from salticid.store.warc import Archive
from salticid.tables import Texts, Urls, Words
from salticid.webs.live.manners_memory import Memory


def refresh(context: typer.Context, folder: Path, json: bool) -> int:
    """Ask again for the pages of the crawl in a folder, the way they were asked for but for what was typed."""
    settings = _settings(folder, _typed(context, folder))
    urls, words = Urls(), Words()
    began = time.monotonic()
    archive = Archive(folder) if settings.warc else None
    room = settings.max_disk
    with closing(CrawlLog(folder, urls, words, own_tables=True, archive=archive, max_bytes=room)) as log:
        log.open()
        if (missing := log.go_on()) is not None:
            err.print(missing, highlight=False)
        run = asyncio.run(_run(folder, settings, log, (urls, words), archive))
    result = {
        "out": str(folder),
        "pages": run.pages,
        **{found.value: run.found[found] for found in Found},
        "stopped": "interrupted" if run.stopped else "done",
        "seconds": round(time.monotonic() - began, 3),
    }
    if json:
        print_json(result)
    else:
        told = ", ".join(f"{run.found[found]} {found.value}" for found in Found)
        out.print(f"{run.pages} pages: {told}.", highlight=False)
    if run.stopped:
        err.print(
            f"Interrupted. Go on with: salticid crawl --refresh {shlex.quote(str(folder))}", highlight=False
        )
    return INTERRUPTED if run.stopped else 0


def _typed(context: typer.Context, folder: Path) -> dict[str, Any]:
    """The settings of the live web that were typed; a UserError if anything else was."""
    own = ("refresh", "json")
    typed = {
        name: value
        for name, value in context.params.items()
        if name not in own and options.is_typed(context, name)
    }
    settings = options.live(typed)
    if odd := sorted(typed.keys() - {*settings, "no_warc"}):
        what = str(typed["topic_file"]) if "topic_file" in odd else f"--{odd[0].replace('_', '-')}"
        raise UserError(
            f"{what} says nothing to --refresh, which asks again for what {folder} holds; leave it out"
        )
    return settings


def _settings(folder: Path, typed: dict[str, Any]) -> LiveSettings:
    """How the pages were asked for in the last run, changed by what was typed."""
    with closing(CrawlFolder(folder)) as crawled:
        if "live" not in crawled.about()["web"]:
            raise UserError(
                f"the crawl in {folder} is of a recorded world, where nothing changes; name a live one"
            )
        before = crawled.settings()
    if before is None:
        raise UserError(
            f"the crawl in {folder} has no page yet; give its own command again, and refresh it later"
        )
    settings = replace(msgspec.convert(before, LiveSettings), **typed)
    if settings.proxy and NOT_KEPT in settings.proxy:
        raise UserError(
            f"{folder} was crawled through the proxy {settings.proxy}, whose password is not kept; give it again "
            "with --proxy"
        )
    return settings


async def _run(
    folder: Path, settings: LiveSettings, log: CrawlLog, tables: tuple[Urls, Texts], archive: Archive | None
) -> Refresh:
    began = time.monotonic() - Record(log.database).seconds
    async with live_web(settings, lambda: time.monotonic() - began, archive, tables) as web:
        memory = Memory(web)
        memory.recall(log.kept())
        log.keep = memory.news
        run = Refresh(web, log, settings.concurrency)
        run.held_up = lambda trouble: say_it_pauses(folder, trouble)
        web.network.reach.lost = lambda failure: err.print(
            NOBODY_THERE.format(failure.value), highlight=False
        )
        on_signals(run.stop)
        with Work("asking again", run.pages, err) as work:

            def watch() -> None:
                if work.due:
                    told = ", ".join(f"{run.found[found]} {found.value}" for found in Found)
                    work.at(run.found.total(), told)

            await run.run(watch)
        return run
