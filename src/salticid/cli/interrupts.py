"""Ctrl-C and SIGTERM: the first ends a command in good order."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType

INTERRUPTED = 130
"""Exit status after Ctrl-C."""


@contextmanager
def interruptible(end: Callable[[], object] | None = None) -> Iterator[Event]:
    """The first Ctrl-C or SIGTERM sets the event and calls `end`; a second Ctrl-C stops the program at once."""
    interrupted = Event()

    def stop(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        interrupted.set()
        if end is not None:
            end()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield interrupted
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
