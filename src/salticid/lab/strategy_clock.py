"""The processor time that a strategy takes, apart from fetching, parsing and judging, which all strategies share."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from salticid.protocols import Strategy

P = ParamSpec("P")
T = TypeVar("T")
TIMED = ("start", "choose", "observe")


class StrategyClock:
    """Counts the seconds of processor time that a strategy's calls take, from when it is set on one.

    A strategy that takes no attributes, for it has slots, is not timed.
    """

    def __init__(self, strategy: Strategy) -> None:
        self.seconds = 0.0
        for name in TIMED if hasattr(strategy, "__dict__") else ():
            setattr(strategy, name, self._timed(getattr(strategy, name)))

    def _timed(self, call: Callable[P, T]) -> Callable[P, T]:
        def timed(*args: P.args, **kwargs: P.kwargs) -> T:
            begin = time.process_time()
            try:
                return call(*args, **kwargs)
            finally:
                self.seconds += time.process_time() - begin

        return timed
