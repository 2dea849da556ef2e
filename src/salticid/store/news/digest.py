"""The digest of a round in files: digest.html, digest.json, feed.xml, and the last copies of pages that are gone."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from contextlib import closing
from datetime import UTC, datetime
from functools import cache
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, uuid5

import msgspec

from salticid.errors import UserError
from salticid.model import Page
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.files import folder_in, remove_in, replace_in
from salticid.store.news.changes import rounds
from salticid.store.news.round_news import GonePage, NewsPage, RoundNews, news_of, version_of
from salticid.text import content_hash, stretches, templates

if TYPE_CHECKING:
    from jinja2 import Environment

MOST_IN_FULL = 500
"""Pages of a section that are told of in full; others are counted."""
MOST_ENTRIES = 200
"""The newest entries of a feed; readers keep what they have read."""
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


def digest_page(news: RoundNews, topic: str, copied: Collection[int]) -> bytes:
    """What a round brought; the last copies of pages that are gone lie beside it where their steps are `copied`."""
    return _made(
        "digest.html.j2",
        title=f"What is new: {topic}",
        news=news,
        short=in_short(news),
        sections=_sections(news),
        copied=copied,
        most=MOST_IN_FULL,
    )


def kept_page(about: GonePage, page: Page) -> bytes:
    """The last copy of a page that is gone: its text, paragraph by paragraph."""
    paragraphs = [" ".join(stretch.sentences) for stretch in stretches(page)]
    return _made("kept.html.j2", title=about.title.strip() or about.url, about=about, paragraphs=paragraphs)


def atom_feed(rounds: Iterable[RoundNews], topic: str, crawl: str) -> bytes:
    """A feed of what rounds brought, the last round first; `crawl` tells this crawl from all others.

    Ids follow from the crawl, the round, the address and the kind of news, so that an entry is the same in every feed
    that has it. Pages off the topic are left out.
    """
    newest_first = sorted(rounds, key=lambda news: -news.round)
    entries = (
        (kind, page, _id(f"{crawl} {news.round} {kind} {page.url}"), _time(page.read or news.began))
        for news in newest_first
        for kind, pages in _sections(news)
        for page in pages
        if page.on_topic
    )
    return _made(
        "feed.xml.j2",
        title=f"What is new: {topic}",
        id=_id(crawl),
        updated=_time(newest_first[0].began if newest_first else None),
        entries=list(islice(entries, MOST_ENTRIES)),
    )


def in_short(news: RoundNews) -> str:
    """A round in a line."""
    counts = news.counts
    told = [f"{counts['new']} new", f"{counts['changed']} changed", f"{counts['gone']} gone"]
    told += [f"{counts['back']} back again"] if counts["back"] else []
    told.append(f"{counts['same']} the same")
    told += [f"{counts['still_gone']} still gone"] if counts["still_gone"] else []
    told += [f"{counts['unknown']} unknown"] if counts["unknown"] else []
    return ", ".join(told)


def copy_name(page: GonePage) -> str:
    """The file of the last copy of a page, beside the digest."""
    return f"kept/{page.step}.html"


def _sections(news: RoundNews) -> list[tuple[str, list[NewsPage]]]:
    return [
        ("New", [*news.new]),
        ("Changed", [*news.changed]),
        ("Gone", [*news.gone]),
        ("Back again", [*news.back]),
    ]


@cache
def _environment() -> Environment:
    environment = templates("salticid.store.news")
    environment.filters |= {"day": _day, "copy_name": copy_name}
    environment.globals["style_hash"] = content_hash(environment, "digest.css")
    return environment


def _made(template: str, **content: Any) -> bytes:
    return _environment().get_template(template).render(**content).encode() + b"\n"


def _day(time: datetime | None) -> str:
    return "at an unknown time" if time is None else f"{time:%Y-%m-%d %H:%M} UTC"


def _id(name: str) -> str:
    return f"urn:uuid:{uuid5(NAMESPACE_URL, name)}"


def _time(time: datetime | None) -> str:
    return f"{time or _LONG_AGO:%Y-%m-%dT%H:%M:%SZ}"


ROUNDS_FOLDER, FEED = "rounds", "feed.xml"
"""The folder of all digests in that of the crawl, and the feed in each of them; the newest lies beside them, too."""
ROUNDS_IN_FEED = 10
MOST_COPIES = 1_000
"""Pages that are gone whose last copies lie beside the digest, the best first."""


def digest_folder(folder: Path, number: int) -> Path:
    """Where the digest of a round lies."""
    return folder / ROUNDS_FOLDER / f"{number:03}"


def write_digest(folder: Path, number: int) -> RoundNews:
    """Write the digest of a round of the crawl in a folder; what it brought.

    It follows from the log alone: made again, it has the same bytes. The folder of a digest is whole or not there.
    """
    with closing(CrawlFolder(folder)) as crawl, crawl.database.moment():
        known = rounds(crawl.database)
        upto = [stored for stored in known if stored.number <= number][-ROUNDS_IN_FEED:]
        if not upto or upto[-1].number != number:
            raise UserError(f"{folder} has no round {number}; salticid watch {folder} makes one")
        every = news_of(crawl, upto)
        news, topic = every[-1], topic_of(crawl)
        feed = atom_feed(every, topic, f"{crawl.start_time()} {topic}")
        whole = digest_folder(folder, number)
        partial = f"{ROUNDS_FOLDER}/.{whole.name}.partial"
        remove_in(folder, partial)
        with folder_in(folder, partial, make=True):
            pass
        copied = _write_copies(crawl, news, partial)
    for name, data in (
        ("digest.html", digest_page(news, topic, copied)),
        ("digest.json", _json(news, topic, copied)),
        (FEED, feed),
    ):
        replace_in(folder, f"{partial}/{name}", data)
    remove_in(folder, f"{ROUNDS_FOLDER}/{whole.name}")
    with folder_in(folder, ROUNDS_FOLDER) as held:
        os.replace(f".{whole.name}.partial", whole.name, src_dir_fd=held, dst_dir_fd=held)
    if number == known[-1].number:
        replace_in(folder, f"{ROUNDS_FOLDER}/{FEED}", feed)
    return news


def topic_of(crawl: CrawlFolder) -> str:
    """What a crawl looks for, as people call it."""
    topic = crawl.about().get("topic") or {}
    return str(topic.get("name") or crawl.folder.absolute().name)


def _write_copies(crawl: CrawlFolder, news: RoundNews, partial: str) -> set[int]:
    """Write the last copies of pages that are gone below a folder of the crawl's; the steps of those."""
    copied: set[int] = set()
    for about in news.gone[:MOST_COPIES]:
        page = version_of(crawl, about.step, about.version)
        if page is not None:
            name = f"{partial}/{copy_name(about)}"
            with folder_in(crawl.folder, str(PurePosixPath(name).parent), make=True):
                replace_in(crawl.folder, name, kept_page(about, page))
            copied.add(about.step)
    return copied


def _json(news: RoundNews, topic: str, copied: set[int]) -> bytes:
    told = {"topic": topic, "counts": news.counts, **msgspec.to_builtins(news)}
    for page, about in zip(news.gone, told["gone"], strict=True):
        del about["version"]
        about["copy"] = copy_name(page) if page.step in copied else None
    return msgspec.json.format(msgspec.json.encode(told)) + b"\n"
