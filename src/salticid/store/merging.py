"""Visits of several crawls become visits of one: what shards and merged crawls share."""

from __future__ import annotations

import os
import shutil
from array import array
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from salticid.messages import Sight
from salticid.model import FROM_OFFER, Choice, Link, Outcome, Page, Visit
from salticid.store import warc
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.files import folder_in, open_in, remove_in
from salticid.store.log import CrawlLog
from salticid.store.record import all_messages
from salticid.store.stored_visit import StoredVisit
from salticid.tables import Texts, Urls
from salticid.tables.translation import Translation

FILES_A_PART = 1000
"""The numbers of the archive files of a part begin at as many times its own."""
_UNKNOWN = -3


class Part:
    """One of the crawls; `step` says which step of the whole each of its own has become."""

    def __init__(self, number: int, crawl: CrawlFolder) -> None:
        self.number, self.crawl = number, crawl
        self.start_time = crawl.start_time() or 0.0
        self._into = Translation(crawl.url, crawl.words.__getitem__)
        self._steps = array("q")
        self._sights = _Sights(crawl)

    def visits(self) -> Iterator[tuple[float, int, StoredVisit]]:
        """Its visits in order, each with its time, by the wall, and the number of this part."""
        for visit in self.crawl.visits():
            yield visit.fetched or 0.0, self.number, visit

    def page(self, page: Page, urls: Urls, words: Texts) -> Page:
        """One of its pages under the ids of the whole."""
        return self._into.page(page, urls, words)

    def place(self, place: int) -> int:
        """A place in its archive as a place in that of the whole."""
        return place + (FILES_A_PART * self.number << warc.OFFSET_BITS)

    def source(self, step: int, shards: Sequence[Part]) -> int:
        """The step of the whole at which a link was found, by the step of this part; an offer if it is unknown.

        What this part was only shown is looked for in the part that showed it, if that is one of the `shards`.
        """
        if step < 0:
            return step
        origin = self._sights.at(step)
        if origin is not None and not 0 <= origin[0] < len(shards):
            return FROM_OFFER
        step_of_whole = self.step(step) if origin is None else shards[origin[0]].step(origin[1])
        return FROM_OFFER if step_of_whole == _UNKNOWN else step_of_whole

    def step(self, own: int) -> int:
        return self._steps[own] if own < len(self._steps) else _UNKNOWN

    def set_step(self, own: int, step: int) -> None:
        """A visit of its own has become this step of the whole."""
        self._steps.extend([_UNKNOWN] * (own + 1 - len(self._steps)))
        self._steps[own] = step

    def link_archives(self, whole: Path) -> None:
        """Give its archive files names in the folder of the whole; or copies, where they cannot have two names."""
        own, name = self.crawl.folder / warc.FOLDER, warc.FOLDER
        for at in warc.numbers(own):
            with warc.open_file(own, at) as data, folder_in(whole, name, make=True) as target:
                source, new = (
                    warc.file_of(own, at),
                    warc.file_of(whole / name, FILES_A_PART * self.number + at),
                )
                if new.exists() and new.samefile(source):
                    continue
                remove_in(whole, f"{name}/{new.name}")
                with suppress(OSError):
                    os.link(source, new.name, dst_dir_fd=target, follow_symlinks=False)
                    continue
                with open_in(whole, f"{name}/{new.name}", "xb") as copy:
                    shutil.copyfileobj(data, copy)


class Whole:
    """The crawl that the parts become. Times count from when the first part began, by the wall.

    `shards` are the parts that have shown pages to each other.
    """

    def __init__(
        self, parts: Sequence[Part], log: CrawlLog, urls: Urls, words: Texts, shards: Sequence[Part] = ()
    ) -> None:
        self.log, self.urls, self.words, self._shards = log, urls, words, shards
        self.start_time = min(part.start_time for part in parts)
        log.session(0.0, {}, self.start_time)

    def add(self, part: Part, visit: StoredVisit, step: int) -> Page | None:
        """Take a visit over as a step of the whole; its page under the ids of that."""
        part.set_step(visit.step, step)
        page = None if visit.revisit else part.crawl.page(visit.step)
        page = None if page is None else part.page(page, self.urls, self.words)
        link = Link(self.urls.intern(visit.url), part.source(visit.source_step, self._shards), visit.place)
        choice = Choice(link, visit.promise, tuple(visit.why), visit.agent)
        self.log.add_choices(1, frozenset(), [choice])
        self.log.add_visit(
            Visit(
                step=step,
                choice=choice,
                final=self.urls.intern(visit.final_url),
                outcome=Outcome(visit.outcome),
                page=page,
                score=visit.score,
                positive=visit.positive,
                depth=visit.depth,
                status=visit.status,
                seconds=visit.seconds,
                at=visit.at if visit.fetched is None else visit.fetched - self.start_time,
                size=visit.size,
                modified=visit.modified,
                etag=visit.etag,
                records=tuple(map(part.place, visit.records)),
                revisit=visit.revisit,
            )
        )
        return page


class _Sights:
    """The pages that a crawl was only shown.

    A glimpse takes a step and leaves no visit: those are the gaps, in the order they were shown.
    """

    def __init__(self, crawl: CrawlFolder) -> None:
        shown = (message.glimpse for _, message in all_messages(crawl.database) if isinstance(message, Sight))
        self._from = np.fromiter(
            ((glimpse.origin, glimpse.step) for glimpse in shown), np.dtype((np.int64, 2))
        )
        own_steps = np.fromiter((visit.step for visit in crawl.rows(-1)), np.int64)
        gaps = np.ones(len(own_steps) + len(self._from), np.bool_)
        gaps[own_steps] = False
        self._gaps = np.flatnonzero(gaps)

    def at(self, step: int) -> tuple[int, int] | None:
        """Whose the page of a step was, and its step there; None for the crawl's own."""
        place = int(np.searchsorted(self._gaps, step))
        if place == len(self._gaps) or self._gaps[place] != step:
            return None
        shard, there = self._from[place].tolist()
        return shard, there
