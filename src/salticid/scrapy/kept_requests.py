"""The requests of a spider that wait or are under way, what is remembered of those done, and how they are stored."""

from __future__ import annotations

import sys
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from pathlib import PosixPath, PurePosixPath
from types import ModuleType
from typing import Any
from uuid import UUID

import msgspec
from msgspec.msgpack import Ext
from scrapy import Item, Request, Spider
from scrapy.link import Link

from salticid.model import NO_URL
from salticid.protocols import UrlTable

_NATIVE = frozenset({type(None), bool, float, str, bytes})
_KEYS = frozenset({int, str, bytes})
_INT_RANGE = range(-(1 << 63), 1 << 64)
_MOST_DIGITS = 4000
"""Python reads no longer number from text."""
_DEEPEST = 100
"""Containers within containers."""
_FACTORIES: dict[str, type] = {kind.__name__: kind for kind in (int, float, str, list, dict, set)}


# By tag: the class, what makes parts of an instance, what makes an instance of parts. Parts are a list, or of the class
# that makes them.
_SCALARS: dict[int, tuple[type, Callable[[Any], Any], Callable[[Any], Any]]] = {
    1: (int, str, int),
    2: (Decimal, str, Decimal),
    3: (datetime, str, datetime.fromisoformat),
    4: (date, str, date.fromisoformat),
    5: (time, str, time.fromisoformat),
    6: (
        timedelta,
        lambda span: [span.days, span.seconds, span.microseconds],
        lambda parts: timedelta(*parts),
    ),
    7: (UUID, str, UUID),
    8: (complex, lambda number: [number.real, number.imag], lambda parts: complex(*parts)),
    9: (bytearray, bytes, bytearray),
    10: (PosixPath, str, PosixPath),
    11: (PurePosixPath, str, PurePosixPath),
    12: (range, lambda span: [span.start, span.stop, span.step], lambda parts: range(*parts)),
    13: (
        Link,
        lambda link: [str(link.url), str(link.text), str(link.fragment), bool(link.nofollow)],
        lambda parts: Link(*parts),
    ),
}
_CONTAINERS: dict[int, tuple[type, Callable[[Any], Any], Callable[[Any], Any]]] = {
    20: (tuple, list, tuple),
    21: (set, list, set),
    22: (frozenset, list, frozenset),
    23: (deque, lambda queue: [queue.maxlen, *queue], lambda parts: deque(parts[1:], parts[0])),
    24: (dict, lambda pairs: [list(pair) for pair in pairs.items()], dict),
    25: (OrderedDict, lambda pairs: [list(pair) for pair in pairs.items()], OrderedDict),
    26: (Counter, lambda pairs: [list(pair) for pair in pairs.items()], lambda pairs: Counter(dict(pairs))),
    27: (
        defaultdict,
        lambda pairs: [_factory_name(pairs), *(list(pair) for pair in pairs.items())],
        lambda parts: defaultdict(None if parts[0] is None else _FACTORIES[parts[0]], parts[1:]),
    ),
}
_TAGGED = _SCALARS | _CONTAINERS
_TAG_OF = {kind: tag for tag, (kind, _, _) in _TAGGED.items()}
_RECORD, _REQUEST = 40, 41
_PLAIN_BASES: tuple[Any, ...] = (str, bytes, float, int)
"""A subclass of these is stored as its value: lxml's strings, NumPy's floats."""


