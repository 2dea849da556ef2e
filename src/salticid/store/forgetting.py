"""Pages taken out of a crawl for good: nothing of what they said stays, and they are never asked for again.

First one transaction takes them out of the log: their words, texts and titles, all versions, what a refresh found,
words that no other page has, what a person said of them, and their URLs, in whose places others stand
(`tables/veil.py`). A visit stays as an empty shell, so that steps and calls keep their numbers. Then all files are rid
of them, the database of what it has deleted. That this is not done yet is written in the log, and done after a kill.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import zstandard

from salticid.errors import UserError
from salticid.messages import Message, Move, Offer, Revision, SecondOffer, Sight
from salticid.model import Glimpse, Outcome
from salticid.store import forgotten_urls, index, looks
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.database import Database, facts
from salticid.store.digests.digest import digest_folder, write_digest
from salticid.store.discarding import Unwanted, discard, places_in
from salticid.store.folder_lock import SHARDS, opened_to_rewrite
from salticid.store.holders import holders, note
from salticid.store.packing import pack_words, unpack_page, unpack_words
from salticid.store.record import VisitRow, all_messages
from salticid.store.rounds import rounds
from salticid.store.schema import (
    ABOUT,
    MEMORY,
    MESSAGE,
    PAGE,
    RECHECK,
    SNAPSHOT,
    START_PAGE,
    URL,
    VERSION,
    VISIT,
    WORDS,
    SqlTable,
)
from salticid.store.versions import Recheck
from salticid.tables.veil import Veil
from salticid.urls import canonical, host, typed

_VISITS = "SELECT v.step, c.url, v.final, v.outcome FROM visit v JOIN choice c ON c.id = v.choice"
_VERSIONS = "SELECT r.step, v.url FROM version v JOIN recheck r ON r.id = v.recheck"
_PLACEHOLDER = "forgotten:{}"
"""Stands for a word that only forgotten pages had; no word has a colon."""


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
        found = _find(db, veil)
        urls = sorted({db.row(URL, at)[1] for at in found.pages})
        if names:
            _take_out(db, veil, found)
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


@dataclass(slots=True)
class _Found:
    """The ids of hidden URLs; the steps of visits that led to them, and the ids of the URLs that had a page."""

    urls: set[int] = field(default_factory=set)
    steps: set[int] = field(default_factory=set)
    pages: set[int] = field(default_factory=set)


def _find(db: Database, veil: Veil) -> _Found:
    """All visits whose pages are hidden, and what is to be hidden with them: whatever has led to these pages."""
    moves = [message for _, message in all_messages(db) if isinstance(message, Move)]
    while True:
        found = _Found({at for at, text, _ in db.all(URL) if veil.hides(text)})
        hidden = found.urls
        leads = list(db.run(_VERSIONS))
        for step, asked, final, outcome in db.run(_VISITS):
            if outcome in (Outcome.OK.value, Outcome.FORGOTTEN.value):
                leads += [(step, asked), (step, final)]
            elif final in hidden:
                found.steps.add(step)
        found.steps |= {step for step, url in leads if url in hidden}
        found.steps |= {move.step for move in moves if veil.hides(move.url)}
        more = {url for step, url in leads if step in found.steps} - hidden
        texts = [db.row(URL, at)[1] for at in more]
        texts += [move.url for move in moves if move.step in found.steps and not veil.hides(move.url)]
        if not texts:
            found.pages = {row[1] for row in db.select(PAGE) if row[0] in found.steps}
            return found
        for text in texts:
            veil.add_url(text)


def _take_out(db: Database, veil: Veil, found: _Found) -> None:
    """Take what was found out of the log, all at once."""
    visits = [VisitRow._make(db.row(VISIT, step)) for step in sorted(found.steps)]
    rechecks = [look for look in map(Recheck._make, db.all(RECHECK)) if look.step in found.steps]
    numbers = {look.id for look in rechecks}
    gone = {
        PAGE: [row[0] for row in db.select(PAGE) if row[0] in found.steps],
        VERSION: [row[0] for row in db.select(VERSION) if row[0] in numbers],
        START_PAGE: [row[0] for row in db.select(START_PAGE) if row[2] in found.urls],
    }
    words = _own_words(db, gone)
    messages = [
        (seq, msgspec.json.encode(new).decode())
        for seq, message in all_messages(db)
        if (new := _without(message, veil, found.steps)) != message
    ]
    unwanted = Unwanted.of(db)
    records = [row.records for row in visits] + [look.records for look in rechecks]
    unwanted.places += [place for each in records for place in places_in(each)]
    urls = [(at, veil.over(text)) for at, text, _ in db.all(URL) if at in found.urls]
    with db.transaction():
        db.replace(VISIT, [_shell(visit) for visit in visits])
        _leave_to_twins(db, found.steps)
        for table, keys in gone.items():
            db.remove(table, keys)
        db.remove(RECHECK, numbers)
        db.replace(MESSAGE, messages)
        db.replace(URL, urls)
        db.replace(WORDS, list(_words_without(db, words)))
        db.remove(MEMORY, _notes(db, veil, found.steps))
        forgotten_urls.note(db, veil)
        unwanted.note(db)


def _shell(visit: VisitRow) -> tuple[Any, ...]:
    """That there was a visit, and when."""
    return visit._replace(
        outcome=Outcome.FORGOTTEN.value, status=0, score=0.0, positive=0, size=0, modified=None, etag=None,
        records=None, duplicate_of=None,
    )[:-1]  # fmt: skip


def _leave_to_twins(db: Database, steps: set[int]) -> None:
    """Of the pages all but the same as one that goes, the next is the first."""
    heirs: dict[int, int] = {}
    for visit in [VisitRow._make(row) for row in db.all(VISIT)]:
        first = visit.duplicate_of
        if first in steps and first is not None:
            heir = heirs.setdefault(first, visit.step)
            twin = visit._replace(duplicate_of=None if heir == visit.step else heir)
            db.replace(VISIT, [twin[:-1]])
    db.connection.executemany("UPDATE band SET step = ? WHERE step = ?", [(b, a) for a, b in heirs.items()])
    db.connection.executemany("DELETE FROM band WHERE step = ?", [(step,) for step in steps - heirs.keys()])


def _own_words(db: Database, gone: dict[SqlTable, list[int]]) -> npt.NDArray[np.int32]:
    """The words of rows that go which no other has."""
    theirs = np.zeros(0, np.int32)
    for table, keys in gone.items():
        for key in keys:
            theirs = np.union1d(theirs, unpack_page(_page_row(table, db.row(table, key, body=True))).tokens)
    for table, keys in gone.items():
        leaving = set(keys)
        for row in db.select(table, body=True) if len(theirs) else ():
            if row[0] not in leaving:
                theirs = np.setdiff1d(theirs, unpack_page(_page_row(table, row)).tokens)
    return theirs


def _page_row(table: SqlTable, row: Sequence[Any]) -> Sequence[Any]:
    """The columns of a page, which in a table of start pages come after its kind."""
    return row[2:] if table is START_PAGE else row[1:]


def _words_without(db: Database, words: npt.NDArray[np.int32]) -> Iterator[tuple[Any, ...]]:
    """The batches that have some of these words, with others in their places."""
    zstd = zstandard.ZstdCompressor(level=1)
    for batch, ids, texts, _ in list(db.all(WORDS)) if len(words) else ():
        numbers, lines = unpack_words(ids, texts)
        go = np.isin(numbers, words)
        if go.any():
            spelled = lines.decode().split("\n")
            for at in np.flatnonzero(go).tolist():
                spelled[at] = _PLACEHOLDER.format(numbers[at])
            yield batch, *pack_words(numbers.tolist(), spelled, zstd)


def _without(message: Message, veil: Veil, steps: set[int]) -> Message:
    """What the crawl heard, without what is to be forgotten."""
    match message:
        case Offer(urls, depth):
            return Offer([veil.over(url) for url in urls], depth)
        case SecondOffer(urls):
            return SecondOffer([veil.over(url) for url in urls])
        case Move(step, url):
            return Move(step, veil.over(url))
        case Sight(glimpse):
            return Sight(_glimpse_without(glimpse, veil))
        case Revision(scores, feedback):
            return Revision(
                [(step, score) for step, score in scores if step not in steps],
                [(url, liking) for url, liking in feedback if not veil.hides(url)],
            )
        case _:
            return message


def _glimpse_without(glimpse: Glimpse, veil: Veil) -> Glimpse:
    """What was shown of a page: nothing of one that is hidden; of others no link to one, with its words."""
    if veil.hides(glimpse.url):
        return replace(glimpse, url=veil.over(glimpse.url), title="", words=(), links=())
    kept = [link for link in glimpse.links if not veil.hides(link[0])]
    if len(kept) == len(glimpse.links):
        return glimpse
    stays = np.ones(len(glimpse.words), np.bool_)
    for url, start, end in glimpse.links:
        if veil.hides(url):
            stays[start:end] = False
    place = np.append(0, np.cumsum(stays)).tolist()
    words = tuple(word for word, stay in zip(glimpse.words, stays.tolist(), strict=True) if stay)
    return replace(glimpse, words=words, links=tuple((url, place[a], place[b]) for url, a, b in kept))


def _notes(db: Database, veil: Veil, steps: set[int]) -> list[str]:
    """The names of notes that are of hidden hosts, or of visits that led to hidden pages."""
    theirs = [
        note(step, holder)[0]
        for step, holder in holders(db).items()
        if step in steps or veil.hides(holder.url)
    ]
    hosts = []
    for name, *_ in db.all(MEMORY):
        where = name.partition(" ")[2]
        if where and name not in theirs and veil.hides_host(host(f"{where}/") if "://" in where else where):
            hosts.append(name)
    return [*theirs, *hosts, *(name for name in (looks.NOTE,) if db.one(MEMORY, name))]


def _clear_files(db: Database, folder: Path, veil: Veil) -> None:
    """Rid all files of what the log does not have any more; what can be made again is made again, or removed."""
    for name in (index.FILE, SNAPSHOT):
        for file in folder.glob(f"{Path(name).stem}.*"):
            file.unlink()

    def is_hidden(url: str) -> bool:
        known_as = canonical(url)
        return known_as is not None and veil.hides(known_as)

    discard(db, folder, 0.0, is_hidden)
    for stored in rounds(db):
        if digest_folder(folder, stored.number).is_dir():
            write_digest(folder, stored.number)
    db.connection.execute("VACUUM")
    if db.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
        raise UserError(
            f"somebody reads {folder}, so that its files cannot be rid of all that is forgotten; end that, and type: "
            f"salticid forget {folder}"
        )
    with db.transaction():
        db.insert(ABOUT, facts({forgotten_urls.UNFINISHED: False}))
