"""The packages that come with an installation, and the licences they come under."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import Distribution, distribution

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ALLOWED = {
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "CNRI-Python",
    "ISC",
    "MIT",
    "MIT-0",
    "MIT-CMU",
    "MPL-1.1",  # used unchanged, these two ask nothing of what stands beside them
    "MPL-2.0",
    "PSF-2.0",
    "ZPL-2.1",
    "Zlib",
}
"""Whoever may use Salticid may use what is under these."""

_SPELLED = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "BSD-3-Clause, Apache-2.0, dependency licenses": "BSD-3-Clause AND Apache-2.0",  # NOTICE names the others
    "ISC License": "ISC",
    "MIT License": "MIT",
    "MIT, BSD": "MIT AND BSD",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "PSFL": "PSF-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
"""SPDX's names for what some packages call otherwise."""


@dataclass(frozen=True)
class Part:
    """An installed package, and the names of those it needs."""

    package: Distribution
    needs: set[str] = field(default_factory=set)


def installed(name: str, extras: frozenset[str]) -> dict[str, Part]:
    """A package with all that it needs on this machine, by name; it must be installed with these extras."""
    parts: dict[str, Part] = {}
    asked: set[tuple[str, frozenset[str]]] = set()
    waiting = [(name, extras)]
    while waiting:
        one = waiting.pop()
        if one in asked:
            continue
        asked.add(one)
        part = parts.setdefault(one[0], Part(distribution(one[0])))
        found = [(canonicalize_name(need.name), frozenset(need.extras)) for need in _needs(part.package, one[1])]
        part.needs.update(other for other, _ in found)
        waiting += found
    return dict(sorted(parts.items()))


def licence(package: Distribution) -> str:
    """The licence that a package says it is under, by its name in SPDX where that is known.

    >>> licence(distribution("numba"))
    'BSD'
    """
    return next((_SPELLED.get(words, words) for words in _told(package) if words), "")


def allowed(expression: str) -> bool:
    """Whether one of the choices that a licence leaves consists of nothing but what is allowed.

    >>> allowed("MIT AND PSF-2.0"), allowed("GPL-3.0-only OR MIT"), allowed("GPL-3.0-only AND MIT"), allowed("")
    (True, True, False, False)
    """
    return any(ALLOWED.issuperset(choice.split(" AND ")) for choice in expression.split(" OR "))


def _needs(package: Distribution, extras: frozenset[str]) -> list[Requirement]:
    every = [Requirement(line) for line in package.requires or []]
    return [
        need
        for need in every
        if need.marker is None or any(need.marker.evaluate({"extra": extra}) for extra in extras | {""})
    ]


def _told(package: Distribution) -> Iterator[str]:
    """Its metadata in a few words, the plainest first; at last the headline of the licence itself."""
    facts = package.metadata
    yield from facts.get_all("License-Expression", [])
    yield from (words for words in facts.get_all("License", []) if "\n" not in words)
    kinds = [line.split(" :: ") for line in facts.get_all("Classifier", []) if line.startswith("License :: OSI")]
    yield " AND ".join(_SPELLED.get(kind[-1], kind[-1]) for kind in kinds)
    for name in facts.get_all("License-File", []):
        yield ((package.read_text(name) or package.read_text(f"licenses/{name}") or "").partition("\n")[0].strip())
