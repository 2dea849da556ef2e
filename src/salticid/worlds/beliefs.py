"""What a crawl believed about the pages of the world made of it: as little part of it as labels are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from salticid.model import Topic
from salticid.truth import Truth, load_topic, save_topic
from salticid.webs.arrays import open_regular

FILE = "believed.toml"


@dataclass(frozen=True, slots=True)
class Belief:
    """A topic that was looked for, and the pages that the crawl's judge took for pages about it."""

    topic: Topic
    urls: list[str]


def write_belief(world: Path, topic: Topic, urls: Iterable[str]) -> None:
    """Put beside a world what the crawl it is made of believed."""
    save_topic(world / FILE, topic, Truth("", tuple(sorted(set(urls)))))


def belief_of(world: Path) -> Belief | None:
    """What the crawl believed that a world is made of; None for other worlds."""
    try:
        open_regular(world / FILE).close()
    except FileNotFoundError:
        return None
    except OSError:
        pass  # load_topic says what is wrong
    topic, truth = load_topic(world / FILE)
    return Belief(topic, list(truth.targets))
