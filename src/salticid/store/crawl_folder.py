"""Reading a crawl folder back."""

from __future__ import annotations

import hashlib
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import cached_property
from itertools import islice
from math import inf
from pathlib import Path
from typing import Any

import msgspec

from salticid.errors import UserError
from salticid.model import Outcome, Page
from salticid.store import folder_lock as ahead
from salticid.store.database import Connection, Database, Facts, connect
from salticid.store.folder_lock import SHARDS, is_held
from salticid.store.packing import unpack_page, unpack_words, unpacks
from salticid.store.record import VisitRow, all_arrivals, arrival_at
from salticid.store.schema import DATABASE_FILE, FORMAT, MEMORY, MESSAGE, PAGE, SESSION, URL, VISIT, WORDS
from salticid.store.stored_visit import DIGEST_FIELDS, TwinGroups, Verdicts, VisitReader, Word, is_on_topic
from salticid.store.stored_visit import StoredVisit as StoredVisit
from salticid.urls import host

_STEP_OF = "SELECT p.step FROM page p CROSS JOIN url u ON u.id = p.url WHERE u.text = ? LIMIT 1"


_NO_ROOM = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY)


class NoCrawlYet(UserError):
    """A folder in which a crawl was about to begin, and did not."""


class CrawlFolder:
    """A crawl on disk, opened for reading; a crawl still running may be read too.

    `missing` is the sentence to tell when its write-ahead log was left behind. A crawl that is only `in_memory` is
    read likewise.
    """

    def __init__(self, folder: Path, in_memory: Database | None = None) -> None:
        self.folder, self.missing = folder, None
        self._is_shared = in_memory is not None
        self._verdicts: tuple[int, Verdicts] | None = None
        if in_memory is not None:
            self.database = in_memory
            return
        nothing_ahead = ahead.holds_nothing(folder)
        file = folder / DATABASE_FILE
        if not file.is_file() and (folder / SHARDS).is_dir():
            raise UserError(
                f"the shards of the crawl in {folder} are not gathered yet, which is done when it ends: wait for that, "
                f"or give its command again; meanwhile each can be read alone, as in {folder / SHARDS / '000'}"
            )
        if not file.is_file():
            raise UserError(
                f"{folder} holds no crawl: there is no {DATABASE_FILE}; name the folder a crawl was told by --out"
            )
        if file.with_name(f"{DATABASE_FILE}-journal").exists():  # it has one until it has a write-ahead log
            raise _no_crawl_yet(folder)
        try:
            self.database = _opened(folder)
        except sqlite3.Error as error:
            raise UserError(
                f"{file} cannot be read as a crawl: {error}; name the folder a crawl was told by --out"
            ) from None
        if not (version := self.database.format):
            raise _no_crawl_yet(folder)
        if version != FORMAT:
            raise UserError(
                f"{folder} is a crawl of format {version}, this program reads {FORMAT}; crawl into a new folder"
            )
        self.missing = ahead.left_behind(folder, self.database) if nothing_ahead else None

    def about(self) -> Facts:
        """The facts written down about the whole crawl."""
        return self.database.facts()

    def visits(self) -> Iterator[StoredVisit]:
        """All visits in order."""
        return map(VisitReader(self.database, self.verdicts()), all_arrivals(self.database))

    def visits_from_nowhere(self) -> Iterator[StoredVisit]:
        """The visits of links that are on no page of the crawl: start points, and what was offered."""
        arrivals = all_arrivals(self.database)
        here = (arrival for arrival in arrivals if arrival.choice.source < 0)
        return map(VisitReader(self.database, self.verdicts()), here)

    def visit(self, step: int) -> StoredVisit:
        """The visit of a step."""
        return next(self.visits_at([step]))

    def visits_at(self, steps: Iterable[int]) -> Iterator[StoredVisit]:
        """The visits of some steps, in the order of these."""
        reader = VisitReader(self.database, self.verdicts())
        for step in steps:
            arrival = arrival_at(self.database, step)
            if arrival is None:
                raise self.database.damage(f"visit {step} is missing")
            yield reader(arrival)

    def verdicts(self) -> Verdicts:
        """What is thought of the visits by now; read anew only when the crawl has heard something."""
        last = self.database.last(MESSAGE)
        heard = -1 if last is None else last[0]
        if self._verdicts is None or self._verdicts[0] != heard:
            self._verdicts = heard, Verdicts(self.database, self.step_of)
        return self._verdicts[1]

    def line(self) -> float:
        """The score from which on the judge calls a page positive.

        Where no run came to an orderly end, it is the lowest that was called so; infinite if none was.
        """
        line: float | None = self.about().get("line")
        if line is not None:
            return line
        return min((visit.score for visit in self._rows() if visit.positive), default=inf)

    def ranking(self) -> Iterator[int]:
        """The steps of all visits by their current scores, best first, the earlier first among equals."""
        return map(int, self.verdicts().ranking(self._rows()))

    def best_first(self, everything: bool = False) -> Iterator[tuple[StoredVisit, list[str]]]:
        """All visits, best first, each with the URLs of other pages that it stands for.

        Of near-duplicates, releases and translations of a page the best alone, unless `everything` is wanted.
        """
        groups = TwinGroups(self.database)
        for visit in self.visits_at(self.ranking()):
            if everything or visit.outcome != Outcome.OK:
                yield visit, []
            elif groups.is_first(visit.step):
                yield visit, [other.final_url for other in self.visits_at(groups.others(visit.step))]

    def on_topic(self, twins: bool = False) -> list[int]:
        """The steps of the pages on topic by now, as a person's list shows them.

        Best first, those that the person liked included and those rejected left out, one of those all but the same,
        unless all `twins` are wanted.
        """
        verdicts, line = self.verdicts(), self.line()
        groups = TwinGroups(self.database, verdicts.rejected)
        scores = {visit.step: verdicts.score(visit) for visit in self._rows() if visit.good}
        wanted = [step for step, score in scores.items() if is_on_topic(score, verdicts.words.get(step), line)]
        wanted.sort(key=lambda step: (-scores[step], step))
        return [step for step in wanted if twins or groups.take(step)]

    def hosts_on_topic(self) -> int:
        """How many hosts have a page on topic by now."""
        return len({host(visit.final_url) for visit in self.visits_at(self.on_topic(twins=True))})

    def outcomes(self) -> dict[str, int]:
        """How many visits had which outcome, most first; pages shown again to a walker are not counted."""
        counts = Counter(visit.outcome for visit in self._rows() if not visit.revisit)
        return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))

    def best(self, count: int) -> list[StoredVisit]:
        """The good pages the judge likes best by now, the earliest first among equals.

        None that a person rejected, and one of those all but the same.
        """
        verdicts = self.verdicts()
        groups = TwinGroups(self.database, verdicts.rejected)
        ranking = verdicts.ranking(visit for visit in self._rows() if visit.good).tolist()
        wanted = (step for step in ranking if verdicts.words.get(step) is not Word.REJECTED)
        return list(self.visits_at(islice(filter(groups.take, wanted), count)))

    def positive(self) -> list[bool]:
        """For each good page in order whether the judge called it positive."""
        return [bool(visit.positive) for visit in self._rows() if visit.good]

    def settings(self) -> dict[str, Any] | None:
        """The settings of the last run; None if no run has come so far."""
        return next(iter(self.settings_of_runs()), None)

    def settings_of_runs(self) -> list[dict[str, Any]]:
        """The settings of all runs, the last one first."""
        return [_decode(row[3]) for row in self.database.all(SESSION)][::-1]

    def start_time(self) -> float | None:
        """When the first run began, in seconds since 1970, were the crawl's clock at 0 then."""
        first = next(self.database.all(SESSION), None)
        return None if first is None else first[1] - first[2]

    def check_read_by(self, at: float | None) -> None:
        """UserError when nothing had been read yet at a moment."""
        began = self.start_time()
        if at is not None and began is not None and at < began:
            raise UserError(
                f"the crawl in {self.folder} had read nothing by {_day(at)}; it began on {_day(began)}, name a date "
                "from then on"
            )

    def notes(self, prefix: str) -> dict[str, bytes]:
        """What the web of the crawl noted under names that begin so, by the rest of each name."""
        rows = self.database.select(MEMORY, "WHERE name >= ? AND name < ?", (prefix, f"{prefix}\U0010ffff"))
        return {name.removeprefix(prefix): value for name, value, _ in rows}

    def step_of(self, url: str) -> int | None:
        """The step at which the page of a URL was visited."""
        likely = next(self.database.run(_STEP_OF, (url,)), None)
        pages = self.database.all(PAGE) if likely is None else [self.database.row(PAGE, likely[0])]
        return next((step for step, at, *_ in pages if self.url(at) == url), None)

    def digest(self) -> str:
        """One short text for all visits: equal for two crawls exactly when they did the same."""
        digest = hashlib.blake2b(digest_size=16)
        for visit in self.visits():
            digest.update(msgspec.json.encode({name: getattr(visit, name) for name in DIGEST_FIELDS}) + b"\n")
        return digest.hexdigest()

    def page(self, step: int) -> Page | None:
        """The page of a visit, if it delivered one; ids as in `url` and `words`."""
        row = self.database.one(PAGE, step, body=True)
        return unpack_page(row[1:]) if row else None

    def __len__(self) -> int:
        """The number of visits."""
        # A bare count(*) is one step of SQLite's machine, which nothing interrupts: a forged tree makes it endless.
        count: int = next(self.database.run("SELECT sum(1) FROM visit"))[0] or 0
        return count

    def url(self, at: int) -> str:
        """The URL of an id."""
        text: str = self.database.row(URL, at)[1]
        return text

    @cached_property
    def words(self) -> dict[int, str]:
        """All words of the crawl by id; read once, kept."""
        words: dict[int, str] = {}
        for _, ids, texts, _ in self.database.all(WORDS):
            words.update(_words(ids, texts))
        return words

    def close(self) -> None:
        if not self._is_shared:
            self.database.connection.close()

    def rows(self, after: int) -> Iterator[VisitRow]:
        """The visits after a step as they are stored."""
        return map(VisitRow._make, self.database.select(VISIT, "WHERE step > ? ORDER BY step", (after,)))

    def _rows(self) -> Iterator[VisitRow]:
        return map(VisitRow._make, self.database.all(VISIT))


