"""Strategies and judges by name: a file in their room, or an entry point of another package.

The file `best_first.py` holds the class `BestFirst`, and `best_first` is its name everywhere: in the
command line, in reports, in the docs. Constructor keywords are its settings.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType, NoneType, UnionType
from typing import Any, Generic, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from salticid.errors import UserError, unknown

FOUND = "found"
"""The table of a strategy file that is no setting."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Setting:
    """One constructor keyword: its default and what else it may be."""

    name: str
    default: object
    allowed: str


class Registry(Generic[T]):
    """The classes of one room, and those that other packages add under the entry point of its name."""

    def __init__(self, kind: str, room: ModuleType, method: str) -> None:
        self.kind, self._room, self._method = kind, room, method

    def names(self) -> list[str]:
        """All names, sorted."""
        return sorted({*self._own(), *(point.name for point in self._outside())})

    def find(self, name: str) -> type[T]:
        """The class of that name, or a UserError with the nearest one."""
        own = self._own()
        if name in own:
            return own[name]
        for point in self._outside():
            if point.name == name:
                found: type[T] = point.load()
                return found
        raise unknown(self.kind, name, self.names())

    def make(self, name: str, settings: Mapping[str, object] | None = None) -> T:
        """An instance with these settings; texts are read as the setting's type."""
        return made_of(name, self.find(name), settings or {})

    def fits(self, made: object) -> bool:
        """Whether something is a class of this kind."""
        return isinstance(made, type) and hasattr(made, self._method)

    def settings(self, name: str) -> list[Setting]:
        """The settings of a class, in the order of its constructor."""
        made = self.find(name)
        kinds = _kinds(made)
        keywords = inspect.signature(made).parameters
        return [Setting(key, keywords[key].default, _allowed(kind)) for key, kind in kinds.items()]

    def _own(self) -> dict[str, type[T]]:
        found: dict[str, type[T]] = {}
        for module in pkgutil.iter_modules(self._room.__path__):
            held = importlib.import_module(f"{self._room.__name__}.{module.name}")
            made = getattr(held, "".join(part.title() for part in module.name.split("_")), None)
            if made is not None and hasattr(made, self._method):
                found[module.name] = made
        return found

    def _outside(self) -> list[Any]:
        return list(entry_points(group=self._room.__name__))


def made_of(name: str, made: type[T], settings: Mapping[str, object]) -> T:
    """An instance of a class with these settings; texts are read as the setting's type."""
    kinds = _kinds(made)
    values: dict[str, Any] = {}
    for key, value in settings.items():
        if key not in kinds:
            raise (
                unknown(f"setting of {name}", key, kinds) if kinds else UserError(f"{name} has no settings")
            )
        try:
            values[key] = msgspec.convert(value, kinds[key], strict=not isinstance(value, str))
        except msgspec.ValidationError as error:
            raise UserError(f"{name}: setting {key}={value}: {error}") from None
    return made(**values)


def read_strategy_file(file: Path) -> tuple[str, dict[str, Any]]:
    """The name and the settings in a TOML file that says `strategy = "name"`, and its settings.

    A table `[found]` tells people how the settings were found, and is no setting.
    """
    try:
        told: dict[str, Any] = msgspec.toml.decode(file.read_bytes())
    except OSError as error:
        raise UserError(f"cannot read strategy file {file}: {error.strerror}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{file} is no TOML file: {error}") from None
    name = told.pop("strategy", None)
    if not isinstance(name, str):
        raise UserError(f'{file} names no strategy; its first line should be strategy = "best_first"')
    if isinstance(told.get(FOUND), dict):
        del told[FOUND]
    return name, told


def settings_of(made: object) -> dict[str, object]:
    """The settings an instance was made with.

    >>> from salticid.strategies.best_n_first import BestNFirst
    >>> settings_of(BestNFirst(n=16))
    {'n': 16, 'admit': 'compete', 'score': 'similarity'}
    """
    return {name: getattr(made, name) for name in _kinds(type(made))}


def _kinds(made: type) -> dict[str, Any]:
    constructor = inspect.getattr_static(made, "__init__")
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
            f", {'' if low is None else low} to {'' if high is None else high}"
            if (low, high) != (None, None)
            else ""
        )
        return f"{kind.__origin__.__name__}{bounds}"
    if get_origin(kind) is not None and all(isinstance(a, str) for a in get_args(kind)):
        return " or ".join(get_args(kind))
    if get_origin(kind) is UnionType:
        return " or ".join("none" if each is NoneType else _allowed(each) for each in get_args(kind))
    return getattr(kind, "__name__", str(kind))
