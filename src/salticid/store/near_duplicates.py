"""Near-duplicates: pages that say all but the same.

A page is the set of its shingles, each a hash of three consecutive words. Two pages are twins when their sets
overlap by nine tenths (Jaccard). Nobody compares all pairs: the MinHash sketch of a page is cut into bands, and
only pages that were the first to show two of these bands are looked at (Broder, On the resemblance and
containment of documents, 1997). Twins share nine bands of sixteen in the mean, and fewer than two once in 10,000
times. Where many pages are nearly twins, as those of one template are, their bands may be taken by others, and
twins be missed; pages with the same words never are.

Other editions of a page, releases and translations, are found on the way (`editions.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import chain, repeat
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rensa import RMinHash

from salticid.model import Page
from salticid.native import at, lib
from salticid.store.database import Database
from salticid.store.editions import EditionKeys
from salticid.store.packing import unpack_page
from salticid.store.schema import PAGE
from salticid.text import detect

ALIKE = 0.9
"""The Jaccard similarity from which on two pages are twins."""
MUCH_ALIKE = 0.5
"""The same for translations, of which much may not be translated."""
SAMPLE = 2_000
"""Letters of a text by which its language is told."""
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


class Alike(NamedTuple):
    """For steps of pages the earliest step of a page that is all but the same, and of one that is another edition."""

    twins: dict[int, int]
    editions: dict[int, int]


class Twins:
    """Which pages of a crawl are all but the same, and which are editions of one page.

    Works within the caller's transaction on `band` and never commits. Everything it knows is in the database, so
    that a batch whose transaction failed may simply be given again.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._cached_shingles = lru_cache(maxsize=128)(self._shingles_at)

    def find(self, pages: Sequence[tuple[int, Page, str]]) -> Alike:
        """For pages in order, each with its step and URL, those that are like earlier ones.

        Remembers those that are not, so that the twin of a twin names the first. Steps ascend; the pages need
        not be in the database yet, earlier ones are. An empty page is like nobody's, and must not be among them.
        """
        sketches = [Sketch.of(page) for _, page, _ in pages]
        keys = _keys(sketches)
        of_editions = [EditionKeys.of(url, page.title) for _, page, url in pages]
        first = self._first_with(chain(*((whole, *bands) for whole, bands in keys), *of_editions))
        here: dict[int, _Hashes] = {}
        texts: dict[int, str] = {}
        rows: list[tuple[int, int]] = []
        twins: dict[int, int] = {}
        others: dict[int, int] = {}
        for (step, page, _), sketch, (whole, bands), edition in zip(pages, sketches, keys, of_editions, strict=True):
            twin = self._twin(sketch.shingles, _in_common(first, whole, bands), here)
            if twin is None:
                here[step], texts[step] = sketch.shingles, page.text[:SAMPLE]
                news, of = [key for key in (whole, *bands) if key not in first], step
                other = first.get(edition.release) if edition.release is not None else None
                if other is None and (likely := first.get(edition.translation)) is not None:
                    other = likely if self._is_translation(step, likely, here, texts) else None
                if other is not None:
                    others[step] = other
            else:
                # The whole of a twin leads to the first as well: the same words again are sure to find it.
                twins[step] = other = twin
                news, of = [] if whole in first else [whole], twin
            root = step if other is None else other
            by_edition = [key for key in edition if key is not None and key not in first]
            for some, owner in ((news, of), (by_edition, root)):
                first.update(dict.fromkeys(some, owner))
                rows += zip(some, repeat(owner))
        rows.sort()  # neighbours in the table are written together
        self._db.connection.executemany("INSERT OR IGNORE INTO band VALUES (?,?)", rows)
        return Alike(twins, others)

    def _is_translation(self, step: int, other: int, here: dict[int, _Hashes], texts: dict[int, str]) -> bool:
        """Whether two pages, whose addresses differ in a language alone, are in two languages, or much alike."""
        if other in here:
            theirs, text = here[other], texts[other]
        else:
            page = unpack_page(self._db.row(PAGE, other, body=True)[1:])
            theirs, text = _shingles(page, _whole(page)), page.text[:SAMPLE]
        return detect(texts[step]) != detect(text) or _alike(_distinct(here[step]), _distinct(theirs), MUCH_ALIKE)

    def first_like(self, page: Page) -> int | None:
        """The step of the earliest page all but the same as one that is of another crawl; nothing is remembered."""
        if not len(page.tokens):
            return None
        sketch = Sketch.of(page)
        whole, bands = _keys([sketch])[0]
        return self._twin(sketch.shingles, _in_common(self._first_with((whole, *bands)), whole, bands), {})

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

    def _first_with(self, keys: Iterable[int | None]) -> dict[int, int]:
        """Which page was the first with each of these keys that are known."""
        numbers = [key for key in keys if key is not None]
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


def _alike(some: _Hashes, others: _Hashes, least: float = ALIKE) -> bool:
    """Whether two sets of shingles overlap by so much."""
    fewer, more = sorted((len(some), len(others)))
    if fewer < least * more:
        return False
    both = np.sort(np.concatenate((some, others)), kind="stable")  # which merges what is sorted
    in_common = np.count_nonzero(both[1:] == both[:-1])
    return bool(in_common >= least * (fewer + more - in_common))
