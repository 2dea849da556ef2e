"""A web that was recorded: pages from memory-mapped arrays, nothing parsed, nothing fetched."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from pathlib import Path

import numpy as np

from salticid.exact import exp, log
from salticid.model import Area, Links, Outcome, Page, Response, Wall
from salticid.protocols import PreparedStems
from salticid.tables import Texts, Urls
from salticid.webs.arrays import (
    AREA,
    HOST,
    LINK,
    PAGE,
    ROW,
    STEM,
    STEM_OF,
    TEXT,
    TITLE,
    TOKEN,
    URL,
    WORD,
    Arrays,
    TextArrays,
    text_hash,
)

# The tables of a recorded world: on disk what was recorded, in memory what a crawl adds.


class DiskTexts:
    """Texts of a world, found by a binary search over their hashes; never grows."""

    def __init__(self, arrays: Arrays, table: TextArrays) -> None:
        self._bytes = arrays[table.text]
        self._ends = arrays[table.end]
        self._hashes = arrays[table.hash]
        self._by_hash = arrays[table.by_hash]

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, at: int) -> str:
        begin = int(self._ends[at - 1]) if at else 0
        return self._bytes[begin : int(self._ends[at])].tobytes().decode(errors="replace")

    def spell(self, ids: Sequence[int]) -> list[str]:
        at = np.asarray(ids, np.int64)
        ends = self._ends[at].tolist()
        begins = np.where(at > 0, self._ends[at - 1], 0).tolist()
        data = self._bytes.data
        return [str(data[begin:end], "utf-8") for begin, end in zip(begins, ends, strict=True)]

    def find(self, text: str) -> int:
        code = np.uint64(text_hash(text.encode()))
        at = int(self._hashes.searchsorted(code))
        while at < len(self) and self._hashes[at] == code:
            number = int(self._by_hash[at])
            if self[number] == text:
                return number
            at += 1
        return -1


class WorldTexts:
    """A table that starts with the texts of a world and grows in memory."""

    def __init__(self, disk: DiskTexts) -> None:
        self.disk = disk
        self._more = Texts()

    def __len__(self) -> int:
        return len(self.disk) + len(self._more)

    def __getitem__(self, at: int) -> str:
        return self.disk[at] if at < len(self.disk) else self._more[at - len(self.disk)]

    def spell(self, ids: Sequence[int]) -> list[str]:
        size = len(self.disk)
        if not ids or max(ids) < size:
            return self.disk.spell(ids)
        return [self[at] for at in ids]

    def find(self, text: str) -> int:
        at = self.disk.find(text)
        if at < 0 and (more := self._more.find(text)) >= 0:
            at = len(self.disk) + more
        return at

    def intern(self, text: str) -> int:
        at = self.disk.find(text)
        return at if at >= 0 else len(self.disk) + self._more.intern(text)

    def intern_all(self, texts: Sequence[bytes]) -> list[int]:
        return [self.intern(text.decode()) for text in texts]

    def stems(self, rules: str) -> PreparedStems | None:
        return None


class WorldWords(WorldTexts):
    """The words of a world, whose stems were worked out when it was built."""

    def __init__(self, arrays: Arrays) -> None:
        super().__init__(DiskTexts(arrays, WORD))
        self._arrays = arrays

    def stems(self, rules: str) -> PreparedStems | None:
        if self._arrays.manifest.stems != rules:
            return None
        check_stems(self._arrays, len(self.disk))
        return PreparedStems(self._arrays[STEM_OF], WorldTexts(DiskTexts(self._arrays, STEM)))


def check_stems(arrays: Arrays, words: int) -> None:
    """UserError unless each word has a stem that is there."""
    arrays.check_sums(derived=True)
    arrays.check_texts(STEM)
    arrays.check_length(STEM_OF, words)
    arrays.check_range(STEM_OF, 0, len(arrays[STEM.end]))


class WorldUrls(WorldTexts):
    """The URLs of a world, with their hosts; URLs that a topic or a person adds come after them."""

    def __init__(self, arrays: Arrays) -> None:
        super().__init__(DiskTexts(arrays, URL))
        self._host_of = arrays[URL.host]
        self._hosts = WorldTexts(DiskTexts(arrays, HOST))
        self._more: Urls = Urls()

    def host(self, url: int) -> int:
        if url < len(self.disk):
            return int(self._host_of[url])
        return self._hosts.intern(self._more.host_name(self._more.host(url - len(self.disk))))

    def host_name(self, host: int) -> str:
        return self._hosts[host]


MAX_REDIRECTS = 10
OUTCOMES = (
    Outcome.OK,
    Outcome.DEAD,
    Outcome.NOT_HTML,
    Outcome.ROBOTS,
    Outcome.UNREACHABLE,
    Outcome.REFUSED_ADDRESS,
    Outcome.TIMEOUT,
    Outcome.BROKEN,
    Outcome.UNPARSABLE,
    *(Outcome.KEPT_OUT for _ in Wall),
)
"""What a recorded answer may be, by its code; each wall has a code of its own."""
_FIRST_WALL, WALLS = OUTCOMES.index(Outcome.KEPT_OUT), tuple(Wall)
REDIRECT = 255
"""One code more: the answer leads elsewhere."""

NOINDEX, NOFOLLOW = 1, 2
"""Flags of a page."""


def code_of(outcome: Outcome, wall: Wall | None = None) -> int:
    """The code of an answer; an unknown wall counts as a challenge."""
    return OUTCOMES.index(outcome) + (0 if wall is None else WALLS.index(wall))


class RecordedWeb:
    """The web of one world folder.

    A URL that was never asked for while recording answers "not recorded": nobody knows what is
    there. Redirects are followed as a browser would.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        arrays = self.arrays = Arrays(folder)
        check_world(arrays)
        self.digest = arrays.manifest.digest
        self.urls = WorldUrls(arrays)
        self.words = WorldWords(arrays)
        self._row_of = arrays[URL.row]
        self._kind, self._status = arrays[ROW.kind], arrays[ROW.status]
        self._target, self._page_of = arrays[ROW.target], arrays[ROW.page]
        self._seconds, self._size = arrays[ROW.seconds], arrays[ROW.size]
        self._dates = arrays[ROW.modified]
        self._page_url, self._flags = arrays[PAGE.url], arrays[PAGE.flags]
        self._canonical, self._refresh = arrays[PAGE.canonical], arrays[PAGE.refresh]
        self._token, self._token_end = arrays[TOKEN.word], arrays[TOKEN.end]
        self._area, self._area_start = arrays[AREA.kind], arrays[AREA.start]
        self._area_end, self._link_end = arrays[AREA.end], arrays[LINK.end]
        self._link_url, self._link_nofollow = arrays[LINK.url], arrays[LINK.nofollow]
        self._link_start, self._link_stop = arrays[LINK.start], arrays[LINK.stop]
        self._title, self._title_end = arrays[TITLE.byte], arrays[TITLE.end]
        self._text, self._text_end = arrays[TEXT.byte], arrays[TEXT.end]
        self._speeds: dict[int, tuple[float, float]] = {}

    @property
    def pages(self) -> int:
        """How many pages were recorded."""
        return len(self._page_url)

    @property
    def links(self) -> int:
        """How many links they hold, wherever these lead."""
        return len(self._link_url)

    def fetch(self, url: int) -> Response:
        """The recorded answer; a redirect into the unknown is "not recorded" too."""
        at, seconds = url, 0.0
        for _ in range(MAX_REDIRECTS + 1):
            row = self._row_of.item(at) if at < len(self._row_of) else -1
            seconds += self._time(at, row)
            if row < 0:
                return Response(url, at, Outcome.NOT_RECORDED, seconds=seconds)
            if self._kind.item(row) != REDIRECT:
                return self._answer(url, at, row, seconds)
            at = self._target.item(row)
        return Response(url, at, Outcome.REDIRECT_LOOP, seconds=seconds)

    def page_at(self, url: int) -> Page | None:
        """The page of a URL if it has one, redirects followed."""
        return self.fetch(url).page

    def number_at(self, url: int) -> int:
        """The number of the page at this very URL, redirects not followed; -1 if it has none."""
        row = int(self._row_of[url]) if url < len(self._row_of) else -1
        return int(self._page_of[row]) if row >= 0 and self._kind[row] == OUTCOMES.index(Outcome.OK) else -1

    def page(self, number: int) -> Page:
        """Page `number` of the recording, in the order of recording."""
        tokens = _part(self._token_end, number)
        areas = _part(self._area_end, number)
        links = _part(self._link_end, number)
        flags = self._flags.item(number)
        return Page(
            url=self._page_url.item(number),
            title=self._title[_part(self._title_end, number)].tobytes().decode(errors="replace"),
            tokens=self._token[tokens],
            area_start=self._area_start[areas],
            area=self._area[areas],
            links=Links(
                self._link_url[links],
                self._link_start[links],
                self._link_stop[links],
                self._link_nofollow[links],
            ),
            packed_text=self._text[_part(self._text_end, number)].tobytes(),
            canonical=self._canonical.item(number),
            refresh=self._refresh.item(number),
            noindex=bool(flags & NOINDEX),
            nofollow=bool(flags & NOFOLLOW),
        )

    def _answer(self, url: int, at: int, row: int, seconds: float) -> Response:
        kind = self._kind.item(row)
        outcome = OUTCOMES[kind]
        date = self._dates.item(row)
        return Response(
            url=url,
            final=at,
            outcome=outcome,
            status=self._status.item(row),
            page=self.page(self._page_of.item(row)) if outcome is Outcome.OK else None,
            seconds=seconds,
            size=self._size.item(row),
            modified=None if isnan(date) else date,
            wall=WALLS[kind - _FIRST_WALL] if outcome is Outcome.KEPT_OUT else None,
        )

    def _time(self, url: int, row: int) -> float:
        """The seconds the answer took; where nobody measured, what its host and size would make of it."""
        seconds: float = self._seconds.item(row) if row >= 0 else np.nan
        if not isnan(seconds):
            return seconds
        host = self.urls.host(url)
        if host not in self._speeds:
            self._speeds[host] = _speed(self.urls.host_name(host))
        latency, bandwidth = self._speeds[host]
        return round(latency + (self._size.item(row) / bandwidth if row >= 0 else 0.0), 4)


