"""An earlier crawl."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from salticid.world_sources import At, Option, PageSource, WorldPlan

if TYPE_CHECKING:
    from salticid.worlds import WorldSource


class Crawl(PageSource):
    """What a crawl saw, as it was first, or at a date."""

    option = Option(Path | None, "The folder of a crawl.", "DIR")
    at = At.DATE
    has_html = False

    def open(self, plan: WorldPlan) -> WorldSource:
        from salticid.worlds import CrawledPages

        return CrawledPages(plan.options["crawl"], plan.at)
