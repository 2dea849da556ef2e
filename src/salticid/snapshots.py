"""The schema of snapshots: which attributes of which classes a snapshot holds, and of which types.

`@in_snapshot` declares a class. Types are those of its annotations, or are named in the decorator. A snapshot itself
names no class, no module and no function: it is read by the schema of the objects that the crawl was started with, and
a value of another type, dtype or length makes it invalid. Objects that two others share are stored once.
"""

from __future__ import annotations

import sys
from array import array
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import is_dataclass
from enum import Enum
from functools import cache
from itertools import count
from math import prod
from re import fullmatch
from types import NoneType, SimpleNamespace, UnionType
from typing import IO, Annotated, Any, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
import numpy as np
import numpy.typing as npt

_Class = TypeVar("_Class", bound=type)
_PLAIN = frozenset({int, float, bool, str, bytes, NoneType})
_INT64 = range(-(1 << 63), 1 << 63)
_UINT128 = range(1 << 128)
_AT_ONCE = 10_000
"""Objects packed together."""
_SCHEMA = "__snapshot__"
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder().decode


class CannotBeKept(ValueError):
    """A value that the schema does not allow; there is no snapshot."""


class InvalidSnapshot(ValueError):
    """A snapshot that the schema does not allow."""


class _Declared(NamedTuple):
    per_run: tuple[str, ...]
    types: dict[str, Any]
    module: dict[str, Any]

    def resolved(self) -> dict[str, Any]:
        """The types, with classes in place of their names."""
        try:
            return get_type_hints(SimpleNamespace(__annotations__=self.types), self.module, include_extras=True)
        except NameError as error:
            raise CannotBeKept(f"a declared type is unknown: {error}") from None


def in_snapshot(*per_run: str, **types: Any) -> Callable[[_Class], _Class]:
    """Allow instances of a class in snapshots, so that a crawl resumes without replaying its log.

    `types` names the attributes to store; annotated fields of the class need not be named. `per_run` are attributes
    that are not stored, because each run sets them by itself. Base classes declare their own attributes. The settings
    of a strategy or a judge need not be declared.

    >>> @in_snapshot("_host", _seen=set[int], _scores=dict[int, float])
    ... class Mine: ...
    """

    def declare(cls: _Class) -> _Class:
        setattr(cls, _SCHEMA, _Declared(per_run, types, vars(sys.modules[cls.__module__])))
        return cls

    return declare


def rows(kind: npt.DTypeLike) -> Any:
    """The type of an array with two dimensions."""
    return Annotated[np.ndarray, np.dtype(kind), 2]


def numbers(typecode: str) -> Any:
    """The type of an `array.array`."""
    return Annotated[array, typecode]


class _Schema(NamedTuple):
    per_run: frozenset[str]
    codecs: dict[str, _Codec]
    is_value: bool
    """Whether instances never change: a snapshot makes them again instead of filling those that are there."""


@cache
def _schema(cls: Any) -> _Schema | None:
    """What a class and its bases declare; None if the class itself declares nothing."""
    if not is_declared(cls):
        return None
    declared = [base.__dict__[_SCHEMA] for base in reversed(cls.__mro__) if is_declared(base)]
    is_value = is_dataclass(cls) or issubclass(cls, tuple)
    types: dict[str, Any] = get_type_hints(cls) if is_value else {}
    for each in declared:
        types |= each.resolved()
    per_run = frozenset(name for each in declared for name in each.per_run)
    return _Schema(per_run, {name: _codec(kind) for name, kind in types.items()}, is_value)


def is_declared(cls: type) -> bool:
    """Whether instances of a class may be stored."""
    return _SCHEMA in cls.__dict__


class Known(NamedTuple):
    """What both sides of a snapshot have before it is read."""

    roots: Mapping[str, object]
    """The objects to store, or to fill."""
    named: Mapping[str, object]
    """Objects that are not stored: a snapshot refers to them by name."""
    settings: frozenset[str]
    """Attributes of roots that are not stored."""


