"""`salticid crawl`: hunt for the pages of a topic."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from types import FrameType
from typing import Annotated, Any

import typer

from salticid import __version__
from salticid.cli import options
from salticid.cli.console import err, print_json
from salticid.cli.progress import Work
from salticid.cli.summary import show_summary
from salticid.crawl import Crawl
from salticid.drivers.recorded import Recipe, RecordedCrawl
from salticid.errors import UserError
from salticid.judges import judges
from salticid.model import Limits, Scope, StopReason, Topic
from salticid.registry import settings_of
from salticid.store.folder import CrawlFolder
from salticid.store.log import CrawlLog
from salticid.strategies import strategies
from salticid.truth import load_topic
from salticid.webs.recorded import RecordedWeb

INTERRUPTED = 130
"""Exit status after Ctrl-C."""


def crawl(
    topic_file: Annotated[
        Path, typer.Argument(metavar="TOPIC.toml", help="What to look for, and where to start.")
    ],
    web: Annotated[str, typer.Option(help="A recorded world to crawl.", metavar="WORLD")] = "live",
    strategy: Annotated[
        str, typer.Option(help="Its name, or a strategy file.", metavar="NAME|FILE.toml")
    ] = "best_first",
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="A setting of the strategy.", metavar="KEY=VALUE")
    ] = None,
    judge: Annotated[
        str, typer.Option(help="What scores a page while the crawl runs.", metavar="NAME")
    ] = "cosine",
    max_pages: Annotated[int, typer.Option(min=1, help="Good pages to fetch.")] = 1000,
    max_fetches: Annotated[
        int | None, typer.Option(min=1, help="Attempts of any outcome [default: 10 x pages].")
    ] = None,
    max_buffer: Annotated[
        str, typer.Option(help="Links the strategy may remember.", metavar="N|none")
    ] = "100000",
    max_time: Annotated[
        str | None, typer.Option(help="On the crawl's own clock, as in 10m.", metavar="DURATION")
    ] = None,
    stop_when: Annotated[
        str | None, typer.Option(help='As in "harvest < 0.05".', metavar="CONDITION")
    ] = None,
    arrivals: Annotated[str, typer.Option(help="Who returns first: one, window:N, roulette:100/50.")] = "one",
    include: Annotated[
        list[str] | None, typer.Option(help="Fetch only URLs that match; * is a wildcard.")
    ] = None,
    exclude: Annotated[list[str] | None, typer.Option(help="Never fetch URLs that match.")] = None,
    same_site: Annotated[bool, typer.Option("--same-site", help="Stay on the sites of the seeds.")] = False,
    max_depth: Annotated[int | None, typer.Option(min=0, help="Links away from a seed at the most.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of all that is left to chance.")] = 0,
    out_dir: Annotated[
        Path | None, typer.Option("--out", help="A new folder for the crawl.", metavar="DIR")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """Hunt for the pages of a topic.

    Example: salticid crawl ballooning.toml --web world/ --strategy best_first --max-pages 300
    """
    topic, _truth = load_topic(topic_file)
    scope = Scope(tuple(include or ()), tuple(exclude or ()), same_site, max_depth)
    topic = replace(topic, scope=_merged(topic.scope, scope))
    name, chosen = options.strategy_of(strategy, options.pairs(set_ or []), strategies)
    limits = Limits(
        max_pages=max_pages,
        max_fetches=max_fetches,
        max_buffer=options.max_buffer(max_buffer),
        max_seconds=options.duration(max_time) if max_time else None,
        min_harvest=options.min_harvest(stop_when) if stop_when else None,
    )
    if web == "live":
        raise UserError(
            "this version crawls recorded webs only; name one with --web WORLD ('salticid world build')"
        )
    recorded = RecordedWeb(Path(web))
    recipe = Recipe(chosen, judges.make(judge), limits, arrivals, seed)
    folder = out_dir or _free_folder(topic.name, name)
    with closing(CrawlLog(folder, recorded.urls, recorded.words)) as log:
        run = _begin(topic, recorded, recipe, log)
        log.begin(_facts(topic, name, judge, web, recorded.digest, recipe))
        with _interruptible(run.crawl), Work("crawling", max_pages, err) as work:
            stopped = run.run(lambda _visit: _show(work, run.crawl))
        log.about({"stopped": stopped.value, "seconds": run.seconds})
    with closing(CrawlFolder(folder)) as crawled:
        result = {
            "topic": topic.name,
            "strategy": name,
            "web": web,
            "pages": run.crawl.pages,
            "fetches": run.crawl.fetches,
            "outcomes": crawled.outcomes(),
            "stopped": stopped.value,
            "seconds": round(run.seconds, 3),
            "out": str(folder),
        }
        if json:
            print_json(result)
        else:
            show_summary(crawled, stopped, result)
    return INTERRUPTED if stopped is StopReason.INTERRUPTED else 0


def _begin(topic: Topic, web: RecordedWeb, recipe: Recipe, log: CrawlLog) -> RecordedCrawl:
    """Read what the topic names, and say what could not be read."""
    run = RecordedCrawl(topic, web, recipe, log)
    for kind, named, read in (
        ("examples", topic.examples, run.brief.examples),
        ("negatives", topic.negatives, run.brief.negatives),
    ):
        if len(read) < len(named):
            err.print(f"{len(named) - len(read)} of {len(named)} {kind} could not be read and are left out")
    return run


def _facts(topic: Topic, strategy: str, judge: str, web: str, digest: str, recipe: Recipe) -> dict[str, Any]:
    """What has to be known to tell this crawl from another, or to go on with it."""
    return {
        "version": __version__,
        "topic": asdict(topic),
        "strategy": {"name": strategy, **settings_of(recipe.strategy)},
        "judge": {"name": judge, **settings_of(recipe.judge)},
        "web": {"world": web, "digest": digest},
        "limits": asdict(recipe.limits),
        "arrivals": recipe.arrivals,
        "seed": recipe.seed,
    }


def _merged(told: Scope, typed: Scope) -> Scope:
    """The scope of the topic file, narrowed or replaced by what was typed."""
    return Scope(
        include=typed.include or told.include,
        exclude=told.exclude + typed.exclude,
        same_site=typed.same_site or told.same_site,
        max_depth=told.max_depth if typed.max_depth is None else typed.max_depth,
    )


def _free_folder(topic: str, strategy: str) -> Path:
    """A folder name nobody uses yet: crawls/TOPIC-STRATEGY, numbered from the second on."""
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", f"{topic}-{strategy}").strip("-").lower()
    tries = (Path("crawls") / (stem if n == 1 else f"{stem}-{n}") for n in range(1, 1_000_000))
    return next(folder for folder in tries if not folder.exists())


def _show(work: Work, crawl: Crawl) -> None:
    if work.due:
        waiting, _ = crawl.strategy.waiting(0)
        note = (
            f"{crawl.pages} pages, {crawl.fetches} fetches, harvest {crawl.harvest:.0%}, {waiting} links wait"
        )
        work.at(crawl.pages, note)


@contextmanager
def _interruptible(crawl: Crawl) -> Iterator[None]:
    """The first Ctrl-C ends the crawl between two visits; a second one at once."""

    def stop(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        crawl.stop(StopReason.INTERRUPTED)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
