"""The observer of a crawl: what it is notified of."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.model import Topic, Visit
    from salticid.protocols import Brief
    from salticid.runs.lifecycle import Run
    from salticid.webs.live import Failure

NOBODY_THERE = (
    "Paused: nobody can be reached ({}). Nothing is lost; it is tried again and again, and the crawl goes on by itself "
    "as soon as somebody answers."
)
NO_NAMES = (
    "No name server answers: {} so far. Nothing is lost; hosts with known addresses are still fetched, and the names "
    "are looked up again and again."
)
SOMEBODY_THERE = "Somebody answers again: the crawl goes on."
NAMES_GIVEN_UP = "No name server answered for {:.0f} s: the names are given up. The next run looks them up again."


def outage(failure: Failure, names: int) -> str:
    """What to say when nobody can be reached, or when so many names wait while hosts answer."""
    if not names:
        return NOBODY_THERE.format(failure.value)
    return NO_NAMES.format(f"{names:,} host names wait" if names > 1 else "1 host name waits")


class Onlooker:
    """The observer of a crawl; this one does nothing.

    It is called on the event loop of the crawl, between two arrivals.
    """

    def begins(self, end: Callable[[], None]) -> None:
        """The run begins; `end` ends it cleanly, at any time from now on."""

    def warn(self, sentence: str) -> None:
        """Something went wrong, or is well again, and the crawl goes on all the same."""

    def missing(self, topic: Topic, brief: Brief) -> None:
        """The known pages of the topic were read; some may be missing."""

    def goes_on(self, visits: int) -> None:
        """The folder holds a crawl with so many visits, which is played again now."""

    def replay(self, step: int) -> None:
        """So many visits of it are played by now."""

    def ready(self, run: Run) -> None:
        """All is set up, and the first page is about to be asked for."""

    def visit(self, visit: Visit) -> None:
        """There was a visit."""

    def looks(self, pages: int, of: int) -> None:
        """So many of the pages that a round asks for again are done."""

    def silence(self) -> None:
        """Nothing has arrived for a minute."""

    def trouble(self, trouble: str) -> None:
        """Nothing can be written, for this reason; the crawl waits."""