def _opened(folder: Path) -> Database:
    """The database, which is read without a byte being written where that is impossible."""
    file = folder / DATABASE_FILE
    try:
        return _database(connect(file, "mode=ro"), file)
    except sqlite3.OperationalError as error:
        # A full disk or a read-only one has no room for the file through which SQLite's programs share a log.
        if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _NO_ROOM or is_held(folder):
            raise
    if ahead.holds_nothing(folder):
        return _database(connect(file, "mode=ro&immutable=1"), file)
    db = connect(file, "mode=ro&vfs=unix-none")
    db.execute("PRAGMA locking_mode = EXCLUSIVE")  # then it keeps in memory what that file would hold
    return _database(db, file)


def _database(db: Connection, file: Path) -> Database:
    try:
        return Database(db, file)
    except BaseException:
        db.close()
        raise


def _no_crawl_yet(folder: Path) -> NoCrawlYet:
    return NoCrawlYet(f"{folder} holds no crawl yet; name the folder a crawl was told by --out")


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@unpacks
def _words(ids: bytes, texts: bytes) -> Iterable[tuple[int, str]]:
    numbers, lines = unpack_words(ids, texts)
    return zip(numbers.tolist(), lines.decode().split("\n"), strict=True)


@unpacks
def _decode(settings: str) -> dict[str, Any]:
    return msgspec.json.decode(settings, type=dict[str, Any])
