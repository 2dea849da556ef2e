"""One crawl folder made of the folders of its shards: what people search, export and build worlds from."""

from __future__ import annotations

import os
import sqlite3
from array import array
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from heapq import merge
from pathlib import Path
from typing import Any

from salticid.model import FROM_OFFER, Choice, Link, Outcome, Visit
from salticid.store import index, warc
from salticid.store.folder import CrawlFolder, StoredVisit
from salticid.store.log import CrawlLog
from salticid.store.schema import FILE
from salticid.tables import Texts, Urls
from salticid.worlds.translate import Translation

SHARDS = "shards"
_FILES_A_SHARD = 1000
"""The numbers of the archive files of a shard begin at as many times its own."""
_UNKNOWN = -3


def shard_folder(folder: Path, number: int) -> Path:
    """Where a shard keeps what it has."""
    return folder / SHARDS / f"{number:03}"


def gather(folder: Path, shards: int, facts: Mapping[str, Any], ending: Mapping[str, Any]) -> None:
    """Write the visits of all shards, in the order they were made, into the folder as one crawl.

    What an earlier gathering wrote is replaced. Archives are not copied: their files get a second name.
    """
    for name in (FILE, f"{FILE}-wal", f"{FILE}-shm", index.FILE):
        (folder / name).unlink(missing_ok=True)
    urls, words = Urls(), Texts()
    with ExitStack() as stack:
        parts = []
        for number in range(shards):
            crawled = stack.enter_context(closing(CrawlFolder(shard_folder(folder, number))))
            parts.append(_Part(number, crawled))
            _link_archives(folder, number)
        log = stack.enter_context(closing(CrawlLog(folder, urls, words, own_tables=True)))
        log.begin(facts)
        log.session(0.0, {})
        _Gathered(parts, log, urls, words).write()
        log.about(ending)


class _Part:
    """One shard's visits; `step` says which step of the whole each of its own has become."""

    def __init__(self, number: int, crawled: CrawlFolder) -> None:
        self.number, self.crawled = number, crawled
        self.into = Translation(crawled.url, crawled.words.__getitem__)
        self._steps = array("q")
        self._glimpsed = _glimpsed(crawled.db)

    def visits(self) -> Iterator[tuple[float, int, StoredVisit]]:
        for visit in self.crawled.visits():
            yield visit.fetched or 0.0, self.number, visit

    def source(self, step: int, parts: list[_Part]) -> int:
        """The step of the whole at which a link was found, by the step of this part; an offer if nobody knows."""
        if step < 0:
            return step
        origin = self._glimpsed.get(step)
        found = self.step(step) if origin is None else parts[origin[0]].step(origin[1])
        return FROM_OFFER if found == _UNKNOWN else found

    def step(self, own: int) -> int:
        return self._steps[own] if own < len(self._steps) else _UNKNOWN

    def became(self, own: int, step: int) -> None:
        self._steps.extend([_UNKNOWN] * (own + 1 - len(self._steps)))
        self._steps[own] = step


class _Gathered:
    def __init__(self, parts: list[_Part], log: CrawlLog, urls: Urls, words: Texts) -> None:
        self._parts, self._log, self._urls, self._words = parts, log, urls, words

    def write(self) -> None:
        streams = [part.visits() for part in self._parts]
        for step, (_, number, visit) in enumerate(merge(*streams, key=lambda each: each[:2])):
            part = self._parts[number]
            part.became(visit.step, step)
            self._add(part, visit, step)

    def _add(self, part: _Part, visit: StoredVisit, step: int) -> None:
        page = None if visit.revisit else part.crawled.page(visit.step)
        link = Link(self._urls.intern(visit.url), part.source(visit.source_step, self._parts), visit.place)
        choice = Choice(link, visit.promise, tuple(visit.why), visit.agent)
        self._log.chose(1, frozenset(), [choice])
        self._log.visited(
            Visit(
                step=step,
                choice=choice,
                final=self._urls.intern(visit.final_url),
                outcome=Outcome(visit.outcome),
                page=None if page is None else part.into.page(page, self._urls, self._words),
                score=visit.score,
                positive=visit.positive,
                depth=visit.depth,
                status=visit.status,
                seconds=visit.seconds,
                at=visit.at,
                size=visit.size,
                modified=visit.modified,
                etag=visit.etag,
                records=tuple(_moved(part.number, place) for place in visit.records),
                revisit=visit.revisit,
            )
        )


def _glimpsed(db: sqlite3.Connection) -> dict[int, tuple[int, int]]:
    """By their steps in a shard the pages it was only shown: whose they were, and their steps there.

    A glimpse takes a step and leaves no visit: those are the gaps, in the order they were shown.
    """
    told = db.execute(
        "SELECT json_extract(body, '$.origin'), json_extract(body, '$.step') FROM told "
        "WHERE call = 'glimpse' ORDER BY seq"
    ).fetchall()
    visited = [step for (step,) in db.execute("SELECT step FROM visit ORDER BY step")]
    made = set(visited)
    gaps = (step for step in range(len(visited) + len(told)) if step not in made)
    return dict(zip(gaps, told, strict=False))


def _link_archives(folder: Path, number: int) -> None:
    """Give the archive files of a shard names in the folder of the whole."""
    own, whole = shard_folder(folder, number) / warc.FOLDER, folder / warc.FOLDER
    for at in warc.numbers(own):
        whole.mkdir(exist_ok=True)
        target = warc.file_of(whole, _FILES_A_SHARD * number + at)
        if not target.exists():
            os.link(warc.file_of(own, at), target)


def _moved(number: int, place: int) -> int:
    """A place in a shard's archive as a place in that of the whole."""
    return place + (_FILES_A_SHARD * number << warc.OFFSET_BITS)
