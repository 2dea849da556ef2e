"""Whoever is told meanwhile how a crawl goes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from salticid.model import Topic, Visit
from salticid.protocols import Brief

if TYPE_CHECKING:
    from salticid.runs.run import Run

NOBODY_THERE = (
    "Paused: nobody can be reached ({}). Nothing is lost; it is tried again and again, and the crawl goes on by itself "
    "as soon as somebody answers."
)
SOMEBODY_THERE = "Somebody answers again: the crawl goes on."


class Onlooker:
    """Whoever wants to know how a crawl goes; this one does not care.

    All is told on the event loop of the crawl, between two arrivals.
    """

    def begins(self, end: Callable[[], None]) -> None:
        """The run begins; `end` ends it cleanly, at any time from now on."""

    def warned(self, sentence: str) -> None:
        """Something is not as it should be, or is again, and the crawl goes on all the same."""

    def missing(self, topic: Topic, brief: Brief) -> None:
        """The known pages of the topic were read; some may be missing."""

    def goes_on(self, visits: int) -> None:
        """The folder holds a crawl with so many visits, which is played again now."""

    def played(self, step: int) -> None:
        """So many visits of it are played."""

    def ready(self, run: Run) -> None:
        """All is set up, and the first page is about to be asked for."""

    def visited(self, visit: Visit) -> None:
        """There was a visit."""

    def silent(self) -> None:
        """Nothing has arrived for a minute."""

    def held_up(self, trouble: str) -> None:
        """Nothing can be written, for this reason; the crawl waits."""
