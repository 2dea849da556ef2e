"""How long some methods of an object take, or a strategy for each page."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from salticid.model import Choice, Floats, Ints, Visit
from salticid.protocols import Strategy


class Timed:
    """Does what another object does; the time of some of its methods is added up by stage."""

    def __init__(self, what: Any, spent: dict[str, float], stages: dict[str, str]) -> None:
        self._what, self._spent, self._stages = what, spent, stages

    def __getattr__(self, name: str) -> Any:
        does = getattr(self._what, name)
        if name not in self._stages:
            return does

        def timed(*arguments: Any) -> Any:
            begin = time.process_time()
            result = does(*arguments)
            self._spent[self._stages[name]] += time.process_time() - begin
            return result

        self.__dict__[name] = timed
        return timed


def seconds_a_page(strategy: Strategy, pages: int, arrival: Callable[[Choice], tuple[Visit, Ints]]) -> Floats:
    """Let a strategy choose and observe so many pages; the seconds that each of them took it."""
    seconds = np.zeros(pages)
    for at in range(pages):
        begin = time.process_time()
        (choice,) = strategy.choose(1, frozenset())
        seconds[at] = time.process_time() - begin
        visit, fresh = arrival(choice)
        begin = time.process_time()
        strategy.observe(visit, fresh)
        seconds[at] += time.process_time() - begin
    return seconds
