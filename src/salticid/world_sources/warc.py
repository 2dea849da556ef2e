"""WARC files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from salticid.world_sources import Option, PageSource, WorldPlan

if TYPE_CHECKING:
    from salticid.worlds import WorldSource


class Warc(PageSource):
    """The exchanges of WARC files."""

    option = Option(list[Path] | None, "A WARC file; may be given again.", "FILE")

    def open(self, plan: WorldPlan) -> WorldSource:
        from salticid.worlds import WarcFiles

        return WarcFiles(plan.options["warc"])
