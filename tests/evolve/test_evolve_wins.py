"""A web on which Best-First is led astray, and a search that finds out how not to be."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from salticid.evolve.search import PAPER_TERMS, Checkpoint, Evolution, SearchPlan, digest_of, versions
from salticid.evolve.simulation import Stage, crawlers, prepare_worker
from salticid.lab.search_report import EvolvedStrategy, with_evidence
from salticid.topic import Topic
from salticid.worlds.answers import Answer
from salticid.worlds.building import build

GOOD, LISTS, OTHERS = 200, 40, 900
_SPIDERS = [
    "spider",
    "silk",
    "orb",
    "weaver",
    "venom",
    "spinneret",
    "prey",
    "jumping",
    "eyes",
    "cephalothorax",
]
_ELSE = ["train", "engine", "rail", "carriage", "signal", "platform", "ticket", "tunnel", "steam", "bridge"]
_LISTED = ["list", "links", "see", "also", "index", "more", "pages", "page", "here", "next"]


class Lists:
    """Good pages that name each other only by way of lists, and link to many pages about something else.

    Each good page links to a list and to eight others; each list to ten good pages. So a link from a good page
    is most likely a bad one, and one from a page about nothing a good one.
    """

    name, size, done = "good pages behind lists", 0, 0

    def __init__(self) -> None:
        self._rng = random.Random(11)

    def __iter__(self) -> Iterator[Answer]:
        for number in range(GOOD):
            others = [f"other{self._rng.randrange(OTHERS)}" for _ in range(8)]
            yield self._page(f"good{number}", _SPIDERS, [f"list{number % LISTS}", *others])
        for number in range(LISTS):
            yield self._page(f"list{number}", _LISTED, [f"good{self._rng.randrange(GOOD)}" for _ in range(10)])
        for number in range(OTHERS):
            yield self._page(f"other{number}", _ELSE, [f"other{self._rng.randrange(OTHERS)}" for _ in range(5)])

    def _page(self, name: str, words: list[str], links: list[str]) -> Answer:
        self._rng.shuffle(links)
        text = " ".join(self._rng.choices(words, k=60))
        anchors = "".join(f'<a href="/{link}">next</a> ' for link in links)
        return Answer(url(name), html=f"<title>{name}</title><p>{text}</p>{anchors}".encode(), charset="utf-8")


def url(name: str) -> str:
    return f"http://lists.example/{name}"


def test_where_lists_lead_to_good_pages_what_is_evolved_beats_best_first_for_sure(tmp_path: Path) -> None:
    world = tmp_path / "world"
    build(world, Lists())
    seeds = tuple(url(f"good{number}") for number in range(10))
    stage = Stage(world, Topic("spiders", "spider silk", seeds, examples=seeds))
    simulation = prepare_worker(stage, PAPER_TERMS, lambda what, done, of: None)
    plan = SearchPlan(
        simulation.digest, "spiders", digest_of(stage.topic), seeds, simulation.terms, PAPER_TERMS, population=20,
        generations=8, crawl_length=300, versions=versions(),
    )  # fmt: skip
    with crawlers(stage, 1) as made:
        state = Evolution(plan, made, Checkpoint(tmp_path / "search")).run(lambda done: None)
        found: EvolvedStrategy = with_evidence(state, made, lambda what, done, of: None)
    print(found.verdict(), found.what_matters())
    assert found.ahead.low > 0, found.verdict()
    assert "comm_out" in found.losses
    assert found.trained >= found.fitness.low - 0.05
