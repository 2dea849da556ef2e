"""Search length: the pages that have to be fetched until a share of the targets is found.

Paper: Menczer, Pant, Ruiz, Srinivasan, "Evaluating topic-driven web crawlers", SIGIR 2001, section 3.2.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_ROUNDING = 1e-9
"""Three tenths of ten targets are three of them, though the product of the two floats is a little more."""


def search_length(relevant: Sequence[bool], targets: int, share: float = 0.5) -> float | None:
    """The least n for which the first n pages hold `share` of all targets; None if the crawl never got there.

    >>> search_length([False, True, False, True], targets=4)
    4.0
    >>> search_length([False, True, False, True], targets=4, share=0.75) is None
    True
    """
    if not targets:
        return None
    found = np.cumsum(np.asarray(relevant, np.bool_))
    n = int(found.searchsorted(share * targets - _ROUNDING)) + 1
    return float(n) if n <= len(found) else None


def censored_search_length(relevant: Sequence[bool], targets: int, share: float, length: int) -> float:
    """The search length with `length` + 1 where the share was not reached: what the table of strategies shows.

    `length` is the budget of all crawls compared, whether or not this one used it up. To leave out the topics
    on which a crawler fails would make its mean the better the more often it fails. So every topic counts,
    and one that was not solved counts as solved on the first page that nobody paid for: the least it can have
    been. The mean is a lower bound, which flatters those who fail, but no failure comes before a success.

    >>> censored_search_length([False, True, False, True], targets=4, share=0.75, length=10)
    11.0
    """
    reached = search_length(relevant[:length], targets, share)
    return length + 1.0 if reached is None else reached
