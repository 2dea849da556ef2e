"""Adaptive N against fixed N, by how many links are remembered and how long the crawl is: what paper 4 wished for."""

from __future__ import annotations

from collections.abc import Iterator

from salticid.lab.experiment import Experiment
from salticid.lab.reproduce.findings import Finding
from salticid.lab.reproduce.paper import paper
from salticid.lab.reproduce.race import PaperRace
from salticid.lab.reproduce.reproduction import Setup
from salticid.lab.reproduce.worlds import MOST_TOPICS, Ground
from salticid.worlds.topics import TopicPlan

PLAN = TopicPlan(task="neighbours", examples_per_topic=10, description="editor")
BUFFERS = (256, 4096)
LENGTHS = (0.25, 1.0)
"""Parts of the paper's length."""
ADAPTIVE = "adaptive_n:admit=always"
FIXED = {f"best_n_first:n={n},admit=always": f"N={n}" for n in (1, 16, 256)}
ADAPTIVE_MEASURES = ("coverage_lexical", "target_recall")


def adaptive_races(ground: Ground, setup: Setup) -> Iterator[PaperRace]:
    """From neighbours, whose rest of the topic is to be found: each buffer at each length."""
    names = {**FIXED, ADAPTIVE: "adaptive N"}
    topics = ground.topics(setup.out, PLAN, MOST_TOPICS)
    for buffer in BUFFERS:
        for part in LENGTHS:
            pages = max(1, round(part * setup.pages))
            experiment = Experiment(
                str(ground.world), str(topics), tuple(names), pages, buffer, measures=ADAPTIVE_MEASURES
            )
            where = f"{ground.name}, {pages:,} pages, {buffer:,} links"
            out = setup.out / f"race-{ground.name}-adaptive"
            yield PaperRace.run(where, experiment, names, out, setup.workers, setup.watch)


def adaptive_findings(race: PaperRace) -> Iterator[Finding]:
    """Whether the crawler that adapts is ahead of each that does not."""
    claim = paper(4).claims["adaptive"]
    for fixed, name in FIXED.items():
        parts = {"buffer": f"{race.experiment.max_buffer:,}", "pages": f"{race.experiment.max_pages:,}"}
        yield race.ahead(claim.about(other=name, **parts), "coverage_lexical", ADAPTIVE, fixed)
