"""Objects that know each other, written down as data and filled again: no code is kept, and none is run by name.

What can be kept: numbers, texts, bytes, lists, tuples, sets, dicts, deques, arrays, enums, random generators, and
instances of classes that the caller allows, as their attributes; methods of such instances; and whatever the caller
knows by name on both sides, which is not written. An object that several hold is written once. Arrays are blocks of
bytes one after the other.

To read a graph its roots have to be there, as they are when they have just begun: they are filled. Of the attributes
that `of_a_run` of a root's class names nothing is written, and a root keeps its own. A function, such as a stemmer, is
taken from where it stands in a root that has just begun.
"""

from __future__ import annotations

import sys
from array import array
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from itertools import count
from operator import attrgetter
from re import fullmatch
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import IO, Any

import msgspec
import numpy as np

Allows = Callable[[str], bool]
"""Whether instances of the classes of a module may be kept."""

_PLAIN = frozenset({int, float, bool, str, bytes, type(None)})
_INT64 = range(-(1 << 63), 1 << 63)
_AT_ONCE = 10_000
"""Objects that are packed together."""
_MAKERS: dict[str, Callable[[], Any]] = {kind.__name__: kind for kind in (int, float, list, dict, set)}
"""What the values of a `defaultdict` may be made by."""
_SEQUENCES: dict[str, Any] = {kind.__name__: kind for kind in (list, tuple, set, frozenset, deque)}
_DICTS: dict[str, Any] = {kind.__name__: kind for kind in (dict, Counter, defaultdict)}
_BASES = ("builtins", "typing", "abc", "msgspec", "msgspec._core")
_STATELESS = ("Stemmer",)
"""Modules of others whose objects are the same whenever they are made."""
_ALL_PLAIN, _REFERENCES, _LARGE_INTS = range(3)
"""How the items of something are packed."""

_pack, _unpack = msgspec.msgpack.Encoder().encode, msgspec.msgpack.Decoder().decode


class CannotBeKept(Exception):
    """Something in the graph is more than data."""


def write_graph(
    file: IO[bytes], roots: Mapping[str, object], outside: Mapping[str, object], allows: Allows
) -> None:
    """Write all that the roots lead to, but for what is known by name on both sides."""
    graph = _Writing(roots, outside, allows)
    nodes = list(graph.packed_nodes())
    classes = [(cls.__module__, cls.__qualname__, names) for cls, names in graph.layouts]
    for part in ([list(roots), classes, len(nodes)], *nodes):
        data = part if isinstance(part, bytes) else _pack(part)
        file.write(len(data).to_bytes(8, "little"))
        file.write(data)
    for block in graph.blocks:
        file.write(memoryview(block).cast("B") if len(block) else b"")