class _Codec:
    """How values of one type are stored; `pack` and `unpack` refuse all others."""

    def __init__(self, kind: Any = None, *parts: Any) -> None:
        self.kind = kind
        self.parts = [_codec(part) for part in parts]

    def fits(self, value: Any) -> bool:
        return type(value) is self.kind

    def pack(self, writing: Writing, value: Any) -> Any:
        if not self.fits(value):
            raise CannotBeKept(f"{type(value).__qualname__} in place of {self.kind}")
        return self._pack(writing, value)

    def _pack(self, writing: Writing, value: Any) -> Any:
        raise NotImplementedError

    def unpack(self, reading: Reading, data: Any, begun: Any = None) -> Any:
        """The value; `begun` is the one in its place now."""
        raise NotImplementedError

    def pack_all(self, writing: Writing, values: list[Any]) -> Any:
        return [self.pack(writing, value) for value in values]

    def unpack_all(self, reading: Reading, data: Any) -> Iterable[Any]:
        unpack = self.unpack
        return [unpack(reading, each) for each in _list(data)]


class _Plain(_Codec):
    """Numbers, texts and bytes; whole numbers of any size, and in place of a float."""

    def __init__(self, kind: type) -> None:
        super().__init__(kind)
        self._kinds = {kind, int} if kind is float else {kind}

    def fits(self, value: Any) -> bool:
        return type(value) in self._kinds

    def _pack(self, writing: Writing, value: Any) -> Any:
        return value if type(value) is not int or value in _INT64 else _packed_ints([value])

    def unpack(self, reading: Reading, data: Any, begun: Any = None) -> Any:
        if type(data) is list and self.kind is int:
            (data,) = _unpacked_ints(data)
        if type(data) not in self._kinds:
            raise InvalidSnapshot(f"{type(data).__name__} in place of {self.kind}")
        return data

    def pack_all(self, writing: Writing, values: list[Any]) -> Any:
        kinds = set(map(type, values))
        if not kinds <= self._kinds:
            raise CannotBeKept(f"{kinds} in place of {self.kind}")
        if int in kinds and not (min(values) in _INT64 and max(values) in _INT64):
            return _packed_ints(values)
        return values

    def unpack_all(self, reading: Reading, data: Any) -> Iterable[Any]:
        if self.kind is int and len(_list(data)) == 2 and type(data[1]) is bytes:
            return _unpacked_ints(data)
        if not set(map(type, _list(data))) <= self._kinds:
            raise InvalidSnapshot(f"other values in place of {self.kind}")
        return data  # type: ignore[no-any-return]


def _packed_ints(numbers: list[int]) -> list[Any]:
    """Whole numbers of any size, each in as many bytes as the largest needs."""
    width = max(number.bit_length() for number in numbers) // 8 + 1
    return [width, b"".join(number.to_bytes(width, "little", signed=True) for number in numbers)]


def _unpacked_ints(data: Any) -> list[int]:
    width, digits = data
    if type(width) is not int or type(digits) is not bytes or width < 1 or len(digits) % width:
        raise InvalidSnapshot("whole numbers are damaged")
    return [int.from_bytes(digits[at : at + width], "little", signed=True) for at in range(0, len(digits), width)]


class _Items(_Codec):
    """A list, set, deque or tuple of any length."""

    def _pack(self, writing: Writing, value: Any) -> Any:
        if self.kind not in (tuple, frozenset):
            writing.once(value)
        items = self.parts[0].pack_all(writing, list(value))
        return [value.maxlen, items] if self.kind is deque else items

    def unpack(self, reading: Reading, data: Any, begun: Any = None) -> Any:
        if self.kind is deque:
            most, data = _list(data, 2)
            if most is not None and (type(most) is not int or most < 0):
                raise InvalidSnapshot("a deque of an odd length")
            return deque(self.parts[0].unpack_all(reading, data), most)
        if type(begun) is tuple and len(begun) == len(_list(data)):
            return tuple(self.parts[0].unpack(reading, *each) for each in zip(data, begun, strict=True))
        return self.kind(self.parts[0].unpack_all(reading, data))


