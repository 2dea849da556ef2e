"""Names of a package that are imported when they are first used.

The `__init__` of a package is its door. It imports the names that others may use under `if TYPE_CHECKING`, so that
type checkers and import-linter read them; `door` makes `__all__` of these. At run time the module of a name is imported
when the name is asked for. A command thus loads only the modules that it needs. Packages that other people's code
imports list `__all__` themselves, because their type checkers want it so.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module


def lazy_names(package: str) -> Callable[[str], object]:
    """The `__getattr__` of a package whose `__init__` imports its names under `if TYPE_CHECKING`."""

    def get(name: str) -> object:
        home = homes(package).get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(import_module(home), name)
        setattr(sys.modules[package], name, value)
        return value

    return get


def door(package: str) -> tuple[list[str], Callable[[str], object]]:
    """The `__all__` and the `__getattr__` of such a package, both from its imports under `if TYPE_CHECKING`."""
    return sorted(homes(package)), lazy_names(package)


@cache
def homes(package: str) -> dict[str, str]:
    """The module of each name that the `__init__` of a package imports for type checkers.

    >>> homes("salticid.tables")["Urls"]
    'salticid.tables.texts'
    """
    spec = sys.modules[package].__spec__
    source = spec.loader.get_source(package) if spec is not None and spec.loader is not None else None  # type: ignore[attr-defined]
    blocks = [node for node in ast.parse(source or "").body if isinstance(node, ast.If)]
    return {
        alias.asname or alias.name: node.module
        for block in blocks
        for node in block.body
        if isinstance(node, ast.ImportFrom) and node.module is not None
        for alias in node.names
    }
