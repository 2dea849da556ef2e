"""Near-duplicates: pages that say all but the same.

A page is the set of its shingles, each a hash of three consecutive words. Two pages are twins when their sets
overlap by nine tenths (Jaccard). Nobody compares all pairs: the MinHash sketch of a page is cut into bands, and
only pages that were the first to show two of these bands are looked at (Broder, On the resemblance and
containment of documents, 1997). Twins share nine bands of sixteen in the mean, and fewer than two once in 10,000
times. Where many pages are nearly twins, as those of one template are, their bands may be taken by others, and
twins be missed; pages with the same words never are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import repeat
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rensa import RMinHash

from salticid.model import Page
from salticid.native import at, lib
from salticid.store.database import Database
from salticid.store.packing import unpack_page
from salticid.store.schema import PAGE

ALIKE = 0.9
"""The Jaccard similarity from which on two pages are twins."""
SHINGLE = 3
SHORT = 20
"""A page of fewer tokens is a twin only of one with the same title and text, digits and all."""
MOST_TOKENS = 20_000
"""Tokens of a page; whatever a longer one says after that makes no difference."""
MOST_COMPARISONS = 4
"""Pages that one page is compared with: those that share most bands with it."""

_BANDS, _ROWS = 16, 6
_FEWEST_BANDS = 2
_KEYS_AT_ONCE = 10_000

_Hashes = npt.NDArray[np.uint64]


def _mix(numbers: _Hashes) -> _Hashes:
    """Each number scattered over 64 bits: the finaliser of SplitMix64."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


_FACTORS = _mix(np.arange(1, 1 + _BANDS + _ROWS, dtype=np.uint64) << np.uint64(32)) | np.uint64(1)
_BAND_FACTORS, _ROW_FACTORS = _FACTORS[:_BANDS], _FACTORS[_BANDS:]


class _Keys(NamedTuple):
    """By what a page is found: the whole of it, and the bands of its sketch; numbers of 63 bits."""

    whole: int
    bands: list[int]


class Sketch(NamedTuple):
    """What pages are compared by: the hash of the whole, the shingles, the least of these under many orders."""

    whole: int
    shingles: _Hashes
    least: list[int]

    @classmethod
    def of(cls, page: Page) -> Sketch:
        whole = _whole(page)
        shingles = _shingles(page, whole)
        if len(page.tokens) < SHORT:
            return cls(whole, shingles, [])
        # One page at a time, for many at once are shared among threads, who cost more than they bring.
        of_one = np.array([0, len(shingles)], np.uint64)
        rows = RMinHash.digest_matrix_from_flat_token_hashes(shingles, of_one, _BANDS * _ROWS, 0).to_rows()
        return cls(whole, shingles, rows[0])


