"""Which reproduction belongs to which system."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from salticid.errors import UserError
from salticid.lab.compare import Watch
from salticid.lab.reproduce import (
    evolved_strategies,
    explore_exploit,
    link_scores,
    online_agents,
    testbed,
)
from salticid.lab.reproduce.findings import Reproduction, too_few_pages

PAPER_PAGES = {
    1: testbed.MAX_PAGES,
    3: online_agents.MAX_PAGES,
    4: explore_exploit.MAX_PAGES,
    5: evolved_strategies.MAX_PAGES,
}
"""How many pages the crawls of a paper have; system 2 makes none."""


def run(
    number: int, data: Path | None, out: Path, workers: int, watch: Watch, pages: int | None
) -> Reproduction:
    """The experiment of system `number`, run again, with a caution where its crawls are shorter than the paper's."""
    outcome = _run(number, data, out, workers, watch, pages or PAPER_PAGES.get(number, 0))
    return replace(outcome, caution=too_few_pages(pages, PAPER_PAGES.get(number, 0)))


def _run(number: int, data: Path | None, out: Path, workers: int, watch: Watch, pages: int) -> Reproduction:
    match number:
        case 1:
            return testbed.reproduce(data, out, workers, watch, pages)
        case 2:
            return link_scores.reproduce(data, out, watch)
        case 3:
            return online_agents.reproduce(data, out, workers, watch, pages)
        case 4:
            return explore_exploit.reproduce(data, out, workers, watch, pages)
        case 5:
            return evolved_strategies.reproduce(data, out, workers, watch, pages)
        case _:
            raise UserError(f"there is no system {number}; choose 1 to 5")
