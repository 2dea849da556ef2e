"""System 4 again: how greedy should a crawler be? Best-N-First on two tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from salticid.lab.compare import Watch
from salticid.lab.experiment import Experiment
from salticid.lab.measures import Better
from salticid.lab.reproduce.findings import Finding, Reproduction, Table
from salticid.lab.reproduce.race import Race
from salticid.lab.reproduce.worlds import Ground, grounds
from salticid.lab.traits import rank_correlation, significant_correlation
from salticid.worlds.topics import TopicPlan

PAPER = 'Pant, Srinivasan, Menczer, "Exploration versus exploitation in topic driven crawlers", 2002'
MAX_PAGES, MAX_BUFFER = 2000, 256
SHORT = 300
"""On a small world 2,000 pages are nearly all there are; so a shorter crawl is made too."""
GREED = {1: (1, 16, 64, 128, 256), 2: (1, 256)}
ROOM = 100
"""So many times larger than a crawl the generated web is: 200,000 pages for the paper's 2,000."""
MOST_TOPICS = 33
EARLY = 0.1
"""The part of the crawl that is early."""
MEASURES = ("coverage_lexical", "coverage_linkage", "smart_rank", "linkage_rank", "target_recall")
_TASKS: dict[int, Literal["examples", "neighbours"]] = {1: "examples", 2: "neighbours"}


def reproduce(
    data: Path | None, out: Path, workers: int, watch: Watch, pages: int = MAX_PAGES
) -> Reproduction:
    """Run both tasks on the public collections in `data`, as far as they are there, and on a generated web."""
    tables: list[Table] = []
    findings: list[Finding] = []
    places = [ground for ground in grounds(data, out, watch, ROOM * pages) if ground.name != "webkb"]
    for ground in places:
        for task in _TASKS:
            for length in (pages, SHORT) if ground.one_host and pages > SHORT else (pages,):
                race = _race(ground, task, length, out, workers, watch)
                tables.append(race.table("Four measures and recall", MEASURES))
                tables.append(_explorers(race))
                findings += _findings(race, task)
    return Reproduction(
        number=4,
        paper=PAPER,
        data=", ".join(ground.name for ground in places),
        settings={
            "pages of a crawl": str(pages),
            "links remembered": str(MAX_BUFFER),
            "keywords": "the words of the topic's path",
            "task 1": "start from examples",
            "task 2": "start two links away from them",
        },
        tables=tables,
        findings=findings,
    )


def _race(ground: Ground, task: int, pages: int, out: Path, workers: int, watch: Watch) -> Race:
    plan = TopicPlan(task=_TASKS[task], query="path", examples_per_topic=10 if task == 1 else 5)
    names = {f"best_n_first:n={n},admit=always": f"N={n}" for n in GREED[task]}
    if task == 2:
        names["breadth_first"] = "BreadthFirst"
    experiment = Experiment(
        str(ground.world), str(ground.topics(out, plan, MOST_TOPICS)), tuple(names), pages, MAX_BUFFER
    )
    told = f"{ground.name}, task {task}, {pages} pages"
    return Race.run(told, experiment, names, out / f"race-{ground.name}-{task}-{pages}", workers, watch)


def _explorers(race: Race) -> Table:
    """Which topics favour exploration: what goes with the lead of the largest N over the smallest, in recall."""
    first, last = _extremes(race)
    gains = [
        None if most is None or least is None else most - least
        for most, least in zip(
            race.values(last, "target_recall"), race.values(first, "target_recall"), strict=True
        )
    ]
    traits: dict[str, list[float | None]] = {
        "many targets": [float(topic.targets) for topic in race.topics],
        "targets unlike each other": [topic.heterogeneity for topic in race.topics],
        "targets far from the seeds": [topic.distance for topic in race.topics],
    }
    found = {trait: rank_correlation(values, gains) for trait, values in traits.items()}
    rows = [[trait, "none" if rho is None else f"{rho:+.2f}"] for trait, rho in found.items()]
    sure = significant_correlation(len(race.topics))
    return Table(
        f"Topics that favour exploration, {race.ground}: rank correlation with the lead of {race.names[last]} in "
        f"targets found (beyond ±{sure:.2f} it is no chance, p < 0.05)",
        ["topics with", "correlation"],
        rows,
    )


def _extremes(race: Race) -> tuple[str, str]:
    """The greediest and the least greedy crawler."""
    first, *_, last = [name for name in race.experiment.strategies if name.startswith("best_n_first")]
    return first, last


def _findings(race: Race, task: int) -> list[Finding]:
    first, last = _extremes(race)
    early = max(1, round(EARLY * race.experiment.max_pages))
    found = [
        race.ahead("Larger N covers more of the best pages, by words", "coverage_lexical", last, first),
        race.ahead("Larger N covers more of the best pages, by links", "coverage_linkage", last, first),
        race.difference(
            "Most of all among the very best: the 10 best by words",
            Better.HIGHER,
            (last, race.top(last, "coverage_lexical", 10)),
            (first, race.top(first, "coverage_lexical", 10)),
        ),
        race.difference(
            f"Larger N pays early in the crawl: worse mean rank by words after {early} pages",
            Better.HIGHER,
            (last, race.after(last, "smart_rank", early)),
            (first, race.after(first, "smart_rank", early)),
        ),
        race.ahead("Larger N recovers by the end, by words", "smart_rank", last, first),
        race.ahead("Larger N recovers by the end, by links", "linkage_rank", last, first),
    ]
    if task == 2:
        for metric in ("coverage_lexical", "coverage_linkage", "target_recall"):
            found.append(race.ahead(f"Breadth-First is worst by {metric}", metric, first, "breadth_first"))
        found.append(
            race.ahead("N=256 recalls more of the known pages than N=1", "target_recall", last, first)
        )
    return found
