"""What people see in a terminal: safe text, tables, progress."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Self

import msgspec
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from salticid.api import PlainWork
from salticid.errors import UserError, one_line

out = Console()
"""Results."""
err = Console(stderr=True)
"""Progress and messages, so that stdout stays clean for scripts; silent where a person wants to hear none."""
errors = Console(stderr=True)
"""What has to be heard."""

_WIDEST = 100_000
_BARS = "▁▂▃▄▅▆▇█"


def safe(text: str, width: int = 0) -> Text:
    """Text from the web as plain text: no markup, no control characters, no direction tricks.

    >>> safe("[red]\\x1b[31mhi\\u202e\\tthere").plain
    '[red]�[31mhi� there'
    >>> safe("a long title", 7).plain
    'a long…'
    """
    plain = one_line(text)
    return Text(plain if not width or len(plain) <= width else plain[: width - 1] + "…")


def warn(sentence: str) -> None:
    """Print a sentence to stderr that may quote text from outside; also under --quiet."""
    errors.print(safe(sentence), highlight=False, soft_wrap=True)


def sparkline(values: Sequence[float], top: float) -> str:
    """A curve in one line of text.

    >>> sparkline([0, 0.5, 1], top=1)
    '▁▅█'
    """
    steps = len(_BARS) - 1
    return "".join(_BARS[round(min(max(v / top, 0), 1) * steps)] if top else _BARS[0] for v in values)


def even_sample(values: Sequence[float], count: int) -> list[float]:
    """At most `count` values, evenly spread, the last one among them.

    >>> even_sample([1, 2, 3, 4, 5], 2)
    [2, 5]
    """
    if len(values) <= count:
        return list(values)
    return [values[round((at + 1) * len(values) / count) - 1] for at in range(count)]


def print_table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]], right: bool = False) -> None:
    """A table on stdout; all columns but the first stand on the `right`, if asked."""
    table = Table(title=safe(title), title_justify="left", box=None, pad_edge=False)
    for at, column in enumerate(head):
        table.add_column(safe(column), justify="right" if right and at else "left")
    for row in rows:
        table.add_row(*map(safe, row))
    show_table(table)


def show_table(table: Table) -> None:
    """Print a table: as wide as the terminal, and whole where its output goes elsewhere."""
    if out.is_terminal:
        out.print(table)
        return
    wide = Console(file=StringIO(), width=_WIDEST)
    with wide.capture() as whole:
        wide.print(table)
    sys.stdout.write("".join(f"{line.rstrip()}\n" for line in whole.get().splitlines()))


def print_json(value: object) -> None:
    """One JSON value on one line of stdout."""
    sys.stdout.write(msgspec.json.encode(value).decode() + "\n")


# How a long piece of work shows that it goes on: a bar on a terminal, plain lines in a log.

_BAR_EVERY = 0.1
_LINE_EVERY = 10.0


class Work(PlainWork):
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


# The place for figures in a document: what stands between two marks is written anew.

_BEGIN, _END = "<!-- figures -->", "<!-- /figures -->"
_FIGURES = re.compile(f"{_BEGIN}.*?{_END}", re.DOTALL)


def check_marks(file: Path | None) -> None:
    """UserError where a document was named that has no such place; before the work, not after it."""
    if file is not None and not _FIGURES.search(file.read_text() if file.is_file() else ""):
        raise UserError(f"{file} has no place for figures; mark it with {_BEGIN} and {_END}")


def put_figures(file: Path | None, figures: str) -> None:
    """Write them there, if a document was named."""
    if file is not None:
        file.write_text(_FIGURES.sub(lambda _: f"{_BEGIN}\n{figures}{_END}", file.read_text()))
