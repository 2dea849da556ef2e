"""A crawl as it was ordered on the command line; apart, so that its help need not wait for what a crawl needs."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from salticid.cli.console import err, safe
from salticid.cli.crawl import Running, Start
from salticid.cli.interrupts import INTERRUPTED
from salticid.cli.terminal import hunt, say_how_to_go_on, tell
from salticid.errors import UserError
from salticid.runs import (
    LIVE,
    USER_AGENT,
    Order,
    check_folder,
    how_to_set_contact,
    own_user_agent,
    resolve,
    scoped,
    spec_of,
)
from salticid.store import DATABASE_FILE, SHARDS, UNREADABLE, CrawlFolder, Damaged, NoCrawlYet, check_same
from salticid.topic import Topic
from salticid.truth import load_topic
from salticid.urls import typed

if TYPE_CHECKING:
    from salticid.protocols import Backlinks, Table, UrlTable
    from salticid.runs import MetricsServer, Sources

# The folder of a crawl for which none was named: the one in which the same command began.

CRAWLS = Path("crawls")


def default_folder(order: Order, new: bool, shards: int | None) -> Path:
    """The first folder of that name that holds the crawl that is ordered; else, or if it shall be `new`, a free one."""
    folders = _folders(order.topic.name, order.spec.strategy)
    return next(folder for folder in folders if not folder.exists() or (not new and _holds(folder, order, shards)))


def folders_there(topic: str, strategy: str) -> list[Path]:
    """The folders of that name that there are."""
    return list(takewhile(Path.exists, _folders(topic, strategy)))


def _folders(topic: str, strategy: str) -> Iterator[Path]:
    """crawls/TOPIC-STRATEGY, numbered from the second on."""
    stem = re.sub(r"[^\w-]+", "-", f"{topic}-{strategy}").strip("-").lower()
    return (CRAWLS / (stem if n == 1 else f"{stem}-{n}") for n in range(1, 1_000_000))


def _holds(folder: Path, order: Order, shards: int | None) -> bool:
    """Whether a folder holds the crawl that is ordered, whatever its limits, or one that had no time to begin."""
    if shards is not None and (folder / SHARDS).is_dir():
        return True
    try:
        with closing(CrawlFolder(folder)) as crawl:
            before = crawl.about()
            check_same(folder, before, order.facts(shards))
    except NoCrawlYet:
        return True
    except (UserError, Damaged, *UNREADABLE):
        return False
    return True


ASK_FOR_CONTACT = 1000
"""Above so many pages, the user agent should name a contact."""
_NO_TOPIC = Topic("", "", ())


def crawl_as_ordered(start: Start, options: Mapping[str, Any], running: Running) -> int:
    """Crawl as the command `crawl` was typed, the fields of its spec among the options; the exit status."""
    spec = spec_of(_NO_TOPIC, options)
    if spec.web != LIVE and running.ray is not None:
        raise UserError("a recorded world is crawled on one machine; leave --ray out, or crawl the live web")
    order = resolve(spec, files=True, backlinks_from=_backlinks)
    if order.opened is None and spec.limits.max_pages > ASK_FOR_CONTACT and spec.live.user_agent == USER_AGENT:
        err.print(safe(how_to_set_contact()), soft_wrap=True)
    if running.new and running.out is not None:
        raise UserError("--new asks for a folder of its own, --out names one; leave one of them out")
    folder = None if running.out is None else check_folder(running.out)
    query = None if running.new else start.query
    held = (folder,) if folder else () if query is None else folders_there(query, order.spec.strategy)
    topic = scoped(_topic(start, options["user_agent"], held), options)
    order = replace(order, spec=msgspec.structs.replace(order.spec, topic=topic))
    shards = None if running.ray is None else running.shards
    return _run(replace(order, folder=folder or default_folder(order, running.new, shards)), running)


def _backlinks(path: Path, urls: UrlTable, words: Table) -> Backlinks:
    from salticid.worlds import backlinks_from  # here: few need it

    return backlinks_from(path, urls, words)


def _topic(start: Start, user_agent: str | None, folders: Sequence[Path]) -> Topic:
    """What to look for: what a topic file says, or a query and where to start, unless a crawl in a folder says it."""
    file, query = start.topic_file, start.query
    places = (start.urls, start.bookmarks, start.search, start.crawls)
    if query is not None and file is None:
        return topic_of(query, sources_of(*places), user_agent or own_user_agent(), folders)
    if file is None:
        raise UserError("no topic; name a topic file, as in: salticid crawl ballooning.toml, or say --query WORDS")
    if query is not None or any(places):
        raise UserError(f"{file} says what to look for and where to start; leave it out, or --query")
    topic, _truth = load_topic(file)
    return topic


def _metrics(running: Running) -> MetricsServer | None:
    """The server of --metrics-port, which has its port; None if it is not wanted."""
    if running.metrics_port is None:
        if running.bind is not None or running.host_names:
            raise UserError("--bind says where --metrics-port listens; add --metrics-port N, or leave it out")
        return None
    from salticid.runs import (
        Binding,  # here, as what follows: few need them
        MetricsServer,
    )

    return MetricsServer(running.metrics_port, Binding.of(running.bind, running.host_names))


def _run(order: Order, running: Running) -> int:
    """Crawl here or on a cluster, and say what came of it; the exit status."""
    metrics = _metrics(running)
    try:
        if running.ray is not None and order.spec.known:
            raise UserError("what other crawls hold is known on one machine only; leave --ray out, or --known")
        if running.ray is not None and order.spec.ask is not None:
            raise UserError("a crawl on a cluster asks nobody; leave --ray out, or --ask")
        if running.ray is None:
            result = hunt(order, running.verbose, metrics)
        else:
            from salticid.cli.ray_cluster import hunt_on_ray  # here: it takes its time to import

            result = hunt_on_ray(order, running.ray, running.shards, metrics)
    except KeyboardInterrupt:
        say_how_to_go_on(order.folder)
        return INTERRUPTED
    finally:
        if metrics is not None:
            metrics.close()
    return tell(order, result, running.json)


# `salticid crawl --query`: a topic made of a query and of places to start from; what it needs takes its time to import.


def sources_of(urls: Sequence[str], bookmarks: Path | None, search: str | None, crawls: Sequence[Path]) -> Sources:
    """What was typed as places to start from."""
    from salticid.runs import Sources
    from salticid.webs.live import engine_of

    return Sources(
        urls=tuple(urls),
        bookmarks=None if bookmarks is None else _bookmarks(bookmarks),
        engine=None if search is None else engine_of(search),
        crawls=tuple(crawls),
    )


def topic_of(query: str, sources: Sources, user_agent: str, folders: Sequence[Path]) -> Topic:
    """The topic of a query; a crawl of it that a folder holds goes on from where it started.

    Unless other URLs to start from were typed: then it is another.
    """
    from salticid.runs import clean_query, find_start

    query = " ".join(clean_query(query).split())
    wanted = _urls(sources.urls)
    for folder in folders:
        topic = _topic_in(folder)
        if topic is not None and topic.name == query and wanted <= _urls(topic.seeds):
            return topic
    if not sources.any:
        raise UserError(
            f"--query {query!r} does not say where to start; add --seed-url URL, --bookmarks FILE, "
            "--search searxng:URL or --from-crawl DIR"
        )
    start = asyncio.run(find_start(query, sources, user_agent))
    for warning in start.warnings:
        err.print(safe(warning), soft_wrap=True)
    many = len(start.seeds)
    err.print(f"Starting from {many} page{'s' * (many > 1)}.", highlight=False)
    return start.topic(query)


def _urls(typed_ones: Sequence[str]) -> set[str]:
    return {url for text in typed_ones for url in typed(text)}


def _topic_in(folder: Path) -> Topic | None:
    """The topic of the crawl in a folder; None where there is none, or a crawl has only just begun."""
    if not (folder / DATABASE_FILE).is_file():
        return None
    try:
        crawl = CrawlFolder(folder)
    except NoCrawlYet:
        return None
    with closing(crawl):
        return msgspec.convert(crawl.about()["topic"], Topic)


def _bookmarks(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise UserError(f"cannot read bookmarks {file}: {error.strerror}; name an HTML file") from None
