"""A generated web."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from salticid.world_sources import At, Option, Source, WorldPlan

if TYPE_CHECKING:
    from salticid.worlds import WorldSummary


class Synthetic(Source):
    """A web of so many pages, on one of its days."""

    option = Option(int | None, "A generated web.", "PAGES", min=1)
    more: ClassVar = {
        "seed": Option(int, "Of the generated web.", default=0, min=0),
        "menus": Option(bool, "Heavy menus on the sites of the generated web.", default=False),
    }
    at = At.DAY
    has_html = False

    def build(self, plan: WorldPlan) -> WorldSummary:
        from salticid.worlds.generating import WebEdition, build_generated

        pages, seed, menus = (plan.options[name] for name in ("synthetic", "seed", "menus"))
        edition = WebEdition(pages, seed, int(plan.at or 0), menus)
        with plan.watching(pages) as watch:
            return build_generated(plan.out, edition, plan.labels, watch)