class Twins:
    """Which pages of a crawl are all but the same.

    Works within the caller's transaction on `band` and never commits. Everything it knows is in the database, so
    that a batch whose transaction failed may simply be given again.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._cached_shingles = lru_cache(maxsize=128)(self._shingles_at)

    def find(self, sketches: Sequence[tuple[int, Sketch]]) -> dict[int, int]:
        """For each (step, sketch) in order the step of the earliest page all but the same, if there is one.

        Remembers those that are none, so that the twin of a twin names the first. Steps ascend; the pages need
        not be in the database yet, earlier ones are. An empty page is nobody's twin, and must not be among them.
        """
        keys = _keys([sketch for _, sketch in sketches])
        first = self._first_with(keys)
        here: dict[int, _Hashes] = {}
        rows: list[tuple[int, int]] = []
        twins: dict[int, int] = {}
        for (step, sketch), (whole, bands) in zip(sketches, keys, strict=True):
            twin = self._twin(sketch.shingles, _in_common(first, whole, bands), here)
            if twin is None:
                here[step] = sketch.shingles
                news, of = [key for key in (whole, *bands) if key not in first], step
            else:
                # The whole of a twin leads to the first as well: the same words again are sure to find it.
                twins[step] = twin
                news, of = [] if whole in first else [whole], twin
            first.update(dict.fromkeys(news, of))
            rows += zip(news, repeat(of))
        rows.sort()  # neighbours in the table are written together
        self._db.connection.executemany("INSERT OR IGNORE INTO band VALUES (?,?)", rows)
        return twins

    def first_like(self, page: Page) -> int | None:
        """The step of the earliest page all but the same as one that is of another crawl; nothing is remembered."""
        if not len(page.tokens):
            return None
        sketch = Sketch.of(page)
        keys = _keys([sketch])
        return self._twin(sketch.shingles, _in_common(self._first_with(keys), *keys[0]), {})

    def _twin(self, mine: _Hashes, bands_in_common: Counter[int], here: dict[int, _Hashes]) -> int | None:
        """The earliest twin among the pages that share most bands."""
        likely = [step for step, bands in bands_in_common.items() if bands >= _FEWEST_BANDS]
        if not likely:
            return None
        likely = sorted(likely, key=lambda step: (-bands_in_common[step], step))[:MOST_COMPARISONS]
        mine = _distinct(mine)
        for step in sorted(likely):
            theirs = _distinct(here[step]) if step in here else self._cached_shingles(step)
            if _alike(mine, theirs):
                return step
        return None

    def _first_with(self, keys: list[_Keys]) -> dict[int, int]:
        """Which page was the first with each of these keys that are known."""
        numbers = [key for whole, bands in keys for key in (whole, *bands)]
        first: dict[int, int] = {}
        for begin in range(0, len(numbers), _KEYS_AT_ONCE):
            some = numbers[begin : begin + _KEYS_AT_ONCE]
            marks = ",".join("?" * len(some))
            first.update(self._db.run(f"SELECT key, step FROM band WHERE key IN ({marks})", some))
        return first

    def _shingles_at(self, step: int) -> _Hashes:
        page = unpack_page(self._db.row(PAGE, step, body=True)[1:])
        return _distinct(_shingles(page, _whole(page)))


def _in_common(first: dict[int, int], whole: int, bands: list[int]) -> Counter[int]:
    """How many bands a page has in common with those that were the first to show them; the whole is all bands."""
    bands_in_common = Counter([first[band] for band in bands if band in first])
    if whole in first:
        bands_in_common[first[whole]] += _BANDS
    return bands_in_common


def _shingles(page: Page, whole: int) -> _Hashes:
    """The hashes of all runs of three words; a short page is one run, the `whole` of it."""
    if len(page.tokens) < SHORT:
        return np.array([whole], np.uint64)
    tokens = page.tokens[:MOST_TOKENS]
    last = len(tokens) - SHINGLE + 1
    if lib is not None:
        hashes = np.empty(last, np.uint64)
        lib.shingles(at(tokens), len(tokens), at(_FACTORS), SHINGLE, at(hashes))
        return hashes
    ids = tokens.astype(np.uint64)
    runs = ids[:last] * _FACTORS[0]
    for place in range(1, SHINGLE):
        runs += ids[place : place + last] * _FACTORS[place]
    return _mix(runs)


def _distinct(shingles: _Hashes) -> _Hashes:
    """The set of them: ascending, each once."""
    in_order = np.sort(shingles)
    once: _Hashes = in_order[np.append(True, in_order[1:] != in_order[:-1])]
    return once


def _keys(sketches: list[Sketch]) -> list[_Keys]:
    """What pages are found by; a short one only as a whole."""
    values = np.array([sketch.least for sketch in sketches if sketch.least], np.uint64)
    hashes = _mix(values.reshape(-1, _BANDS, _ROWS) @ _ROW_FACTORS + _BAND_FACTORS) >> np.uint64(1)
    bands = iter(hashes.tolist())
    return [_Keys(sketch.whole, next(bands) if sketch.least else []) for sketch in sketches]


def _whole(page: Page) -> int:
    """63 bits of hash of all words in their order; of a short page, of its title and text too."""
    data = page.tokens[:MOST_TOKENS].tobytes()
    if len(page.tokens) < SHORT:
        data += f"{page.title}\n{page.text}".encode()
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little") >> 1


def _alike(some: _Hashes, others: _Hashes) -> bool:
    """Whether two sets of shingles overlap by ALIKE."""
    fewer, more = sorted((len(some), len(others)))
    if fewer < ALIKE * more:
        return False
    both = np.sort(np.concatenate((some, others)), kind="stable")  # which merges what is sorted
    in_common = np.count_nonzero(both[1:] == both[:-1])
    return bool(in_common >= ALIKE * (fewer + more - in_common))
