"""What was learned from labelled links of one world, as text that a crawl of another can start from.

A strategy file in TOML, as `salticid crawl --strategy FILE` reads it:

    strategy = "transition"

    [tables]
    classes = ["course", "other"]
    target = "course"                      # the class the crawl is after
    transitions = [[40, 12], [31, 260]]    # row: class of the page, column: class of the page it links to

    [tables.pages]                         # how many pages of each class, and how often each word
    documents = [52, 291]                  # occurs in them, by area; numbers in the order of `classes`
    [tables.pages.meta]
    [tables.pages.heading]
    homework = [17, 1]
    [tables.pages.rest]
    homework = [140, 22]

    [tables.anchors]                       # how many links to each class, and the words of their anchors
    documents = [71, 272]
    [tables.anchors.words]
    syllabus = [9, 0]

All numbers are counts; what is made of them is the strategy's business. Words are texts, for ids differ
from world to world. There may be any number of classes from two up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

import msgspec

from salticid.errors import UserError

Counts = dict[str, list[int]]
"""Word -> how often, for each class."""
_MOST = 10**12
"""A larger count is a mistake, and sums of such would overflow."""


class PageCounts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Pages of each class, and their words by area."""

    documents: list[int]
    meta: Counts = {}
    heading: Counts = {}
    rest: Counts = {}

    @property
    def areas(self) -> tuple[Counts, Counts, Counts]:
        """The words in the order of `salticid.model.Area`."""
        return self.meta, self.heading, self.rest


class AnchorCounts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Links to each class, and the words of their anchors."""

    documents: list[int]
    words: Counts = {}


class LinkTables(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Counts of a world's labelled pages and links, by class."""

    classes: list[str]
    target: str
    transitions: list[list[int]]
    pages: PageCounts
    anchors: AnchorCounts

    def __post_init__(self) -> None:
        """Refuse tables that do not fit together."""
        many = len(self.classes)
        if many < 2 or len(set(self.classes)) < many:
            raise ValueError(f"classes should be two or more different names, not {self.classes}")
        if self.target not in self.classes:
            raise ValueError(f"the target {self.target!r} is none of the classes {', '.join(self.classes)}")
        if len(self.transitions) != many:
            raise ValueError(f"{len(self.transitions)} rows of transitions for {many} classes")
        for name, row in self._rows():
            if len(row) != many or min(row) < 0 or max(row) > _MOST:
                raise ValueError(f"{name} should be {many} counts, one for each class, not {row}")

    def _rows(self) -> Iterator[tuple[str, list[int]]]:
        yield "pages.documents", self.pages.documents
        yield "anchors.documents", self.anchors.documents
        yield from (("a row of transitions", row) for row in self.transitions)
        yield from chain.from_iterable(words.items() for words in (*self.pages.areas, self.anchors.words))


def save_link_tables(strategy: str, tables: LinkTables, settings: Mapping[str, object] | None = None) -> str:
    """The text of a strategy file: the strategy's name, its other settings, the tables.

    >>> pages, anchors = PageCounts([1, 1], rest={"eyes": [0, 3]}), AnchorCounts([2, 1])
    >>> tables = LinkTables(["off", "on"], "on", [[1, 0], [1, 1]], pages, anchors)
    >>> text = save_link_tables("anchor", tables, {"rescore": 9})
    >>> text.splitlines()[:2]
    ['strategy = "anchor"', 'rescore = 9']
    >>> load(text).pages.rest
    {'eyes': [0, 3]}
    """
    document = {"strategy": strategy, **(settings or {}), "tables": tables}
    return msgspec.toml.encode(document).decode()


def load(text: str) -> LinkTables:
    """The tables in the text of a strategy file."""
    try:
        return msgspec.convert(msgspec.toml.decode(text)["tables"], LinkTables)
    except KeyError:
        raise UserError("the strategy file has no [tables]; make one with tables learned from links") from None
    except msgspec.MsgspecError as error:
        raise UserError(f"these are no tables of links: {error}") from None
