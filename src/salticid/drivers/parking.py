"""Choices set aside for later, because a host wants to be left alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from salticid.model import Choice


@dataclass(frozen=True, slots=True)
class _SetAside:
    """A choice whose host, or one it was sent on to, wants to be left alone; `host` if it is its own."""

    until: float
    choice: Choice
    host: int | None


class Parking:
    """The choices set aside, in the order in which they came, each until its time on the clock."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._choices: list[_SetAside] = []

    def __len__(self) -> int:
        return len(self._choices)

    def add(self, choice: Choice, until: float | None = None, host: int | None = None) -> None:
        """Set a choice aside until then, or until there is room for it; its `host` is left alone meanwhile."""
        self._choices.append(_SetAside(self._clock() if until is None else until, choice, host))

    def release(self, has_room: Callable[[], bool]) -> list[Choice]:
        """Those whose time has come, for as long as there is room."""
        now, free = self._clock(), []
        for each in [each for each in self._choices if each.until <= now]:
            if not has_room():
                break
            self._choices.remove(each)
            free.append(each.choice)
        return free

    @property
    def hosts(self) -> frozenset[int]:
        """The hosts that are left alone."""
        return frozenset(each.host for each in self._choices if each.host is not None)

    @property
    def until(self) -> float | None:
        """When the first of them may be asked for; None when there are none."""
        return min((each.until for each in self._choices), default=None)

    @property
    def next(self) -> float | None:
        """When the next of those may be asked for whose time has not come; None when there are none."""
        now = self._clock()
        return min((each.until for each in self._choices if each.until > now), default=None)

    @property
    def overdue(self) -> list[float]:
        """The promise of each link whose time has come, if there were room."""
        now = self._clock()
        return [each.choice.score for each in self._choices if each.until <= now]

    def urls(self) -> list[tuple[int, float]]:
        """The URLs set aside, and until when."""
        return [(each.choice.link.url, each.until) for each in self._choices]