class _Writing:
    """The objects that were found, in the order in which they were, and how they are written."""

    def __init__(self, roots: Mapping[str, object], outside: Mapping[str, object], allows: Allows) -> None:
        self._allows = allows
        self._outside = {id(thing): name for name, thing in outside.items()}
        self._numbers: dict[int, int] = {}
        self._found: list[tuple[Any, str | None]] = []
        """Each with the attributes that lead to it from a root, if attributes do."""
        self.layouts: dict[tuple[type, tuple[str, ...]], int] = {}
        self.blocks: list[Any] = []
        self._owners: dict[int, int] = {}
        self._left_out = {id(root): getattr(type(root), "of_a_run", ()) for root in roots.values()}
        for name, root in roots.items():
            self._reference(root, name)

    def packed_nodes(self) -> Iterator[bytes]:
        """All objects, some at a time; more are found on the way."""
        begin = 0
        while begin < len(self._found):
            some = self._found[begin : begin + _AT_ONCE]
            try:
                yield _pack([self._node(thing, path) for thing, path in some])
            except (OverflowError, UnicodeEncodeError) as error:
                raise CannotBeKept(str(error)) from None
            begin += len(some)

    def _reference(self, value: Any, path: str | None = None) -> Any:
        kind = type(value)
        if kind in _PLAIN and (kind is not int or value in _INT64):
            return value
        number = self._numbers.get(id(value))
        if number is None:
            number = self._numbers[id(value)] = len(self._found)
            self._found.append((value, path))
        return [number]

    def _node(self, thing: Any, path: str | None) -> list[Any]:
        kind = type(thing)
        if id(thing) in self._outside:
            return ["outside", self._outside[id(thing)]]
        if _SEQUENCES.get(kind.__name__) is kind:
            packed = self._packed(list(thing))
            if kind is frozenset and packed[0] == _REFERENCES:
                raise CannotBeKept("a frozenset of more than numbers and texts")
            return [kind.__name__, packed, getattr(thing, "maxlen", None)]
        if _DICTS.get(kind.__name__) is kind:
            return [kind.__name__, *self._packed_dict(thing), _maker_of(thing)]
        if kind is int:
            return ["int", *_large_ints([thing])]
        if kind is np.ndarray:
            return self._array(thing)
        if kind is array:
            self.blocks.append(thing)
            return ["numbers", thing.typecode, len(thing)]
        if kind is count and (numbers := fullmatch(r"count\((-?\d+)(?:, (-?\d+))?\)", repr(thing))):
            return ["count", int(numbers[1]), int(numbers[2] or 1)]
        if kind is bytearray:
            return ["bytearray", bytes(thing)]
        if isinstance(thing, np.generic):
            return ["scalar", thing.dtype.str, thing.tobytes()]
        if kind is np.random.Generator:
            state = thing.bit_generator.state
            return ["random", type(thing.bit_generator).__name__, self._reference(state)]
        if isinstance(thing, Enum):
            return ["enum", self._layout(kind, ()), thing.name]
        if isinstance(thing, MethodType) and self._is_kept(thing.__self__):
            return ["method", self._reference(thing.__self__), thing.__name__]
        if _is_function(thing):
            if path is None:
                raise CannotBeKept(f"{thing!r} is held by no attribute")
            return ["begun", path]
        return self._instance(thing, path)

    def _instance(self, thing: Any, path: str | None) -> list[Any]:
        kind = type(thing)
        self._check(kind)
        if issubclass(kind, tuple):
            return ["record", self._layout(kind, ()), self._packed(list(thing))]
        if issubclass(kind, msgspec.Struct):
            fields = kind.__struct_fields__
            return [
                "struct",
                self._layout(kind, fields),
                [self._reference(getattr(thing, n)) for n in fields],
            ]
        attributes = {
            name: value
            for name, value in _attributes(thing).items()
            if name not in self._left_out.get(id(thing), ())
        }
        values = [
            self._reference(value, None if path is None else f"{path}.{name}")
            for name, value in attributes.items()
        ]
        layout = self._layout(kind, tuple(attributes))
        if issubclass(kind, dict):
            return ["mapping", layout, values, *self._packed_dict(thing)]
        return ["instance", layout, values]

    def _check(self, kind: type) -> None:
        """CannotBeKept unless all that an instance knows is in attributes that may be written."""
        for cls in kind.__mro__:
            of_others = cls.__module__ in _BASES and cls not in (list, set, frozenset, str, int, float, bytes)
            if not of_others and not self._allows(cls.__module__):
                raise CannotBeKept(
                    f"{kind.__module__}.{kind.__qualname__} is none of the classes that are kept"
                )
        if _class_of(kind.__module__, kind.__qualname__) is not kind:
            raise CannotBeKept(f"{kind.__module__}.{kind.__qualname__} cannot be found by its name")

    def _is_kept(self, thing: object) -> bool:
        return id(thing) in self._outside or self._allows(type(thing).__module__)

    def _array(self, thing: Any) -> list[Any]:
        if thing.dtype.hasobject or thing.dtype.fields:
            raise CannotBeKept(f"an array of {thing.dtype}")
        owner = thing
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        if self._owners.setdefault(id(owner), id(thing)) != id(thing) and thing.flags.writeable:
            raise CannotBeKept("two arrays that share their memory")
        by_column = thing.flags.f_contiguous and not thing.flags.c_contiguous
        block = np.ascontiguousarray(thing.T if by_column else thing)
        self.blocks.append(block.reshape(-1).view(np.uint8))
        return ["array", thing.dtype.str, list(block.shape), by_column, thing.flags.writeable]

    def _packed_dict(self, thing: dict[Any, Any]) -> tuple[list[Any], list[Any]]:
        return self._packed(list(thing)), self._packed(list(thing.values()))

    def _packed(self, items: list[Any]) -> list[Any]:
        kinds = set(map(type, items))
        if kinds <= _PLAIN:
            ints = items if kinds == {int} else [item for item in items if type(item) is int]
            if not ints or (min(ints) in _INT64 and max(ints) in _INT64):
                return [_ALL_PLAIN, items]
            if len(ints) == len(items):
                return [_LARGE_INTS, *_large_ints(items)]
        return [_REFERENCES, [self._reference(item) for item in items]]

    def _layout(self, kind: type, names: tuple[str, ...]) -> int:
        return self.layouts.setdefault((kind, names), len(self.layouts))


