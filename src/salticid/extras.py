"""Packages that only some of us need, and the extra of an installation that brings each."""

from __future__ import annotations

from importlib.util import find_spec

from salticid.errors import UserError

EXTRAS = {
    "browser": {"playwright"},
    "export": {"pyarrow"},
    "lab": {"numba", "scipy"},
    "mcp": {"mcp", "mcp_types", "pydantic"},
    "ray": {"ray"},
    "scrapy": {"scrapy", "twisted"},
    "ui": {"sse_starlette", "starlette", "uvicorn"},
}
"""By extra the modules it brings, as far as we import them."""


def is_installed(extra: str) -> bool:
    """Whether all modules that an extra brings can be found."""
    return all(map(find_spec, EXTRAS[extra]))


def not_installed(error: ModuleNotFoundError, who: str) -> UserError | None:
    """The error for somebody who needs a module that no extra has brought; None if it is not one of an extra.

    >>> print(not_installed(ModuleNotFoundError(name="numba.core"), "evolve"))
    evolve needs numba, which is not installed; pip install 'salticid[lab]'
    >>> not_installed(ModuleNotFoundError(name="mine"), "crawl") is None
    True
    """
    module = (error.name or "").partition(".")[0]
    for extra, modules in EXTRAS.items():
        if module in modules:
            return UserError(f"{who} needs {module}, which is not installed; pip install 'salticid[{extra}]'")
    return None