def check_world(arrays: Arrays) -> None:
    """Raise a UserError unless checksums, lengths, ends and indices of a world are right."""
    arrays.check_sums()
    urls, hosts, words = (len(arrays[table.end]) for table in (URL, HOST, WORD))
    rows, pages = len(arrays[ROW.kind]), len(arrays[PAGE.url])
    for table in (URL, HOST, WORD):
        arrays.check_texts(table)
    for column, many in (
        (URL.row, urls),
        (URL.host, urls),
        (ROW.target, rows),
        (ROW.page, rows),
        (ROW.size, rows),
    ):
        arrays.check_length(column, many)
    for other in (ROW.seconds, ROW.modified):
        arrays.check_length(other, rows)
    arrays.check_length(ROW.status, rows)
    for column in (PAGE.canonical, PAGE.refresh):
        arrays.check_length(column, pages)
        arrays.check_range(column, -1, urls)
    arrays.check_length(PAGE.flags, pages)
    links = len(arrays[LINK.url])
    for column in (LINK.start, LINK.stop):
        arrays.check_length(column, links)
    arrays.check_length(LINK.nofollow, links)
    arrays.check_length(AREA.start, len(arrays[AREA.kind]))
    arrays.check_range(URL.row, -1, rows)
    arrays.check_range(URL.host, 0, hosts)
    arrays.check_range(ROW.target, -1, urls)
    arrays.check_range(ROW.page, -1, pages)
    arrays.check_range(PAGE.url, 0, urls)
    arrays.check_range(TOKEN.word, 0, words)
    arrays.check_range(LINK.url, 0, urls)
    arrays.check_ends(TOKEN.end, pages, len(arrays[TOKEN.word]))
    arrays.check_ends(AREA.end, pages, len(arrays[AREA.kind]))
    arrays.check_ends(LINK.end, pages, links)
    arrays.check_ends(TITLE.end, pages, len(arrays[TITLE.byte]))
    arrays.check_ends(TEXT.end, pages, len(arrays[TEXT.byte]))
    tokens = np.diff(arrays[TOKEN.end], prepend=np.uint64(0))
    arrays.check_places(AREA.start, AREA.end, tokens)
    arrays.check_order(AREA.start, AREA.end)
    arrays.check_places(LINK.stop, LINK.end, tokens)
    if (arrays[LINK.start].view(np.uint32) > arrays[LINK.stop].view(np.uint32)).any():
        raise arrays.damage(LINK.start.name, "a link ends before it starts")
    if int(arrays[AREA.kind].max(initial=0)) > max(Area):
        raise arrays.damage(AREA.kind.name, "an area is unknown")
    kind, is_redirect = arrays[ROW.kind], arrays[ROW.kind] == REDIRECT
    if (~is_redirect & (kind >= len(OUTCOMES))).any():
        raise arrays.damage(ROW.kind.name, "an outcome is unknown")
    if (arrays[ROW.target][is_redirect] < 0).any() or (arrays[ROW.page][kind == 0] < 0).any():
        raise arrays.damage(ROW.kind.name, "an answer leads nowhere")


def _part(ends: np.ndarray[tuple[int], np.dtype[np.uint64]], number: int) -> slice:
    return slice(ends.item(number - 1) if number else 0, ends.item(number))


def _speed(host: str) -> tuple[float, float]:
    """A latency (50 to 500 ms) and a bandwidth (0.2 to 2 MB/s) for a host, spread evenly in their logs."""
    lot = text_hash(host.encode())
    first, second = (lot & 0xFFFFFFFF) / 2**32, (lot >> 32) / 2**32
    return 0.05 * exp(first * log(10)), 200_000 * exp(second * log(10))
