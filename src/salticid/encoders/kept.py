"""Directions of texts, each text encoded once: kept in memory and in the log of the crawl."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from salticid.model import Floats
from salticid.protocols import Directions, Encoder

LONGEST_TEXT = 1000
"""Characters of a text that are encoded, the first."""
MOST_KEPT = 1 << 15
"""Directions in memory; the log has all of them."""
_LARGEST = 127


@runtime_checkable
class VectorStore(Protocol):
    """Keeps what was encoded by a key; the log of a crawl is one."""

    def vector(self, key: str) -> bytes | None:
        """What was kept under a key."""
        ...

    def keep_vector(self, key: str, vector: bytes) -> None:
        """Keep it with the next batch."""
        ...


class KeptMeanings:
    """The directions of texts as 8-bit numbers: from memory, from the log, else from the encoder.

    A crawl that is played again takes from its log what was encoded then, whatever processor did it.

    >>> class Letters:
    ...     name, version, digest, width = "letters", "1", "0", 2
    ...     def vectors(self, texts):
    ...         return np.array([[text.count("a"), text.count("b")] for text in texts], np.float32)
    >>> meanings = KeptMeanings(Letters())
    >>> meanings.of(["a", "aab", "c"]).tolist()
    [[127, 0], [127, 64], [0, 0]]
    >>> meanings.encoded
    3
    """

    def __init__(self, encoder: Encoder, store: VectorStore | None = None) -> None:
        self._encoder, self._store = encoder, store
        self.width = encoder.width
        self._kept: OrderedDict[str, Directions] = OrderedDict()
        self.encoded = 0
        """How many texts the encoder was given."""

    def of(self, texts: Sequence[str]) -> Directions:
        """A row for each text, its direction; 0 for a text of which nothing is known."""
        keys = [_key(text) for text in texts]
        unknown = {key: text for key, text in zip(keys, texts, strict=True) if not self._recall(key)}
        wanted = {key: self._kept[key] for key in keys if key not in unknown}
        if unknown:
            wanted.update(zip(unknown, self._encode(list(unknown.values())), strict=True))
            for key in unknown:
                self._keep(key, wanted[key])
                if self._store is not None:
                    self._store.keep_vector(key, wanted[key].tobytes())
        return np.stack([wanted[key] for key in keys]) if keys else np.zeros((0, self.width), np.int8)

    def _recall(self, key: str) -> bool:
        if key in self._kept:
            self._kept.move_to_end(key)
            return True
        vector = None if self._store is None else self._store.vector(key)
        if vector is None or len(vector) != self.width:
            return False
        self._keep(key, np.frombuffer(vector, np.int8))
        return True

    def _keep(self, key: str, row: Directions) -> None:
        self._kept[key] = row
        if len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)

    def _encode(self, texts: list[str]) -> Directions:
        """The directions of texts; in order of length, so that none waits for a longer one beside it."""
        order = sorted(range(len(texts)), key=lambda place: (len(texts[place]), place))
        rows = np.zeros((len(texts), self.width), np.float32)
        rows[order] = self._encoder.vectors([texts[place][:LONGEST_TEXT] for place in order])
        self.encoded += len(texts)
        return rounded(rows)


class AbsentEncoder(NamedTuple):
    """In the place of an encoder that is not here: no text means anything to it, so that words alone decide."""

    name: str
    version: str
    digest: str
    width: int

    def vectors(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return np.zeros((len(texts), self.width), np.float32)


def rounded(vectors: npt.NDArray[np.float32]) -> Directions:
    """The vectors in 8-bit numbers, the largest of each being 127."""
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
    largest[largest == 0.0] = 1.0
    rows: Directions = np.rint(vectors / largest * _LARGEST).astype(np.int8)
    return rows


def cosines(rows: Directions, others: Directions) -> Floats:
    """The cosines of the angles between directions, the same on every processor; 0 where one is unknown.

    A sum of up to 1,024 products of 8-bit numbers is a whole number below 2 ** 24, which float32 holds exactly in
    whatever order it is added up.

    >>> cosines(np.array([[3, 4]], np.int8), np.array([[3, 4], [4, -3], [0, 0]], np.int8)).tolist()
    [[1.0, 0.0, 0.0]]
    """
    one, other = rows.astype(np.float32), others.astype(np.float32)
    products = (one @ other.T).astype(np.float64)
    lengths = [np.sqrt((each * each).sum(axis=1).astype(np.float64)) for each in (one, other)]
    scale = lengths[0][:, None] * lengths[1][None, :]
    angles: Floats = np.divide(products, scale, out=np.zeros_like(products), where=scale > 0.0)
    return angles


def _key(text: str) -> str:
    return blake2b(text[:LONGEST_TEXT].encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
