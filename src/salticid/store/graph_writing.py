"""A graph of objects, written as data: see `store/object_graph.py` for what can be."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from enum import Enum
from itertools import count
from re import fullmatch
from types import MethodType
from typing import IO, Any

import msgspec
import numpy as np

from salticid.store.object_graph import (
    ALL_PLAIN,
    DICTS,
    LARGE_INTS,
    MAKERS,
    REFERENCES,
    SEQUENCES,
    Allows,
    attributes,
    class_of,
    is_function,
)

_PLAIN = frozenset({int, float, bool, str, bytes, type(None)})
_INT64 = range(-(1 << 63), 1 << 63)
_AT_ONCE = 10_000
"""Objects that are packed together."""
_BASES = ("builtins", "typing", "abc", "msgspec", "msgspec._core")

_pack = msgspec.msgpack.Encoder().encode


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
        if SEQUENCES.get(kind.__name__) is kind:
            packed = self._packed(list(thing))
            if kind is frozenset and packed[0] == REFERENCES:
                raise CannotBeKept("a frozenset of more than numbers and texts")
            return [kind.__name__, packed, getattr(thing, "maxlen", None)]
        if DICTS.get(kind.__name__) is kind:
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
        if isinstance(thing, Enum) and self._allows(kind.__module__):
            return ["enum", self._layout(kind, ()), thing.name]
        if isinstance(thing, MethodType) and self._is_kept(thing.__self__):
            return ["method", self._reference(thing.__self__), thing.__name__]
        if is_function(thing):
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
            names = kind.__struct_fields__
            return ["struct", self._layout(kind, names), [self._reference(getattr(thing, n)) for n in names]]
        left_out = self._left_out.get(id(thing), ())
        held = {name: value for name, value in attributes(thing).items() if name not in left_out}
        values = [
            self._reference(value, None if path is None else f"{path}.{name}") for name, value in held.items()
        ]
        layout = self._layout(kind, tuple(held))
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
        if class_of(kind.__module__, kind.__qualname__) is not kind:
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
                return [ALL_PLAIN, items]
            if len(ints) == len(items):
                return [LARGE_INTS, *_large_ints(items)]
        return [REFERENCES, [self._reference(item) for item in items]]

    def _layout(self, kind: type, names: tuple[str, ...]) -> int:
        return self.layouts.setdefault((kind, names), len(self.layouts))


def _maker_of(thing: dict[Any, Any]) -> str | None:
    maker = getattr(thing, "default_factory", None)
    name: str | None = getattr(maker, "__name__", None)
    if maker is not None and MAKERS.get(name or "") is not maker:
        raise CannotBeKept(f"a dict whose values {maker!r} makes")
    return name


def _large_ints(numbers: list[int]) -> tuple[int, bytes]:
    """Whole numbers of any size, each in as many bytes as the largest needs."""
    width = max(number.bit_length() for number in numbers) // 8 + 1
    return width, b"".join(number.to_bytes(width, "little", signed=True) for number in numbers)
