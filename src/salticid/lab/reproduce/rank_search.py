"""Searches of system 5, and the tests of what they found: from other seeds, for longer, and elsewhere."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

import msgspec
import numpy as np

from salticid.evolve import BEST_FIRST as BEST_FIRST_WEIGHTS
from salticid.evolve import (
    PAPER_TERMS,
    Checkpoint,
    Crawlers,
    CrawlTrial,
    Evolution,
    Figures,
    Goal,
    Interval,
    SearchPlan,
    Simulation,
    Stage,
    State,
    Weights,
    crawlers,
    digest_of,
    figures,
    in_groups,
    normalise,
    plain,
    prepare_worker,
    ranked_finalists,
    row_for_all,
    versions,
)
from salticid.lab.compare import Watch
from salticid.lab.reproduce.findings import Finding, finding_of, paper
from salticid.lab.reproduce.race import SHARE
from salticid.lab.reproduce.reproduction import FigureTable
from salticid.lab.search_report import SEARCH_REPORT, EvolvedStrategy, evidence_for, render_search, strategy_file
from salticid.lab.statistics import compare
from salticid.strategies.parts import Ranking
from salticid.topic import Topic
from salticid.webs import RecordedWeb
from salticid.worlds import labels_of

# Where strategies of system 5 are evolved and tested: on rare and on popular topics of a generated web.

MAX_PAGES = 10_000
SEEDS, OTHER_SEEDS = 139, (50, 250)
FEWEST_SEEDS, FEWEST_OTHERS = 10, (5, 20)
TOPICS = 10
"""Strategies are tested on so many topics of either kind."""
ENOUGH = 5
"""A topic has so many times the pages that Best-First finds in the longest crawl; else none are left to find."""
BEST_FIRST_ROW = row_for_all(BEST_FIRST_WEIGHTS, Simulation.terms, 1)


@dataclass(frozen=True, slots=True)
class Place:
    """A topic on a world. `starts` are the other seeds of the tests."""

    world: Path
    topic: Topic
    pages: int
    starts: tuple[tuple[str, ...], ...]
    length: int
    ranking: Ranking

    @property
    def name(self) -> str:
        """What people call it."""
        return self.topic.name + (", raw margins" if self.ranking.margin else "")

    def stage(self, by_distance: bool = False) -> Stage:
        """What its crawls are simulated on, as in the paper, unless rows of weights are for distances."""
        return Stage(self.world.absolute(), self.topic, ranking=Ranking(self.ranking.margin, by_distance))


@dataclass(frozen=True, slots=True)
class Places:
    """The rare topic that strategies are evolved on, like the paper's dance; other rare topics, and popular ones."""

    first: Place
    rare: tuple[Place, ...]
    popular: tuple[Place, ...]

    def description(self) -> str:
        """Which topics there are, and of which web; it can be had again by what it was built from."""
        sizes = [f"{min(kind)} to {max(kind)}" for kind in ([each.pages for each in side] for side in self._sides())]
        return (
            f"{RecordedWeb(self.first.world).arrays.manifest.built_from}; evolved on {self.first.topic.name} "
            f"({self.first.pages} pages), tested on {len(self.rare)} other rare topics ({sizes[0]} pages) and the "
            f"{len(self.popular)} most popular ones ({sizes[1]})"
        )

    def _sides(self) -> tuple[tuple[Place, ...], ...]:
        return self.rare, self.popular


def places(world: Path, length: int, ranking: Ranking) -> Places:
    """The rarest topics that a crawl does not exhaust, and the most popular ones."""
    labels = labels_of(world)
    by_size = sorted(labels, key=lambda label: (len(labels[label]), label))
    every = (_place(world, label, labels[label], length, ranking) for label in by_size[:-TOPICS])
    first, *rare = islice((place for place in every if _has_enough(place)), TOPICS + 1)
    popular = (_place(world, label, labels[label], length, ranking) for label in by_size[-TOPICS:])
    return Places(first, tuple(rare), tuple(popular))


def _has_enough(place: Place) -> bool:
    """Whether Best-First leaves most of a topic's pages unseen in the longest crawl, from the larger start."""
    trial = CrawlTrial(BEST_FIRST_ROW, _test_seeds()[0], LENGTHS[-1] * place.length, place.starts[-1])
    with crawlers(place.stage(), 1) as pool:
        ((crawl,),) = in_groups(pool, figures, [trial], 1, lambda done, of: None)
    return place.pages >= ENOUGH * crawl.share * LENGTHS[-1] * place.length


def _place(world: Path, label: str, urls: list[str], length: int, ranking: Ranking) -> Place:
    topic, others = topic_of(label, urls, length)
    return Place(world, topic, len(urls), others, length, ranking)


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


