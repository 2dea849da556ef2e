"""What a world is made from: the answers of a source, one at a time, and labels of its pages."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Protocol, runtime_checkable

from salticid.errors import UserError
from salticid.model import Outcome, Page, Wall
from salticid.protocols import Table, UrlTable
from salticid.topic import Topic
from salticid.truth import Truth, load_topic, save_topic
from salticid.urls import canonical
from salticid.webs import open_regular


@dataclass(frozen=True, slots=True)
class Answer:
    """A server's answer to one URL, as a recording kept it.

    `outcome` is known where a crawler found it out, else it follows from the rest; `wall` where a crawler met one, or
    its head gives one away, and `may_be_wall` where nobody chose it for a page. `location` is where a redirect leads.
    `seconds` and `modified` (seconds since 1970) are None where nobody noted them. `pdf` stands in for `html` where it
    is a PDF, and `page` where a page is parsed already: it gives the page in the ids of the tables it is handed.
    `labels` is what the source itself says the page is about.
    """

    url: str
    status: int = 200
    html: bytes | None = None
    charset: str | None = None
    location: str | None = None
    seconds: float | None = None
    modified: float | None = None
    page: Callable[[UrlTable, Table], Page] | None = None
    size: int = 0
    labels: tuple[str, ...] = ()
    outcome: Outcome | None = None
    wall: Wall | None = None
    may_be_wall: bool = False
    pdf: bytes | None = None


@dataclass(frozen=True, slots=True)
class Unread:
    """Something in a source that could not be used: what kind of thing, and which one."""

    why: str
    what: str


class WorldSource(Protocol):
    """A collection of pages that can be read once, as a stream."""

    name: str
    """Where it comes from, for the world's manifest."""
    size: int
    """How much there is to read, in units of `done`; 0 when nobody knows."""
    done: int
    """How much of it has been read."""

    def __iter__(self) -> Iterator[Answer | Unread]: ...


@runtime_checkable
class WritesBeside(Protocol):
    """A source that knows more than a world keeps."""

    def write_beside(self, world: Path) -> None:
        """Put what else is known of the pages into the folder of the world."""


def path_text(path: PurePath) -> str:
    r"""A path with slashes as text that can be printed and stored, bytes that are no UTF-8 written as escapes.

    >>> path_text(PurePath("caf\udce9", "x.htm"))
    'caf\\xe9/x.htm'
    """
    return os.fsencode(path.as_posix()).decode("utf-8", "backslashreplace")


LABELS_FILE = "labels.tsv"


def read_labels(path: Path) -> Iterator[tuple[str, str] | None]:
    """The (canonical URL, label) pairs of a TSV file; None for each line that is none."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError as error:
        raise UserError(f"cannot read labels {path}: {error.strerror}; name a file of lines URL<tab>label") from None
    for line in lines:
        if line.strip():
            url, _, label = line.partition("\t")
            form = canonical(url.strip())
            label = " ".join(label.split())
            yield (form, label) if form and label else None


def write_labels(world: Path, pairs: Iterable[tuple[str, str]]) -> None:
    """Put the labels of a world beside it, sorted, each once."""
    lines = sorted({f"{url}\t{' '.join(label.split())}\n" for url, label in pairs})
    (world / LABELS_FILE).write_text("".join(lines), encoding="utf-8")


def labels_of(world: Path) -> dict[str, list[str]]:
    """The URLs of each label, both in alphabetical order; empty for a world without labels."""
    try:
        open_regular(world / LABELS_FILE).close()
    except FileNotFoundError:
        return {}
    except OSError:
        pass  # read_labels says what is wrong
    urls: dict[str, list[str]] = {}
    for pair in sorted(pair for pair in read_labels(world / LABELS_FILE) if pair is not None):
        urls.setdefault(pair[1], []).append(pair[0])
    return dict(sorted(urls.items()))


# What a crawl believed about the pages of the world made of it: as little part of it as labels are.

BELIEFS_FILE = "believed.toml"


@dataclass(frozen=True, slots=True)
class Belief:
    """A topic that was looked for, and the pages that the crawl's judge took for pages about it."""

    topic: Topic
    urls: list[str]


def write_belief(world: Path, topic: Topic, urls: Iterable[str]) -> None:
    """Put beside a world what the crawl it is made of believed."""
    save_topic(world / BELIEFS_FILE, topic, Truth("", tuple(sorted(set(urls)))))


def belief_of(world: Path) -> Belief | None:
    """What the crawl believed that a world is made of; None for other worlds."""
    try:
        open_regular(world / BELIEFS_FILE).close()
    except FileNotFoundError:
        return None
    except OSError:
        pass  # load_topic says what is wrong
    topic, truth = load_topic(world / BELIEFS_FILE)
    return Belief(topic, list(truth.targets))
