"""One crawl folder made of the folders of its shards: what people search, export and build worlds from."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from heapq import merge
from pathlib import Path
from shutil import rmtree
from typing import Any

import numpy as np

from salticid.cluster.post_log import glimpses_in
from salticid.model import FROM_OFFER, NO_SHARD, Choice, Link, Outcome, Visit
from salticid.store import index, warc
from salticid.store.crawl_folder import CrawlFolder, StoredVisit
from salticid.store.folder_lock import SHARDS
from salticid.store.log import CrawlLog
from salticid.store.schema import FILE
from salticid.tables import Texts, Urls
from salticid.tables.translation import Translation

_FILES_A_SHARD = 1000
"""The numbers of the archive files of a shard begin at as many times its own."""
_UNKNOWN = -3
_PARTIAL = "gathering"


def shard_folder(folder: Path, number: int) -> Path:
    """Where a shard keeps what it has."""
    return folder / SHARDS / f"{number:03}"


def gather(folder: Path, shards: int, facts: Mapping[str, Any], ending: Mapping[str, Any]) -> None:
    """Write the visits of all shards, in the order they were made, into the folder as one crawl.

    What an earlier gathering wrote is replaced, all at once: whoever reads the folder sees the old crawl or the new
    one. Archives are not copied: their files get a second name. What is added to them later goes into files that
    no shard has.
    """
    partial = folder / SHARDS / _PARTIAL
    rmtree(partial, ignore_errors=True)
    urls, words = Urls(), Texts()
    with ExitStack() as stack:
        parts = []
        for number in range(shards):
            crawl = stack.enter_context(closing(CrawlFolder(shard_folder(folder, number))))
            parts.append(_Part(number, crawl))
            _link_archives(folder, number)
        log = stack.enter_context(closing(CrawlLog(partial, urls, words, own_tables=True)))
        log.begin(facts)
        _Merge(parts, log, urls, words).write()
        log.about({**ending, "warc": (_FILES_A_SHARD * shards, 0)})
    for name in (f"{FILE}-wal", f"{FILE}-shm", index.FILE):
        (folder / name).unlink(missing_ok=True)
    (partial / FILE).replace(folder / FILE)
    rmtree(partial)


class _Part:
    """One shard's visits; `step` says which step of the whole each of its own has become."""

    def __init__(self, number: int, crawl: CrawlFolder) -> None:
        self.number, self.crawl = number, crawl
        self.into = Translation(crawl.url, crawl.words.__getitem__)
        self.start_time = crawl.start_time() or 0.0
        self._steps = array("q")
        self._sights = _Sights(crawl)

    def visits(self) -> Iterator[tuple[float, int, StoredVisit]]:
        for visit in self.crawl.visits():
            yield visit.fetched or 0.0, self.number, visit

    def source(self, step: int, parts: list[_Part]) -> int:
        """The step of the whole at which a link was found, by the step of this part; an offer if it is unknown."""
        if step < 0:
            return step
        origin = self._sights.at(step)
        if origin is not None and origin[0] == NO_SHARD:
            return FROM_OFFER
        step_of_whole = self.step(step) if origin is None else parts[origin[0]].step(origin[1])
        return FROM_OFFER if step_of_whole == _UNKNOWN else step_of_whole

    def step(self, own: int) -> int:
        return self._steps[own] if own < len(self._steps) else _UNKNOWN

    def set_step(self, own: int, step: int) -> None:
        self._steps.extend([_UNKNOWN] * (own + 1 - len(self._steps)))
        self._steps[own] = step


class _Merge:
    """Takes the visits over. Their times count from when the first shard began, by the wall."""

    def __init__(self, parts: list[_Part], log: CrawlLog, urls: Urls, words: Texts) -> None:
        self._parts, self._log, self._urls, self._words = parts, log, urls, words
        self._start = min(part.start_time for part in parts)

    def write(self) -> None:
        self._log.session(0.0, {}, self._start)
        streams = [part.visits() for part in self._parts]
        for step, (_, number, visit) in enumerate(merge(*streams, key=lambda each: each[:2])):
            part = self._parts[number]
            part.set_step(visit.step, step)
            self._add(part, visit, step)

    def _add(self, part: _Part, visit: StoredVisit, step: int) -> None:
        page = None if visit.revisit else part.crawl.page(visit.step)
        link = Link(self._urls.intern(visit.url), part.source(visit.source_step, self._parts), visit.place)
        choice = Choice(link, visit.promise, tuple(visit.why), visit.agent)
        self._log.add_choices(1, frozenset(), [choice])
        self._log.add_visit(
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
                at=visit.at if visit.fetched is None else visit.fetched - self._start,
                size=visit.size,
                modified=visit.modified,
                etag=visit.etag,
                records=tuple(_merged_place(part.number, place) for place in visit.records),
                revisit=visit.revisit,
            )
        )


class _Sights:
    """The pages that a shard was only shown.

    A glimpse takes a step and leaves no visit: those are the gaps, in the order they were shown.
    """

    def __init__(self, crawl: CrawlFolder) -> None:
        origins = ((glimpse.origin, glimpse.step) for glimpse in glimpses_in(crawl.database))
        self._from = np.fromiter(origins, np.dtype((np.int64, 2)))
        own_steps = np.fromiter((visit.step for visit in crawl.rows(-1)), np.int64)
        gaps = np.ones(len(own_steps) + len(self._from), np.bool_)
        gaps[own_steps] = False
        self._gaps = np.flatnonzero(gaps)

    def at(self, step: int) -> tuple[int, int] | None:
        """Whose the page of a step was, and its step there; None for the shard's own."""
        place = int(np.searchsorted(self._gaps, step))
        if place == len(self._gaps) or self._gaps[place] != step:
            return None
        shard, there = self._from[place].tolist()
        return shard, there


def _link_archives(folder: Path, number: int) -> None:
    """Give the archive files of a shard names in the folder of the whole."""
    own, whole = shard_folder(folder, number) / warc.FOLDER, folder / warc.FOLDER
    for at in warc.numbers(own):
        whole.mkdir(exist_ok=True)
        source, target = warc.file_of(own, at), warc.file_of(whole, _FILES_A_SHARD * number + at)
        if target.exists() and target.samefile(source):
            continue
        target.unlink(missing_ok=True)
        try:
            os.link(source, target)
        except OSError:  # a file system without second names
            target.symlink_to(os.path.relpath(source, whole))


def _merged_place(number: int, place: int) -> int:
    """A place in a shard's archive as a place in that of the whole."""
    return place + (_FILES_A_SHARD * number << warc.OFFSET_BITS)
