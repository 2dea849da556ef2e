"""The requests of a spider that wait or are under way, and what is remembered of those that are done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import msgspec
from scrapy import Request, Spider

from salticid.model import NO_URL
from salticid.protocols import UrlTable
from salticid.scrapy.request_codec import RequestCodec

_PREFIX = "request "


class _Row(msgspec.Struct, array_like=True):
    """A request as the log has it; `request` is empty once it is done, and while it could not be stored."""

    url: str
    priority: int
    depth: int
    fingerprint: bytes
    request: bytes
    is_stored: bool = True


@dataclass(slots=True)
class KeptRequest:
    """A request that was taken; `held` is itself, or what it can be made of again, None once it is done.

    `url` is that under which a strategy knows it; one that passes by the strategy has NO_URL, and a `fingerprint`.
    """

    url: int
    priority: int
    depth: int
    fingerprint: bytes
    held: Request | bytes | None


class KeptRequests:
    """Requests by number, in the order they were taken.

    With `written` they are kept as bytes, for the log. A request that cannot be stored stays in memory, as in Scrapy's
    own scheduler. The log has its URL, so that the next run knows that it is `lost` and puts nothing in its place.
    """

    def __init__(self, spider: Spider, urls: UrlTable, written: bool) -> None:
        self._codec, self._urls, self._written = RequestCodec(spider), urls, written
        self._all: dict[int, KeptRequest] = {}
        self._next = 0
        self._by_url: dict[int, int] = {}
        self._fingerprints: set[bytes] = set()
        self._lost: dict[int, str] = {}
        self.lost: Counter[str] = Counter()
        """Requests of earlier runs that are lost, by the reason."""
        self._changed: dict[int, None] = {}
        self.on_unwritable: Callable[[Request, str], None] = lambda request, why: None

    def add(self, request: Request, url: int, fingerprint: bytes = b"") -> int:
        """Take a request; its number."""
        held: Request | bytes = request
        if self._written:
            try:
                held = self._codec.pack(request)
            except ValueError as error:
                self.on_unwritable(request, str(error))
        depth = request.meta.get("depth")
        depth = depth if isinstance(depth, int) else 0
        number, self._next = self._next, self._next + 1
        self._put(number, KeptRequest(url, request.priority, depth, fingerprint, held))
        self._changed[number] = None
        return number

    def take(self, number: int) -> Request:
        """The request, to be handed out. It is kept until it is done."""
        held = self._all[number].held
        if isinstance(held, bytes):
            return self._codec.unpack(held)
        if held is None:
            raise KeyError(number)
        return held

    def done(self, numbers: Iterable[int]) -> None:
        """These were answered, or failed, and the spider has seen to that."""
        for number in numbers:
            self._all[number].held = None
            self._changed[number] = None

    def number(self, url: int) -> int | None:
        """The number of the request for a URL; None if there was none."""
        return self._by_url.get(url)

    def has(self, url: int) -> bool:
        """Whether the spider has asked for a URL."""
        return url in self._by_url

    def has_fingerprint(self, fingerprint: bytes) -> bool:
        """Whether there was the same request, among those that pass by the strategy."""
        return fingerprint in self._fingerprints

    def priority(self, url: int) -> int:
        number = self._by_url.get(url)
        return 0 if number is None else self._all[number].priority

    def depth(self, url: int) -> int:
        """How many links the request for a URL is away from a start, as Scrapy counts them."""
        number = self._by_url.get(url)
        return 0 if number is None else self._all[number].depth

    def is_lost(self, url: int) -> bool:
        """Whether an earlier run took a request for a URL that it could not store, and there was none since."""
        return url in self._lost and url not in self._by_url

    def waiting(self) -> Iterator[tuple[int, KeptRequest]]:
        """Those that are not done."""
        return ((number, kept) for number, kept in self._all.items() if kept.held is not None)

    def news(self) -> Iterator[tuple[str, bytes]]:
        """What changed since the last call, for the log."""
        changed, self._changed = self._changed, {}
        for number in changed:
            kept = self._all[number]
            if self._written:
                url = "" if kept.url == NO_URL else self._urls[kept.url]
                held, is_stored = kept.held or b"", not isinstance(kept.held, Request)
                request = held if isinstance(held, bytes) else b""
                row = _Row(url, kept.priority, kept.depth, kept.fingerprint, request, is_stored)
                yield f"{_PREFIX}{number}", msgspec.msgpack.encode(row)

    def recall(self, notes: Mapping[str, bytes]) -> None:
        """Take back what an earlier run handed out."""
        numbers = sorted(int(name.removeprefix(_PREFIX)) for name in notes if name.startswith(_PREFIX))
        for number in numbers:
            row = msgspec.msgpack.decode(notes[f"{_PREFIX}{number}"], type=_Row)
            url = self._urls.intern(row.url) if row.url else NO_URL
            if (why := self._unreadable(row)) is None:
                kept = KeptRequest(url, row.priority, row.depth, row.fingerprint, row.request or None)
                self._put(number, kept)
            else:
                self._lost[url if row.url else NO_URL - 1 - number] = why
        self.lost.update(why for url, why in self._lost.items() if url not in self._by_url)
        self._next = numbers[-1] + 1 if numbers else 0

    def _unreadable(self, row: _Row) -> str | None:
        """Why requests of earlier runs like this are lost; None if it is there, or done."""
        if not row.is_stored:
            return "they could not be stored"
        if row.request:
            try:
                self._codec.unpack(row.request)
            except ValueError as error:
                return f"they cannot be read: {error}"
        return None

    def _put(self, number: int, kept: KeptRequest) -> None:
        self._all[number] = kept
        if kept.url != NO_URL:
            self._by_url[kept.url] = number
        elif kept.fingerprint:
            self._fingerprints.add(kept.fingerprint)
