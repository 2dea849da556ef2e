"""The digest of a round in files: digest.html, digest.json, feed.xml, and the last copies of pages that are gone."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path, PurePosixPath

import msgspec

from salticid.errors import UserError
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.digests.digest_page import atom_feed, copy_name, digest_page, kept_page
from salticid.store.files import folder_in, remove_in, replace_in
from salticid.store.round_news import RoundNews, news_of, version_of
from salticid.store.rounds import rounds

FOLDER, FEED = "rounds", "feed.xml"
"""The folder of all digests in that of the crawl, and the feed in each of them; the newest lies beside them, too."""
ROUNDS_IN_FEED = 10
MOST_COPIES = 1_000
"""Pages that are gone whose last copies lie beside the digest, the best first."""


def digest_folder(folder: Path, number: int) -> Path:
    """Where the digest of a round lies."""
    return folder / FOLDER / f"{number:03}"


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
        partial = f"{FOLDER}/.{whole.name}.partial"
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
    remove_in(folder, f"{FOLDER}/{whole.name}")
    with folder_in(folder, FOLDER) as held:
        os.replace(f".{whole.name}.partial", whole.name, src_dir_fd=held, dst_dir_fd=held)
    if number == known[-1].number:
        replace_in(folder, f"{FOLDER}/{FEED}", feed)
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