class RequestCodec:
    """Packs the requests of one spider, callbacks by name."""

    def __init__(self, spider: Spider) -> None:
        self._spider = spider
        self._package = type(spider).__module__.partition(".")[0]
        self._names: dict[Any, str] = {}

    def pack(self, request: Request) -> bytes:
        """The bytes of a request; ValueError if it holds what cannot be stored."""
        try:
            return msgspec.msgpack.encode(self._fields(request, _DEEPEST))
        except (TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise ValueError(str(error)) from None

    def unpack(self, data: bytes) -> Request:
        """The request that `pack` made these bytes of; ValueError if they are of no request of this program."""
        try:
            return self._request(self._decoded(data, _DEEPEST))
        except Exception as error:  # noqa: BLE001 - constructors refuse what they get in many ways
            raise ValueError(f"{type(error).__name__}: {error}") from None

    def _fields(self, request: Request, depth: int) -> dict[str, Any]:
        kind = type(request)
        told: dict[str, Any] = {"headers": dict(request.headers)}
        for name in kind.attributes:
            if name in ("callback", "errback"):
                told[name] = self._name(getattr(request, name))
            else:
                told.setdefault(name, getattr(request, name))
        if kind is not Request:
            told["_class"] = self._class_name(kind, Request)
        return {name: self._plain(value, depth, name) for name, value in told.items()}

    def _request(self, told: Any) -> Request:
        kind: type[Request] = self._class(told["_class"], Request) if "_class" in told else Request
        arguments = {name: value for name, value in told.items() if name in kind.attributes}
        if not isinstance(arguments.get("flags"), list | None):
            raise ValueError("flags are not a list")
        for name in ("callback", "errback"):
            if arguments.get(name) is not None:
                arguments[name] = self._method(arguments[name])
        return kind(**arguments)

    def _plain(self, value: Any, depth: int, at: str) -> Any:
        """A value as msgpack has it; `at` names its place in the request."""
        kind = type(value)
        if kind in _NATIVE or (kind is int and value in _INT_RANGE):
            return value
        if depth == 0:
            raise ValueError(f"{at} is nested more than {_DEEPEST} levels deep")
        if kind is list:
            return [self._plain(part, depth - 1, at) for part in value]
        if kind is dict and all(type(key) in _KEYS and _is_short(key) for key in value):
            return {
                key: self._plain(part, depth - 1, f"{at}[{key!r}]" if at.isidentifier() else at)
                for key, part in value.items()
            }
        if (tag := _TAG_OF.get(kind)) is not None:
            return self._tagged(tag, value, depth, at)
        if isinstance(value, Request):
            return Ext(_REQUEST, msgspec.msgpack.encode(self._fields(value, depth - 1)))
        if (record := self._record(value, at)) is not None:
            return Ext(_RECORD, msgspec.msgpack.encode(self._plain(record, depth - 1, at)))
        for base in _PLAIN_BASES:
            if isinstance(value, base):
                return self._plain(base.__getnewargs__(value)[0], depth, at)
        raise ValueError(f"{at} holds a {kind.__module__}.{kind.__qualname__}")

    def _tagged(self, tag: int, value: Any, depth: int, at: str) -> Ext:
        if tag in (3, 5) and value.tzinfo is not None and type(value.tzinfo) is not timezone:
            raise ValueError(f"{at} holds a time of the zone {value.tzinfo}; use UTC or a fixed offset")
        if tag == 1 and abs(value) >= 10**_MOST_DIGITS:
            raise ValueError(f"{at} holds a number of more than {_MOST_DIGITS} digits")
        parts = _TAGGED[tag][1](value)
        return Ext(tag, msgspec.msgpack.encode(self._plain(parts, depth - 1, at)))

    def _decoded(self, data: bytes | memoryview, depth: int) -> Any:
        if depth == 0:
            raise ValueError(f"nested more than {_DEEPEST} levels deep")

        def tagged(tag: int, inner: memoryview) -> Any:
            parts = self._decoded(inner, depth - 1)
            if tag == _REQUEST:
                return self._request(parts)
            kind, made = self._parts_and_maker(tag)
            # A number or a range in place of parts would be as large as it says.
            if not isinstance(parts, kind):
                raise ValueError(f"{type(parts).__name__} in place of the parts of tag {tag}")
            return made(parts)

        return msgspec.msgpack.decode(data, ext_hook=tagged)

    def _parts_and_maker(self, tag: int) -> tuple[type, Callable[[Any], Any]]:
        """The class of the parts that a tag's bytes hold, and what makes a value of them."""
        if tag == _RECORD:
            return list, lambda parts: self._made(*parts)
        _, parted, made = _TAGGED[tag]
        return parted if isinstance(parted, type) else list, made

    def _record(self, value: Any, at: str) -> list[Any] | None:
        """Class and contents of a record; None if the value is not one."""
        kind = type(value)
        if isinstance(value, Enum):
            return [self._class_name(kind, Enum), value.name]
        if isinstance(value, Item):
            return [self._class_name(kind, Item), dict(value)]
        if is_dataclass(value):
            told = {field.name: getattr(value, field.name) for field in fields(value)}
            if not getattr(value, "__dict__", told).keys() <= told.keys():
                raise ValueError(f"{at} holds a {kind.__qualname__} with attributes that are not fields")
            return [self._class_name(kind, object), told]
        if isinstance(value, tuple) and hasattr(kind, "_fields"):
            return [self._class_name(kind, tuple), list(value)]
        return None

    def _made(self, name: str, held: Any) -> Any:
        """A record. Only an Item's constructor runs; dataclasses and named tuples are filled without theirs."""
        kind = self._class(name, object)
        if issubclass(kind, Enum):
            return kind.__members__[held]
        if issubclass(kind, Item):
            return kind(held)
        if kind.__module__.partition(".")[0] != self._package:
            raise ValueError(f"{name} is not a class of the package {self._package}")
        if issubclass(kind, tuple) and len(kind._fields) == len(held):  # type: ignore[attr-defined]
            return tuple.__new__(kind, held)
        if not is_dataclass(kind) or {field.name for field in fields(kind)} != held.keys():
            raise ValueError(f"{name} has other fields")
        made = object.__new__(kind)
        for field, value in held.items():
            object.__setattr__(made, field, value)
        return made

    def _class_name(self, kind: type, base: type) -> str:
        name = f"{kind.__module__}.{kind.__qualname__}"
        if self._class(name, base) is not kind:
            raise ValueError(f"{name} is not the name of {kind!r}")
        if not issubclass(kind, (Request, Item, Enum)) and kind.__module__.partition(".")[0] != self._package:
            raise ValueError(f"{name} is not a class of the package {self._package}")
        return name

    @staticmethod
    def _class(name: Any, base: type) -> type:
        """The loaded class of a dotted name; ValueError if there is none below `base`."""
        parts = str(name).split(".")
        for many in range(len(parts) - 1, 0, -1):
            found: Any = sys.modules.get(".".join(parts[:many]))
            if isinstance(found, ModuleType):
                for part in parts[many:]:
                    found = vars(found).get(part) if isinstance(found, (ModuleType, type)) else None
                if isinstance(found, type) and issubclass(found, base) and found.__module__ in sys.modules:
                    return found
        raise ValueError(f"the program has no {base.__name__} class {name}")

    def _name(self, method: Any) -> str | None:
        """The name of a callback; ValueError if it is not a method of the spider."""
        if method is None or isinstance(method, str):
            return method
        function = getattr(method, "__func__", None)
        if function is None or getattr(method, "__self__", None) is not self._spider:
            raise ValueError(f"{method!r} is not a method of the spider")
        if function not in self._names:
            held: Mapping[str, Any] = {
                name: value for kind in reversed(type(self._spider).__mro__) for name, value in vars(kind).items()
            }
            own = getattr(function, "__name__", "")
            names = [own] if held.get(own) is function else [key for key in held if held[key] is function]
            if not names:
                raise ValueError(f"{method!r} is not a method of the spider")
            self._names[function] = names[0]
        return self._names[function]

    def _method(self, name: Any) -> Any:
        method = None if str(name).startswith("__") else getattr(self._spider, str(name), None)
        if getattr(method, "__self__", None) is not self._spider:
            raise ValueError(f"the spider has no method {name!r}")
        return method


def _is_short(key: Any) -> bool:
    return type(key) is not int or key in _INT_RANGE


def _factory_name(pairs: defaultdict[Any, Any]) -> str | None:
    factory = pairs.default_factory
    if factory is None:
        return None
    name = getattr(factory, "__name__", "")
    if _FACTORIES.get(name) is not factory:
        raise ValueError(f"a defaultdict of {factory!r}")
    return str(name)


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
