"""RIS, which Zotero, EndNote, Mendeley and library catalogues read."""

from __future__ import annotations

from datetime import date
from typing import BinaryIO

from salticid.formats import Export, FileFormat
from salticid.store.exports import Reference


class Ris(FileFormat):
    """UTF-8, an electronic source a page."""

    title = "RIS"
    about = "references, for Zotero and its like"
    suffix = "ris"

    def write(self, export: Export, out: BinaryIO) -> None:
        for page in export.pages:
            out.write(entry(Reference.to(page)).encode())


def entry(page: Reference) -> str:
    """One reference.

    >>> entry(Reference("Portia", "http://a.example/", date(2026, 3, 1), None)).splitlines()[1:4]
    ['TI  - Portia', 'UR  - http://a.example/', 'Y2  - 2026/03/01/']
    """
    lines = [("TY", "ELEC"), ("TI", page.title), ("UR", page.url)]
    if page.written is not None:
        lines += [("PY", f"{page.written.year:04}"), ("DA", _day(page.written))]
    if page.read is not None:
        lines.append(("Y2", _day(page.read)))
    return "".join(f"{tag}  - {value}\r\n" for tag, value in [*lines, ("ER", "")]) + "\r\n"


def _day(day: date) -> str:
    return f"{day.year:04}/{day.month:02}/{day.day:02}/"
