"""How a long piece of work shows that it goes on: a bar on a terminal, plain lines in a log."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

_BAR_EVERY = 0.1
_LINE_EVERY = 10.0


class Work:
    """Shows how far a piece of work has come. Use it as a context; call `at` as often as you like."""

    def __init__(self, what: str, total: int, console: Console) -> None:
        self._what, self._total, self._console = what, total, console
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}"),
            console=console,
            transient=True,
        )
        self._start = self._last_show = time.monotonic()
        self._every = _BAR_EVERY if console.is_terminal else _LINE_EVERY

    def __enter__(self) -> Work:
        if self._console.is_terminal:
            self._bar.start()
        self._task = self._bar.add_task(self._what, total=self._total or None, note="")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        if self._console.is_terminal:
            self._bar.stop()

    @property
    def due(self) -> bool:
        """Whether it is time to show something again."""
        return time.monotonic() - self._last_show >= self._every

    def part(self, what: str, count: int, total: int) -> None:
        """So much of a part of the work is done; the bar is the part's."""
        if what != self._what:
            self._what, self._total = what, total
            self._start = self._last_show = time.monotonic()
            self._bar.reset(self._task, total=total, description=what, note="")
        self.at(count, f"{count} of {total}")

    def at(self, count: int, note: str) -> None:
        """So much is done; the note says more about it."""
        if not self.due:
            return
        self._last_show = time.monotonic()
        note = f"{_rate(count / (self._last_show - self._start))}, {note}"
        if self._console.is_terminal:
            self._bar.update(self._task, completed=count, note=note)
        else:
            share = f"{count / self._total:.0%} " if self._total else ""
            self._console.print(f"{self._what}: {share}{note}", highlight=False)


def _rate(per_second: float) -> str:
    """How fast it goes.

    >>> _rate(12.3), _rate(0.5)
    ('12/s', '30/min')
    """
    return f"{per_second:.0f}/s" if per_second >= 1 else f"{60 * per_second:.0f}/min"
