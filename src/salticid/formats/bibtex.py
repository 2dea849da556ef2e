"""BibTeX, for those who write in TeX."""

from __future__ import annotations

import re
from typing import BinaryIO

from salticid.formats import Export, FileFormat
from salticid.store.exports import Reference
from salticid.urls import host

_NO_KEY = re.compile(r"[^a-z0-9]+")
_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}", "{": r"\textbraceleft{}", "}": r"\textbraceright{}", "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}", **{sign: f"\\{sign}" for sign in "#$%&_"},
    }
)  # fmt: skip
"""No brace of a title stays one: BibTeX counts them, those after a backslash too."""


class Bibtex(FileFormat):
    """UTF-8, an entry a page; its key is made of the host and the number of the visit."""

    title = "BibTeX"
    about = "references, for LaTeX"
    suffix = "bib"

    def write(self, export: Export, out: BinaryIO) -> None:
        for page in export.pages:
            name = _NO_KEY.sub("-", host(page.visit.final_url).lower()).strip("-")
            out.write(entry(f"{name or 'page'}-{page.visit.step}", Reference.to(page)).encode())


def entry(key: str, page: Reference) -> str:
    """One reference.

    >>> from datetime import date
    >>> print(entry("a-1", Reference("50% {eyes}", "http://a.example/%7B", date(2026, 3, 1), date(2025, 12, 24))))
    @misc{a-1,
      title = {{50\\% \\textbraceleft{}eyes\\textbraceright{}}},
      url = {http://a.example/%7B},
      year = {2025},
      date = {2025-12-24},
      urldate = {2026-03-01}
    }
    <BLANKLINE>
    <BLANKLINE>
    """
    # Twice in braces, for a style would write a title in lower case.
    fields = [("title", f"{{{page.title.translate(_ESCAPES)}}}"), ("url", page.url)]
    if page.written is not None:
        fields += [("year", f"{page.written.year:04}"), ("date", page.written.isoformat())]
    if page.read is not None:
        fields.append(("urldate", page.read.isoformat()))
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields)
    return f"@misc{{{key},\n{lines}\n}}\n\n"
