"""Pages are read from records in processes of their own (`reading_process`)."""

from __future__ import annotations

import os
import subprocess
from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Self

import msgspec

from salticid.parse import ProcessPool, Reading, ThreadedPool, lines_of
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.exports import reading_process
from salticid.store.exports.reading_process import ReadingRequest
from salticid.store.news import Versions
from salticid.urls import host

MAX_WORKERS = 4


class Readings:
    """What records in a crawl's WARC say. Use it as a context.

    `limit` is in seconds of a worker's processor time, so that a busy machine loses no page.
    """

    def __init__(self, folder: Path, workers: int | None = None, limit: float = 5.0) -> None:
        self.workers = workers or min(len(os.sched_getaffinity(0)), MAX_WORKERS)
        program = f"from {reading_process.__name__} import work; work({str(folder.absolute())!r})"
        pool = ProcessPool(program, lambda: _reading, self.workers, limit, subprocess.DEVNULL)
        self._pool = ThreadedPool(pool)

    def __enter__(self) -> Self:
        self._pool.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.__exit__()

    def ask(
        self, place: int, url: str, with_blocks: bool = False, repeated: Sequence[str] = ()
    ) -> Future[Reading | None]:
        """What a record says, once it is read, without edges of lines that are `repeated`.

        None if there is no page, it takes too long, or kills its worker.
        """
        message = msgspec.msgpack.encode(ReadingRequest(place, url, with_blocks, list(repeated)))
        return self._pool.ask(message)


def _reading(answer: bytes) -> Reading | None:
    return msgspec.msgpack.decode(answer, type=Reading | None)


# The lines that a site repeats on its pages: menus, slogans and footers that look like main text.

MOST_PAGES = 12
"""So many pages of a host are looked at, spread over all that the crawl has of it."""
LEAST_PAGES = 4
"""A line that stands on fewer of them is not repeated,"""
LEAST_SHARE = 0.5
"""nor one that stands on a smaller share of them."""
MOST_CHARACTERS = 20_000
"""Characters of the lines of a host; what a site repeats beyond them stays."""
MOST_HOSTS = 1024
"""The lines of so many hosts are remembered, those learned last; others are learned again."""


class RepeatedLines:
    """The lines of main texts that the hosts of a crawl repeat, learned from a few pages of each when asked for.

    Near-duplicates are not looked at: what copies of one page have in common is what it says.
    """

    def __init__(self, crawl: CrawlFolder, readings: Readings, versions: Versions) -> None:
        self._crawl, self._readings, self._versions = crawl, readings, versions
        self._steps: dict[str, array[int]] = defaultdict(lambda: array("q"))
        for row in crawl.rows(-1):
            if row.good and row.records and row.duplicate_of is None:
                self._steps[host(crawl.url(row.final))].append(row.step)
        self._learned: dict[str, list[str]] = {}

    def of(self, url: str) -> list[str]:
        """The lines that the host of a URL repeats."""
        name = host(url)
        if name not in self._learned:
            if len(self._learned) == MOST_HOSTS:
                del self._learned[next(iter(self._learned))]
            self._learned[name] = self._learn(self._steps.get(name, ()))
        return self._learned[name]

    def _learn(self, steps: Sequence[int]) -> list[str]:
        if len(steps) < LEAST_PAGES:
            return []
        many = min(len(steps), MOST_PAGES)
        sample = [steps[at * len(steps) // many] for at in range(many)]
        asked: list[Future[Reading | None]] = []
        for visit in self._crawl.visits_at(sample):
            newest = self._versions.newest(visit.step)
            places = visit.records if newest is None else newest.places
            if places:
                asked.append(self._readings.ask(places[-1], visit.final_url))
        readings = [future.result() for future in asked]
        return repeated_lines([reading.text for reading in readings if reading and reading.text])


def repeated_lines(texts: Sequence[str]) -> list[str]:
    """The lines that main texts of one host repeat.

    >>> repeated_lines([f"Eyes  of all\\n\\nPage {at}" for at in "abcd"]), repeated_lines(["Eyes of all"] * 3)
    (['Eyes of all'], [])
    """
    counts = Counter(line for text in texts for line in dict.fromkeys(lines_of(text)))
    least = max(LEAST_PAGES, LEAST_SHARE * len(texts))
    lines: list[str] = []
    left = MOST_CHARACTERS
    for line, many in counts.items():
        if line and many >= least and len(line) <= left:
            lines.append(line)
            left -= len(line)
    return lines
