"""Chance by number: what is drawn for a thing depends on the seed, a purpose and the thing, on nothing else.

Draws are integer arithmetic, and what is made of them uses only sums, products, quotients and square roots, which
IEEE 754 rounds alike everywhere. So a seed gives the same web on every machine, in whatever order it is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from salticid.webs import text_hash

Keys = npt.NDArray[np.uint64]
Whole = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


class Lots:
    """The lots drawn for one purpose.

    >>> lots = Lots(0, "size")
    >>> here, there = np.arange(3), np.array([2])
    >>> lots.rolls(here)[2] == lots.rolls(there)[0], bool((lots.below(6, here) < 6).all())
    (np.True_, True)
    """

    def __init__(self, seed: int, purpose: str) -> None:
        self._key = np.uint64(text_hash(f"{seed} {purpose}".encode()))

    def keys(self, *numbers: npt.NDArray[np.integer]) -> Keys:
        """A key for each thing, which may have several numbers; `later` makes more of one."""
        keys = np.full(len(numbers[0]), self._key)
        for column in numbers:
            keys = mix(keys + column.astype(np.uint64) * _STEP)
        return keys

    def rolls(self, *numbers: npt.NDArray[np.integer]) -> Reals:
        """A number in [0, 1) for each thing."""
        return rolls(self.keys(*numbers))

    def below(self, limit: int | npt.NDArray[np.integer], *numbers: npt.NDArray[np.integer]) -> Whole:
        """A whole number from 0 up to `limit` for each thing."""
        return below(self.keys(*numbers), limit)


def mix(keys: Keys) -> Keys:
    """Each key well stirred (splitmix64; Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014)."""
    keys = (keys ^ (keys >> np.uint64(30))) * _FIRST
    keys ^= keys >> np.uint64(27)
    keys *= _SECOND
    keys ^= keys >> np.uint64(31)
    return keys


def later(keys: Keys, number: int | npt.NDArray[np.integer]) -> Keys:
    """Draw number `number` of those that follow from each key."""
    return mix(
        keys + (np.asarray([number] if isinstance(number, int) else number).astype(np.uint64) + np.uint64(1)) * _STEP
    )


def rolls(keys: Keys) -> Reals:
    """The keys as numbers in [0, 1)."""
    numbers: Reals = (keys >> np.uint64(11)) * np.float64(2.0**-53)
    return numbers


def below(keys: Keys, limit: int | npt.NDArray[np.integer]) -> Whole:
    """The keys as whole numbers from 0 up to `limit`, which is less than 2**31."""
    bound = np.asarray(limit).astype(np.uint64)
    numbers: Whole = (((keys >> np.uint64(32)) * bound) >> np.uint64(32)).astype(np.int64)
    return numbers


def power(base: Reals, parts: int) -> Reals:
    """`base ** (parts / 32)`, by products and square roots alone.

    >>> power(np.array([16.0]), 40).tolist()
    [32.0]
    """
    whole, rest = divmod(parts, 32)
    result = np.ones_like(base)
    for _ in range(whole):
        result = result * base
    root = base
    for part in (16, 8, 4, 2, 1):
        root = np.sqrt(root)
        if rest & part:
            result = result * root
    return result


def eighth_root(numbers: npt.ArrayLike) -> Reals:
    """The eighth root, by square roots."""
    root: Reals = np.sqrt(np.sqrt(np.sqrt(np.asarray(numbers, np.float64))))
    return root


def eleventh_root(numbers: npt.NDArray[np.integer]) -> Reals:
    """The eleventh root of whole numbers from 1 on, by Newton's method.

    >>> eleventh_root(np.array([1, 2048])).round(12).tolist()
    [1.0, 2.0]
    """
    values = numbers.astype(np.float64)
    root = eighth_root(values)
    for _ in range(50):
        root = (10 * root + values / _tenth_power(root)) / 11
    return root


def reach(size: npt.ArrayLike, shift: npt.ArrayLike) -> Reals:
    """What `zipf_ranks` needs to know of so many ranks."""
    return 1 - eighth_root(np.asarray(shift) / (np.asarray(shift) + np.asarray(size)))


def zipf_ranks(chance: Reals, far: Reals, shift: npt.ArrayLike) -> Whole:
    """Ranks from 0 on, whose shares fall as (rank + shift) ** -1.125; `far` is their `reach`."""
    fourth = np.square(np.square(1 - chance * far))
    ranks: Whole = (np.asarray(shift) / (fourth * fourth) - np.asarray(shift)).astype(np.int64)
    return ranks


def zipf(chance: Reals, size: int, shift: int) -> Whole:
    """Ranks from 0 up to `size`, whose shares fall as (rank + shift) ** -1.125.

    >>> zipf(np.array([0.0, 0.5, 0.999999]), 1000, 2).tolist()
    [0, 22, 999]
    """
    return np.minimum(zipf_ranks(chance, reach(size, shift), shift), size - 1)


def popular(chance: Reals, size: Whole, root: Reals) -> Whole:
    """Ranks from 0 up to `size`, whose shares fall as rank ** (-10/11); `root` is the eleventh root of size + 1.

    A page chosen so has an in-degree whose density falls with the exponent 1 + 11/10 = 2.1.
    """
    spot = 1 + chance * (root - 1)
    return np.minimum((_tenth_power(spot) * spot).astype(np.int64) - 1, size - 1)


def _tenth_power(number: Reals) -> Reals:
    square = number * number
    fourth = square * square
    return fourth * fourth * square


# References: what a link points to, as one number that outlives the page it was made for.

SHARE_SERVICES = 2


class ReferenceKind(IntEnum):
    """What stands, or stood, at an address."""

    PAGE = 0
    FORBIDDEN = 1
    GONE = 2
    CALENDAR = 3
    SHARE = 4


@dataclass(frozen=True, eq=False)
class References:
    """Addresses as columns. `number` is a place, a host with forbidden pages, a host that is gone, a month of a
    calendar, or a place that is shared; `generation` tells the pages of one place, or of one such host, apart; `moved`
    is 1 for a second address, and for the second of the services that share a page.

    >>> packed = References.pack(ReferenceKind.PAGE, np.array([70_000]), np.array([12]), np.array([1]))
    >>> columns = References.unpack(packed)
    >>> columns.kind.tolist(), columns.number.tolist(), columns.generation.tolist(), columns.moved.tolist()
    ([0], [70000], [12], [1])
    """

    kind: Whole
    number: Whole
    generation: Whole
    moved: Whole

    @staticmethod
    def pack(kind: int | Whole, number: Whole, generation: Whole, moved: int | Whole = 0) -> Whole:
        numbers: Whole = number << 20 | generation << 4 | np.asarray(moved) << 3 | np.asarray(kind)
        return numbers

    @classmethod
    def unpack(cls, packed: Whole) -> References:
        """The columns of packed references."""
        return cls(packed & 7, packed >> 20, (packed >> 4) & 0xFFFF, (packed >> 3) & 1)
