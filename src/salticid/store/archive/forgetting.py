"""Pages taken out of a crawl for good: nothing of what they said stays, and they are never asked for again.

First one transaction takes them out of the log (`hidden_rows.py`). Then all files are rid of them, and the database of
what it has deleted. That this is not done yet is written in the log, so that it is done after a kill.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import msgspec

from salticid.errors import UserError
from salticid.parse import decode_body
from salticid.store import index
from salticid.store.archive import forgotten_urls, hidden_rows, warc
from salticid.store.archive.thinning import discard
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.database import Database, facts
from salticid.store.files import open_in, remove_in, replace_in
from salticid.store.folder_lock import LOCK, SHARDS, opened_to_rewrite
from salticid.store.news import FEED, ROUNDS_FOLDER, digest_folder, rounds, write_digest
from salticid.store.schema import ABOUT, DATABASE_FILE, SNAPSHOT, URL
from salticid.tables import Veil
from salticid.urls import canonical, host, typed

_OUTCOMES = (b'{"type":"ended"', b'{"type":"failed"', b'{"type":"state"')
_LARGEST = 64 << 20
WISH = "wish.json"
"""What a person ordered on the page."""
_FIELD = re.compile(rb"\r\n([\w-]+):[ \t]*([^\r\n]*)")
_LINK = re.compile(rb"""(?i)(?:href|src)\s*=\s*["']?([^"'\s>]+)|((?:https?:)?//[^\s"'<>\\]+)""")


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The URLs of the pages that were taken out, and the names, as they were given, of which there was nothing.

    `raw_copies`: how many raw copies of other pages were removed, because they spell a forgotten URL. `other_files`:
    names in the folder that are no part of the crawl, such as exports; they were not changed.
    """

    urls: list[str]
    not_found: list[str]
    raw_copies: int = 0
    other_files: tuple[str, ...] = ()


def forget(folder: Path, names: Sequence[str], block: bool = False) -> Forgotten:
    """Take the pages of these URLs and hosts out of the crawl in a folder, which nobody else may hold.

    `block`: names that the crawl does not hold are never fetched either. Without names, a forgetting that was
    interrupted is brought to its end.
    """
    with closing(CrawlFolder(folder)):
        pass  # which complains if there is none
    if (folder / SHARDS).is_dir():
        raise UserError(
            f"{folder} was crawled in shards, which hold its pages too; remove {folder / SHARDS}, after which it can "
            "be read, but not gone on with, and give the command again"
        )
    with opened_to_rewrite(folder) as db:
        db.connection.execute("PRAGMA secure_delete = ON")
        veil = forgotten_urls.veil_in(db) or forgotten_urls.new_veil()
        if not names and not forgotten_urls.is_unfinished(db):
            raise UserError(f"nothing to forget in {folder}; name URLs or hosts, as in example.org")
        probe = Veil(veil.salt)
        hashes = [_add(probe, name) for name in names]
        known = {each for _, url, _ in db.all(URL) for each in probe.hashes_of(url)}
        not_found = [name for name, each in zip(names, hashes, strict=True) if each not in known]
        taken = [name for name in names if block or name not in not_found]
        if names and not taken and not forgotten_urls.is_unfinished(db):
            return Forgotten([], not_found)
        for name in taken:
            _add(veil, name)
        found = hidden_rows.find(db, veil)
        urls = sorted({db.row(URL, at)[1] for at in found.pages})
        if taken:
            hidden_rows.take_out(db, veil, found)
        raw_copies = _clear_files(db, folder, veil)
    return Forgotten(urls, not_found, raw_copies, _others_in(folder))


def _add(veil: Veil, name: str) -> str:
    """Hide what a person names; its hash."""
    urls = typed(name)
    if not urls:
        raise UserError(f"{name[:80]!r} is neither a URL nor a host; write http://example.org/page or example.org")
    return veil.add_url(urls[0]) if "/" in name else veil.add_host(host(urls[0]))


