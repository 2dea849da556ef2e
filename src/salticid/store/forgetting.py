"""Pages taken out of a crawl for good: nothing of what they said stays, and they are never asked for again.

First one transaction takes them out of the log (`hidden_rows.py`). Then all files are rid of them, and the database of
what it has deleted. That this is not done yet is written in the log, so that it is done after a kill.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from salticid.errors import UserError
from salticid.store import forgotten_urls, hidden_rows, index
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.database import Database, facts
from salticid.store.digests import digest
from salticid.store.discarding import discard
from salticid.store.files import remove_in, replace_in
from salticid.store.folder_lock import SHARDS, opened_to_rewrite
from salticid.store.rounds import rounds
from salticid.store.schema import ABOUT, SNAPSHOT, URL
from salticid.tables.veil import Veil
from salticid.urls import canonical, host, typed


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The URLs of the pages that were taken out, and the names, as they were given, of which there was nothing."""

    urls: list[str]
    not_found: list[str]


def forget(folder: Path, names: Sequence[str]) -> Forgotten:
    """Take the pages of these URLs and hosts out of the crawl in a folder, which nobody else may hold.

    Without names, a forgetting that was interrupted is brought to its end.
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
        hashes = [_add(veil, name) for name in names]
        known = {each for _, url, _ in db.all(URL) for each in veil.hashes_of(url)}
        not_found = [name for name, each in zip(names, hashes, strict=True) if each not in known]
        found = hidden_rows.find(db, veil)
        urls = sorted({db.row(URL, at)[1] for at in found.pages})
        if names:
            hidden_rows.take_out(db, veil, found)
        _clear_files(db, folder, veil)
    return Forgotten(urls, not_found)


def _add(veil: Veil, name: str) -> str:
    """Hide what a person names; its hash."""
    urls = typed(name)
    if not urls:
        raise UserError(
            f"{name[:80]!r} is neither a URL nor a host; write http://example.org/page or example.org"
        )
    return veil.add_url(urls[0]) if "/" in name else veil.add_host(host(urls[0]))


def _clear_files(db: Database, folder: Path, veil: Veil) -> None:
    """Rid all files of what the log does not have any more; what can be made again is made again, or removed."""
    for file in (
        *folder.glob(f"{index.FILE}*"),
        folder / SNAPSHOT,
        (folder / SNAPSHOT).with_suffix(".partial"),
    ):
        file.unlink(missing_ok=True)

    def is_hidden(url: str) -> bool:
        known_as = canonical(url)
        return known_as is not None and veil.hides(known_as)

    discard(db, folder, 0.0, is_hidden)
    _write_digests(db, folder)
    db.connection.execute("VACUUM")
    if db.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
        raise UserError(
            f"somebody reads {folder}, so that its files cannot be rid of all that is forgotten; end that, and type: "
            f"salticid forget {folder}"
        )
    with db.transaction():
        db.insert(ABOUT, facts({forgotten_urls.UNFINISHED: False}))


def _write_digests(db: Database, folder: Path) -> None:
    """Make the digests of all rounds again, but of one that is not over and has none yet."""
    whole = folder / digest.FOLDER
    for partial in whole.glob(".*.partial"):
        remove_in(folder, f"{digest.FOLDER}/{partial.name}")
    remove_in(folder, f"{digest.FOLDER}/{digest.FEED}")
    numbers = [
        stored.number
        for stored in rounds(db)
        if stored.ended is not None or digest.digest_folder(folder, stored.number).is_dir()
    ]
    for number in numbers:
        digest.write_digest(folder, number)
    if numbers:
        newest = digest.digest_folder(folder, numbers[-1]) / digest.FEED
        replace_in(folder, f"{digest.FOLDER}/{digest.FEED}", newest.read_bytes())
