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
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

Allows = Callable[[str], bool]
"""Whether instances of the classes of a module may be kept."""

MAKERS: dict[str, Callable[[], Any]] = {kind.__name__: kind for kind in (int, float, list, dict, set)}
"""What the values of a `defaultdict` may be made by."""
SEQUENCES: dict[str, Any] = {kind.__name__: kind for kind in (list, tuple, set, frozenset, deque)}
DICTS: dict[str, Any] = {kind.__name__: kind for kind in (dict, Counter, defaultdict)}
ALL_PLAIN, REFERENCES, LARGE_INTS = range(3)
"""How the items of something are packed."""
_STATELESS = ("Stemmer",)
"""Modules of others whose objects are the same whenever they are made."""


def attributes(thing: object) -> dict[str, Any]:
    """All that an instance knows, by name."""
    slots = (name for cls in type(thing).__mro__ for name in _slots(cls))
    return {name: getattr(thing, name) for name in slots if hasattr(thing, name)} | getattr(
        thing, "__dict__", {}
    )


def _slots(cls: type) -> tuple[str, ...]:
    slots = cls.__dict__.get("__slots__", ())
    names = (slots,) if isinstance(slots, str) else tuple(slots)
    return tuple(name for name in names if name not in ("__dict__", "__weakref__"))


def class_of(module: str, name: str) -> type | None:
    """A class of a module that is imported already."""
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found if isinstance(found, type) else None


def is_function(thing: object) -> bool:
    """Whether something has no state of its own: a function, a class, or what a stemmer does."""
    if isinstance(thing, FunctionType):
        return thing.__closure__ is None
    if isinstance(thing, MethodType | BuiltinFunctionType):
        owner = thing.__self__
        return isinstance(owner, ModuleType) or type(owner).__module__ in _STATELESS
    return isinstance(thing, type)
