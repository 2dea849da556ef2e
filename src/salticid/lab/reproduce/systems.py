"""Which reproduction belongs to which system."""

from __future__ import annotations

from pathlib import Path

from salticid.errors import UserError
from salticid.lab.compare import Watch
from salticid.lab.reproduce import (
    evolved_strategies,
    explore_exploit,
    link_scores,
    online_agents,
    testbed,
)
from salticid.lab.reproduce.findings import Reproduction


def run(
    number: int, data: Path | None, out: Path, workers: int, watch: Watch, pages: int | None
) -> Reproduction:
    """The experiment of system `number`, run again."""
    match number:
        case 1:
            return testbed.reproduce(data, out, workers, watch, pages or testbed.MAX_PAGES)
        case 2:
            return link_scores.reproduce(data, out, watch)
        case 3:
            return online_agents.reproduce(data, out, workers, watch, pages or online_agents.MAX_PAGES)
        case 4:
            return explore_exploit.reproduce(data, out, workers, watch, pages or explore_exploit.MAX_PAGES)
        case 5:
            return evolved_strategies.reproduce(
                data, out, workers, watch, pages or evolved_strategies.MAX_PAGES
            )
        case _:
            raise UserError(f"there is no system {number}; choose 1 to 5")
