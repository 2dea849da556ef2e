"""The requests of a spider that wait or are under way, and what is remembered of those that are done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from scrapy import Request, Spider
from scrapy.utils.request import request_from_dict

from salticid.model import NO_URL
from salticid.protocols import UrlTable

_PREFIX = "request "


class _Row(msgspec.Struct, array_like=True):
    """A request as the log has it; `request` is empty once it is done."""

    url: str
    priority: int
    depth: int
    fingerprint: bytes
    request: bytes


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

    With `written` they are kept as bytes, for the log. One that would not come back as it was, for its callback is no
    method of the spider or its meta holds what is no plain value, is kept as it is and lost with the process.
    """

    def __init__(self, spider: Spider, urls: UrlTable, written: bool) -> None:
        self._spider, self._urls, self._written = spider, urls, written
        self._all: dict[int, KeptRequest] = {}
        self._next = 0
        self._by_url: dict[int, int] = {}
        self._fingerprints: set[bytes] = set()
        self._changed: dict[int, None] = {}
        self.on_unwritable: Callable[[Request, str], None] = lambda request, why: None

    def add(self, request: Request, url: int, fingerprint: bytes = b"") -> int:
        """Take a request; its number."""
        held: Request | bytes = request
        if self._written:
            try:
                held = packed(request, self._spider)
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
            return unpacked(held, self._spider)
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
        """The priority of the request for a URL."""
        number = self._by_url.get(url)
        return 0 if number is None else self._all[number].priority

    def depth(self, url: int) -> int:
        """How many links the request for a URL is away from a start, as Scrapy counts them."""
        number = self._by_url.get(url)
        return 0 if number is None else self._all[number].depth

    def waiting(self) -> Iterator[tuple[int, KeptRequest]]:
        """Those that are not done."""
        return ((number, kept) for number, kept in self._all.items() if kept.held is not None)

    def news(self) -> Iterator[tuple[str, bytes]]:
        """What changed since the last call, for the log."""
        changed, self._changed = self._changed, {}
        for number in changed:
            kept = self._all[number]
            if self._written and not isinstance(kept.held, Request):
                url = "" if kept.url == NO_URL else self._urls[kept.url]
                row = _Row(url, kept.priority, kept.depth, kept.fingerprint, kept.held or b"")
                yield f"{_PREFIX}{number}", msgspec.msgpack.encode(row)

    def recall(self, notes: Mapping[str, bytes]) -> None:
        """Take back what an earlier run handed out."""
        numbers = sorted(int(name.removeprefix(_PREFIX)) for name in notes if name.startswith(_PREFIX))
        for number in numbers:
            row = msgspec.msgpack.decode(notes[f"{_PREFIX}{number}"], type=_Row)
            url = self._urls.intern(row.url) if row.url else NO_URL
            kept = KeptRequest(url, row.priority, row.depth, row.fingerprint, row.request or None)
            self._put(number, kept)
        self._next = numbers[-1] + 1 if numbers else 0

    def _put(self, number: int, kept: KeptRequest) -> None:
        self._all[number] = kept
        if kept.url != NO_URL:
            self._by_url[kept.url] = number
        elif kept.fingerprint:
            self._fingerprints.add(kept.fingerprint)


def packed(request: Request, spider: Spider) -> bytes:
    """A request as bytes, callbacks by name; a ValueError if it would not come back as it was."""
    callback, errback = request.callback, request.errback
    try:
        # By our own search for the names: Scrapy's goes through all that a spider has, for each request.
        request.callback = _name(callback, spider)  # type: ignore[assignment]
        request.errback = _name(errback, spider)  # type: ignore[assignment]
        told = request.to_dict(spider=spider)
    finally:
        request.callback, request.errback = callback, errback
    try:
        data = msgspec.msgpack.encode(told)
        back = msgspec.msgpack.decode(data)
    except (TypeError, ValueError, OverflowError, RecursionError, msgspec.DecodeError) as error:
        raise ValueError(str(error)) from None
    if back != told:
        names = ", ".join(name for name in told if back.get(name) != told[name])
        raise ValueError(f"{names} would not be read back as it is")
    return data


def unpacked(data: bytes, spider: Spider) -> Request:
    """The request that `packed` made these bytes of."""
    return request_from_dict(msgspec.msgpack.decode(data), spider=spider)


def _name(method: Any, spider: Spider) -> str | None:
    """The name of a callback; a ValueError if it is no method of the spider."""
    if method is None or isinstance(method, str):
        return method
    name = getattr(method, "__name__", "")
    if getattr(method, "__self__", None) is not spider or getattr(spider, name, None) != method:
        raise ValueError(f"{method!r} is no method of the spider")
    return str(name)
