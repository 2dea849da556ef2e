"""The nouns of a crawl: plain frozen data, no behaviour that could decide anything.

URLs and words are ints here, ids in the crawl's two tables (`salticid.tables`); only what a
person reads is text. Arrays are never written to once they are part of a noun.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from enum import IntEnum, StrEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import zstandard

from salticid.errors import UserError
from salticid.native import at, lib
from salticid.snapshots import in_snapshot
from salticid.topic import Limits as Limits
from salticid.topic import Scope as Scope
from salticid.topic import Topic as Topic

Ints = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

NO_URL = -1
"""Stands where a URL id may be missing: no canonical link, no redirect."""
FROM_SEED = -1
"""`Link.source` of a seed."""
FROM_OFFER = -2
"""`Link.source` of a link that came without a visit: from a sitemap, another shard, a person."""
NO_SHARD = -1
"""`Glimpse.origin` of a feed."""


_ANY = 1 << 31
"""The size of a table that may hold any id."""
LARGEST_PAGE = 64 << 20
"""Bytes that the stream or the text of a page may have; no web gives pages that need as many."""


class _Unpacker(threading.local):
    """Each thread has one of its own: two must not unpack with one."""

    def __init__(self) -> None:
        self.decompress = zstandard.ZstdDecompressor().decompress


_THREAD = _Unpacker()


def unpacked(data: bytes, most: int = LARGEST_PAGE) -> bytes:
    """What was packed by zstd with its size in front; ZstdError if that size is missing, wrong or above `most`."""
    size = zstandard.frame_content_size(data)
    if not 0 <= size <= most:
        raise zstandard.ZstdError(f"{size} bytes, where {most} are the most" if size >= 0 else "unknown size")
    return _THREAD.decompress(data)


class Outcome(StrEnum):
    """What became of one choice. Only OK delivers a page and is charged."""

    OK = "ok"
    DEAD = "dead"
    NOT_HTML = "not html"
    NOT_RECORDED = "not recorded"
    REDIRECT_LOOP = "redirect loop"
    OUT_OF_SCOPE = "out of scope"
    DUPLICATE = "duplicate"
    ROBOTS = "robots"
    UNREACHABLE = "unreachable"
    REFUSED_ADDRESS = "refused address"
    TIMEOUT = "timeout"
    BROKEN = "broken answer"
    UNPARSABLE = "unparsable"
    KEPT_OUT = "kept out"
    TRAP = "trap"
    ELSEWHERE = "elsewhere"
    KNOWN = "known"
    FORGOTTEN = "forgotten"

    @property
    def fetched(self) -> bool:
        """Whether an arrival of this outcome took a request, so that it counts against `max_fetches`."""
        return self not in _NOT_ASKED


_NOT_ASKED = (Outcome.ROBOTS, Outcome.TRAP, Outcome.ELSEWHERE, Outcome.KNOWN, Outcome.FORGOTTEN)


class Wall(StrEnum):
    """What keeps a crawler out, where the outcome says so."""

    CHALLENGE = "challenge"
    CAPTCHA = "captcha"
    CONSENT = "consent"
    LOG_IN = "log-in"
    PAYMENT = "payment"
    PARKED = "parked"
    SAME_PAGE = "same page"


class StopReason(StrEnum):
    """Why a crawl ended. Every crawl ends with one of these."""

    BUDGET = "budget"
    FETCHES = "fetches"
    TIME = "time"
    CONDITION = "condition"
    FRONTIER_EMPTY = "frontier empty"
    EXTINCT = "extinct"
    STALLED = "stalled"
    WAITING = "waiting"
    INTERRUPTED = "interrupted"


class Area(IntEnum):
    """Where on a page a word stands."""

    META = 0
    HEADING = 1
    REST = 2


in_snapshot()(Limits)


@in_snapshot()
@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """The links of one page in reading order, as columns of equal length.

    A link's anchor is `tokens[start:end]` of its page; `start` is also its position in the stream.

    >>> links = Links.to([7, 9])
    >>> len(links), links.url.tolist(), links.nofollow.any()
    (2, [7, 9], np.False_)
    """

    url: Ints
    start: Ints
    end: Ints
    nofollow: Bools

    def __len__(self) -> int:
        return len(self.url)

    @classmethod
    def to(cls, urls: list[int]) -> Links:
        """Bare links, as seeds and offers are: no anchor, no place on a page."""
        nowhere = np.zeros(len(urls), np.int32)
        return cls(np.array(urls, np.int32), nowhere, nowhere, np.zeros(len(urls), np.bool_))


def _largest(column: Ints) -> int:
    """The largest number of a column, where a negative one counts as larger than all others; -1 if it has none."""
    return int(column.view(np.uint32).max()) if len(column) else -1


@in_snapshot()
@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """A page as a term stream with link marks: all that remains of the HTML.

    `tokens` are word ids in reading order. `area[i]` holds from token `area_start[i]` on.
    `canonical` and `refresh` are URL ids or NO_URL. `packed_text` is the plain text, zstd. `feeds` are the URLs, as
    texts, of the feeds it names; a page that was kept has lost them.
    """

    url: int
    title: str
    tokens: Ints
    area_start: Ints
    area: npt.NDArray[np.uint8]
    links: Links
    packed_text: bytes
    canonical: int = NO_URL
    refresh: int = NO_URL
    noindex: bool = False
    nofollow: bool = False
    feeds: tuple[str, ...] = ()

    def check(self, urls: int = _ANY, words: int = _ANY) -> None:
        """ValueError unless ids are below the sizes of these tables and places within the page.

        For pages from a file or another process: compiled loops use all of these numbers as indices.
        """
        links, size = self.links, len(self.tokens)
        if not (
            len(links.start) == len(links.end) == len(links.nofollow) == len(links)
            and len(self.area) == len(self.area_start)
            and _largest(self.tokens) < words
            and _largest(links.url) < urls
            and _largest(self.area_start) <= size
            and bool((self.area_start[1:] >= self.area_start[:-1]).all())
            and _largest(links.end) <= size
            and bool((links.start.view(np.uint32) <= links.end.view(np.uint32)).all())
            and int(self.area.max(initial=0)) <= Area.REST
            and 0 <= self.url < urls
            and min(self.canonical, self.refresh) >= NO_URL
            and max(self.canonical, self.refresh) < urls
        ):
            raise ValueError("a page has an id or a place out of range")

    @property
    def text(self) -> str:
        """The plain text, anchors included, white space folded; UserError if it is damaged."""
        try:
            return unpacked(self.packed_text).decode() if self.packed_text else ""
        except (zstandard.ZstdError, UnicodeDecodeError):
            raise UserError(
                f"the text of the page {self.title!r} is damaged; build or download its world again"
            ) from None

    @property
    def areas(self) -> Ints:
        """The area of each token; a token before the first run of areas belongs to the rest.

        >>> from salticid.testing import spider_web
        >>> web = spider_web()
        >>> web.page(web.id("a11")).areas.tolist()    # More birds | Sparrows and starlings
        [1, 1, 2, 2, 2]
        """
        starts = np.concatenate(([0], self.area_start, [len(self.tokens)]))
        kinds = np.concatenate(([Area.REST], self.area))
        return np.repeat(kinds.astype(np.int32), np.diff(starts))

    @property
    def in_headings(self) -> Bools:
        """For each token whether it stands in a title, a heading or a description."""
        marks: Bools = np.empty(len(self.tokens), np.bool_) if lib else self.areas != Area.REST
        if lib is None:
            return marks
        starts, kinds = self.area_start, self.area
        lib.heading_marks(at(starts), at(kinds), len(starts), Area.REST, at(marks), len(marks))
        return marks

    def words_in(self, area: Area) -> Ints:
        """The word ids of one area, in reading order."""
        if not len(self.area_start):
            return self.tokens[:0]
        ends = np.append(self.area_start[1:], len(self.tokens))
        runs = [self.tokens[a:b] for a, b, kind in zip(self.area_start, ends, self.area, strict=True) if kind == area]
        return np.concatenate(runs) if runs else self.tokens[:0]

    def anchor(self, place: int) -> Ints:
        """The word ids of the anchor of link number `place`."""
        return self.tokens[self.links.start[place] : self.links.end[place]]


@in_snapshot()
class RepeatedRows(NamedTuple):
    """What decided which words of a page its site repeats: its rows of words, and which of these the site did."""

    host: int
    rows: npt.NDArray[np.uint32]
    is_known: Bools


@in_snapshot()
@dataclass(frozen=True, slots=True)
class Link:
    """A way to a URL: link number `place` on the page of visit `source`, or a seed, or an offer."""

    url: int
    source: int = FROM_SEED
    place: int = 0


@in_snapshot()
@dataclass(frozen=True, slots=True)
class Choice:
    """A link a strategy asked for, and what it adds: how promising, why, which agent asked."""

    link: Link
    score: float = 0.0
    why: tuple[tuple[str, float], ...] = ()
    agent: int | None = None


@in_snapshot()
@dataclass(frozen=True, slots=True, eq=False)
class Response:
    """What a web answered. `page` is there exactly when the outcome is OK.

    `final` is the URL that answered, after redirects. `modified` is in seconds since 1970. `records` are the
    places of its raw exchanges in the crawl's archive, if there is one: one a hop, and one of what a browser made of
    the last of them, if it did. `wall` is there exactly when the outcome is KEPT_OUT, as far as it is known.
    """

    url: int
    final: int
    outcome: Outcome
    status: int = 0
    page: Page | None = None
    seconds: float = 0.0
    size: int = 0
    modified: float | None = None
    etag: str | None = None
    records: tuple[int, ...] = ()
    wall: Wall | None = None

    def kept_out(self, wall: Wall) -> Response:
        """The same answer, known for a wall."""
        return replace(self, outcome=Outcome.KEPT_OUT, page=None, wall=wall)


@in_snapshot()
@dataclass(frozen=True, slots=True, eq=False)
class Visit:
    """One arrival, numbered by `step` in arrival order; a failed fetch is a visit too.

    `score` is the judge's belief about the page (0 without one) and `positive` whether it reaches
    the judge's line; `depth` counts links from a seed; `at` is the crawl's clock; `size`, `modified`, `etag`,
    `records` and `wall` are the response's.
    """

    step: int
    choice: Choice
    final: int
    outcome: Outcome
    page: Page | None
    score: float
    positive: bool
    depth: int
    status: int = 0
    seconds: float = 0.0
    at: float = 0.0
    size: int = 0
    modified: float | None = None
    etag: str | None = None
    records: tuple[int, ...] = ()
    revisit: bool = False
    wall: Wall | None = None

    @property
    def url(self) -> int:
        """The URL that was asked for."""
        return self.choice.link.url

    def require_page(self) -> Page:
        """Its page; ValueError if it has none."""
        if self.page is None:
            raise ValueError(f"visit {self.step} has no page")
        return self.page

    def without_page(self) -> Visit:
        """The visit alone, which takes little room."""
        return Visit(
            self.step, self.choice, self.final, self.outcome, None, self.score, self.positive, self.depth,
            self.status, self.seconds, self.at, self.size, self.modified, self.etag, self.records, self.revisit,
            self.wall,
        )  # fmt: skip

    @property
    def good(self) -> bool:
        """Whether it brought a page that was not there before: such visits are counted as the crawl's pages."""
        return self.outcome is Outcome.OK and not self.revisit


@dataclass(frozen=True, slots=True)
class Glimpse:
    """What a page that another shard fetched showed around some of its links; or what a feed shows.

    All of it is text, so that it means the same everywhere: the words of the excerpt in reading order, and each
    link's URL with the span of its anchor in them. `origin` and `step` say which visit of which shard it was,
    the rest what was thought of it there. Of a feed, which is of `NO_SHARD`, `step` is its own.
    """

    origin: int
    step: int
    url: str
    title: str
    words: tuple[str, ...]
    links: tuple[tuple[str, int, int], ...]
    score: float
    positive: bool
    depth: int


@dataclass(frozen=True, slots=True)
class Feedback:
    """A person's word about a URL: +1 more like this, -1 not this."""

    url: int
    liking: int


@in_snapshot()
@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened inside a strategy: an agent was born, N changed."""

    name: str
    values: tuple[tuple[str, str | float | int], ...] = field(default=())
