"""A log that is gone when the program ends: for the laboratory, where only the visits matter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from salticid.model import Choice, Event, Feedback, Glimpse, Limits, Links, Visit


class MemoryLog:
    """Keeps the visits, without their pages: those are in the recording."""

    trouble: str | None = None

    def __init__(self) -> None:
        self.visits: list[Visit] = []
        self.events: list[Event] = []

    def retry(self) -> None: ...

    def chose(self, room: int, busy: frozenset[int], choices: Sequence[Choice]) -> None: ...

    def visited(self, visit: Visit) -> None:
        self.visits.append(visit if visit.page is None else replace(visit, page=None))

    def revised(self, scores: Sequence[tuple[int, float]], feedback: Sequence[Feedback]) -> None: ...

    def offered(self, links: Links, depth: int) -> None: ...

    def offered_again(self, links: Links) -> None: ...

    def glimpsed(self, glimpse: Glimpse) -> None: ...

    def extended(self, limits: Limits) -> None: ...

    def noted(self, events: Sequence[Event]) -> None:
        self.events.extend(events)