LENGTHS = (1, 2, 3)
"""Tests are so many times as long as training."""
TEST_SEEDS = 5
"""Each test is made with so many random seeds; what is tested is their mean, topic by topic."""
BEST = 3
"""So many strategies of a search does the paper show."""


@dataclass(frozen=True, slots=True)
class SearchSize:
    """How large a search is."""

    population: int
    generations: int
    runs: int


class SearchKind(msgspec.Struct, frozen=True):
    """What a search looks for: nothing but the share of good pages, by the paper's terms, unless said otherwise.

    `shorter`: training crawls are so many times shorter.
    """

    name: str = ""
    goal: Goal = Goal()
    terms: tuple[str, ...] = PAPER_TERMS
    phases: int = 1
    by_distance: bool = False
    known: tuple[Weights, ...] = ()
    shorter: int = 1


PLAIN_SEARCH = SearchKind()


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found: its best strategies, the best one first, and what is known of that one."""

    place: Place
    kind: SearchKind
    state: State
    best: tuple[Weights, ...]
    evidence: EvolvedStrategy

    def weight(self, term: str) -> float:
        """The weight of a term in the best strategy, in its first phase."""
        return self.evidence.weights[0][self.evidence.plan.terms.index(term)]


@dataclass(frozen=True, slots=True)
class Workplace:
    """Where and how searches are done: what they leave behind lies in `out`."""

    out: Path
    workers: int
    size: SearchSize
    watch: Watch

    def search(self, place: Place, kind: SearchKind = PLAIN_SEARCH) -> Found:
        """Search, or take what was found before."""
        stage, watch = place.stage(kind.by_distance), self.watching(f"{place.name}{_suffix(kind)}")
        simulation = prepare_worker(stage, kind.terms, watch)
        plan = SearchPlan(
            simulation.digest, place.topic.name, digest_of(place.topic), place.topic.seeds, simulation.terms,
            kind.terms, population=self.size.population, generations=self.size.generations,
            crawl_length=place.length // kind.shorter, runs=self.size.runs, phases=kind.phases, goal=kind.goal,
            known=kind.known, versions=versions(), ranking=stage.ranking,
        )  # fmt: skip
        folder = self.out / f"evolved-{place.name.replace(', ', '-')}-{place.length}{_suffix(kind)}"
        with crawlers(stage, self.workers) as pool:
            evolution = Evolution(plan, pool, Checkpoint(folder))
            state = evolution.run(lambda count: watch("evolving", count, evolution.total))
            best = ranked_finalists(state, pool, partial(watch, "choosing"))[:BEST]
            evidence = evidence_for(state, best[0], pool, watch)
        (folder / SEARCH_REPORT).write_text(render_search(state, evidence), encoding="utf-8")
        (folder / "evolved.toml").write_text(strategy_file(evidence), encoding="utf-8")
        return Found(place, kind, state, tuple(map(plan.spread, best)), evidence)

    def test(
        self, name: str, places: Sequence[Place], strategies: Mapping[str, Weights], by_distance: bool = False
    ) -> TopicTests:
        """Crawl with each strategy on each topic: both starts, three lengths, some random seeds each."""
        crawls = []
        for place in places:
            watch = self.watching(place.name)
            with crawlers(place.stage(by_distance), self.workers) as pool:
                crawls.append(_test_crawls(place, strategies, pool, partial(watch, "testing")))
        return TopicTests(name, tuple(places), tuple(crawls))

    def watching(self, where: str) -> Watch:
        """The watch, told where."""
        return lambda what, count, of: self.watch(f"{where}: {what}", count, of)


Crawls = Mapping[tuple[str, int, int], list[Figures]]
"""The figures of a topic's test crawls by strategy, start (its place in `Place.starts`) and length, seed by seed."""


@dataclass(frozen=True, slots=True)
class TopicTests:
    """The test crawls of topics of one kind; `name` is what people call these."""

    name: str
    places: tuple[Place, ...]
    crawls: tuple[Crawls, ...]

    @property
    def length(self) -> int:
        """The pages of the shortest tests."""
        return self.places[0].length

    def values(
        self, strategies: Sequence[str], length: int, of: Callable[[Figures], float], start: int | None = None
    ) -> list[float]:
        """One figure, topic by topic, in the mean over strategies, seeds, and starts if none is named."""
        starts = range(len(OTHER_SEEDS)) if start is None else [start]
        return [
            float(np.mean([of(one) for name in strategies for at in starts for one in crawls[name, at, length]]))
            for crawls in self.crawls
        ]

    def with_more(self, other: TopicTests) -> TopicTests:
        """These and others of the same topics."""
        return TopicTests(
            self.name, self.places, tuple({**a, **b} for a, b in zip(self.crawls, other.crawls, strict=True))
        )


