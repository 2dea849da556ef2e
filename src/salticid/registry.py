"""Strategies, judges, measures, export formats and world sources by name: a file in their room, or an entry point of
another package.

The file `best_first.py` holds the class `BestFirst`, and `best_first` is its name everywhere: in the
command line, in reports, in the docs. Constructor keywords are its settings.

A name from a file, a folder or an agent is data, and `Room.find` takes names only. Code that a user names is run by
`Room.find_code`, and by nothing else.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType, NoneType, UnionType
from typing import Any, Generic, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from salticid.errors import UserError, shortened, unknown

NOTES_TABLE = "found"
"""The table of a strategy file that is no setting."""

SHARED = "parts"
"""The folder of a room with what its files share."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Setting:
    """One constructor keyword: its default and what else it may be."""

    name: str
    default: object
    allowed: str


class Room(Generic[T]):
    """What a room holds, a file each, and what other packages add under the entry point of the room's name.

    All files of the room are of its kind; what they share is in a folder beside them, such as `parts`. The file
    `best_first.py` has to define what `in_file("best_first")` says, and that has to have the `method`. `takes_code`:
    whether a user may name a file instead, which `find_code` runs.
    """

    def __init__(
        self,
        kind: str,
        room: ModuleType,
        method: str,
        in_file: Callable[[str], str] = str,
        takes_code: bool = True,
    ) -> None:
        self.kind, self._room, self._method, self._in_file = kind, room, method, in_file
        self._takes_code = takes_code

    def names(self) -> list[str]:
        """All names, sorted."""
        return sorted({*self._own(), *(point.name for point in self._outside())})

    def find(self, name: str) -> T:
        """What is built in or installed under that name; else a UserError, which depends on no file."""
        if home := self._own().get(name):
            return self._inside(importlib.import_module(home), self._in_file(name))
        for point in self._outside():
            if point.name == name:
                return self._inside(_imported(point.module), point.attr)
        if self._takes_code and (names_a_file(name) or ":" in name):
            raise UserError(
                f"{shortened(name)!r} is not the name of a {self.kind}: only a command line or a Python program can "
                f"name code or a file. Name a built-in or installed {self.kind}, as in {self.names()[0]}, or run "
                f"salticid yourself and name the code there, as in --{self.kind} FILE.py:{self._in_file('mine')}"
            )
        raise unknown(self.kind, name, self.names())

    def find_code(self, address: str) -> T:
        """Run FILE.py or import MODULE, and return NAME of it; the address is FILE.py:NAME or MODULE:NAME.

        Only for an address that a user typed on a command line, in a program or in a settings file.
        """
        where, _, inside = address.rpartition(":")
        file = Path(where).resolve() if where.endswith(".py") else None
        return self._inside(_imported(where) if file is None else _of_file(file), inside)

    def fits(self, candidate: object) -> bool:
        """Whether something is of this kind."""
        return hasattr(candidate, self._method)

    def _inside(self, module: ModuleType, name: str) -> T:
        candidate: T = getattr(module, name, None)  # type: ignore[assignment]
        if self.fits(candidate):
            return candidate
        own = (key for key, each in vars(module).items() if getattr(each, "__module__", "") == module.__name__)
        there = [key for key in own if self.fits(getattr(module, key))]
        raise unknown(f"{self.kind} in {module.__file__}", name, there)

    def _own(self) -> dict[str, str]:
        """The module of each name that is built in."""
        found = (module.name for module in pkgutil.iter_modules(self._room.__path__))
        return {name: f"{self._room.__name__}.{name}" for name in found if name != SHARED}

    def _outside(self) -> list[EntryPoint]:
        return list(entry_points(group=self._room.__name__))


class Registry(Room[type[T]]):
    """A room of classes: `best_first.py` defines the class `BestFirst`, whose constructor takes its settings."""

    def __init__(self, kind: str, room: ModuleType, method: str, takes_code: bool = True) -> None:
        super().__init__(kind, room, method, lambda name: "".join(part.title() for part in name.split("_")), takes_code)

    def make(self, name: str, settings: Mapping[str, object] | None = None) -> T:
        """An instance with these settings; texts are read as the setting's type."""
        return instance_of(name, self.find(name), settings or {})

    def fits(self, candidate: object) -> bool:
        """Whether something is a class of this kind."""
        return isinstance(candidate, type) and super().fits(candidate)


def settings_in(cls: type) -> list[Setting]:
    """The settings of a class, in the order of its constructor."""
    keywords = inspect.signature(cls).parameters
    return [Setting(key, keywords[key].default, _allowed(kind)) for key, kind in _kinds(cls).items()]


def names_a_file(spec: str) -> bool:
    """Whether a spec of a strategy or judge names a file instead of something built in or installed.

    >>> names_a_file("mine.py:Mine:depth=2"), names_a_file("evolved.toml"), names_a_file("best_n_first:n=4")
    (True, True, False)
    """
    return spec.endswith((".py", ".toml")) or ".py:" in spec


def _imported(where: str) -> ModuleType:
    try:
        return importlib.import_module(where)
    except (ImportError, ValueError) as error:
        raise UserError(f"cannot load {where}: {error}") from None