class _Fixed(_Codec):
    """A tuple whose items have types of their own."""

    def _pack(self, writing: Writing, value: Any) -> Any:
        if len(value) != len(self.parts):
            raise CannotBeKept(f"a tuple of {len(value)} items")
        return [part.pack(writing, item) for part, item in zip(self.parts, value, strict=True)]

    def unpack(self, reading: Reading, data: Any, begun: Any = None) -> Any:
        items = _list(data, len(self.parts))
        return tuple(part.unpack(reading, item) for part, item in zip(self.parts, items, strict=True))


class _Pairs(_Codec):
    """A dict or a Counter."""

    def _pack(self, writing: Writing, value: Any) -> Any:
        writing.once(value)
        keys, values = self.parts
        return [keys.pack_all(writing, list(value)), values.pack_all(writing, list(value.values()))]

    def unpack(self, reading: Reading, data: Any, begun: Any = None) -> Any:
        keys, values = (part.unpack_all(reading, each) for part, each in zip(self.parts, _list(data, 2), strict=True))
        return self.kind(dict(zip(keys, values, strict=True)))


class _Union(_Codec):
    """One of several types; by its number, but for None."""

    def __init__(self, *parts: Any) -> None:
        super().__init__(" | ".join(map(str, parts)), *(part for part in parts if part is not NoneType))
        self._optional = NoneType in parts

    def _at(self, value: Any) -> int | None:
        return next((number for number, part in enumerate(self.parts) if part.fits(value)), None)

    def fits(self, value: Any) -> bool:
        return self._at(value) is not None if value is not None else self._optional

    def _pack(self, writing: Writing, value: Any) -> Any:
        at = self._at(value)
        return None if at is None else [at, self.parts[at].pack(writing, value)]

    def unpack(self, reading: Reading, data: Any, begun: Any = None) -> Any:
        if data is None and self._optional:
            return None
        at, data = _list(data, 2)
        if type(at) is not int or at not in range(len(self.parts)):
            raise InvalidSnapshot("a value of no type")
        return self.parts[at].unpack(reading, data, begun)


class _Enum(_Codec):
    def _pack(self, writing: Writing, value: Any) -> Any:
        return value.name

    def unpack(self, reading: Reading, data: Any, begun: Any = None) -> Any:
        return self.kind.__members__[data]


class _Count(_Codec):
    def _pack(self, writing: Writing, value: Any) -> Any:
        if (found := fullmatch(r"count\((-?\d+)(?:, (-?\d+))?\)", repr(value))) is None:
            raise CannotBeKept(repr(value))
        return [int(found[1]), int(found[2] or 1)]

    def unpack(self, reading: Reading, data: Any, begun: Any = None) -> Any:
        return count(*_INT.unpack_all(reading, _list(data, 2)))


class _Bytearray(_Codec):
    def _pack(self, writing: Writing, value: Any) -> Any:
        writing.once(value)
        return bytes(value)

    def unpack(self, reading: Reading, data: Any, begun: Any = None) -> Any:
        return bytearray(_BYTES.unpack(reading, data))


class _Numbers(_Codec):
    """An `array.array` of one typecode."""

    def __init__(self, typecode: str) -> None:
        super().__init__(array)
        self._typecode = typecode

    def fits(self, value: Any) -> bool:
        return type(value) is array and value.typecode == self._typecode

    def _pack(self, writing: Writing, value: Any) -> Any:
        writing.once(value)
        return writing.block(np.frombuffer(value, self._typecode))

    def unpack(self, reading: Reading, data: Any, begun: Any = None) -> Any:
        block = reading.block(data, np.dtype(np.dtype(self._typecode).str), 1)
        return array(self._typecode, block.tobytes())


class _Array(_Codec):
    """A numpy array; without a dtype, one like that which it replaces."""

    def __init__(self, kind: Any = None, dimensions: int = 1) -> None:
        super().__init__(np.ndarray)
        self._kind, self._dimensions = kind, dimensions

    def fits(self, value: Any) -> bool:
        return type(value) is np.ndarray and (
            self._kind is None or (np.issubdtype(value.dtype, self._kind) and value.ndim == self._dimensions)
        )

    def pack(self, writing: Writing, value: Any) -> Any:
        if not self.fits(value) or value.dtype.str[1:] not in _DTYPES:
            raise CannotBeKept(f"{getattr(value, 'dtype', type(value))} in place of an array of {self._kind}")
        return writing.block(value)

    def unpack(self, reading: Reading, data: Any, begun: Any = None) -> Any:
        if self._kind is not None:
            return reading.block(data, self._kind, self._dimensions)
        if type(begun) is not np.ndarray:
            raise InvalidSnapshot("an array of no known type")
        return reading.block(data, begun.dtype, begun.ndim)


