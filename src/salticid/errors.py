"""What can go wrong, as a tree.

    SalticidError
    ├── UserError           the person asked for something that cannot be; says what to type next
    └── ContractBroken      a strategy did what its contract forbids; names the rule

Nothing else is raised on purpose. A page, a server or a file from the web never raises: what is
wrong with it becomes an outcome or a counted remark.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from importlib.util import find_spec
from unicodedata import category


class SalticidError(Exception):
    """Any error Salticid raises on purpose."""


class UserError(SalticidError):
    """A mistake in what was asked: one line that names the thing, the cause and the next step."""


class ContractBroken(SalticidError):
    """A strategy broke the contract of `salticid.protocols.Strategy`."""


def unknown(kind: str, name: str, candidates: Iterable[str]) -> UserError:
    """The error for a name nobody answers to, with the nearest one that exists.

    >>> print(unknown("strategy", "best_frist", ["best_first", "breadth_first"]))
    no strategy 'best_frist'; did you mean 'best_first'?
    >>> print(unknown("judge", "x", ["cosine"]))
    no judge 'x'; there is: cosine
    """
    names, name = sorted(candidates), shortened(name)
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there is: {', '.join(names) or 'none'}"
    return UserError(f"no {kind} {name!r}; {hint}")


def shortened(text: str) -> str:
    """A text from outside as a message shows it: 80 characters at the most."""
    return text if len(text) <= 80 else f"{text[:77]}..."


def one_line(text: str) -> str:
    """Text from outside as one line that a terminal can show: no control characters, no direction tricks."""
    line = " ".join(text.split())
    return "".join("�" if category(char) in ("Cc", "Cf", "Cs", "Co") else char for char in line)


# Packages that only some of us need, and the extra of an installation that brings each.

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