class ObjectGraph:
    """A graph that was read from a file, all of it, and not yet filled in anywhere."""

    def __init__(self, file: IO[bytes], allows: Allows) -> None:
        self._roots, layouts, many = _unpack(_part(file))
        self._layouts: list[tuple[type, list[str]]] = []
        for module, name, names in layouts:
            cls = _class_of(module, name) if allows(module) else None
            if cls is None:
                raise ValueError(f"there is no class {module}.{name}")
            self._layouts.append((cls, names))
        self._nodes: list[list[Any]] = [node for _ in range(many) for node in _unpack(_part(file))]
        self._values: list[Any] = [_read_block(file, node) for node in self._nodes]

    def fill(self, roots: Mapping[str, object], outside: Mapping[str, object]) -> None:
        """Make the roots what they were."""
        nodes, values = self._nodes, self._values
        begun = {
            number: attrgetter(node[1])(_Roots(roots))
            for number, node in enumerate(nodes)
            if node[0] == "begun"
        }
        for number, name in enumerate(self._roots):
            self._check_root(nodes[number], roots[name])
            values[number] = roots[name]
        for number, node in enumerate(nodes):
            if values[number] is None:
                values[number] = self._empty(node, outside)
        for number, thing in begun.items():
            values[number] = thing
        self._made = [value is not None for value in values]
        for number in range(len(self._roots)):
            if nodes[number][0] == "random":
                values[number].bit_generator.state = self._whole(nodes[number][2])
            else:
                _forget(values[number])
        for number in self._of("instance", "mapping"):
            _, names = self._layouts[nodes[number][1]]
            for name, value in zip(names, map(self._value, nodes[number][2]), strict=True):
                object.__setattr__(values[number], name, value)
        for number in self._of("list", "deque"):
            values[number].extend(self._items(nodes[number][1]))
        for number in self._of("set"):
            values[number].update(self._items(nodes[number][1]))
        for number in self._of("dict", "Counter", "defaultdict"):
            dict.update(values[number], self._pairs(nodes[number][1], nodes[number][2]))
        for number in self._of("mapping"):
            dict.update(values[number], self._pairs(nodes[number][3], nodes[number][4]))

    def _check_root(self, node: list[Any], root: object) -> None:
        kind = np.random.Generator if node[0] == "random" else self._layouts[node[1]][0]
        if type(root) is not kind:
            raise ValueError(f"{kind.__name__} is {type(root).__name__} now")

    def _of(self, *kinds: str) -> Iterator[int]:
        return (number for number, node in enumerate(self._nodes) if node[0] in kinds)

    def _empty(self, node: list[Any], outside: Mapping[str, object]) -> Any:
        """What can be there before others are; None for what is made of others."""
        match node:
            case ["outside", name]:
                return outside[name]
            case ["list", *_]:
                return []
            case ["set", *_]:
                return set()
            case ["deque", _, most]:
                return deque(maxlen=most)
            case ["defaultdict", _, _, maker]:
                return defaultdict(None if maker is None else _MAKERS[maker])
            case ["dict" | "Counter" as kind, *_]:
                return _DICTS[kind]()
            case ["instance", layout, *_]:
                return object.__new__(self._layouts[layout][0])
            case ["mapping", layout, *_]:
                return dict.__new__(self._layouts[layout][0])
            case ["enum", layout, name]:
                return self._layouts[layout][0][name]  # type: ignore[index]
            case ["int", width, data]:
                return _ints(width, data)[0]
            case ["count", first, step]:
                return count(first, step)
            case ["bytearray", data]:
                return bytearray(data)
            case ["scalar", kind, data]:
                return np.frombuffer(data, kind)[0]
        return None

    def _value(self, reference: Any) -> Any:
        """What a reference stands for, made of others if it has to be."""
        if type(reference) is not list:
            return reference
        number = reference[0]
        if not self._made[number]:
            self._values[number], self._made[number] = self._make(self._nodes[number]), True
        return self._values[number]

    def _make(self, node: list[Any]) -> Any:
        match node:
            case ["tuple" | "frozenset" as kind, packed, _]:
                return _SEQUENCES[kind](self._items(packed))
            case ["record", layout, packed]:
                return tuple.__new__(self._layouts[layout][0], self._items(packed))
            case ["struct", layout, values]:
                cls, names = self._layouts[layout]
                return cls(**dict(zip(names, map(self._whole, values), strict=True)))
            case ["method", of, name]:
                return getattr(self._value(of), name)
            case ["random", kind, state]:
                return _generator(kind, self._whole(state))
        raise ValueError(f"nothing can be made of {node[0]!r}")

    def _whole(self, reference: Any) -> Any:
        """The same, but lists and dicts, which are not filled yet, are copies that are."""
        node = self._nodes[reference[0]] if type(reference) is list else None
        match node:
            case ["list", packed, _]:
                return list(self._whole_items(packed))
            case ["dict", keys, packed, _]:
                return dict(zip(self._items(keys), self._whole_items(packed), strict=True))
        return self._value(reference)

    def _whole_items(self, packed: list[Any]) -> Iterable[Any]:
        return map(self._whole, packed[1]) if packed[0] == _REFERENCES else self._items(packed)

    def _pairs(self, keys: list[Any], values: list[Any]) -> Iterator[tuple[Any, Any]]:
        return zip(self._items(keys), self._items(values), strict=True)

    def _items(self, packed: list[Any]) -> Iterable[Any]:
        match packed:
            case [packing, items] if packing == _ALL_PLAIN:
                return items  # type: ignore[no-any-return]
            case [packing, width, data] if packing == _LARGE_INTS:
                return _ints(width, data)
        return map(self._value, packed[1])


