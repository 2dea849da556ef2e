"""All crawls of the server: those that run, and those that could."""

from __future__ import annotations

import asyncio
import re
import shutil
import time
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from salticid.errors import UserError
from salticid.runs import LiveSettings
from salticid.service.server_crawl import ServerCrawl
from salticid.service.wish import Wish

# The names of crawls, which are those of their folders.

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST = 40


def is_name(text: str) -> bool:
    """Whether a text may be the name of a crawl: such a one leads nowhere else."""
    return _NAME.fullmatch(text) is not None


def names(query: str) -> Iterator[str]:
    """Names for a crawl with this query, the best first, numbered from the second on.

    >>> from itertools import islice
    >>> list(islice(names("Flüge: hot-air ../ballooning!"), 2)), next(names("蜘蛛"))
    (['fluge-hot-air-ballooning', 'fluge-hot-air-ballooning-2'], 'crawl')
    """
    plain = unicodedata.normalize("NFKD", query).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", plain[: 4 * _LONGEST])
    stem = "-".join(words)[:_LONGEST].strip("-") or "crawl"
    return (stem if number == 1 else f"{stem}-{number}" for number in range(1, 1_000_000))


FOLDER = "crawls"
MOST_AT_ONCE = 8
"""Crawls that run at the same time: each has processes and connections of its own."""
DUE_EVERY = 30.0
"""Seconds between two looks for rounds of watching that are due."""
_REMAINS = ".removed-"
"""Begins the name of a folder that is being deleted: it cannot be taken for a crawl."""


class Crawls:
    """The crawls in a folder of data, by id. A crawl's id is the name of its folder, and made here."""

    def __init__(self, data: Path, live: LiveSettings) -> None:
        self.folder = data / FOLDER
        self._live = live
        self._crawls: dict[str, ServerCrawl] = {}
        self._old_ids: set[str] = set()

    async def open(self) -> list[ServerCrawl]:
        """Find the crawls of earlier times, and start those again that were running; they are returned.

        UserError if there is no folder for them, nor can be.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self.look_for_others()
        except OSError as error:
            raise UserError(
                f"{self.folder} cannot hold crawls: {error.strerror}; move it away, or name another folder as --data"
            ) from None
        for folder in self.folder.glob(f"{_REMAINS}*"):
            _delete(folder)
        running = [crawl for crawl in self if crawl.wish.mood in ("run", "watch") and not crawl.runs_alone]
        for crawl in running[:MOST_AT_ONCE]:
            await crawl.start()
        return running[:MOST_AT_ONCE]

    def look_for_others(self) -> None:
        """Take in the crawls of earlier times, and what agents have begun since."""
        for folder in sorted(self.folder.iterdir()):
            known = folder.name in self._crawls or not is_name(folder.name)
            if not known and (wish := Wish.load(folder)) is not None:
                self._crawls[folder.name] = ServerCrawl(folder, wish, self._live)

    async def close(self) -> list[ServerCrawl]:
        """Stop all that run, so that they go on next time; they are returned."""
        running = [crawl for crawl in self if crawl.running]
        await asyncio.gather(*(crawl.rest() for crawl in running))
        for crawl in self:
            crawl.close()
        return running

    async def watch_those_due(self) -> None:
        """Begin the rounds of watching that are to begin by themselves, as long as there is room; never returns."""
        while True:
            for crawl in self:
                if sum(each.running for each in self) < MOST_AT_ONCE and crawl.is_due(time.time()):
                    with suppress(UserError):  # somebody was quicker
                        await crawl.watch(crawl.standing_order)
            await asyncio.sleep(DUE_EVERY)

    async def begin(self, wish: Wish) -> ServerCrawl:
        """A new crawl, which runs."""
        self.check_room()
        folder = self._new_folder(wish.query)
        wish.order(folder, self._live)  # an unknown name is found out before anything is written
        try:
            wish.save(folder)
        except OSError:
            _delete(folder)
            raise
        crawl = self._crawls[folder.name] = ServerCrawl(folder, wish, self._live)
        await crawl.start()
        return crawl

    async def remove(self, crawl: ServerCrawl) -> None:
        """Delete all that is kept of a crawl that has ended; its id is not given again while the server runs."""
        crawl.give_up()
        del self._crawls[crawl.id]
        self._old_ids.add(crawl.id)
        remains = crawl.folder.rename(self.folder / f"{_REMAINS}{crawl.id}")
        await asyncio.to_thread(_delete, remains)

    def check_room(self) -> None:
        """UserError when as many run as may."""
        if sum(crawl.running for crawl in self) >= MOST_AT_ONCE:
            raise UserError(f"{MOST_AT_ONCE} crawls run already; pause or stop one of them first")

    def find(self, name: str) -> ServerCrawl | None:
        """The crawl of an id."""
        return self._crawls.get(name)

    def __iter__(self) -> Iterator[ServerCrawl]:
        """All of them, newest first."""
        return iter(sorted(self._crawls.values(), key=lambda crawl: crawl.wish.began, reverse=True))

    def __len__(self) -> int:
        return len(self._crawls)

    def _new_folder(self, query: str) -> Path:
        ids = self._crawls.keys() | self._old_ids
        tries = (self.folder / name for name in names(query))
        return next(folder for folder in tries if not folder.exists() and folder.name not in ids)


def _delete(remains: Path) -> None:
    """Delete a folder, but never what a link leads to; what resists is left, and tried again at the next start."""
    if remains.is_symlink() or not remains.is_dir():
        with suppress(OSError):
            remains.unlink()
    else:
        shutil.rmtree(remains, ignore_errors=True)
