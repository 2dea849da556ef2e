"""System 1 again: three crawlers in one testbed, judged by classifiers, a retrieval system and similarity."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import log2
from pathlib import Path

import numpy as np

from salticid.judges import judges
from salticid.lab.experiment import Experiment
from salticid.lab.reproduce.findings import Finding, paper
from salticid.lab.reproduce.race import PaperRace, Values, mean_text, topic_counts
from salticid.lab.reproduce.reproduction import (
    EDITED,
    MOST_TOPICS,
    FigureTable,
    Ground,
    PaperFigure,
    Reproduction,
    Setup,
    generated_ground,
    grounds,
)
from salticid.lab.topic_measures import rank_correlation
from salticid.metrics import Better
from salticid.model import Visit
from salticid.runs import MemoryLog, Recipe, RecordedCrawl, strategy_of
from salticid.topic import Limits
from salticid.truth import load_topic
from salticid.webs import RecordedWeb
from salticid.worlds import TopicPlan

# Why InfoSpiders do as they do: how sure their choices are, who lives and breeds, and what other settings would do.

TOPICS = 10
"""On so many topics each of two dozen settings is tried: enough to see what changes much, in minutes."""
STUDIED = "infospiders"
PAPER_SETTINGS = "infospiders:memory=page,near=links,step=plain,rate=0.5,momentum=0.9,temperature=0.125"
SWEEPS = {
    "the paper's back-propagation": ("step=plain",),
    "learning rate": ("rate=0", "rate=0.1", "rate=1"),
    "temperature": ("temperature=0.01", "temperature=0.125", "temperature=0.5"),
    "price of a page": ("price=0.25", "price=4", "price=16"),
    "look-ahead": ("lookahead=0.5", "lookahead=1"),
    "what is learned": ("target=topic",),
    "memory": ("memory=page",),
    "text near links": ("near=links", "near=anchor"),
}
NETS = {
    "Q-learning: discount": ("mu=0", "mu=0.5", "mu=0.9"),
    "Q-learning: hidden units": ("hidden=4", "hidden=16"),
    "Q-learning: temperature": ("beta=2", "beta=32"),
}
"""Settings of `myspiders`, the agents of paper 3, which paper 1 left out for simplicity."""
RIVAL = "best_first:admit=always"
STUDY_MEASURES = ("classifier_rocchio", "mean_similarity", "target_recall")


def study(ground: Ground, plan: TopicPlan, buffer: int, setup: Setup) -> Iterator[FigureTable]:
    """How agents choose, live and breed; then the sweeps."""
    topics = ground.topics(setup.out / "spiders", plan, TOPICS)
    yield _lives(ground, topics, buffer, setup)
    specs = {RIVAL: "BestFirst", STUDIED: "InfoSpiders"}
    for name, sweeps in ((STUDIED, SWEEPS), ("myspiders", NETS)):
        for what, settings in sweeps.items():
            specs |= {f"{name}:{setting}": f"{what}: {name} {setting}" for setting in settings}
    experiment = Experiment(str(ground.world), str(topics), tuple(specs), setup.pages, buffer, measures=STUDY_MEASURES)
    out = setup.out / f"race-spiders-{ground.name}"
    race = PaperRace.run(f"{ground.name}, settings of agents", experiment, specs, out, setup.workers, setup.watch)
    yield race.table("Settings of agents, as papers 1 and 3 propose to try", STUDY_MEASURES)


def _lives(ground: Ground, topics: Path, buffer: int, setup: Setup) -> FigureTable:
    """What the log of each crawl tells of its agents."""
    rows = []
    files = sorted(topics.glob("*.toml"))
    for spec in (STUDIED, PAPER_SETTINGS, f"{STUDIED}:temperature=0.125", f"{STUDIED}:memory=page"):
        lives = [
            AgentLives(ground.world, file, spec, Limits(max_pages=setup.pages, max_buffer=buffer)).figures()
            for file in files
        ]
        columns: list[Values] = [list(column) for column in zip(*lives, strict=True)]
        rows.append([spec, *map(mean_text, columns)])
    return FigureTable(
        f"How agents choose, live and breed, {ground.name}, {len(files)} topics",
        [
            "setting",
            "bits of surprise a choice",
            "bits were all links equal",
            "births a crawl",
            "deaths a crawl",
            "agents in the end",
            "offspring with energy found (rank correlation)",
        ],
        rows,
    )


class AgentLives:
    """One crawl of agents: what they chose among, how sure they were, who bred and who died.

    Surprise is -log2 of the chance with which a link was drawn; its mean is the entropy of the choices.
    """

    def __init__(self, world: Path, topic_file: Path, spec: str, limits: Limits) -> None:
        self._web = RecordedWeb(world)
        self._log = MemoryLog()
        recipe = Recipe(strategy_of(spec)[1], judges.make("cosine"), limits)
        RecordedCrawl(load_topic(topic_file)[0], self._web, recipe, self._log).run()
        self._steps = {visit.step: visit for visit in self._log.visits}

    def figures(self) -> list[float | None]:
        """The columns of the table."""
        drawn = [visit for visit in self._log.visits if "probability" in dict(visit.choice.why)]
        surprise = [-log2(float(dict(visit.choice.why)["probability"])) for visit in drawn]
        room = [log2(links) for visit in drawn if (links := self._links_beside(visit))]
        births, deaths = self._count("born"), self._count("died")
        return [
            float(np.mean(surprise)) if surprise else None,
            float(np.mean(room)) if room else None,
            float(births),
            float(deaths),
            float(births - deaths),
            self._selection(),
        ]

    def _count(self, name: str) -> int:
        return sum(event.name == name for event in self._log.events)

    def _links_beside(self, visit: Visit) -> int:
        """How many links the page has on which a link was drawn."""
        source = self._steps.get(visit.choice.link.source)
        page = self._web.page_at(source.final) if source is not None else None
        return len(np.unique(page.links.url)) if page is not None else 0

    def _selection(self) -> float | None:
        """How far those who found more have more offspring: rank correlation over agents."""
        found: dict[int, float] = {}
        for visit in self._log.visits:
            if visit.good and not visit.revisit and visit.choice.agent is not None:
                found[visit.choice.agent] = found.get(visit.choice.agent, 0.0) + visit.score
        parents = [dict(event.values)["parent"] for event in self._log.events if event.name == "born"]
        agents = list(found)
        offspring: list[float | None] = [float(parents.count(agent)) for agent in agents]
        return rank_correlation(offspring, [found[agent] for agent in agents])


NUMBER = 1
PLAN = TopicPlan(task="examples", query="text", examples_per_topic=10, description="editor")
MAX_BUFFER = 200
ROOM = 80
"""So many times larger than a crawl the generated web is: 80,000 pages, with 100 topics, for the paper's 1,000."""
AT = (100, 500, 1000)
CLASSIFIERS = {
    "classifier_rocchio": "Rocchio",
    "classifier_widrow_hoff": "Widrow-Hoff",
    "classifier_eg": "EG",
}
MEASURES = (*CLASSIFIERS, "smart_rank", "coverage_lexical", "mean_similarity", "authority")
BEST = "best_first:admit=always"
SPIDERS, PLAIN_SPIDERS = "infospiders", PAPER_SETTINGS
LONGER, LONG_ROOM, LONG_TOPICS = 10, 40, 10
"""Longer crawls are so many times the paper's, on a web so many times larger than they are, on so many topics; a
hundred would take an hour."""


