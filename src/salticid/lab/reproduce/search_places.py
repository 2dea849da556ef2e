"""Where strategies of system 5 are evolved and tested: a rare and a popular topic of each world."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from salticid.evolve.workers import Stage
from salticid.lab.reproduce.worlds import Ground
from salticid.model import Topic
from salticid.strategies.parts.rank_terms import Ranking
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.labels import labels_of

MAX_PAGES = 10_000
SEEDS, OTHER_SEEDS = 139, (50, 250)
FEWEST_SEEDS, FEWEST_OTHERS = 10, (5, 20)
SMALL_ROOM = 20
"""On the small public collections a crawl is at most this part of the world."""
ENOUGH = 2
"""A rare topic has at least so many times more pages than are drawn to start from."""
GENERATED_WEB = "generated"


@dataclass(frozen=True, slots=True)
class Place:
    """A topic on a world. `starts` are the other seeds of the tests; `rare`: it has few pages."""

    ground: str
    world: Path
    topic: Topic
    pages: int
    starts: tuple[tuple[str, ...], ...]
    length: int
    rare: bool
    ranking: Ranking

    @property
    def name(self) -> str:
        """What people call it."""
        return f"{self.ground}, {self.topic.name}" + (", raw margins" if self.ranking.margin else "")

    @property
    def stage(self) -> Stage:
        """What its crawls are simulated on, as in the paper."""
        return Stage(self.world.absolute(), self.topic, ranking=self.ranking)

    def description(self) -> str:
        """The place with the web it is on; a generated one can be had again by what it was built from."""
        web = RecordedWeb(self.world)
        source = web.arrays.manifest.built_from if self.ground == GENERATED_WEB else f"{web.pages:,}"
        return f"{self.name}: {self.pages:,} pages on topic of {source}, crawls of {self.length:,}"


def places(ground: Ground, length: int, ranking: Ranking) -> tuple[Place, Place]:
    """The rarest topic that has pages enough, like the paper's dance, and the most popular one, like its baseball."""
    labels = labels_of(ground.world)
    if ground.name != GENERATED_WEB:
        length = min(length, RecordedWeb(ground.world).pages // SMALL_ROOM)
    by_size = sorted(labels, key=lambda label: (len(labels[label]), label))
    rare = next((label for label in by_size if _is_enough(labels, label, length)), by_size[-1])
    return (
        _place(ground, rare, labels[rare], length, ranking, rare=True),
        _place(ground, by_size[-1], labels[by_size[-1]], length, ranking, rare=False),
    )


def _is_enough(labels: Mapping[str, list[str]], label: str, length: int) -> bool:
    return len(labels[label]) >= ENOUGH * sum(_counts(length))


def _place(
    ground: Ground, label: str, urls: list[str], length: int, ranking: Ranking, *, rare: bool
) -> Place:
    topic, others = topic_of(label, urls, length)
    return Place(ground.name, ground.world, topic, len(urls), others, length, rare, ranking)


def topic_of(label: str, urls: list[str], length: int) -> tuple[Topic, tuple[tuple[str, ...], ...]]:
    """A topic that is known by some of its pages, which are its seeds; and two other starts.

    All of them are drawn by chance, by the topic's name; no page is in two of them. They have as many pages for
    a crawl of this length as the paper has for its own, but a few at least.
    """
    digest = hashlib.blake2b(label.encode(), digest_size=8).digest()
    rng = np.random.default_rng(int.from_bytes(digest, "little"))
    order = iter([urls[at] for at in rng.permutation(len(urls))])
    seeds, *others = [tuple(islice(order, count)) for count in _counts(length)]
    return Topic(label, re.sub(r"[._]+", " ", label), seeds, examples=seeds), tuple(others)


def _counts(length: int) -> list[int]:
    sizes = zip((SEEDS, *OTHER_SEEDS), (FEWEST_SEEDS, *FEWEST_OTHERS), strict=True)
    return [max(fewest, round(count * length / MAX_PAGES)) for count, fewest in sizes]
