"""What every command needs: Ctrl-C that ends it in good order, and help with options in titled groups."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType
from typing import Any

from typer.core import TyperCommand

# Ctrl-C and SIGTERM: the first ends a command in good order.

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


# Help in which the options of a command stand in titled groups.


class GroupedCommand(TyperCommand):
    """A command whose help shows each option under the title of its `rich_help_panel`, in the order they come."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                usual = "Arguments" if parameter.param_type_name == "argument" else "Options"
                groups.setdefault(getattr(parameter, "rich_help_panel", None) or usual, []).append(record)
        groups["Options"] = groups.pop("Options", [])  # last, behind all that have a title of their own
        for title, records in groups.items():
            with formatter.section(title):
                formatter.write_dl(records)
