"""Which reproduction belongs to which system."""

from __future__ import annotations

from pathlib import Path

from salticid.errors import UserError
from salticid.lab.compare import Watch
from salticid.lab.reproduce import five, four, one, three, two
from salticid.lab.reproduce.findings import Reproduction


def run(
    number: int, data: Path | None, out: Path, workers: int, watch: Watch, pages: int | None
) -> Reproduction:
    """The experiment of system `number`, run again."""
    match number:
        case 1:
            return one.reproduce(data, out, workers, watch, pages or one.MAX_PAGES)
        case 2:
            return two.reproduce(data, out, watch)
        case 3:
            return three.reproduce(data, out, workers, watch, pages or three.MAX_PAGES)
        case 4:
            return four.reproduce(data, out, workers, watch, pages or four.MAX_PAGES)
        case 5:
            return five.reproduce(data, out, workers, watch, pages or five.MAX_PAGES)
        case _:
            raise UserError(f"there is no system {number}; choose 1 to 5")
