"""The rows of a log that speak of hidden pages: which they are, and how they are taken out.

Words, texts and titles go, all versions, what a refresh found, words that no other page has, and what a person said. A
visit stays as an empty shell, so that steps and calls keep their numbers; in the place of its URL stands another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import zstandard

from salticid.messages import Message, Move, Offer, Question, Revision, SecondOffer, Sight
from salticid.model import NO_URL, Glimpse, Outcome
from salticid.store.archive import forgotten_urls
from salticid.store.archive.thinning import Unwanted, places_in
from salticid.store.continuing import AS_GIVEN
from salticid.store.database import Database, facts
from salticid.store.news import NOTE, Recheck
from salticid.store.packing import pack_words, unpack_page, unpack_words
from salticid.store.record import ChoiceRow, VisitRow, all_messages
from salticid.store.schema import (
    ABOUT,
    CHOICE,
    MEMORY,
    MESSAGE,
    PAGE,
    RECHECK,
    START_PAGE,
    URL,
    VECTOR,
    VERSION,
    VISIT,
    WORDS,
    SqlTable,
)
from salticid.store.stored_visit import holders, note
from salticid.tables import Veil
from salticid.urls import host
from salticid.version import __version__

_VISITS = "SELECT v.step, c.url, v.final, v.outcome FROM visit v JOIN choice c ON c.id = v.choice"
_VERSIONS = "SELECT r.step, v.url FROM version v JOIN recheck r ON r.id = v.recheck"
_PLACEHOLDER = "forgotten:{}"
"""Stands for a word that only forgotten pages had; no word has a colon."""


@dataclass(slots=True)
class HiddenRows:
    """The ids of hidden URLs; the steps of visits that led to them, and the ids of the URLs that had a page.

    `links` are the ids of URLs that only hidden pages named: they lose their names too, but may be found again.
    """

    urls: set[int] = field(default_factory=set)
    steps: set[int] = field(default_factory=set)
    pages: set[int] = field(default_factory=set)
    links: set[int] = field(default_factory=set)


def find(db: Database, veil: Veil) -> HiddenRows:
    """All visits whose pages are hidden, and what is to be hidden with them: whatever has led to these pages."""
    moves = [message for _, message in all_messages(db) if isinstance(message, Move)]
    while True:
        found = HiddenRows({at for at, text, _ in db.all(URL) if veil.hides(text)})
        hidden = found.urls
        leads = list(db.run(_VERSIONS))
        for step, asked, final, outcome in db.run(_VISITS):
            if outcome in (Outcome.OK.value, Outcome.FORGOTTEN.value):
                leads += [(step, asked), (step, final)]
            elif final in hidden:
                leads.append((step, asked))
                found.steps.add(step)
        found.steps |= {step for step, url in leads if url in hidden}
        found.steps |= {move.step for move in moves if veil.hides(move.url)}
        more = {url for step, url in leads if step in found.steps} - hidden
        texts = [db.row(URL, at)[1] for at in more]
        texts += [move.url for move in moves if move.step in found.steps and not veil.hides(move.url)]
        if not texts:
            found.pages = {row[1] for row in db.select(PAGE) if row[0] in found.steps}
            _add_links(db, veil, found)
            return found
        for text in texts:
            veil.add_url(text)


def _add_links(db: Database, veil: Veil, found: HiddenRows) -> None:
    """Add the URLs that only hidden pages name, and the visits that failed to bring a page from there."""
    theirs: set[int] = set()
    others: set[int] = set()
    rechecks = {row[0]: row[1] for row in db.all(RECHECK)}
    for table in (PAGE, VERSION, START_PAGE):
        for row in db.select(table, body=True):
            page = unpack_page(_page_row(table, row))
            step = row[0] if table is PAGE else rechecks.get(row[0])
            goes = page.url in found.urls if table is START_PAGE else step in found.steps
            named = {page.url, page.canonical, page.refresh, *page.links.url.tolist()}
            theirs, others = (theirs | named, others) if goes else (theirs, others | named)
    kept: set[str] = set()
    shown: set[str] = set()
    for _, message in all_messages(db):
        match message:
            case Offer(urls, _) | SecondOffer(urls):
                kept.update(urls)
            case Sight(glimpse):
                texts = shown if veil.hides(glimpse.url) else kept
                texts.update(link[0] for link in glimpse.links)
    for at, text, _ in db.all(URL) if kept or shown else ():
        theirs |= {at} if text in shown else set()
        others |= {at} if text in kept else set()
    in_vain: dict[int, set[int]] = {}
    chosen = {row[0]: ChoiceRow._make(row) for row in db.all(CHOICE)}
    for step, asked, final, outcome in db.run(_VISITS):
        if step in found.steps:
            continue
        source = chosen[VisitRow._make(db.row(VISIT, step)).choice].source
        if outcome != Outcome.OK.value and source in found.steps and not {asked, final} & others:
            in_vain.setdefault(asked, set()).add(step)
            in_vain.setdefault(final, set()).add(step)
        else:
            others |= {asked, final}
    visited = {row.url for row in chosen.values()} - in_vain.keys()
    found.links = theirs - others - visited - found.urls - {NO_URL}
    found.steps |= {step for at in found.links for step in in_vain.get(at, ())}


def take_out(db: Database, veil: Veil, found: HiddenRows) -> None:
    """Take what was found out of the log, all at once."""
    visits = [VisitRow._make(db.row(VISIT, step)) for step in sorted(found.steps)]
    rechecks = [look for look in map(Recheck._make, db.all(RECHECK)) if look.step in found.steps]
    numbers = {look.id for look in rechecks}
    gone = {
        PAGE: [row[0] for row in db.select(PAGE) if row[0] in found.steps],
        VERSION: [row[0] for row in db.select(VERSION) if row[0] in numbers],
        START_PAGE: [row[0] for row in db.select(START_PAGE) if row[2] in found.urls],
    }
    heard = [(seq, message, _without(message, veil, found.steps)) for seq, message in all_messages(db)]
    messages = [(seq, msgspec.json.encode(new).decode()) for seq, old, new in heard if new != old]
    before = {word for _, old, _ in heard for word in _words_of(old)}
    after = {word for _, _, new in heard for word in _words_of(new)}
    words = _own_words(db, gone, _ids_of(db, before - after))
    words = np.setdiff1d(words, _ids_of(db, after))
    unwanted = Unwanted.of(db)
    records = [row.records for row in visits] + [look.records for look in rechecks]
    unwanted.places += [place for each in records for place in places_in(each)]
    urls = [(at, veil.over(text)) for at, text, _ in db.all(URL) if at in found.urls]
    urls += [(at, veil.stand_in(text)) for at, text, _ in db.all(URL) if at in found.links]
    notes = _notes(db, veil, found)
    with db.transaction():
        db.replace(VISIT, [_shell(visit) for visit in visits])
        _leave_to_twins(db, found.steps)
        for table, keys in gone.items():
            db.remove(table, keys)
        db.remove(RECHECK, numbers)
        db.replace(MESSAGE, messages)
        db.replace(URL, urls)
        db.replace(WORDS, list(_words_without(db, words)))
        db.remove(MEMORY, notes)
        forgotten_urls.note(db, veil)
        about = db.facts()
        topic = {"topic": forgotten_urls.without_urls(about["topic"], veil)} if "topic" in about else {}
        db.insert(ABOUT, facts({AS_GIVEN: __version__, **topic}))
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


def _words_of(message: Message) -> tuple[str, ...]:
    """The words that a message shows."""
    return message.glimpse.words if isinstance(message, Sight) else ()


def _ids_of(db: Database, words: set[str]) -> npt.NDArray[np.int32]:
    found: list[int] = []
    for _, ids, texts, _ in db.all(WORDS) if words else ():
        numbers, lines = unpack_words(ids, texts)
        spelled = lines.decode().split("\n")
        found += [at for at, word in zip(numbers.tolist(), spelled, strict=False) if word in words]
    return np.array(found, np.int32)


def _own_words(db: Database, gone: dict[SqlTable, list[int]], theirs: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Of these words and those of rows that go, the ones that no other row has."""
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
        case Question(urls):
            return Question([veil.over(url) for url in urls])
        case Revision(scores, feedback, answers, changed):
            return Revision(
                [(step, score) for step, score in scores if step not in steps],
                [(url, liking) for url, liking in feedback if not veil.hides(url)],
                [answer for answer in answers if not veil.hides(answer.url)],
                changed,
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
        if veil.hides(url):  # what stands between it and its neighbors may describe it
            after = min((link[1] for link in kept if link[1] >= end), default=len(stays))
            before = max((link[2] for link in kept if link[2] <= start), default=0)
            stays[before:after] = False
    place = np.append(0, np.cumsum(stays)).tolist()
    words = tuple(word for word, stay in zip(glimpse.words, stays.tolist(), strict=True) if stay)
    return replace(glimpse, words=words, links=tuple((url, place[a], place[b]) for url, a, b in kept))


def _notes(db: Database, veil: Veil, found: HiddenRows) -> list[str]:
    """The names of notes on hosts that are hidden or named no more, or on visits that led to hidden pages; and of all
    vectors of texts, for nobody knows whose texts these are."""
    theirs = [
        note(step, holder)[0] for step, holder in holders(db).items() if step in found.steps or veil.hides(holder.url)
    ]
    lost = {host(text) for at, text, _ in db.all(URL) if at in found.links}
    lost -= {host(text) for at, text, _ in db.all(URL) if at not in found.links}
    hosts = []
    for name, *_ in db.all(MEMORY):
        where = name.partition(" ")[2]
        where = host(f"{where}/") if "://" in where else where
        is_lost = where and name not in theirs and (where in lost or veil.hides_host(where))
        if is_lost or name.startswith(VECTOR):
            hosts.append(name)
    return [*theirs, *hosts, *(name for name in (NOTE,) if db.one(MEMORY, name))]