def _test_crawls(
    place: Place, strategies: Mapping[str, Weights], pool: Crawlers, watch: Callable[[int, int], None]
) -> Crawls:
    seeds = _test_seeds()
    settings = [
        (name, start, length) for name in strategies for start in range(len(place.starts)) for length in LENGTHS
    ]
    trials = [
        CrawlTrial(strategies[name], seed, length * place.length, place.starts[start])
        for name, start, length in settings
        for seed in seeds
    ]
    groups = in_groups(pool, figures, trials, len(seeds), watch)
    return dict(zip(settings, groups, strict=True))


def _test_seeds() -> list[int]:
    """Random seeds that every search holds back; they depend on nothing but a plan's own seed, here 0."""
    return SearchPlan("", "", "", (), (), ()).held_back_seeds[:TEST_SEEDS]


def _suffix(kind: SearchKind) -> str:
    return f"-{kind.name.replace(' ', '-')}" if kind.name else ""


# What the paper of system 5 leaves to others: other goals, sub-strategies, beginnings and terms.

PLAIN = "as the paper"
PHASES = 3
SHORTER = 5
"""Injected are the best strategies of crawls so many times shorter."""


@dataclass(frozen=True, slots=True)
class Extended:
    """The tests of the plain search's best strategy and of each extension's, by name, on the rare topics.

    `claims` names what the paper supposes of each.
    """

    tests: TopicTests
    claims: dict[str, tuple[str, dict[str, str]]]

    def lead(self, name: str, length: int) -> tuple[list[float], list[float]]:
        """The share of good pages of an extension and of the plain strategy, topic by topic."""
        mine, plain_values = (
            self.tests.values([each], length, lambda figures: figures.share) for each in (name, PLAIN)
        )
        return mine, plain_values


def extended(found: Found, tested: TopicTests, workplace: Workplace) -> Extended:
    """Search in each other way at the same place, as long as before, and test the best of each."""
    place = found.place
    claims: dict[str, tuple[str, dict[str, str]]] = {}
    plain: dict[str, Weights] = {PLAIN: found.best[0]}
    distant: dict[str, Weights] = {}
    for kind, claim, parts in _kinds():
        if kind.name == "injection":
            short = workplace.search(place, SearchKind("shorter", shorter=SHORTER))
            kind = SearchKind(kind.name, known=tuple(_searched(each, short) for each in short.best))
        other = workplace.search(place, kind)
        (distant if kind.by_distance else plain)[kind.name] = other.best[0]
        claims[kind.name] = claim, parts
    tests = (workplace.test(tested.name, tested.places, each, each is distant) for each in (plain, distant))
    return Extended(TopicTests.with_more(*tests), claims)


def _kinds() -> Iterator[tuple[SearchKind, str, dict[str, str]]]:
    """Each way with the claim it tries."""
    yield SearchKind("reward for hosts", goal=Goal(hosts=1.0)), "rewards", {"what": "new hosts"}
    yield SearchKind("reward for distance", goal=Goal(distance=1.0)), "rewards", {"what": "distance"}
    yield SearchKind("reward for length", goal=Goal(late=1.0)), "rewards", {"what": "good pages found late"}
    yield SearchKind("phases", phases=PHASES), "phases", {}
    yield SearchKind("phases by distance", phases=PHASES, by_distance=True), "distance", {}
    yield SearchKind("injection"), "injection", {}
    yield SearchKind("all terms", terms=Simulation.terms), "terms", {}


def extension_table(outcome: Extended) -> FigureTable:
    """The share of good pages by each way, and its lead over the plain search."""
    rows = []
    for name in (PLAIN, *outcome.claims):
        cells = []
        for length in LENGTHS:
            mine, plain_values = outcome.lead(name, length)
            share = f"{sum(mine) / len(mine):.3f}"
            cells += [share, "" if name == PLAIN else str(Interval.between(mine, plain_values))]
        rows.append([name, *cells])
    heads = [head for n in LENGTHS for head in (f"{n * outcome.tests.length:,} pages", "ahead (95 %)")]
    return FigureTable(
        f"What the paper leaves to others, {outcome.tests.name}: share of good pages from both starts",
        ["search", *heads],
        rows,
    )


def extension_findings(outcome: Extended) -> Iterator[Finding]:
    """Whether each does better than the plain search in the longest crawls."""
    longest = LENGTHS[-1]
    for name, (claim, parts) in outcome.claims.items():
        mine, plain_values = outcome.lead(name, longest)
        means = " against ".join(f"{sum(each) / len(each):.3f}" for each in (mine, plain_values))
        test = compare("good pages", name, PLAIN, mine, plain_values)
        yield finding_of(paper(5).claims[claim].about(**parts), outcome.tests.name, means, test, SHARE)


def _searched(weights: Weights, found: Found) -> Weights:
    """Weights of all terms as those of the terms that are sought."""
    plan = found.state.plan
    places = [plan.terms.index(term) for term in plan.searched]
    return plain(normalise(np.array(weights)[:, places]))
