"""The words that a site repeats on its pages, so that snippets show what a page says itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from salticid.columns import distinct, distinct_counts
from salticid.model import Bools, Ints, Outcome, Page
from salticid.store.crawl_folder import CrawlFolder
from salticid.text.boilerplate import LEAST_PAGES, LEAST_SHARE, ROW
from salticid.urls import host, origin

MOST_PAGES = 12
"""So many pages of a host are looked at, spread over those found."""
NEAR = 1000
"""They are looked for among so many visits before and after the page."""
MOST_HOSTS = 1024
"""What so many hosts repeat is remembered, those learned last; others are learned again."""

_STEPS = f"""SELECT v.step FROM visit v CROSS JOIN url u ON u.id = v.final WHERE v.step BETWEEN ? AND ?
    AND v.outcome = '{Outcome.OK.value}' AND NOT v.revisit AND v.duplicate_of IS NULL AND u.text >= ? AND u.text < ?"""
_FACTOR = np.uint64(0x9E3779B97F4A7C15)

Rows = npt.NDArray[np.uint64]


class RepeatedWords:
    """Which words of pages the hosts of a crawl repeat, learned from a few pages of each when asked for.

    They are what judge and strategy do not read as a page's own words (`text/boilerplate.py`), but found in all of a
    page. Near-duplicates are not looked at: what copies of one page have in common is what it says.
    """

    def __init__(self, crawl: CrawlFolder) -> None:
        self._crawl = crawl
        self._learned: dict[str, Rows] = {}

    def of(self, step: int, page: Page) -> Bools:
        """For each token of the page of a visit whether its site repeats it."""
        url = self._crawl.url(page.url)
        name = host(url)
        if name not in self._learned:
            if len(self._learned) == MOST_HOSTS:
                del self._learned[next(iter(self._learned))]
            pages = map(self._crawl.page, self._steps_near(step, url))
            self._learned[name] = _repeated([page.tokens for page in pages if page is not None])
        known, rows = self._learned[name], _rows(page.tokens)
        repeated = np.zeros(len(page.tokens), np.bool_)
        if not len(known):
            return repeated
        is_known = known[np.minimum(np.searchsorted(known, rows), len(known) - 1)] == rows
        for place in range(ROW):
            repeated[place : place + len(rows)] |= is_known
        return repeated

    def _steps_near(self, step: int, url: str) -> list[int]:
        """Some visits to pages of the host of a URL. They are not checked, for the pages are."""
        site = origin(url)
        between = f"{site}/", f"{site}0"  # "0" comes after "/"
        steps = [row[0] for row in self._crawl.database.run(_STEPS, (step - NEAR, step + NEAR, *between))]
        many = min(len(steps), MOST_PAGES)
        return [steps[at * len(steps) // many] for at in range(many)]


def _repeated(pages: Sequence[Ints]) -> Rows:
    """The rows of words that pages of one host repeat."""
    if len(pages) < LEAST_PAGES:
        return np.zeros(0, np.uint64)
    rows, counts = distinct_counts(np.concatenate([distinct(_rows(page)) for page in pages]))
    return rows[counts >= max(LEAST_PAGES, LEAST_SHARE * len(pages))]


def _rows(tokens: Ints) -> Rows:
    """A number for each row of words, by their ids."""
    many = max(len(tokens) - ROW + 1, 0)
    words, rows = tokens.astype(np.uint64), np.zeros(many, np.uint64)
    for place in range(ROW):
        rows = rows * _FACTOR + words[place : place + many]
    return rows
