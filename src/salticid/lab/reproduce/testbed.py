"""System 1 again: three crawlers in one testbed, judged by classifiers, a retrieval system and similarity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from salticid.lab.experiment import Experiment
from salticid.lab.reproduce.findings import Finding, paper
from salticid.lab.reproduce.race import PaperRace, mean_text, topic_counts
from salticid.lab.reproduce.reproduction import (
    EDITED,
    FigureTable,
    Ground,
    PaperFigure,
    Reproduction,
    Setup,
    generated_ground,
    grounds,
)
from salticid.metrics import Better
from salticid.worlds import TopicPlan

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
SPIDERS = "infospiders"
LETTER = "infospiders:memory=page,near=links,step=plain,rate=0.5,momentum=0.9,temperature=0.125"
"""InfoSpiders as they are here, and by the letter of the paper."""
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
        figures += _figures(race, main=race is races[-1])
        findings += _findings(race, SPIDERS)
        if setup.letter:
            findings += _findings(
                replace(race, where=f"{race.where}, letter", names={**race.names, LETTER: "InfoSpiders"}), LETTER
            )
    if setup.full:
        race = _long_race(setup)
        figures.append(race.figure("6", paper(NUMBER).figures["6"], "smart_rank"))
        findings += _long_findings(race, setup.pages)
    alone = [ground.name for ground in places if ground.one_host]
    rule = "on" if not alone else f"on, but off on {', '.join(alone)}, which is one host"
    return Reproduction(
        number=NUMBER,
        paper=paper(NUMBER).title,
        data=", ".join(ground.name for ground in places),
        settings={
            "pages of a crawl": str(setup.pages),
            "topics": topic_counts(races, setup.topics),
            "links remembered": str(MAX_BUFFER),
            "topic text": f"{EDITED}; crawler and judge share it",
            "seeds": "10 pages of the topic",
            "PageRank's cross-domain rule": rule,
            "InfoSpiders": "with a frontier for each agent; by the letter of the paper without any memory",
            "longer crawls": f"on {LONG_TOPICS} topics, for a hundred would take hours"
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


def _race(ground: Ground, setup: Setup) -> PaperRace:
    letter = {LETTER: "InfoSpiders, letter"} if setup.letter else {}
    names = {BEST: "BestFirst", SPIDERS: "InfoSpiders", **letter, pagerank_on(ground): "PageRank"}
    topics = ground.topics(setup.out, PLAN, setup.topics)
    experiment = Experiment(str(ground.world), str(topics), tuple(names), setup.pages, MAX_BUFFER, measures=MEASURES)
    out = setup.out / f"race-{ground.name}"
    return PaperRace.run(ground.name, experiment, names, out, setup.workers, setup.watch)


def _long_race(setup: Setup) -> PaperRace:
    """Crawls of ten times the length on a web that is larger by as much."""
    pages = LONGER * setup.pages
    ground = generated_ground(setup.out, LONG_ROOM * pages, setup.watch)
    names = {BEST: "BestFirst", pagerank_on(ground): "PageRank"}
    topics = ground.topics(setup.out, PLAN, min(LONG_TOPICS, setup.topics))
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
    yield race.difference(claim, Better.HIGHER, multiples[0], multiples[1])


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


def _figures(race: PaperRace, *, main: bool) -> Iterator[PaperFigure]:
    printed, numbers = paper(NUMBER).figures, paper(NUMBER).numbers
    levels = {"the paper's best": numbers["precision"]["best"]}
    yield race.bars("5", printed["5"], list(CLASSIFIERS), levels, main)
    yield race.figure("6", printed["6"], "smart_rank", main=True)
    yield race.figure("7", printed["7"], "mean_similarity", main)


def _findings(race: PaperRace, spiders: str) -> Iterator[Finding]:
    """The paper's t-tests: all pairs by each classifier, and mean ranks at three lengths; crawlers in its order.

    Of the letter of InfoSpiders only what is about these is asked.
    """
    claims = paper(NUMBER).claims
    best, *_, pagerank = race.experiment.strategies
    pairs = [pair for pair in combinations((best, spiders, pagerank), 2) if spiders in pair or spiders == SPIDERS]
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
            for first, _ in (pair for pair in pairs if pair[1] == pagerank):
                claim = claims["first_ranks"].about(first=race.names[first])
                yield race.difference(claim, Better.LOWER, ranks[first], ranks[pagerank])
            continue
        for first, second in pairs:
            claim = claims["later_ranks"].about(first=race.names[first], second=race.names[second], pages=f"{pages:,}")
            yield race.difference(claim, Better.LOWER, ranks[first], ranks[second])
    for other in (best, pagerank):
        claim = claims["best_pages"].about(other=race.names[other])
        yield race.ahead(claim, "coverage_lexical", spiders, other)
    for other in (best, spiders) if spiders == SPIDERS else (spiders,):
        yield race.ahead(claims["authority"].about(other=race.names[other]), "authority", pagerank, other)


def _lengths(race: PaperRace) -> list[int]:
    return [n for n in AT if n <= race.experiment.max_pages]
