"""Labels: what is known about which pages. They lie beside a world and never reach a crawl."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from salticid.errors import UserError
from salticid.topic import Topic
from salticid.truth import Truth, load_topic, save_topic
from salticid.urls import canonical
from salticid.webs import open_regular

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
