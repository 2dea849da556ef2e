"""A stand-in that measures how long some methods of an object take."""

from __future__ import annotations

import time
from typing import Any


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
