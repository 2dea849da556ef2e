"""How far a crawl has come, counted from its log as it grows."""

from __future__ import annotations

import os
import sqlite3
from collections import deque
from pathlib import Path
from typing import Any

from salticid.crawl import HARVEST_WINDOW
from salticid.errors import UserError
from salticid.model import Outcome
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.damage import Damaged
from salticid.store.schema import FILE
from salticid.ui.untrusted_files import is_plain
from salticid.urls import host

_FREE = (Outcome.OUT_OF_SCOPE,)


class Tally:
    """Counts of one crawl; `update` takes in what its log holds by now."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._crawl: CrawlFolder | None = None
        self._step = -1
        self.pages = self.fetches = self.positive = 0
        self.seconds = 0.0
        self.trouble: str | None = None
        self.about: dict[str, Any] = {}
        self._hosts: set[str] = set()
        self._recent: deque[bool] = deque(maxlen=HARVEST_WINDOW)

    @property
    def harvest(self) -> float:
        """The share of positives among the last pages."""
        return sum(self._recent) / len(self._recent) if self._recent else 0.0

    @property
    def hosts(self) -> int:
        """How many hosts delivered a page."""
        return len(self._hosts)

    def update(self) -> None:
        """Count what is new; nothing as long as there is no log, and `trouble` if it cannot be read."""
        try:
            if self._crawl is None:
                self._crawl = CrawlFolder(self._folder)
            self._count(self._crawl)
            self.trouble = None
        except UserError as error:
            self.trouble = trouble_with(self._folder, error)
        except (OSError, sqlite3.Error, ValueError, Damaged) as error:
            damage = error if isinstance(error, Damaged) else Damaged(error, self._folder / FILE)
            self.trouble = str(damage).partition(";")[0]

    def _count(self, crawl: CrawlFolder) -> None:
        for visit in crawl.rows(self._step):
            self._step = visit.step
            if visit.revisit:
                continue
            self.seconds = max(self.seconds, visit.at)
            kind = Outcome(visit.outcome)
            self.fetches += kind.fetched and kind not in _FREE
            if kind is Outcome.OK:
                self.pages += 1
                self.positive += visit.positive
                self._recent.append(bool(visit.positive))
                self._hosts.add(host(crawl.url(visit.final)))
        self.about = crawl.about()

    def close(self) -> None:
        """Let go of the log."""
        if self._crawl is not None:
            self._crawl.close()
            self._crawl = None


def trouble_with(folder: Path, error: UserError) -> str | None:
    """Why the log in a folder cannot be opened, which the error says; None if there is none yet."""
    file = folder / FILE
    if not os.path.lexists(file):
        return None
    return str(error).partition(";")[0] if is_plain(file) else f"{file} is no plain file"