def reproduce(setup: Setup) -> Reproduction:
    """Run the experiment on the public collections, as far as they are there, and on a generated web."""
    tables: list[FigureTable] = []
    findings: list[Finding] = []
    figures: list[PaperFigure] = []
    places = grounds(setup.data, setup.out, setup.watch, ROOM * setup.pages)
    races = [_race(ground, setup) for ground in places]
    for race in races:
        tables += _tables(race)
        figures += _figures(race)
        findings += _findings(race)
    if setup.full:
        race = _long_race(setup)
        figures.append(race.figure("6", paper(NUMBER).figures["6"], "smart_rank"))
        findings += _long_findings(race, setup.pages)
        tables += study(places[-1], PLAN, MAX_BUFFER, setup)
    if setup.letter:
        race = _race(places[-1], setup, PLAIN_SPIDERS)
        tables += _tables(race)
        figures += _figures(race)
        findings += _findings(race)
    alone = [ground.name for ground in places if ground.one_host]
    rule = "on" if not alone else f"on, but off on {', '.join(alone)}, which is one host"
    return Reproduction(
        number=NUMBER,
        paper=paper(NUMBER).title,
        data=", ".join(ground.name for ground in places),
        settings={
            "pages of a crawl": str(setup.pages),
            "topics": topic_counts(races),
            "links remembered": str(MAX_BUFFER),
            "topic text": f"{EDITED}; crawler and judge share it",
            "seeds": "10 pages of the topic",
            "PageRank's cross-domain rule": rule,
            "InfoSpiders": "with a frontier for each agent; by the letter of the paper without any memory",
            "longer crawls, and why InfoSpiders do as they do": f"on {LONG_TOPICS} topics and on {TOPICS}, for a "
            "hundred would take hours"
            if setup.full
            else "with --full",
        },
        tables=tables,
        findings=findings,
        figures=figures,
    )


def pagerank_on(ground: Ground) -> str:
    """The PageRank crawler; where no link leads to another domain, without the rule that asks for it."""
    return "pagerank:admit=always" + (",cross_domain=false" if ground.one_host else "")


