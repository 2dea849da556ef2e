"""A graph of objects, read from a file (`store/graph_writing.py`) and filled in where its roots are."""

from __future__ import annotations

from array import array
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from itertools import count
from operator import attrgetter
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

_unpack = msgspec.msgpack.Decoder().decode


class ObjectGraph:
    """A graph that was read from a file, all of it, and not yet filled in anywhere."""

    def __init__(self, file: IO[bytes], allows: Allows) -> None:
        self._roots, layouts, many = _unpack(_part(file))
        self._layouts: list[tuple[type, list[str]]] = []
        for module, name, names in layouts:
            cls = class_of(module, name) if allows(module) else None
            if cls is None:
                raise ValueError(f"there is no class {module}.{name}")
            self._layouts.append((cls, names))
        self._nodes: list[list[Any]] = [node for _ in range(many) for node in _unpack(_part(file))]
        self._values: list[Any] = [_read_block(file, node) for node in self._nodes]

    def fill(self, roots: Mapping[str, object], outside: Mapping[str, object]) -> None:
        """Make the roots what they were."""
        nodes, values = self._nodes, self._values
        begun = {number: _function_at(nodes[number][1], roots) for number in self._of("begun")}
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

    def _class(self, layout: int, base: type) -> Any:
        cls = self._layouts[layout][0]
        if not issubclass(cls, base):
            raise ValueError(f"{cls.__name__} is no {base.__name__}")
        return cls

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
                return defaultdict(None if maker is None else MAKERS[maker])
            case ["dict" | "Counter" as kind, *_]:
                return DICTS[kind]()
            case ["instance", layout, *_]:
                return object.__new__(self._class(layout, object))
            case ["mapping", layout, *_]:
                return dict.__new__(self._class(layout, dict))
            case ["enum", layout, name]:
                return self._class(layout, Enum)[name]
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
                return SEQUENCES[kind](self._items(packed))
            case ["record", layout, packed]:
                return tuple.__new__(self._class(layout, tuple), self._items(packed))
            case ["struct", layout, values]:
                fields = zip(self._layouts[layout][1], map(self._whole, values), strict=True)
                return self._class(layout, msgspec.Struct)(**dict(fields))
            case ["method", of, name] if isinstance(method := getattr(self._value(of), name), MethodType):
                return method
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
        return map(self._whole, packed[1]) if packed[0] == REFERENCES else self._items(packed)

    def _pairs(self, keys: list[Any], values: list[Any]) -> Iterator[tuple[Any, Any]]:
        return zip(self._items(keys), self._items(values), strict=True)

    def _items(self, packed: list[Any]) -> Iterable[Any]:
        match packed:
            case [packing, list(items)] if packing == ALL_PLAIN:
                return items
            case [packing, width, data] if packing == LARGE_INTS:
                return _ints(width, data)
        return map(self._value, packed[1])


def _function_at(path: str, roots: Mapping[str, object]) -> object:
    """The function that attributes lead to from a root, whose name comes first."""
    root, _, names = path.partition(".")
    thing: object = attrgetter(names)(roots[root])
    if not is_function(thing):
        raise ValueError(f"{path} is no function")
    return thing


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
    room = block.reshape(-1).view(np.uint8).data if block.size else memoryview(b"")
    while len(room):
        if not (many := file.readinto(room)):  # type: ignore[attr-defined]
            raise EOFError("the file is cut short")
        room = room[many:]
    block.flags.writeable = writeable
    return block.T if by_column else block


def _forget(root: object) -> None:
    """Leave a root nothing but what belongs to its run."""
    for name in attributes(root).keys() - set(getattr(type(root), "of_a_run", ())):
        object.__delattr__(root, name)


def _generator(kind: str, state: Any) -> np.random.Generator:
    bits = {cls.__name__: cls for cls in np.random.BitGenerator.__subclasses__()}[kind]()
    bits.state = state
    return np.random.Generator(bits)


def _ints(width: int, data: bytes) -> list[int]:
    return [int.from_bytes(data[at : at + width], "little", signed=True) for at in range(0, len(data), width)]
