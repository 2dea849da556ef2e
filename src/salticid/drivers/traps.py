"""Traps: sites with pages without end and nothing in them for us, known by what their pages were worth.

Calendars, session ids, folders that go round in circles, searches with ever more facets: nobody can tell such a
site from a large honest one by looking at one page. So nothing is closed for its size. A pattern of URLs is
closed when enough pages of it have come and none was worth as much as the crawl's pages usually are. It is one
pattern under all the names of a registered domain, which cost nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import inf

import numpy as np

from salticid.drivers.crowds import Crowds
from salticid.drivers.soft_404s import Soft404s
from salticid.drivers.tangles import Tangles
from salticid.drivers.url_shapes import (
    goes_round,
    is_of_a_calendar,
    section,
    shape,
    text_number,
    without_session,
)
from salticid.model import Outcome, Response, Visit
from salticid.parse.content import GOOD_STATUSES
from salticid.protocols import Table, UrlTable
from salticid.snapshots import in_snapshot
from salticid.urls import site

PAGES_A_PATTERN = 200
PAGES_A_CALENDAR = 50
PAGES_A_SECTION = 1_000
"""So many pages, none of them above the crawl's median nor to the judge's liking, and there is no more to come."""
MOST_MISSING = 20
"""So many pages of a kind that are not there, though the answer does not say so, and fewer than a quarter as many
that are: the others will not be there either."""
SESSIONS = 3
"""A page is asked for under so many session ids."""
MOST_UNPARSABLE = 5
"""Pages made to keep a parser busy that a site may send, and a tenth of what it was asked for."""
MOST_PATTERNS = 100_000
"""Patterns, the last ones met."""
_GRADES = 1_000
"""Scores are rounded to so many steps between 0 and 1."""


@in_snapshot()
@dataclass(slots=True)
class _Pattern:
    """How many pages of a pattern came, and the best grade among them; infinite when the judge liked one.

    `missing` are those that were not there, though the answer did not say so.
    """

    pages: int = 0
    best: float = -inf
    missing: int = 0


_NEVER_MET = _Pattern()


@in_snapshot(
    "_urls", soft_404s=Soft404s, _tangles=Tangles, crowds=Crowds, _patterns=dict[int, _Pattern],
    _grades=np.int64, _fetches=Counter[str], _unparsable=Counter[str],
)  # fmt: skip
class Traps:
    """What a crawl knows of the sites it is on: a function of the visits it was shown, in their order.

    What it is shown `crowds` are shown too, which know who has to wait for whom, and `soft_404s`, which see through
    pages that are not there.
    """

    def __init__(
        self, urls: UrlTable, words: Table, share: float = 0.25, places: Mapping[str, str] | None = None
    ) -> None:
        self._urls = urls
        self.soft_404s = Soft404s(urls, words)
        self._tangles = Tangles()
        self.crowds = Crowds(urls, share, {} if places is None else places)
        self._patterns: dict[int, _Pattern] = {}
        self._grades = np.zeros(_GRADES + 1, np.int64)
        self._fetches: Counter[str] = Counter()
        self._unparsable: Counter[str] = Counter()

    def hold(self, url: int) -> bool:
        """Whether a URL leads into a trap and should not be asked for. Changes nothing."""
        text = self._urls[url]
        *kinds, of_page = _kinds(text)
        met = [self._patterns.get(kind, _NEVER_MET) for kind in kinds]
        of_pattern, of_section, _ = met
        return (
            goes_round(text)
            or self._tangles.hold(text)
            or any(_is_not_there(pattern) for pattern in met)
            or self._wears_parsers_out(site(text))
            or self._is_closed(of_pattern, PAGES_A_PATTERN)
            or (self._is_closed(of_pattern, PAGES_A_CALENDAR) and is_of_a_calendar(text))
            or self._is_closed(of_section, PAGES_A_SECTION)
            or (of_page is not None and self._patterns.get(of_page, _NEVER_MET).pages >= SESSIONS)
        )

    def observe(self, visit: Visit) -> None:
        """A visit was made."""
        self.crowds.observe(visit)
        url = self._urls[visit.url]
        *kinds, of_page = _kinds(url)
        if visit.outcome is Outcome.TRAP:
            for kind in kinds:
                if kind in self._patterns:
                    self._latest(kind)
            return
        if of_page is not None:
            self._latest(of_page).pages += 1
        if visit.outcome.fetched:
            self._fetches[site(url)] += 1
        if visit.outcome is Outcome.UNPARSABLE:
            self._unparsable[site(url)] += 1
        if visit.outcome is Outcome.DEAD and visit.status in GOOD_STATUSES:
            for kind in kinds:
                self._latest(kind).missing += 1
        if visit.good:
            new = visit.page is not None and self.soft_404s.observe(visit, visit.page)
            self._tangles.observe(url, visit.positive and new)
            grade = round(min(max(visit.score, 0.0), 1.0) * _GRADES)
            self._grades[grade] += 1
            for kind in kinds:
                pattern = self._latest(kind)
                pattern.pages += 1
                pattern.best = max(pattern.best, inf if visit.positive else grade)

    def take_probe(self, response: Response) -> None:
        """Take what came of a question that `soft_404s` had."""
        for url in self.soft_404s.take_probe(response):
            for kind in _kinds(self._urls[url])[:-1]:
                pattern = self._latest(kind)
                pattern.pages -= 1
                pattern.missing += 1

    def _wears_parsers_out(self, of_site: str) -> bool:
        return self._unparsable[of_site] > max(MOST_UNPARSABLE, self._fetches[of_site] / 10)

    def _is_closed(self, pattern: _Pattern, most: int) -> bool:
        return pattern.pages >= most and pattern.best <= self._median()

    def _median(self) -> int:
        """The grade that half of the crawl's pages do not exceed."""
        up_to = np.cumsum(self._grades)
        return int(np.searchsorted(up_to, (up_to[-1] + 1) // 2))

    def _latest(self, key: int) -> _Pattern:
        """A pattern, which is now the last one met; the one met longest ago may be forgotten for it."""
        pattern = self._patterns.pop(key, None)
        if pattern is None:
            pattern = _Pattern()
            if len(self._patterns) >= MOST_PATTERNS:
                del self._patterns[next(iter(self._patterns))]
        self._patterns[key] = pattern
        return pattern


def _is_not_there(pattern: _Pattern) -> bool:
    return pattern.missing >= MOST_MISSING and pattern.missing > 4 * pattern.pages


@lru_cache(maxsize=4096)  # a URL that is asked for is looked at before and after
def _kinds(url: str) -> tuple[int, int, int, int | None]:
    """The keys of what a URL is one of: its pattern, section and site, and its page when it has a session id."""
    page = without_session(url)
    return (
        text_number(f"pattern {shape(url)}"),
        text_number(f"section {section(url)}"),
        text_number(f"site {site(url)}"),
        None if page is None else text_number(page),
    )