class _Reference(_Codec):
    """An object of a declared class."""

    def _pack(self, writing: Writing, value: Any) -> Any:
        return writing.reference(value, self.kind)

    def unpack(self, reading: Reading, data: Any, begun: Any = None) -> Any:
        return reading.named(data, self.kind) if type(data) is str else reading.object(data, self.kind, begun)


def _codec(kind: Any) -> _Codec:
    """How values of a type are stored."""
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _Union(*args)
    if origin is Annotated:
        return _Numbers(args[1]) if args[0] is array else _Array(*args[1:])
    if kind is np.ndarray:
        return _Array()
    if isinstance(kind, type) and issubclass(kind, np.generic):
        return _Array(kind)
    if origin is np.ndarray:
        (number,) = get_args(args[1])
        return _Array(get_origin(number) or number)
    if origin is tuple and args[-1] is not Ellipsis:
        return _Fixed(tuple, *args)
    if origin in (list, set, frozenset, deque, tuple):
        return _Items(origin, args[0])
    if origin in (dict, Counter):
        return _Pairs(origin, *args, *(int,) * (origin is Counter))
    kind = NoneType if kind is None else origin or kind
    if not isinstance(kind, type):
        raise CannotBeKept(f"{kind} cannot be stored")
    if kind in _PLAIN:
        return _Plain(kind)
    if kind in _SPECIAL:
        return _SPECIAL[kind](kind)
    return (_Enum if issubclass(kind, Enum) else _Reference)(kind)


_SPECIAL: dict[type, type[_Codec]] = {count: _Count, bytearray: _Bytearray, np.random.Generator: _Reference}
_DTYPES = frozenset({"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"})
_INT, _BYTES = _Plain(int), _Plain(bytes)


def _list(data: Any, length: int | None = None) -> list[Any]:
    if type(data) is not list or (length is not None and len(data) != length):
        raise InvalidSnapshot("a list is damaged")
    return data


