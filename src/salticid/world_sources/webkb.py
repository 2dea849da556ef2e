"""WebKB."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from salticid.world_sources import Option, PageSource, WorldPlan

if TYPE_CHECKING:
    from salticid.worlds import WorldSource


class Webkb(PageSource):
    """The pages of the CMU "4 Universities" data set, with its labels."""

    option = Option(Path | None, "The CMU 4 Universities tree.", "DIR")

    def open(self, plan: WorldPlan) -> WorldSource:
        from salticid.worlds import WebKB

        return WebKB(plan.options["webkb"])
