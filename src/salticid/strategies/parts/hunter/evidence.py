"""All that was read about links: each link of each page read, as a row, whether or not its target waits."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from salticid.columns import Column
from salticid.model import Bools, Floats, Ints, Page
from salticid.native import at, lib
from salticid.strategies.parts.hunter.page_records import LED_BY
from salticid.strategies.parts.hunter.topic_profile import PROFILES, SPANS, PageStems, TopicProfile
from salticid.strategies.parts.hunter.url_parts import UrlParts
from salticid.text.link_lists import link_lists
from salticid.text.stems import STOP

ANCHOR_WORDS = 4
"""So many words of an anchor are kept, the first, to learn which of them lead to good pages."""
MOST_LINKS = 4000
"""Of a page the first links are read; more are a trap or a dump."""
READ_AGAIN, MOST_TOKENS = 256, 2_000_000
"""So many pages, and words of them, the last, are kept to be read again when words have been learned."""
ROWS_A_LINK, FEWEST_ROWS = 4, 4096
"""How many rows are kept for each link that may wait, and at least."""
ROWS_ANYWAY = 1 << 16
"""So many are kept however few links wait; more only when `ROWS_A_LINK` for each that waits are more."""


class Evidence:
    """The rows: the page a link is on, where it leads, how it stands there, what the words at and around it say.

    They are kept while there is room (`ROWS_A_LINK` for each link that waits, or `ROWS_ANYWAY`): those of pages
    all of whose links are gone go first, then those of the oldest pages. A URL that was dropped and is met again
    finds its old rows.
    """

    def __init__(self, profile: TopicProfile, addresses: UrlParts, limit: int | None) -> None:
        self._profile, self._addresses = profile, addresses
        self._most = None if limit is None else max(FEWEST_ROWS, ROWS_A_LINK * limit)
        self.page, self.url = Column(np.int32), Column(np.int32)
        self.text = Column(np.float32, len(SPANS) * len(PROFILES))
        self.words = Column(np.int32, ANCHOR_WORDS)
        self.early, self.title = Column(np.float32), Column(np.float32)
        self.in_list, self.leaves_host = Column(np.bool_), Column(np.bool_)
        self._columns = (
            self.page, self.url, self.text, self.words, self.early, self.title, self.in_list, self.leaves_host,
        )  # fmt: skip
        self._again: deque[tuple[int, PageStems]] = deque()
        self._tokens = 0

    def __len__(self) -> int:
        return len(self.page.held)

    def read(self, page: Page, row: int) -> None:
        """Take the links of a page, in reading order."""
        places = np.arange(min(len(page.links), MOST_LINKS), dtype=np.int32)
        reading = self._profile.reading(page, places)
        self.page.append(np.full(len(places), row, np.int32))
        self.url.append(page.links.url[places])
        self.text.append(self._profile.of_links(reading))
        self.words.append(_first_words(reading))
        self.early.append(1.0 - reading.start / max(len(reading.stems), 1))
        self.title.append(np.full(len(places), self._profile.of_title(reading), np.float32))
        self.in_list.append(_in_lists(page)[places])
        self.leaves_host.append(self._leaves_host(page)[places])
        self._again.append((row, reading))
        self._tokens += len(reading.stems)
        while len(self._again) > READ_AGAIN or (self._tokens > MOST_TOKENS and len(self._again) > 1):
            self._tokens -= len(self._again.popleft()[1].stems)

    def anchor_words(self, url: int) -> Ints:
        """One row of the words of all anchors that lead to a URL, the first of them, each once."""
        row = np.full((1, LED_BY), STOP, np.int32)
        if lib is not None:
            urls, words = self.url.held, self.words.held
            lib.anchor_words(at(urls), len(urls), at(words), ANCHOR_WORDS, url, at(row), LED_BY)
            return row
        words = self.words.held[self.url.held == url].ravel()
        first = np.sort(np.unique(words, return_index=True)[1])
        terms = words[first][words[first] != STOP][:LED_BY]
        row[0, : len(terms)] = terms
        return row

    def learn_words(self, rewards: Floats, favourite_rows: Sequence[int] = ()) -> None:
        """Learn the topic's words from the last pages, those a person likes being examples; read links again."""
        favourites = [reading for row, reading in self._again if row in favourite_rows]
        if favourites:
            self._profile.tell(favourites)
        self._profile.learn(
            [reading for _, reading in self._again], [float(rewards[row]) for row, _ in self._again]
        )
        for row, reading in self._again:
            start, end = np.searchsorted(self.page.held, [row, row + 1])
            if end - start == len(reading.start):
                self.text.held[start:end] = self._profile.of_links(reading)
                self.title.held[start:end] = self._profile.of_title(reading)

    def tidy(self, waits: Bools, waiting: int, examples: int) -> None:
        """Make room if there is too little; `waits` tells the rows whose link waits, `waiting` how many links do.

        The rows of examples stay.
        """
        most = max(ROWS_ANYWAY, ROWS_A_LINK * waiting)
        if self._most is not None:
            most = min(most, self._most)
        if len(self) <= most:
            return
        page = self.page.held
        has_waiting = np.bincount(page, waits, int(page[-1]) + 1) > 0
        has_waiting[:examples] = True
        mask = has_waiting[page]
        over = int(mask.sum()) - 3 * most // 4
        if over > 0:
            oldest = np.flatnonzero(mask & (page >= examples))[:over]
            mask &= (page < examples) | (page > page[oldest[-1]]) if len(oldest) else True
        for column in self._columns:
            column.keep(mask)

    def _leaves_host(self, page: Page) -> Bools:
        """For each link of a page whether it leads to another host."""
        urls = np.append(page.links.url, page.url)
        self._addresses.read(urls)
        hosts = self._addresses.hosts(urls)
        leaves: Bools = hosts[:-1] != hosts[-1]
        return leaves


def _first_words(reading: PageStems) -> npt.NDArray[np.int32]:
    at = reading.start[:, None] + np.arange(ANCHOR_WORDS)
    inside = at < reading.end[:, None]
    if not len(reading.stems):
        return np.zeros(at.shape, np.int32)
    words: npt.NDArray[np.int32] = np.where(
        inside, reading.stems[np.minimum(at, len(reading.stems) - 1)], STOP
    )
    return words


def _in_lists(page: Page) -> Bools:
    """For each link of a page whether it stands in a list of links."""
    marks = np.append(link_lists(page), False)
    in_lists: Bools = marks[np.minimum(page.links.start, len(marks) - 1)]
    return in_lists
