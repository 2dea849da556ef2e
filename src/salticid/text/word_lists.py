"""How frequent the words of a language are: a packed list for each language, made by `tools/words.py`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files

import msgspec
import numpy as np
import zstandard

_FOLDER = files("salticid.text") / "words"
_ENDING = ".zst"


@cache
def word_lists() -> frozenset[str]:
    """The codes of the languages that have a list."""
    return frozenset(file.name.removesuffix(_ENDING) for file in _FOLDER.iterdir())


def word_shares(code: str) -> Iterator[tuple[str, float]]:
    """The usual words of a language, the commonest first, each with its share of all text.

    >>> next(word_shares("en"))
    ('the', 0.05370317963702527)
    """
    return unpacked((_FOLDER / f"{code}{_ENDING}").read_bytes())


def unpacked(data: bytes) -> Iterator[tuple[str, float]]:
    """The words of a packed list, with their shares: those of a place n have 10 ** (-n / 100) of all text.

    A list holds, for its words in alphabetical order, three columns: how many characters each has in common with
    the word before it, the rest of each on a line, and the places, low bytes first, then high bytes.
    """
    shared, endings, bytes_of_places = msgspec.msgpack.decode(
        zstandard.decompress(data), type=tuple[bytes, str, bytes]
    )
    words: list[str] = []
    word = ""
    for same, ending in zip(shared, endings.split("\n"), strict=True):
        word = word[:same] + ending
        words.append(word)
    low, high = np.frombuffer(bytes_of_places, np.uint8).astype(np.int64).reshape(2, -1)
    places = low + 256 * high
    order = np.argsort(places, kind="stable")
    shares = [10 ** (-place / 100) for place in range(int(places.max()) + 1)]
    return zip(
        map(words.__getitem__, order.tolist()), map(shares.__getitem__, places[order].tolist()), strict=True
    )
