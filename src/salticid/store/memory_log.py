"""A log that is gone when the program ends: for the laboratory, where only the visits matter."""

from __future__ import annotations

from collections.abc import Sequence

from salticid.messages import Message, Report
from salticid.model import Choice, Event, Visit


class MemoryLog:
    """Keeps the visits, without their pages: those are in the recording."""

    trouble: str | None = None
    write_error: str | None = None

    def __init__(self) -> None:
        self.visits: list[Visit] = []
        self.events: list[Event] = []

    def retry(self) -> None: ...

    def add_choices(self, room: int, busy: frozenset[int], choices: Sequence[Choice]) -> None: ...

    def add_visit(self, visit: Visit) -> None:
        self.visits.append(visit if visit.page is None else visit.without_page())

    def add_message(self, message: Message) -> None:
        if isinstance(message, Report):
            self.events.extend(message.events)
