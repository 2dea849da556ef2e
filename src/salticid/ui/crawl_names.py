"""The names of crawls, which are those of their folders."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST = 40


def is_name(text: str) -> bool:
    """Whether a text may be the name of a crawl: such a one leads nowhere else."""
    return _NAME.fullmatch(text) is not None


def names(query: str) -> Iterator[str]:
    """Names for a crawl with this query, the best first, numbered from the second on.

    >>> from itertools import islice
    >>> list(islice(names("Flüge: hot-air ../ballooning!"), 2)), next(names("蜘蛛"))
    (['fluge-hot-air-ballooning', 'fluge-hot-air-ballooning-2'], 'crawl')
    """
    plain = unicodedata.normalize("NFKD", query).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", plain[: 4 * _LONGEST])
    stem = "-".join(words)[:_LONGEST].strip("-") or "crawl"
    return (stem if number == 1 else f"{stem}-{number}" for number in range(1, 1_000_000))