def _of_file(file: Path) -> ModuleType:
    """The module of a Python file, which is run again each time."""
    if not file.is_file():
        raise UserError(f"there is no file {file}; name a Python file and what is in it, as in mine.py:Mine")
    name = str(file)
    module = sys.modules[name] = ModuleType(name)
    module.__file__ = name
    try:
        SourceFileLoader(name, name).exec_module(module)
    except Exception as error:
        raise UserError(f"{file} cannot be run: {type(error).__name__}: {error}") from error
    return module


def instance_of(name: str, cls: type[T], settings: Mapping[str, object]) -> T:
    """An instance of a class with these settings; texts are read as the setting's type."""
    kinds = _kinds(cls)
    values: dict[str, Any] = {}
    for key, value in settings.items():
        if key not in kinds:
            raise (unknown(f"setting of {name}", key, kinds) if kinds else UserError(f"{name} has no settings"))
        try:
            values[key] = msgspec.convert(value, kinds[key], strict=not isinstance(value, str))
        except msgspec.ValidationError as error:
            raise UserError(f"{name}: setting {key}={value}: {error}; give {_allowed(kinds[key])}") from None
    return cls(**values)


class StrategyFile(NamedTuple):
    """What a strategy file says: the strategy, its settings and, if it names one, the judge it goes with."""

    name: str
    settings: dict[str, Any]
    judge: str | None


def read_strategy_file(file: Path) -> StrategyFile:
    """What a TOML file says that has `strategy = "name"`, settings, and perhaps `judge = "name:key=value"`.

    A table `[found]` says how the settings were found, and is no setting. UserError where it names code.
    """
    try:
        settings: dict[str, Any] = msgspec.toml.decode(file.read_bytes())
    except OSError as error:
        raise UserError(f"cannot read strategy file {file}: {error.strerror}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{file} is no TOML file: {error}") from None
    name = settings.pop("strategy", None)
    if not isinstance(name, str):
        raise UserError(f'{file} names no strategy; its first line should be strategy = "best_first"')
    judge = settings.pop("judge", None)
    if judge is not None and not isinstance(judge, str):
        raise UserError(f'{file}: {judge!r} is no judge; name one as in judge = "cosine", or leave it out')
    refuse_files(file, "strategy", name)
    refuse_files(file, "judge", judge or "")
    if isinstance(settings.get(NOTES_TABLE), dict):
        del settings[NOTES_TABLE]
    return StrategyFile(name, settings, judge)


def refuse_files(file: Path, kind: str, spec: str) -> None:
    """UserError if a spec that stands in a file names code, or another file."""
    if names_a_file(spec):
        raise UserError(
            f"{file} names the file {shortened(spec)!r} as its {kind}; a file cannot run code. Name a built-in or "
            f"installed {kind} in it, or name your own on the command line, as in --{kind} FILE.py:Class"
        )


def paper_of(source: object) -> str:
    """The paper that a docstring ends with, after `Paper:` or `Papers:`; "" where it names none.

    >>> from salticid.strategies.best_first import BestFirst
    >>> paper_of(BestFirst)
    'Menczer, Pant, Ruiz, Srinivasan, "Evaluating topic-driven web crawlers", SIGIR 2001.'
    """
    paper = re.search(r"^Papers?: (.+)", inspect.cleandoc(source.__doc__ or ""), re.MULTILINE | re.DOTALL)
    return " ".join(paper[1].split()) if paper else ""


def settings_of(instance: object) -> dict[str, object]:
    """The settings an instance was made with.

    >>> from salticid.strategies.best_n_first import BestNFirst
    >>> settings_of(BestNFirst(n=16))
    {'n': 16, 'admit': 'compete', 'score': 'similarity'}
    """
    names = list(_kinds(type(instance)))
    for name in names:
        if not hasattr(instance, name):
            raise UserError(
                f"{type(instance).__name__} does not keep its setting {name}; write self.{name} = {name} in __init__"
            )
    return {name: getattr(instance, name) for name in names}


def _kinds(cls: type) -> dict[str, Any]:
    constructor = inspect.getattr_static(cls, "__init__")
    if constructor is object.__init__:
        return {}
    hints = get_type_hints(constructor, include_extras=True)
    hints.pop("return", None)
    return hints


def _allowed(kind: Any) -> str:
    """What a setting may be, for people: `int, 1 to 4096`.

    >>> from typing import Annotated, Literal
    >>> _allowed(Annotated[int, msgspec.Meta(ge=1, le=9)]), _allowed(Literal["a", "b"]), _allowed(bool)
    ('int, 1 to 9', 'a or b', 'bool')
    """
    if hasattr(kind, "__metadata__"):
        meta = kind.__metadata__[0]
        low = meta.ge if meta.ge is not None else meta.gt
        high = meta.le if meta.le is not None else meta.lt
        bounds = (
            f", {'' if low is None else low} to {'' if high is None else high}" if (low, high) != (None, None) else ""
        )
        return f"{kind.__origin__.__name__}{bounds}"
    if get_origin(kind) is not None and all(isinstance(a, str) for a in get_args(kind)):
        return " or ".join(get_args(kind))
    if get_origin(kind) is UnionType:
        return " or ".join("none" if each is NoneType else _allowed(each) for each in get_args(kind))
    return getattr(kind, "__name__", str(kind))
