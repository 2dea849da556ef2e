"""Robustness: how far two crawls from different halves of the seeds end up on the same pages and servers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from salticid.model import Floats, Ints
from salticid.protocols import UrlTable


def overlap(a: Ints, b: Ints) -> float | None:
    """|A and B| / max(|A|, |B|): the share of the larger crawl that the other one has too; None without pages.

    `a` and `b` are what two crawls fetched: ids of pages, or of their servers, where repeated ones count once.
    The papers name the overlap without a formula. Crawls of one budget are mostly of one size, and then this
    is the plain share of common pages; the larger one is the measure when sizes differ, for a crawl that ends
    after its first page is not robust.

    >>> overlap(np.array([3, 1, 4, 1]), np.array([1, 3]))
    0.6666666666666666
    """
    curve = overlap_curve(a, b)
    return float(curve[-1]) if len(curve) else None


def overlap_curve(a: Ints, b: Ints) -> Floats:
    """The overlap after n = 1, 2, ... pages of either crawl; one that ended sooner keeps what it had.

    >>> overlap_curve(np.array([3, 1, 4]), np.array([1, 3])).tolist()
    [0.0, 1.0, 0.6666666666666666]

    Paper: Chakrabarti, van den Berg, Dom, "Focused crawling: a new approach to topic-specific web resource
    discovery", WWW8, 1999, after the survey of spec 1.
    """
    length = max(len(a), len(b))
    (ids_a, first_a), (ids_b, first_b) = np.unique(a, return_index=True), np.unique(b, return_index=True)
    _, in_a, in_b = np.intersect1d(ids_a, ids_b, assume_unique=True, return_indices=True)
    common_from = np.maximum(first_a[in_a], first_b[in_b])
    larger = np.maximum(_so_far(first_a, length), _so_far(first_b, length))
    return _so_far(common_from, length) / np.maximum(larger, 1)


def servers(urls: UrlTable, crawled: Ints) -> Ints:
    """The server of each crawled URL: what to hand to `overlap` for the overlap of servers."""
    return np.fromiter(map(urls.host, crawled.tolist()), np.int32, len(crawled))


def _so_far(at: npt.NDArray[np.int64], length: int) -> npt.NDArray[np.int64]:
    """How many of these moments have come after 1, 2, ..., `length` pages."""
    return np.cumsum(np.bincount(at, minlength=length))
