"""Editions: the same page of another release or in another language, told by addresses, titles and texts.

/3.11/tutorial.html and /3.12/tutorial.html with the same title, numbers apart, are two releases of one page.
/en/tutorial and /fr/tutorial are two translations of one if their texts are in two languages, or much alike.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import NamedTuple

from salticid.languages import without_language
from salticid.store.database import Database
from salticid.store.packing import unpacks
from salticid.store.schema import MEMORY

_RELEASE = re.compile(
    r"v?\d{1,4}(?:\.\d{1,4}){1,3}(?:[-.]?(?:x|rc|alpha|beta|dev|post)\d*)?|v\d{1,3}|stable|latest|current|main|master"
    r"|dev|devel|development|nightly",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d{1,3}")
_HOLDS_RELEASES = re.compile(r"docs?|documentation|manual|reference|guide|versions?|api", re.IGNORECASE)
"""A folder or host in which a plain number is a release."""
_WORD = re.compile(r"[^\W\d_]+")
_OF_RELEASES = frozenset(("stable", "latest", "current", "dev", "devel", "development", "rc", "alpha", "beta", "v"))
_NOTE = "edition "


class EditionKeys(NamedTuple):
    """By what other editions of a page are found, numbers of 63 bits; `release` is None where no folder names one."""

    release: int | None
    translation: int

    @classmethod
    def of(cls, url: str, title: str) -> EditionKeys:
        """The keys of the page at a canonical URL."""
        pattern = any_release(url)
        words = [word for word in _WORD.findall(title.lower()) if word not in _OF_RELEASES]
        release = _key("release", pattern, *words) if pattern is not None and words else None
        return cls(release, _key("translation", without_language(url)))


def any_release(url: str) -> str | None:
    """A URL with its release left open; None where no folder names one, what stands last in it apart.

    >>> any_release("http://a.example/3.12/library/os.html"), any_release("http://a.example/docs/16/sql.html")
    ('http://a.example/*/library/os.html', 'http://a.example/docs/*/sql.html')
    >>> any_release("http://a.example/releases/1.2.6/"), any_release("http://a.example/item/16/sql.html")
    (None, None)
    """
    scheme, _, host, *folders = url.split("/")
    inner = len(folders) - (1 if folders[-1] else 2)
    found = False
    for at in range(inner):
        before = folders[at - 1] if at else host.partition(".")[0]
        if _RELEASE.fullmatch(folders[at]) or (_NUMBER.fullmatch(folders[at]) and _HOLDS_RELEASES.fullmatch(before)):
            folders[at], found = "*", True
    return "/".join((scheme, "", host, *folders)) if found else None


def edition_note(step: int, first: int) -> tuple[str, bytes]:
    """The note that the page of a step is another edition of that of an earlier one, under its name."""
    return f"{_NOTE}{step}", str(first).encode()


@unpacks
def edition_of(db: Database, step: int) -> int | None:
    """The step of the earlier page of which that of a step is another edition, if it is one."""
    row = db.one(MEMORY, f"{_NOTE}{step}")
    return None if row is None else int(row[1])


@unpacks
def editions(db: Database) -> dict[int, int]:
    """The steps of a crawl whose pages are other editions of earlier ones, and those."""
    rows = db.select(MEMORY, "WHERE name >= ? AND name < ?", (_NOTE, f"{_NOTE}~"))
    return {int(name.removeprefix(_NOTE)): int(value) for name, value, _ in rows}


def _key(*parts: str) -> int:
    return int.from_bytes(blake2b("\n".join(parts).encode(), digest_size=8).digest(), "little") >> 1
