"""Packs the small word lists of wordfreq, which are frozen at 2021.

pip install wordfreq && python -m tools.words
"""

from __future__ import annotations

from collections.abc import Sequence
from gzip import decompress
from importlib.util import find_spec
from os.path import commonprefix
from pathlib import Path

import msgspec
import zstandard

FOLDER = Path("src/salticid/text/words")
_HEADER = {"format": "cB", "version": 1}
"""The first of a list's parts; the n-th after it holds the words of a share of 10 ** (-n / 100)."""


def pack(words: Sequence[Sequence[str]]) -> bytes:
    """A packed list, which `salticid.text.language` reads, of the words by their places.

    >>> from salticid.text.language import unpacked
    >>> list(unpacked(pack([["a"], [], ["about", "ab"]])))
    [('a', 1.0), ('ab', 0.954992586021436), ('about', 0.954992586021436)]
    """
    pairs = sorted((word, place) for place, some in enumerate(words) for word in some)
    shared, endings, before = bytearray(), [], ""
    for word, _ in pairs:
        same = min(len(commonprefix((before, word))), 255)  # noqa: RUF071 - characters are meant
        shared.append(same)
        endings.append(word[same:])
        before = word
    places = [place.to_bytes(2, "little") for _, place in pairs]
    columns = bytes(low for low, _ in places) + bytes(high for _, high in places)
    packed = msgspec.msgpack.encode((bytes(shared), "\n".join(endings), columns))
    return zstandard.ZstdCompressor(level=22).compress(packed)


def main() -> None:
    """Write the list of every language that has one."""
    spec = find_spec("wordfreq")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("wordfreq is not installed: pip install wordfreq")
    data = Path(spec.submodule_search_locations[0], "data")
    FOLDER.mkdir(exist_ok=True)
    for file in sorted(data.glob("small_*.msgpack.gz")):
        header, *words = msgspec.msgpack.decode(decompress(file.read_bytes()))
        if header != _HEADER:
            raise SystemExit(f"{file} has an unknown format: {header}")
        code = file.name.removeprefix("small_").partition(".")[0]
        (FOLDER / f"{code}.zst").write_bytes(pack(words))


if __name__ == "__main__":
    main()
