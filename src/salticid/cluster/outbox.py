"""What a shard has yet to show another one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from salticid.model import Glimpse

ROOM = 1000
"""Glimpses that wait in memory for one receiver. The others wait in the log, which holds all of them anyway."""
A_LOOK = 200
"""Visits of the log that are looked through at once."""

Look = Callable[[int, int], tuple[list[Glimpse], int | None]]
"""Given a step and a number of visits: what there is to show of so many visits after that step, and the last of
them; None in its place when there are no more."""


@dataclass(slots=True)
class Outbox:
    """Glimpses for one receiver, in the order of their steps.

    It `has_begun` when it is known what the receiver has; it begins with what the log holds after that. What
    finds no room is left to the log and read from it later.
    """

    has_begun: bool = False
    _step: int = -1
    _waiting: list[Glimpse] = field(default_factory=list)
    _behind: bool = True

    def begin(self, after: int) -> None:
        """All up to this step was shown."""
        self.has_begun, self._step = True, after

    def __len__(self) -> int:
        """How much waits, as far as it is known; 0 exactly when nothing does."""
        return len(self._waiting) + self._behind

    def add(self, glimpse: Glimpse) -> None:
        """There is something to show of the visit just made."""
        if self._behind:
            return
        if len(self._waiting) < ROOM:
            self._waiting.append(glimpse)
        else:
            self._step, self._behind = glimpse.step - 1, True

    def read_on(self, look: Look) -> None:
        """Look at the log, if that is where more waits. It must hold every visit made."""
        if self._behind and not self._waiting:
            self._waiting, until = look(self._step, A_LOOK)
            self._behind = until is not None
            self._step = self._step if until is None else until

    def first(self, count: int) -> list[Glimpse]:
        """What is to be shown next."""
        return self._waiting[:count]

    def remove(self, count: int) -> None:
        """The receiver keeps so many of the first: forget them."""
        del self._waiting[:count]

    def last_done(self, steps: int) -> int:
        """The last step of which nothing is to be shown any more, of so many that were made."""
        if self._waiting:
            return self._waiting[0].step - 1
        return self._step if self._behind else steps - 1
