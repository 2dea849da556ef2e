"""What a search is to find, and all that its result depends on."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from typing import Literal

import msgspec
import numpy as np

from salticid.evolve.fitness import CrawlTrial, Goal
from salticid.evolve.genetic import Genetic
from salticid.evolve.genome import Shape
from salticid.evolve.known_starts import PARENT
from salticid.evolve.optimizer import Optimizer, Weights
from salticid.evolve.real_valued import RealValued
from salticid.evolve.scored_pages import LEARNING
from salticid.model import Topic
from salticid.strategies.parts.rank_terms import LEVELS, Ranking
from salticid.version import __version__

PAPER_TERMS = (
    "hub", "authority", "comm_in", "comm_out", "parent_1", "parent_2", "parent_3", "parent_4", "parent_5",
)  # fmt: skip
LONGEST = 10_000
"""Pages of a simulated crawl, the paper's, where the world is large enough for it."""
HELD_BACK = 15
"""So many seeds, the paper's, are kept for the test of what was found."""
CHOOSING = 30
"""So many others are kept for the choice among the best."""
GOOD_SHARE = 2
"""At least so many times fewer pages of a world are good than a crawl has pages."""


class SearchPlan(msgspec.Struct, frozen=True):
    """A search: the same plan finds the same strategy, bit for bit.

    `world` is the digest of the world, `told` that of all the topic says, `seeds` are the topic's. `terms` are
    all that the rank function has, `searched` those whose weights are sought; the others stay zero. `known` are
    weights of the terms sought, to begin with, and unless the search is the paper's to the `letter`, nothing is taken
    in the end that is not ahead of the first of them. `reach` is the share of a strategy that is sought; the rest is
    Best-First. `judge`, `least_good` and `ranking` are those of the
    `Simulation`.
    """

    world: str
    topic: str
    told: str
    seeds: tuple[str, ...]
    terms: tuple[str, ...]
    searched: tuple[str, ...]
    search: Literal["genetic", "real"] = "genetic"
    population: int = 50
    generations: int = 50
    crawl_length: int = LONGEST
    runs: int = 3
    seed: int = 0
    phases: int = 1
    goal: Goal = Goal()
    known: tuple[Weights, ...] = ()
    versions: dict[str, str] = {}
    judge: str = LEARNING
    letter: bool = True
    least_good: int | None = None
    ranking: Ranking = Ranking()
    reach: float = 1.0

    @property
    def held_back_seeds(self) -> list[int]:
        """The seeds of the crawls that tell how good the strategy found is; nothing is chosen by them."""
        return self._seeds()[:HELD_BACK]

    @property
    def choosing_seeds(self) -> list[int]:
        """Other seeds, by which one of the best is chosen."""
        return self._seeds()[HELD_BACK : HELD_BACK + CHOOSING]

    @property
    def training_seeds(self) -> list[int]:
        """The seeds of the crawls that fitness is the mean of: the same for all individuals of all generations.

        So fitnesses compare, and nobody is crawled twice. The paper does not say how it chose them.
        """
        return self._seeds()[HELD_BACK + CHOOSING :]

    @property
    def shape(self) -> Shape:
        """The shape of the weights that are sought."""
        return Shape(self.phases, len(self.searched))

    def searcher(self) -> Optimizer:
        """The search algorithm of the plan."""
        if self.search == "genetic":
            return Genetic(self.shape, self.population, self.seed, self.known)
        return RealValued(self.shape, self.population, self.seed, self.known)

    def starts(self) -> list[Weights]:
        """The weights that were known, as the search has them, all different."""
        search = self.searcher()
        return list(dict.fromkeys(map(search.weights, search.first()[: len(self.known)])))

    def spread(self, weights: Weights) -> Weights:
        """The weights sought as weights of all terms, of the strategy that they are the sought part of."""
        return tuple(tuple(self._weight(term, row) for term in self.terms) for row in weights)

    def trials(self, weights: Weights, seeds: list[int]) -> list[CrawlTrial]:
        """The crawls that show how good weights of all terms are."""
        return [CrawlTrial(weights, seed, self.crawl_length, None, self.goal) for seed in seeds]

    def alone(self, term: str) -> Weights:
        """The weights, of all terms, of a crawl by one of them."""
        return (tuple(float(each == term) for each in self.terms),) * self.phases

    def _weight(self, term: str, row: tuple[float, ...]) -> float:
        weight = row[self.searched.index(term)] if term in self.searched else 0.0
        if term != PARENT or self.reach == 1.0:
            return self.reach * weight
        return 1.0 - self.reach * (1.0 - weight)

    def _seeds(self) -> list[int]:
        """Distinct seeds; a search with more runs has the same ones and more."""
        rng = np.random.default_rng(self.seed)
        seeds: dict[int, None] = {}
        while len(seeds) < HELD_BACK + CHOOSING + self.runs:
            seeds[int(rng.integers(2**31))] = None
        return list(seeds)


def fitting_length(pages: int) -> int:
    """How long a simulated crawl is where nobody says it: a tenth of the world at the most, else anybody finds all.

    >>> fitting_length(300), fitting_length(3_000_000), fitting_length(4)
    (30, 10000, 1)
    """
    return max(1, min(LONGEST, pages // 10))


def enough_good(crawl_length: int) -> int:
    """How many pages of a world are good at least, so that crawls of this length differ in what they find."""
    return max(1, crawl_length // GOOD_SHARE)


def with_parents(terms: Sequence[str], k: int) -> tuple[str, ...]:
    """Those of these terms that look at most `k` links above a URL: k of PARENT_k is the user's, as the paper has it.

    >>> with_parents(("hub", "parent_1", "parent_2", "parent_3", "host"), 2)
    ('hub', 'parent_1', 'parent_2', 'host')
    """
    left_out = {f"parent_{level}" for level in range(k + 1, LEVELS + 1)}
    return tuple(term for term in terms if term not in left_out)


def digest_of(topic: Topic) -> str:
    """A text that differs for topics that say different things to a crawler."""
    text = msgspec.json.encode(asdict(topic))
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def versions() -> dict[str, str]:
    """The versions of the libraries that may change what a search finds."""
    return {"salticid": __version__, **{name: version(name) for name in ("numba", "numpy")}}


def differences(before: SearchPlan, now: SearchPlan) -> list[str]:
    """In what two plans differ, in words; nothing if they are the same search."""
    changes = []
    for name in SearchPlan.__struct_fields__:
        was, is_now = getattr(before, name), getattr(now, name)
        if was != is_now:
            changes.append(f"{name.replace('_', ' ')} was {_short_text(was)} and is {_short_text(is_now)}")
    return changes


def _short_text(value: object) -> str:
    """A value in a sentence, cut short.

    >>> _short_text(3), _short_text("abc"), _short_text(tuple(range(40)))
    ('3', '"abc"', '[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17…')
    """
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= 45 else f"{text[:44]}…"
