"""Why InfoSpiders do as they do: how sure their choices are, who lives and breeds, and what other settings would do."""

from __future__ import annotations

from collections.abc import Iterator
from math import log2
from pathlib import Path

import numpy as np

from salticid.judges import judges
from salticid.lab.experiment import Experiment
from salticid.lab.reproduce.race import PaperRace, Values, mean_text
from salticid.lab.reproduce.reproduction import FigureTable, Setup
from salticid.lab.reproduce.worlds import Ground
from salticid.lab.traits import rank_correlation
from salticid.model import Limits, Visit
from salticid.runs.order import Recipe
from salticid.runs.recorded import RecordedCrawl
from salticid.runs.specs import strategy_of
from salticid.store.memory_log import MemoryLog
from salticid.truth import load_topic
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.topics import TopicPlan

TOPICS = 10
"""On so many topics each of two dozen settings is tried: enough to see what changes much, in minutes."""
SPIDERS = "infospiders"
PAPER_SETTINGS = "infospiders:step=plain"
SWEEPS = {
    "the paper's back-propagation": ("step=plain",),
    "learning rate": ("rate=0", "rate=0.1", "rate=1"),
    "temperature": ("temperature=0.01", "temperature=0.03", "temperature=0.5"),
    "price of a page": ("price=0.25", "price=4", "price=16"),
    "look-ahead": ("lookahead=0.5", "lookahead=1"),
    "what is learned": ("target=topic",),
    "restarts at good pages": ("restart=0.1", "restart=0.3"),
    "restarts, colder": ("restart=0.3,temperature=0.03",),
}
NETS = {
    "Q-learning: discount": ("mu=0", "mu=0.5", "mu=0.9"),
    "Q-learning: hidden units": ("hidden=4", "hidden=16"),
    "Q-learning: temperature": ("beta=2", "beta=32"),
}
"""Settings of `myspiders`, the agents of paper 3, which paper 1 left out for simplicity."""
RIVAL = "best_first:admit=always"
MEASURES = ("classifier_rocchio", "mean_similarity", "target_recall")


def study(ground: Ground, plan: TopicPlan, buffer: int, setup: Setup) -> Iterator[FigureTable]:
    """How agents choose, live and breed; then the sweeps."""
    topics = ground.topics(setup.out / "spiders", plan, TOPICS)
    yield _lives(ground, topics, buffer, setup)
    specs = {RIVAL: "BestFirst", SPIDERS: "InfoSpiders"}
    for name, sweeps in ((SPIDERS, SWEEPS), ("myspiders", NETS)):
        for what, settings in sweeps.items():
            specs |= {f"{name}:{setting}": f"{what}: {name} {setting}" for setting in settings}
    experiment = Experiment(
        str(ground.world), str(topics), tuple(specs), setup.pages, buffer, measures=MEASURES
    )
    out = setup.out / f"race-spiders-{ground.name}"
    race = PaperRace.run(
        f"{ground.name}, settings of agents", experiment, specs, out, setup.workers, setup.watch
    )
    yield race.table("Settings of agents, as papers 1 and 3 propose to try", MEASURES)


def _lives(ground: Ground, topics: Path, buffer: int, setup: Setup) -> FigureTable:
    """What the log of each crawl tells of its agents."""
    rows = []
    files = sorted(topics.glob("*.toml"))
    for spec in (SPIDERS, PAPER_SETTINGS, f"{SPIDERS}:temperature=0.03", f"{SPIDERS}:restart=0.3"):
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
