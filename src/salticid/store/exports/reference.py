"""A page as people cite it."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date
from urllib.parse import quote

from salticid.store.exports.selection import ExportPage
from salticid.store.times import time_of

_UNSAFE = re.compile(r"[\\{}\x00-\x20\x7f]")


@dataclass(frozen=True, slots=True)
class Reference:
    """What a bibliography says of a page: `read` is the day it was fetched, `written` what its server dates it."""

    title: str
    url: str
    read: date | None
    written: date | None

    @classmethod
    def to(cls, page: ExportPage) -> Reference:
        """The reference to a page; one without a title is called by its address."""
        url = _UNSAFE.sub(lambda match: quote(match[0], safe=""), page.visit.final_url)
        read, written = time_of(page.fetched), time_of(page.modified)
        return cls(one_line(page.title) or url, url, read and read.date(), written and written.date())


def one_line(text: str) -> str:
    """A text without line breaks and characters that nobody sees.

    >>> one_line("Portia\\r\\nER  - \\x00eyes\\u202e ")
    'Portia ER - eyes'
    """
    seen = (" " if char.isspace() else char for char in text)
    return " ".join("".join(char for char in seen if unicodedata.category(char)[0] != "C").split())
