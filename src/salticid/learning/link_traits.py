"""What can be read about a link without following it: named traits, each there or not.

Of the path of headings and list items above a link the page keeps the title and the first-level headings;
the words before a link stand for the rest of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from salticid.learning.link_model import LONGEST_ANCHOR
from salticid.model import Area, Page
from salticid.protocols import Table
from salticid.urls import host

AROUND = 8
"""So many words before and after an anchor are read."""
NEAREST = 3
"""Of so many the order matters too."""
_RUN = re.compile(r"[a-z]+|[0-9]+")
_CAPITALS, _SMALL, _DIGIT = re.compile(r"[A-Z]+"), re.compile(r"[a-z]+"), re.compile(r"[0-9]")


@dataclass(frozen=True, slots=True)
class PageTraits:
    """A page read once for all its links."""

    url: str
    words: list[str]
    titles: list[str]
    spans: list[tuple[int, int]]
    links: list[str]

    @classmethod
    def of(cls, page: Page, word_table: Table, url_table: Table) -> PageTraits:
        """A page, its words and URLs spelled by these tables."""
        words = word_table.spell(page.tokens.tolist())
        headings = np.flatnonzero(page.areas == Area.HEADING).tolist()
        starts = page.links.start.tolist()
        ends = np.minimum(page.links.end, page.links.start + LONGEST_ANCHOR).tolist()
        return cls(
            url_table[page.url],
            words,
            list(dict.fromkeys(words[at] for at in headings)),
            list(zip(starts, ends, strict=True)),
            url_table.spell(page.links.url.tolist()),
        )

    def traits(self, place: int) -> list[str]:
        """All that is read about a link, each trait once."""
        start, end = self.spans[place]
        traits = [
            *of_anchor(self.words[start:end]),
            *of_address(self.links[place], self.url),
            *of_surroundings(self.words[max(0, start - AROUND) : start], self.words[end : end + AROUND]),
            *(f"title {word}" for word in self.titles),
            *of_place(place, len(self.links), len(self.words)),
        ]
        return list(dict.fromkeys(traits))


def of_anchor(words: list[str]) -> Iterator[str]:
    """Words, neighbouring words, the first and the last, all of a short anchor, and how many.

    >>> list(of_anchor(["my", "thesis"]))[2:]
    ['anchor my thesis', 'anchor begins my', 'anchor ends thesis', 'anchor is my thesis', 'anchor words 2']
    """
    yield from (f"anchor {word}" for word in words)
    yield from (f"anchor {a} {b}" for a, b in pairwise(words))
    if words:
        yield f"anchor begins {words[0]}"
        yield f"anchor ends {words[-1]}"
        if len(words) < 5:
            yield f"anchor is {' '.join(words)}"
    yield f"anchor words {min(len(words), 6)}"


def of_surroundings(before: list[str], after: list[str]) -> Iterator[str]:
    """Words on either side, the nearest also by their distance."""
    yield from (f"near {word}" for word in (*before, *after))
    for distance in range(1, NEAREST + 1):
        if distance <= len(before):
            yield f"before {distance} {before[-distance]}"
        if distance <= len(after):
            yield f"after {distance} {after[distance - 1]}"


def of_place(place: int, links: int, words: int) -> Iterator[str]:
    """Where among the page's links this one stands, and how large the page is."""
    yield f"quarter {4 * place // links}"
    yield f"from the top {min(place, 3)}"
    yield f"from the end {min(links - 1 - place, 3)}"
    yield f"links 2^{(links + 1).bit_length() - 1}"
    yield f"words 2^{(words + 1).bit_length() - 1}"


def of_address(url: str, page: str) -> Iterator[str]:
    """The host, the path in pieces, its shape, and how it lies to the page it was found on."""
    name, path = host(url), url.split("/", 3)[3]
    steps, here = path.split("/"), page.split("/", 3)[3].split("/")
    yield from (f"host {part}" for part in name.split(".")[:-2])
    yield f"domain {name.rpartition('.')[2]}"
    yield f"steps {min(len(steps), 7)}"
    yield f"the root {not path}"
    yield f"own host {name == host(page)}"
    if name == host(page):
        yield from _from_here(steps, here)
    yield f"file {steps[-1].lower()}"
    yield f"file shape {shape(steps[-1])}"
    if "." in steps[-1]:
        yield f"file type {steps[-1].rpartition('.')[2].lower()}"
    names = [step for step in steps if step]
    yield from (f"path {run}" for step in names for run in runs(step))
    yield _person(names)
    if names:
        yield f"last step {names[-1].lower()}"
        yield f"last shape {shape(names[-1])}"
        yield from (f"last {run}" for run in runs(names[-1]))
    if len(names) > 1:
        yield f"in {names[-2].lower()}"
        yield f"in {names[-2].lower()} {shape(names[-1])}"


def shape(text: str) -> str:
    """What a name looks like: runs of capitals and of small letters as one each, digits one by one.

    >>> shape("CS537-index.html")
    'A999-a.a'
    """
    return _DIGIT.sub("9", _SMALL.sub("a", _CAPITALS.sub("A", text)))


def runs(text: str) -> list[str]:
    """Runs of letters, and of digits by their number.

    >>> runs("CS537a")
    ['cs', '999', 'a']
    """
    return [run if run.isalpha() else "9" * len(run) for run in _RUN.findall(text.lower())]


def _from_here(steps: list[str], here: list[str]) -> Iterator[str]:
    """The way through the folders of one host, and what is new on it."""
    common = 0
    while common < min(len(steps), len(here)) - 1 and steps[common] == here[common]:
        common += 1
    up, down = len(here) - 1 - common, len(steps) - 1 - common
    yield f"up {min(up, 4)} down {min(down, 4)}"
    yield from (f"into {step.lower()}" for step in steps[common:-1])


def _person(names: list[str]) -> str:
    """Where a step like `~ann` stands, and how many follow."""
    for at, step in enumerate(names):
        if step.startswith("~"):
            return f"person {min(at, 3)} then {min(len(names) - 1 - at, 4)}"
    return "no person"
