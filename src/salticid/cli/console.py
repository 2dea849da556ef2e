"""What people see in a terminal: safe text, small pictures, two streams."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from io import StringIO

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from salticid.errors import one_line

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
