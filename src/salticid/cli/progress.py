"""How a long piece of work shows that it goes on: a bar on a terminal, plain lines in a log."""

from __future__ import annotations

from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

from salticid.api import progress

_BAR_EVERY = 0.1
_LINE_EVERY = 10.0


class Work(progress.Work):
    """Shows how far a piece of work has come, on a console."""

    def __init__(self, what: str, total: int, console: Console) -> None:
        super().__init__(what, total, True, _BAR_EVERY if console.is_terminal else _LINE_EVERY)
        self._console = console
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

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._bar.start()
        self._task = self._bar.add_task(self._what, total=self._total or None, note="")
        return self

    def __exit__(self, *_: object) -> None:
        if self._console.is_terminal:
            self._bar.stop()

    def new_part(self) -> None:
        self._bar.reset(self._task, total=self._total, description=self._what, note="")

    def draw(self, count: int, note: str) -> None:
        if self._console.is_terminal:
            self._bar.update(self._task, completed=count, note=note)
        else:
            self._console.print(self.line(count, note), highlight=False)
