"""CSV as RFC 4180 has it, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
import re
from typing import BinaryIO

import msgspec

from salticid.formats import Export, FileFormat

_CONTROLS = dict.fromkeys(code for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n\r")
_PARTING = frozenset(";\t\r\n")
_FORMULA = re.compile(r"""(?<![;\s"])[;\s"]*+(?=[=+@＝＋－＠-])""")
"""What makes a spreadsheet take a cell for a formula, which a page could make it run, if a cell begins there. Many
part cells by semicolons or tabs whatever the file is called; to them a text in quotes is not one cell, nor one line."""


class Csv(FileFormat):
    """UTF-8, a row a document, under a row of names; what is null is an empty cell.

    There is no Markdown: no spreadsheet shows it, and the text says the same.
    """

    title = "CSV"
    about = "a table for spreadsheets"
    suffix = "csv"
    has_chunks = True

    def write(self, export: Export, out: BinaryIO) -> None:
        text = io.TextIOWrapper(out, "utf-8", newline="")
        try:
            with export.documents(markdown=False) as documents:
                rows = csv.writer(text)
                names = [name for name in documents.kind.__struct_fields__ if name != "markdown"]
                rows.writerow(names)
                for document in documents:
                    values = msgspec.to_builtins(document)
                    rows.writerow([cell(values[name]) for name in names])
        finally:
            text.detach()


def cell(value: object) -> object:
    """A value as it may stand in a cell: no control characters, no formula; a list as a path.

    >>> cell("=HYPERLINK(1)"), cell("a; =1"), cell("a\\0b\\r\\nc"), cell(-0.5), cell(None)
    ("'=HYPERLINK(1)", "a; '=1", 'ab\\nc', -0.5, None)
    """
    if isinstance(value, list):
        value = " > ".join(value)
    if not isinstance(value, str):
        return value
    text = value.translate(_CONTROLS).replace("\r\n", "\n")
    safe = _FORMULA.sub(_guard, text)
    return f"'{safe}" if safe.startswith(("\t", "\r", "\n")) else safe


def _guard(match: re.Match[str]) -> str:
    begins = match.start() == 0 or not _PARTING.isdisjoint(match[0])
    return f"{match[0]}'" if begins else match[0]
