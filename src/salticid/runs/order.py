"""What somebody orders of a crawl, what came of it, and who is told meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec

from salticid import __version__
from salticid.errors import UserError
from salticid.model import Limits, StopReason, Topic
from salticid.protocols import Brief
from salticid.registry import settings_of
from salticid.runs.recorded import Recipe
from salticid.store.continuing import check_same, current_limits, larger_limits
from salticid.store.log import CrawlLog

if TYPE_CHECKING:
    from salticid.runs.live import Hunt
    from salticid.webs.live.retries import Failure


WHY = {
    StopReason.BUDGET: "the page budget is used up",
    StopReason.FETCHES: "the fetch budget is used up: most links led nowhere",
    StopReason.TIME: "the time is up",
    StopReason.CONDITION: "the stop condition came true",
    StopReason.FRONTIER_EMPTY: "no link is left to follow",
    StopReason.EXTINCT: "the last agent died",
    StopReason.STALLED: "the agents only went in circles",
    StopReason.WAITING: "only hosts are left that cannot be asked for now",
    StopReason.INTERRUPTED: "it was interrupted",
}
"""Why a crawl ended, in words."""
NOBODY_THERE = (
    "Paused: nobody can be reached ({}). Nothing is lost; it is tried again and again, and the crawl goes on by itself "
    "as soon as somebody answers."
)
SOMEBODY_THERE = "Somebody answers again: the crawl goes on."


@dataclass(frozen=True, slots=True)
class Order:
    """What a person ordered: all that has to be known to tell this crawl from another."""

    topic: Topic
    web: str
    strategy: str
    judge: str
    recipe: Recipe
    folder: Path
    backlinks: Path | None = None

    def facts(self, web: dict[str, Any]) -> dict[str, Any]:
        """The order as it is written into the log."""
        recipe = self.recipe
        facts = {
            "version": __version__,
            "topic": asdict(self.topic),
            "strategy": {"name": self.strategy, **settings_of(recipe.strategy)},
            "judge": {"name": self.judge, **settings_of(recipe.judge)},
            "web": web,
            "limits": asdict(recipe.limits),
            "arrivals": recipe.arrivals,
            "seed": recipe.seed,
            "backlinks": None if self.backlinks is None else str(self.backlinks),
        }
        return cast(dict[str, Any], msgspec.json.decode(msgspec.json.encode(facts)))

    def continuing(
        self, log: CrawlLog, before: dict[str, Any], web: dict[str, Any]
    ) -> tuple[Order, Limits | None]:
        """The order with the limits that the crawl in the folder began with, and the larger ones it asks for.

        UserError if the folder holds another crawl.
        """
        if "version" not in before:
            raise UserError(
                f"{self.folder} holds a crawl whose log is damaged; crawl into a new folder with --out"
            )
        check_same(self.folder, before, self.facts(web))
        larger = larger_limits(self.folder, current_limits(log.database, before), self.recipe.limits)
        return replace(self, recipe=replace(self.recipe, limits=Limits(**before["limits"]))), larger


@dataclass(frozen=True, slots=True)
class Hunted:
    """What came of it."""

    pages: int
    fetches: int
    stopped: StopReason
    seconds: float


class Onlooker:
    """Whoever wants to know how a live crawl goes; this one does not care.

    All is told on the event loop of the crawl, between two arrivals.
    """

    def begins(self, end: Callable[[], None]) -> None:
        """The run begins; `end` ends it cleanly, at any time from now on."""

    def warned(self, sentence: str) -> None:
        """Something is not as it should be, and the crawl goes on all the same."""

    def missing(self, topic: Topic, brief: Brief) -> None:
        """The known pages of the topic were read; some may be missing."""

    def goes_on(self, visits: int) -> None:
        """The folder holds a crawl with so many visits, which is played again now."""

    def played(self, step: int) -> None:
        """So many visits of it are played."""

    def ready(self, hunt: Hunt) -> None:
        """All is set up, and the first request is about to be made."""

    def visited(self) -> None:
        """There was a visit."""

    def silent(self) -> None:
        """Nothing has arrived for a minute."""

    def held_up(self, trouble: str) -> None:
        """Nothing can be written, for this reason; the crawl waits."""

    def lost(self, failure: Failure) -> None:
        """Nobody can be reached; the crawl waits."""

    def found(self) -> None:
        """Somebody can be reached again; the crawl goes on."""