class Writing:
    """The objects that roots lead to, in the order in which they are found, and how they are written."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._names = {id(thing): name for name, thing in known.named.items()}
        self._numbers: dict[int, int] = {}
        self._found: list[Any] = []
        self._containers: set[int] = set()
        self._blocks: list[npt.NDArray[Any]] = []
        self._block_of: dict[int, int] = {}
        self._owners: dict[int, int] = {}
        for root in known.roots.values():
            self.reference(root, type(root))

    def write(self, file: IO[bytes]) -> int:
        """Write all that the roots lead to; the number of bytes."""
        parts, begin = [], 0
        while begin < len(self._found):
            some = self._found[begin : begin + _AT_ONCE]
            try:
                parts.append(_encode([self._values(thing) for thing in some]))
            except (OverflowError, UnicodeEncodeError) as error:
                raise CannotBeKept(str(error)) from None
            begin += len(some)
        blocks = [(each.dtype.str[1:], each.shape, _by_column(each), each.flags.writeable) for each in self._blocks]
        size = 0
        for data in (_encode([len(parts), blocks]), *parts):
            size += file.write(len(data).to_bytes(8, "little")) + file.write(data)
        for block in self._blocks:
            flat = np.ascontiguousarray(block.T if _by_column(block) else block).reshape(-1).view(np.uint8)
            size += file.write(flat.data) if len(flat) else 0
        return size

    def _values(self, thing: Any) -> list[Any]:
        if type(thing) is np.random.Generator:
            return _generator_state(thing)
        kind: Any = type(thing)
        schema = _schema(kind)
        if schema is None:
            raise CannotBeKept(f"{type(thing).__qualname__} is not declared")
        if not schema.is_value:
            undeclared = _attributes(thing) - schema.codecs.keys() - schema.per_run
            if any(thing is root for root in self._known.roots.values()):
                undeclared -= self._known.settings
            if undeclared:
                raise CannotBeKept(f"{type(thing).__qualname__}.{min(undeclared)} is not declared")
        values = []
        for name, codec in schema.codecs.items():
            try:
                values.append(codec.pack(self, getattr(thing, name)))
            except (CannotBeKept, AttributeError) as error:
                raise CannotBeKept(f"{type(thing).__qualname__}.{name}: {error}") from None
        return values

    def reference(self, thing: Any, kind: type) -> int | str:
        """The number of an object of a class, or the name by which both sides know it."""
        if id(thing) in self._names:
            return self._names[id(thing)]
        number = self._numbers.get(id(thing))
        if number is None:
            if type(thing) is not kind:
                raise CannotBeKept(f"{type(thing).__qualname__} in place of {kind.__qualname__}")
            number = self._numbers[id(thing)] = len(self._found)
            self._found.append(thing)
        return number

    def once(self, container: Any) -> None:
        """A container is stored with its holder, so it may have only one."""
        if id(container) in self._containers:
            raise CannotBeKept(f"two attributes share a {type(container).__name__}")
        self._containers.add(id(container))

    def block(self, thing: npt.NDArray[Any]) -> int:
        """The number of an array, whose data follow after all objects."""
        number = self._block_of.get(id(thing))
        if number is None:
            owner = thing
            while isinstance(owner.base, np.ndarray):
                owner = owner.base
            if self._owners.setdefault(id(owner), id(thing)) != id(thing) and thing.flags.writeable:
                raise CannotBeKept("two arrays share their memory")
            number = self._block_of[id(thing)] = len(self._blocks)
            self._blocks.append(thing)
        return number


def _by_column(block: npt.NDArray[Any]) -> bool:
    return block.flags.f_contiguous and not block.flags.c_contiguous


def _attributes(thing: object) -> set[str]:
    slots = (cls.__dict__.get("__slots__", ()) for cls in type(thing).__mro__)
    names = {name for some in slots for name in ((some,) if isinstance(some, str) else some)}
    return {name for name in names if hasattr(thing, name)} | getattr(thing, "__dict__", {}).keys()


class Reading:
    """A snapshot whose bytes were read: at most `size` of them."""

    def __init__(self, file: IO[bytes], size: int) -> None:
        self._file, self._left = file, size
        parts, blocks = _list(_decode(self._part()), 2)
        if type(parts) is not int:
            raise InvalidSnapshot("the number of parts is damaged")
        self._nodes = [node for _ in range(parts) for node in _list(_decode(self._part()))]
        self._blocks = [self._read_block(*_list(block, 4)) for block in _list(blocks)]
        if self._left:
            raise InvalidSnapshot("the snapshot is longer than it should be")
        self._values: list[Any] = [None] * len(self._nodes)
        self._taken: set[int] = set()
        self._to_fill: list[int] = []

    def _part(self) -> bytes:
        return self._exactly(int.from_bytes(self._exactly(8), "little"))

    def _exactly(self, size: int) -> bytes:
        self._left -= size
        data = self._file.read(size) if self._left >= 0 else b""
        if len(data) < size:
            raise InvalidSnapshot("the snapshot is cut short")
        return data

    def _read_block(self, kind: Any, shape: Any, by_column: Any, writeable: Any) -> npt.NDArray[Any]:
        if kind not in _DTYPES or type(by_column) is not bool or type(writeable) is not bool:
            raise InvalidSnapshot("an array is damaged")
        if not 1 <= len(_list(shape)) <= 2 or any(type(n) is not int or n < 0 for n in shape):
            raise InvalidSnapshot(f"an array of shape {shape}")
        self._left -= (size := prod(shape) * np.dtype(kind).itemsize)
        if self._left < 0:
            raise InvalidSnapshot("an array is larger than the snapshot")
        block = np.empty(shape[::-1] if by_column else shape, kind)
        room = block.reshape(-1).view(np.uint8).data if size else memoryview(b"")
        while len(room):
            if not (many := self._file.readinto(room)):  # type: ignore[attr-defined]
                raise InvalidSnapshot("the snapshot is cut short")
            room = room[many:]
        block.flags.writeable = writeable
        return block.T if by_column else block

    def fill(self, known: Known) -> None:
        """Make the roots what they were; if the snapshot is invalid, nothing is changed."""
        self._known = known
        if len(self._nodes) < len(known.roots):
            raise InvalidSnapshot("a root is missing")
        for number, root in enumerate(known.roots.values()):
            self.object(number, type(root), root)
        changes: list[tuple[Any, dict[str, Any]]] = []
        while self._to_fill:
            number = self._to_fill.pop()
            thing, node = self._values[number], self._nodes[number]
            if type(thing) is np.random.Generator:
                changes.append((thing.bit_generator, {"state": _state_of(node)}))
                continue
            codecs = _declared_schema(type(thing)).codecs
            changes.append(
                (
                    thing,
                    {
                        name: codec.unpack(self, data, getattr(thing, name, None))
                        for (name, codec), data in zip(codecs.items(), _list(node, len(codecs)), strict=True)
                    },
                )
            )
        for thing, values in changes:
            for name, value in values.items():
                object.__setattr__(thing, name, value)

    def named(self, name: str, kind: type) -> Any:
        """What both sides know by a name, if it is of a class."""
        thing = self._known.named[name]
        if type(thing) is not kind:
            raise InvalidSnapshot(f"{name} in place of {kind.__qualname__}")
        return thing

    def block(self, number: Any, kind: Any, dimensions: int) -> npt.NDArray[Any]:
        """The array of a number, if it is of a type."""
        block = self._blocks[_index(number, self._blocks)]
        if not np.issubdtype(block.dtype, kind) or block.ndim != dimensions:
            raise InvalidSnapshot(f"an array of {block.dtype} in place of {kind}")
        return block

    def object(self, number: Any, kind: type, begun: Any) -> Any:
        """The object of a number, which is of this class; that which is there now if it can be filled."""
        value = self._values[_index(number, self._nodes)]
        if value is None:
            value = self._values[number] = self._made(number, kind, begun)
        if type(value) is not kind:
            raise InvalidSnapshot(f"{type(value).__qualname__} in place of {kind.__qualname__}")
        return value

    def _made(self, number: int, kind: type, begun: Any) -> Any:
        schema = _declared_schema(kind)
        if issubclass(kind, tuple):
            data = _list(self._nodes[number], len(schema.codecs))
            values = [codec.unpack(self, each) for codec, each in zip(schema.codecs.values(), data, strict=True)]
            return tuple.__new__(kind, values)
        self._to_fill.append(number)
        if not schema.is_value and type(begun) is kind and id(begun) not in self._taken:
            self._taken.add(id(begun))
            return begun
        if schema.per_run:
            raise InvalidSnapshot(f"a new {kind.__qualname__}")
        return object.__new__(kind)


def _declared_schema(kind: type) -> _Schema:
    schema = _Schema(frozenset({"bit_generator"}), {}, False) if kind is np.random.Generator else _schema(kind)
    if schema is None:
        raise InvalidSnapshot(f"{kind.__qualname__} is not declared")
    return schema


def _index(number: Any, of: Sequence[Any]) -> int:
    if type(number) is not int or number not in range(len(of)):
        raise InvalidSnapshot(f"a reference to {number!r}")
    return number


def _generator_state(thing: np.random.Generator) -> list[Any]:
    state: Any = thing.bit_generator.state
    if state["bit_generator"] != "PCG64":
        raise CannotBeKept(f"a random generator of {state['bit_generator']}")
    large = _packed_ints([state["state"]["state"], state["state"]["inc"]])
    return [large, state["has_uint32"], state["uinteger"]]


def _state_of(node: Any) -> dict[str, Any]:
    large, has_uint32, uinteger = _list(node, 3)
    state, inc = _list(_unpacked_ints(_list(large, 2)), 2)
    if not (state in _UINT128 and inc in _UINT128 and has_uint32 in (0, 1) and uinteger in range(1 << 32)):
        raise InvalidSnapshot("a random state is damaged")
    return {
        "bit_generator": "PCG64",
        "state": {"state": state, "inc": inc},
        "has_uint32": has_uint32,
        "uinteger": uinteger,
    }
