"""All that was read about links: each link of each page read, as a row, whether or not its target waits."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from salticid.columns import Column, grow
from salticid.model import Bools, Floats, Ints, Page
from salticid.native import at, lib
from salticid.snapshots import in_snapshot
from salticid.strategies.hunter.page_records import LED_BY
from salticid.strategies.hunter.topic_profile import EARLY, IN_LIST, LEAVES_HOST, TOLD, PageStems, TopicProfile
from salticid.strategies.hunter.url_parts import UrlParts
from salticid.strategies.hunter.waiting import NOWHERE, Waiting
from salticid.text import STOP, link_lists

# Which rows of the evidence lead to a URL.

_NO_ROW = -1


@in_snapshot(last=np.int32, following=np.int32, _rows=int)
class Rings:
    """The rows of each URL, joined in a ring: `last` names its last row, `following` the row after each.

    After the last row of a URL comes its first. What numpy does looks at all rows and needs no rings.
    """

    def __init__(self) -> None:
        self.last = np.full(1024, _NO_ROW, np.int32)
        self.following = np.zeros(1024, np.int32)
        self._rows = 0

    def join(self, urls: Ints) -> None:
        """Take in the rows that are new; `urls` are those of all rows."""
        first, self._rows = self._rows, len(urls)
        if first == len(urls):
            return
        self.last = grow(self.last, int(urls[first:].max()) + 1, _NO_ROW)
        self.following = grow(self.following, len(urls))
        lib.join_rings(at(urls), first, len(urls), at(self.last), at(self.following))


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


@in_snapshot(
    "_most", _profile=TopicProfile, _addresses=UrlParts, page=Column, url=Column, told=Column, words=Column,
    _rings=Rings, _again=deque[tuple[int, PageStems]], _tokens=int,
)  # fmt: skip
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
        self.told, self.words = Column(np.float32, TOLD), Column(np.int32, ANCHOR_WORDS)
        self._rings = Rings()
        self._again: deque[tuple[int, PageStems]] = deque()
        self._tokens = 0

    def __len__(self) -> int:
        return len(self.page.held)

    def read(self, page: Page, row: int) -> None:
        """Take the links of a page, in reading order."""
        many = min(len(page.links), MOST_LINKS)
        reading, urls = self._profile.reading(page, many), page.links.url[:many]
        self._addresses.read(page.links.url)
        self._addresses.read_one(page.url)
        self.page.more(many)[:] = row
        self.url.append(urls)
        told, words = self.told.more(many), self.words.more(many)
        self._profile.read_links(reading, told)
        host_of, host = self._addresses.host_of, int(self._addresses.host_of[page.url])
        if lib is None:
            told[:, EARLY] = 1.0 - reading.start / max(len(reading.stems), 1)
            told[:, IN_LIST] = _in_lists(page)[:many]
            told[:, LEAVES_HOST] = host_of[urls] != host
            words[:] = _first_words(reading)
        else:
            stems, start, end = reading.stems, reading.start, reading.end
            lib.link_places(
                at(stems), len(stems), at(start), at(end), many, at(link_lists(page)), at(urls), at(host_of), host,
                ANCHOR_WORDS, at(words), at(told),
            )  # fmt: skip
        self._again.append((row, reading))
        self._tokens += len(reading.stems)
        while len(self._again) > READ_AGAIN or (self._tokens > MOST_TOKENS and len(self._again) > 1):
            self._tokens -= len(self._again.popleft()[1].stems)

    def anchor_words(self, url: int) -> Ints:
        """One row of the words of all anchors that lead to a URL, the first of them, each once."""
        row = np.full((1, LED_BY), STOP, np.int32)
        if lib is not None:
            rings, words = self.rings(), self.words.held
            if url < len(rings.last):
                last = int(rings.last[url])
                lib.anchor_words(last, at(rings.following), at(words), ANCHOR_WORDS, at(row), LED_BY)
            return row
        words = self.words.held[self.url.held == url].ravel()
        first = np.sort(np.unique(words, return_index=True)[1])
        terms = words[first][words[first] != STOP][:LED_BY]
        row[0, : len(terms)] = terms
        return row

    def rings(self) -> Rings:
        """The rows of each URL."""
        self._rings.join(self.url.held)
        return self._rings

    def learn_words(self, rewards: Floats, favourite_rows: Sequence[int] = ()) -> None:
        """Learn the topic's words from the last pages, those a person likes being examples; read links again."""
        favourites = [reading for row, reading in self._again if row in favourite_rows]
        if favourites:
            self._profile.tell(favourites)
        self._profile.learn([reading for _, reading in self._again], [float(rewards[row]) for row, _ in self._again])
        pages = np.array([row for row, _ in self._again], np.int32)
        bounds = zip(*(self.page.held.searchsorted(each).tolist() for each in (pages, pages + 1)), strict=True)
        for (_, reading), (start, end) in zip(self._again, bounds, strict=True):
            if end - start == len(reading.start):
                self._profile.read_links(reading, self.told.held[start:end])

    def tidy(self, waiting: Waiting, examples: int) -> None:
        """Make room if there is too little; the rows of examples stay."""
        most = max(ROWS_ANYWAY, ROWS_A_LINK * len(waiting))
        if self._most is not None:
            most = min(most, self._most)
        if len(self) <= most:
            return
        page, waits = self.page.held, waiting.slots(self.url.held) != NOWHERE
        has_waiting = np.bincount(page, waits, int(page[-1]) + 1) > 0
        has_waiting[:examples] = True
        mask = has_waiting[page]
        over = int(mask.sum()) - 3 * most // 4
        if over > 0:
            oldest = np.flatnonzero(mask & (page >= examples))[:over]
            mask &= (page < examples) | (page > page[oldest[-1]]) if len(oldest) else True
        for column in (self.page, self.url, self.told, self.words):
            column.keep(mask)
        self._rings = Rings()


def _first_words(reading: PageStems) -> npt.NDArray[np.int32]:
    at = reading.start[:, None] + np.arange(ANCHOR_WORDS)
    inside = at < reading.end[:, None]
    if not len(reading.stems):
        return np.zeros(at.shape, np.int32)
    words: npt.NDArray[np.int32] = np.where(inside, reading.stems[np.minimum(at, len(reading.stems) - 1)], STOP)
    return words


def _in_lists(page: Page) -> Bools:
    """For each link of a page whether it stands in a list of links."""
    marks = np.append(link_lists(page), False)
    in_lists: Bools = marks[np.minimum(page.links.start, len(marks) - 1)]
    return in_lists
