"""Runs the benchmarks named on the command line, or all of them."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import benchmarks
from benchmarks.report import say


def main() -> None:
    """Each file with a `run` function is a benchmark; its name is the file's."""
    modules = [importlib.import_module(f"benchmarks.{found.name}") for found in _files()]
    known = {module.__name__.rpartition(".")[2]: module for module in modules if hasattr(module, "run")}
    wanted = sys.argv[1:] or list(known)
    for name in wanted:
        if name not in known:
            sys.exit(f"no benchmark {name!r}; there is: {', '.join(known)}")
        say(f"\n{name}: {(known[name].__doc__ or '').splitlines()[0]}")
        known[name].run()


def _files() -> list[pkgutil.ModuleInfo]:
    return [found for found in pkgutil.iter_modules(benchmarks.__path__) if not found.name.startswith("_")]


if __name__ == "__main__":
    main()
