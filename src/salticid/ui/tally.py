"""How far a crawl has come, counted from its log as it grows."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

from salticid.crawl import HARVEST_WINDOW
from salticid.errors import UserError
from salticid.messages import Revision, Round
from salticid.model import Outcome
from salticid.store import record
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.damage import Damaged
from salticid.store.schema import FILE
from salticid.ui.standing import Standing
from salticid.ui.untrusted_files import is_plain
from salticid.urls import host

_FREE = (Outcome.OUT_OF_SCOPE,)
_MOST_MESSAGES = 2000
_FOREVER = (1 << 63) - 1


class Tally:
    """Counts of one crawl, and its last `round` of watching; `update` takes in what its log holds by now."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._crawl: CrawlFolder | None = None
        self._step, self._seq = -1, 0
        self.pages = self.fetches = self.refused = 0
        self.outcomes: Counter[str] = Counter()
        self.received = 0
        self.standing = Standing()
        self.seconds = 0.0
        self.trouble: str | None = None
        self.about: dict[str, Any] = {}
        self.round: Round | None = None
        self._hosts: dict[str, int] = {}
        self._host_of: dict[int, int] = {}

    @property
    def harvest(self) -> float:
        """The share of pages on topic among the last ones."""
        return self.standing.share_of_last(HARVEST_WINDOW)

    @property
    def hosts(self) -> int:
        """How many hosts delivered a page."""
        return len(self._hosts)

    @property
    def hosts_on_topic(self) -> int:
        """How many of them have a page on topic by now."""
        return len({self._host_of[step] for step in self.standing.steps_on_topic()})

    def update(self) -> None:
        """Count what is new; nothing as long as there is no log, and `trouble` if it cannot be read."""
        try:
            if self._crawl is None:
                self._crawl = CrawlFolder(self._folder)
            with self._crawl.database.moment():
                self._count(self._crawl)
                self._listen(self._crawl)
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
            self.outcomes[visit.outcome] += 1
            self.received += visit.size
            kind = Outcome(visit.outcome)
            self.refused += kind is Outcome.REFUSED_ADDRESS
            self.fetches += kind.fetched and kind not in _FREE
            if kind is Outcome.OK:
                self.pages += 1
                self.standing.see(visit)
                name = host(crawl.url(visit.final))
                self._host_of[visit.step] = self._hosts.setdefault(name, len(self._hosts))
        self.about = crawl.about()

    def _listen(self, crawl: CrawlFolder) -> None:
        """Hear what the judge and the person said since."""
        while messages := list(record.messages(crawl.database, self._seq, _FOREVER, _MOST_MESSAGES)):
            for self._seq, message in messages:
                if isinstance(message, Round):
                    self.round = message
                elif isinstance(message, Revision):
                    steps = {url: crawl.step_of(url) for url, _ in message.feedback}
                    self.standing.hear(message, steps)

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