class _Roots:
    """The roots as attributes, so that a path begins with the name of one."""

    def __init__(self, roots: Mapping[str, object]) -> None:
        self.__dict__.update(roots)


def _part(file: IO[bytes]) -> bytes:
    return _exactly(file, int.from_bytes(_exactly(file, 8), "little"))


def _exactly(file: IO[bytes], size: int) -> bytes:
    data = file.read(size)
    if len(data) < size:
        raise EOFError("the file is cut short")
    return data


def _read_block(file: IO[bytes], node: list[Any]) -> Any:
    """The array of a node, which comes next; None if it is none."""
    if node[0] == "numbers":
        numbers = array(node[1])
        numbers.frombytes(_exactly(file, node[2] * numbers.itemsize))
        return numbers
    if node[0] != "array":
        return None
    _, kind, shape, by_column, writeable = node
    block = np.empty(shape, np.dtype(kind))
    room = memoryview(block.reshape(-1).view(np.uint8)).cast("B") if block.size else memoryview(b"")
    while len(room):
        if not (many := file.readinto(room)):  # type: ignore[attr-defined]
            raise EOFError("the file is cut short")
        room = room[many:]
    block.flags.writeable = writeable
    return block.T if by_column else block


def _attributes(thing: object) -> dict[str, Any]:
    slots = (name for cls in type(thing).__mro__ for name in _slots(cls))
    return {name: getattr(thing, name) for name in slots if hasattr(thing, name)} | getattr(
        thing, "__dict__", {}
    )


def _slots(cls: type) -> tuple[str, ...]:
    slots = cls.__dict__.get("__slots__", ())
    names = (slots,) if isinstance(slots, str) else tuple(slots)
    return tuple(name for name in names if name not in ("__dict__", "__weakref__"))


def _forget(root: object) -> None:
    """Leave a root nothing but what belongs to its run."""
    for name in _attributes(root).keys() - set(getattr(type(root), "of_a_run", ())):
        object.__delattr__(root, name)


def _class_of(module: str, name: str) -> type | None:
    """A class of a module that is imported already."""
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found if isinstance(found, type) else None


def _is_function(thing: object) -> bool:
    """Whether something has no state of its own: a function, a class, or what a stemmer does."""
    if isinstance(thing, FunctionType):
        return thing.__closure__ is None
    if isinstance(thing, MethodType | BuiltinFunctionType):
        owner = thing.__self__
        return isinstance(owner, ModuleType) or type(owner).__module__ in _STATELESS
    return isinstance(thing, type)


def _maker_of(thing: dict[Any, Any]) -> str | None:
    maker = getattr(thing, "default_factory", None)
    name: str | None = getattr(maker, "__name__", None)
    if maker is not None and _MAKERS.get(name or "") is not maker:
        raise CannotBeKept(f"a dict whose values {maker!r} makes")
    return name


def _generator(kind: str, state: Any) -> np.random.Generator:
    bits = {cls.__name__: cls for cls in np.random.BitGenerator.__subclasses__()}[kind]()
    bits.state = state
    return np.random.Generator(bits)


def _large_ints(numbers: list[int]) -> tuple[int, bytes]:
    """Whole numbers of any size, each in as many bytes as the largest needs."""
    width = max(number.bit_length() for number in numbers) // 8 + 1
    return width, b"".join(number.to_bytes(width, "little", signed=True) for number in numbers)


def _ints(width: int, data: bytes) -> list[int]:
    return [int.from_bytes(data[at : at + width], "little", signed=True) for at in range(0, len(data), width)]