def _clear_files(db: Database, folder: Path, veil: Veil) -> int:
    """Rid all files of what the log does not have any more; what can be made again is made again, or removed.

    How many raw copies of other pages went.
    """
    snapshot = Path(SNAPSHOT)
    for name in (
        *(file.name for file in folder.glob(f"{index.INDEX_FILE}*")), SNAPSHOT, snapshot.with_suffix(".partial").name,
    ):  # fmt: skip
        remove_in(folder, name)
    for file in folder.glob("*.jsonl"):
        _keep_outcomes(folder, file.name)
    _veil_wish(folder, veil)

    hosts = {host(url) for _, url, _ in db.all(URL)}

    def is_hidden(url: str, base: str | None = None) -> bool:
        known_as = canonical(url, base)
        return known_as is not None and veil.hides(known_as)

    def is_unwanted(url: str, record: bytes) -> bool:
        if url.endswith("/robots.txt") and host(url) not in hosts:
            return True
        return is_hidden(url) or any(is_hidden(link, url) for link in _links_in(record))

    raw_copies = discard(db, folder, 0.0, is_unwanted)
    _write_digests(db, folder)
    db.connection.execute("VACUUM")
    if db.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
        raise UserError(
            f"somebody reads {folder}, so that its files cannot be rid of all that is forgotten; end that, and type: "
            f"salticid forget {folder}"
        )
    with db.transaction():
        db.insert(ABOUT, facts({forgotten_urls.UNFINISHED: False}))
    return raw_copies


def _others_in(folder: Path) -> tuple[str, ...]:
    """Names in a folder that are no part of a crawl."""
    ours = (DATABASE_FILE, index.INDEX_FILE)
    names = {file.name for file in folder.iterdir() if not file.name.startswith(ours) and file.suffix != ".jsonl"}
    others = sorted(names - {LOCK, WISH, ROUNDS_FOLDER, warc.FOLDER})
    return tuple(os.fsencode(name).decode(errors="replace") for name in others)


def _keep_outcomes(folder: Path, name: str) -> None:
    """Of what a crawl's process was told and reported, keep how it ended; all else may name pages."""
    with open_in(folder, name) as file:
        lines = file.read().splitlines(keepends=True)
    kept = [line for line in lines if line.startswith(_OUTCOMES) and b"://" not in line]
    if len(kept) < len(lines):
        replace_in(folder, name, b"".join(kept))


def _veil_wish(folder: Path, veil: Veil) -> None:
    """Put stand-ins for hidden URLs that a person typed on the page; a file that cannot be read is removed."""
    try:
        with open_in(folder, WISH) as file:
            text = file.read()
    except FileNotFoundError:
        return
    try:
        wish = msgspec.json.decode(text)
        data = msgspec.json.encode(forgotten_urls.without_urls(wish, veil))
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        remove_in(folder, WISH)
        return
    if data != msgspec.json.encode(wish):
        replace_in(folder, WISH, data)


def _links_in(record: bytes) -> set[str]:
    """The URLs that a record of the WARC names, as they stand there."""
    _, _, message = record.partition(b"\r\n\r\n")
    head, body = (b"", message) if warc.is_conversion(record) else message.split(b"\r\n\r\n", 1)
    fields = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in _FIELD.findall(head)}
    plain = decode_body(fields, body.removesuffix(b"\r\n\r\n"), _LARGEST)
    links = {next(filter(None, found)) for found in _LINK.findall(plain)}
    return {
        *(unescape(link.decode("utf-8", "replace")) for link in links),
        *filter(None, (fields.get(name) for name in ("location", "content-location"))),
    }


def _write_digests(db: Database, folder: Path) -> None:
    """Make the digests of all rounds again, but of one that is not over and has none yet."""
    whole = folder / ROUNDS_FOLDER
    for partial in whole.glob(".*.partial"):
        remove_in(folder, f"{ROUNDS_FOLDER}/{partial.name}")
    remove_in(folder, f"{ROUNDS_FOLDER}/{FEED}")
    numbers = [
        stored.number
        for stored in rounds(db)
        if stored.ended is not None or digest_folder(folder, stored.number).is_dir()
    ]
    for number in numbers:
        write_digest(folder, number)
    if numbers:
        newest = digest_folder(folder, numbers[-1]).name
        with open_in(folder, f"{ROUNDS_FOLDER}/{newest}/{FEED}") as feed:
            replace_in(folder, f"{ROUNDS_FOLDER}/{FEED}", feed.read())