def _race(ground: Ground, setup: Setup, spiders: str = SPIDERS) -> PaperRace:
    names = {BEST: "BestFirst", spiders: "InfoSpiders", pagerank_on(ground): "PageRank"}
    topics = ground.topics(setup.out, PLAN, MOST_TOPICS)
    experiment = Experiment(str(ground.world), str(topics), tuple(names), setup.pages, MAX_BUFFER, measures=MEASURES)
    where = ground.name + (", as the paper" if spiders == PLAIN_SPIDERS else "")
    out = setup.out / f"race-{ground.name}"
    return PaperRace.run(where, experiment, names, out, setup.workers, setup.watch)


def _long_race(setup: Setup) -> PaperRace:
    """Crawls of ten times the length on a web that is larger by as much."""
    pages = LONGER * setup.pages
    ground = generated_ground(setup.out, LONG_ROOM * pages, setup.watch)
    names = {BEST: "BestFirst", pagerank_on(ground): "PageRank"}
    topics = ground.topics(setup.out, PLAN, LONG_TOPICS)
    experiment = Experiment(str(ground.world), str(topics), tuple(names), pages, MAX_BUFFER, measures=("smart_rank",))
    where = f"generated, {pages:,} pages"
    return PaperRace.run(where, experiment, names, setup.out / "race-long", setup.workers, setup.watch)


def _long_findings(race: PaperRace, early: int) -> Iterator[Finding]:
    """Whether PageRank's mean rank, as a multiple of BestFirst's, falls as crawls go on."""
    best, pagerank = race.experiment.strategies
    late = race.experiment.max_pages
    multiples = [
        (
            f"PageRank's as a multiple of BestFirst's after {pages:,} pages",
            [
                None if theirs is None or not ours else theirs / ours
                for theirs, ours in zip(
                    race.after(pagerank, "smart_rank", pages),
                    race.after(best, "smart_rank", pages),
                    strict=True,
                )
            ],
        )
        for pages in (early, late)
    ]
    claim = paper(NUMBER).claims["longer_crawls"].about(early=f"{early:,}", late=f"{late:,}")
    yield race.difference(claim, Better.HIGHER, *multiples)


def _tables(race: PaperRace) -> Iterator[FigureTable]:
    yield race.table("Judged by classifiers, similarity and links", [*CLASSIFIERS, "mean_similarity", "authority"])
    at = _lengths(race)
    yield FigureTable(
        f"Mean SMART rank of the pages so far, {race.where} (less is better)",
        ["crawler", *(f"after {n} pages" for n in at)],
        [
            [race.names[strategy], *(mean_text(race.after(strategy, "smart_rank", n)) for n in at)]
            for strategy in race.experiment.strategies
        ],
    )
    yield race.cost_table()


def _figures(race: PaperRace) -> Iterator[PaperFigure]:
    printed, numbers = paper(NUMBER).figures, paper(NUMBER).numbers
    levels = {"the paper's best": numbers["precision"]["best"]}
    yield race.bars("5", printed["5"], list(CLASSIFIERS), levels)
    yield race.figure("6", printed["6"], "smart_rank", main=True)
    yield race.figure("7", printed["7"], "mean_similarity", main=True)


def _findings(race: PaperRace) -> Iterator[Finding]:
    """The paper's t-tests: all pairs by each classifier, and mean ranks at three lengths; crawlers in its order."""
    claims = paper(NUMBER).claims
    pairs = list(combinations(race.experiment.strategies, 2))
    best, spiders, pagerank = race.experiment.strategies
    for metric, classifier in CLASSIFIERS.items():
        for first, second in pairs:
            claim = claims["classifier"].about(
                first=race.names[first],
                second=race.names[second],
                classifier=classifier,
                pages=f"{race.experiment.max_pages:,}",
            )
            yield race.ahead(claim, metric, first, second)
    for pages in _lengths(race):
        ranks = {name: (name, race.after(name, "smart_rank", pages)) for name in (best, spiders, pagerank)}
        if pages == AT[0]:
            yield race.equal(claims["first_ranks_equal"], ranks[best], ranks[spiders])
            for first in (best, spiders):
                claim = claims["first_ranks"].about(first=race.names[first])
                yield race.difference(claim, Better.LOWER, ranks[first], ranks[pagerank])
            continue
        for first, second in pairs:
            claim = claims["later_ranks"].about(first=race.names[first], second=race.names[second], pages=f"{pages:,}")
            yield race.difference(claim, Better.LOWER, ranks[first], ranks[second])
    for other in (best, pagerank):
        claim = claims["best_pages"].about(other=race.names[other])
        yield race.ahead(claim, "coverage_lexical", spiders, other)
    for other in (best, spiders):
        yield race.ahead(claims["authority"].about(other=race.names[other]), "authority", pagerank, other)


def _lengths(race: PaperRace) -> list[int]:
    return [n for n in AT if n <= race.experiment.max_pages]
