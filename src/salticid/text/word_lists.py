"""The word lists of `wordfreq`, read from its files: importing the package takes longer than reading a list."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from gzip import decompress
from importlib.util import find_spec
from pathlib import Path

import msgspec

_KIND = "small_"
_HEADER = {"format": "cB", "version": 1}
"""The first of a list's parts; the n-th after it holds the words of a share of 10 ** (-n / 100)."""


@cache
def word_lists() -> dict[str, Path]:
    """The file of each language, by its code."""
    spec = find_spec("wordfreq")
    places = spec.submodule_search_locations if spec is not None else None
    found = Path(places[0], "data").glob(f"{_KIND}*.msgpack.gz") if places else ()
    return {path.name.removeprefix(_KIND).split(".")[0]: path for path in found}


def word_shares(code: str) -> Iterator[tuple[str, float]]:
    """The usual words of a language, the commonest first, each with its share of all text.

    >>> next(word_shares("en"))
    ('the', 0.05370317963702527)
    """
    header, *words = msgspec.msgpack.decode(decompress(word_lists()[code].read_bytes()))
    if header != _HEADER:
        raise ValueError(f"{word_lists()[code]} is no word list of a kind that is known: {header}")
    return ((word, 10 ** (-place / 100)) for place, some in enumerate(words) for word in some)
