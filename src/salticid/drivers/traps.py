"""Traps: sites with pages without end and nothing in them for us, known by what their pages were worth.

Calendars, session ids, folders that go round in circles, searches with ever more facets: nobody can tell such a
site from a large honest one by looking at one page. So nothing is closed for its size. A pattern of URLs is
closed when enough pages of it have come and none was worth as much as the crawl's pages usually are. It is one
pattern under all the names of a registered domain, which cost nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from math import inf

import numpy as np

from salticid.drivers.lobby import Crowds
from salticid.drivers.same_pages import SamePages
from salticid.model import Outcome, Response, Visit
from salticid.parse import GOOD_STATUSES
from salticid.protocols import Table, UrlTable
from salticid.snapshots import in_snapshot
from salticid.urls import site

# What a URL looks like from afar: which others are of its kind, and whether it goes round in circles.

MOST_SEGMENTS = 40
"""A path of more folders was not laid out by a person."""
MOST_ON_END = 3
"""A folder, or a few in a row, may come so often one after the other."""
MOST_OF_ONE = 6
"""A folder may stand so often in one path, a parameter with its value in one query."""
MOST_NAMES = 2
"""A query of more parameters is of one kind with all such queries of its path: a search with its facets."""
_LONGEST_ROUND = 4

_ID = re.compile(
    r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    r"|(?=[A-Za-z_]*[0-9])[0-9A-Za-z_]{12,}"
    r"|(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{8,}"
)
_NUMBER = re.compile(r"[0-9]+")
_LETTER = re.compile(r"[A-Za-z]")
_SESSION = re.compile(
    r"(?<=[?&])(?:sid|sess|session|sessid|session_?id|oscsid|xtcsid|zenid|aspsessionid\w*|phpsessionid)=[^&]*&?"
    r"|(?<=/)\(S\([^/()]*\)\)/",
    re.IGNORECASE,
)
_CALENDAR = re.compile(
    r"(?<![a-z])(?:calendars?|cal|events?|agenda|date|day|week|month|year|jahr|monat|kalender)(?![a-z])",
    re.IGNORECASE,
)


def text_number(text: str) -> int:
    """A number of 63 bits for a text, the same in every run, unlike its hash."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little") >> 1


def shape(url: str) -> str:
    """The pattern of a canonical URL: the same for all that differ only in numbers, ids and values.

    >>> shape("http://a.example/blog/2024/05/?page=7"), shape("http://a.example/blog/1999/12/?page=x")
    ('a.example/blog/#/#/?page', 'a.example/blog/#/#/?page')
    >>> shape("http://a.example/item/3f2a9c0d17?a=1&b=2&c=3"), shape("http://www.a.example/item/spiders")
    ('a.example/item/@?*', 'a.example/item/spiders')
    """
    address, _, query = url.partition("://")[2].partition("?")
    _, slash, path = address.partition("/")
    general = site(url) + slash + _NUMBER.sub("#", _ID.sub("@", path))
    if not query:
        return general
    names = sorted({_NUMBER.sub("#", pair.partition("=")[0]) for pair in query.split("&")})
    return f"{general}?{'&'.join(names) if len(names) <= MOST_NAMES else '*'}"


def section(url: str) -> str:
    """The part of its site that a URL is in: the registered domain and the first folder.

    >>> section("http://a.example/shop/red/large/cheap"), section("http://www.a.example/about")
    ('a.example/shop/', 'a.example/')
    """
    path = url.partition("://")[2].partition("?")[0]
    _, slash, rest = path.partition("/")
    folder, deeper, _ = rest.partition("/")
    return site(url) + slash + (folder + deeper if deeper else "")


def is_of_a_calendar(url: str) -> bool:
    """Whether it says so itself: it names a calendar, an event or a date, and holds a number.

    >>> is_of_a_calendar("http://a.example/calendar/2031/02"), is_of_a_calendar("http://a.example/?month=3")
    (True, True)
    >>> is_of_a_calendar("http://a.example/2024/05/spiders"), is_of_a_calendar("http://a.example/calendar")
    (False, False)
    """
    path = url.partition("://")[2].partition("/")[2]
    return bool(_NUMBER.search(path)) and bool(_CALENDAR.search(path))


def without_session(url: str) -> str | None:
    """The URL without its session id, which says who came and not which page; None when it has none.

    >>> without_session("http://a.example/x?q=1&sid=4fe"), without_session("http://a.example/x?q=1")
    ('http://a.example/x?q=1&', None)
    """
    if "?" not in url and "&" not in url and "(" not in url:
        return None
    shorter = _SESSION.sub("", url)
    return None if shorter == url else shorter


def goes_round(url: str) -> bool:
    """Whether its path or query repeats itself as only a mistake in a site's links makes it.

    >>> goes_round("http://a.example/en/shop/en/shop/en/shop/en/shop/"), goes_round("http://a.example/0/0/0/0/0/1")
    (True, False)
    """
    address, _, query = url.partition("://")[2].partition("?")
    folders = address.split("/")[1:]
    if len(folders) <= MOST_ON_END and query.count("&") < MOST_OF_ONE:
        return False
    if len(folders) > MOST_SEGMENTS or _most(query.split("&")) > MOST_OF_ONE:
        return True
    names = [folder if _LETTER.search(folder) else "" for folder in folders]
    if _most([folder for folder in names if folder]) > MOST_OF_ONE:
        return True
    return any(_repeats(names, size) > MOST_ON_END for size in range(1, _LONGEST_ROUND + 1))


def _most(parts: list[str]) -> int:
    """How often the most frequent of them is there."""
    return max(Counter(parts).values(), default=0)


def _repeats(folders: list[str], size: int) -> int:
    """How often, at most, the same `size` folders follow one another; rounds without a name do not count."""
    longest = same = 0
    for at, (before, now) in enumerate(zip(folders, folders[size:], strict=False)):
        same = same + 1 if before == now and any(folders[at : at + size]) else 0
        longest = max(longest, same)
    return longest // size + 1


# Tangles: the same folders in ever new orders, which relative links without end make and nobody lays out.
#
# A link `a/` on every page leads to /a/a/a/, and two of them to /a/b/b/a/ and so on. One path that repeats itself
# proves nothing (/en/docs/en/), and neither do two orders of the same folders. A site is tangled when page after page
# came from the third order or a later one: from a path that repeats itself, or without being new and to the judge's
# liking.

ORDERS = 2
"""The same folders may stand in so many orders, or so many times each."""
MOST_TANGLES = 10
"""So many pages beyond that, and the site is tangled."""
MOST_SETS = 50_000
"""Sets of folders, the last ones met."""
_MOST_THREADS = 10
"""Names of a path that are taken for threads of a tangle."""
_TANGLE_LETTER = re.compile(r"[A-Za-z%]")


@in_snapshot(_orders=dict[int, tuple[int, ...]], _tangles=Counter[str], _threads=dict[str, set[str]])
class Tangles:
    """What a crawl knows of tangled sites: a function of the pages it was shown, in their order."""

    def __init__(self) -> None:
        self._orders: dict[int, tuple[int, ...]] = {}
        self._tangles: Counter[str] = Counter()
        self._threads: dict[str, set[str]] = {}

    def hold(self, url: str) -> bool:
        """Whether a URL leads on into a tangle: it repeats itself, or all its names are of the tangle."""
        its_site = site(url)
        if self._tangles[its_site] < MOST_TANGLES:
            return False
        names = _names(url)
        return _repeats_a_name(names) or self._threads[its_site].issuperset(names)

    def observe(self, url: str, worthy: bool) -> None:
        """A page came, which was worth it or not."""
        names, its_site = _names(url), site(url)
        order = text_number("/".join(names))
        folders = text_number("/".join([its_site, *sorted(set(names))]))
        orders = self._orders.pop(folders, ())
        if order not in orders and len(orders) < ORDERS:
            orders += (order,)
        elif order not in orders and (_repeats_a_name(names) or not worthy):
            self._tangles[its_site] += 1
            self._threads.setdefault(its_site, set()).update(names[:_MOST_THREADS])
        if len(self._orders) >= MOST_SETS:
            del self._orders[next(iter(self._orders))]
        self._orders[folders] = orders


def _names(url: str) -> list[str]:
    """The folders of a URL that have a name, whatever numbers are in it.

    >>> _names("http://a.example/docs/2024/p12/p7/?q=x")
    ['docs', 'p#', 'p#']
    """
    path = url.partition("://")[2].partition("?")[0].partition("/")[2]
    return [folder for folder in _NUMBER.sub("#", path).split("/") if _TANGLE_LETTER.search(folder)]


def _repeats_a_name(names: list[str]) -> bool:
    return len(set(names)) < len(names)


PAGES_A_PATTERN = 200
PAGES_A_CALENDAR = 50
PAGES_A_SECTION = 1_000
"""So many pages, none of them above the crawl's median nor to the judge's liking, and there is no more to come."""
MOST_MISSING = 20
"""So many pages of a kind that are not there, though the answer does not say so, or behind a wall, and fewer than a
quarter as many that are: the others will not be there either."""
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

    `missing` are those that were not there, though the answer did not say so, or behind a wall.
    """

    pages: int = 0
    best: float = -inf
    missing: int = 0


_NEVER_MET = _Pattern()


@in_snapshot(
    "_urls", same_pages=SamePages, _tangles=Tangles, crowds=Crowds, _patterns=dict[int, _Pattern],
    _grades=np.int64, _fetches=Counter[str], _unparsable=Counter[str],
)  # fmt: skip
class Traps:
    """What a crawl knows of the sites it is on: a function of the visits it was shown, in their order.

    What it is shown `crowds` are shown too, which know who has to wait for whom, and `same_pages`, which see through
    pages that are not there.
    """

    def __init__(
        self, urls: UrlTable, words: Table, share: float = 0.25, places: Mapping[str, str] | None = None
    ) -> None:
        self._urls = urls
        self.same_pages = SamePages(urls, words)
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
        if visit.outcome is Outcome.KEPT_OUT or (visit.outcome is Outcome.DEAD and visit.status in GOOD_STATUSES):
            for kind in kinds:
                self._latest(kind).missing += 1
        if visit.good:
            new = visit.page is not None and self.same_pages.observe(visit, visit.page)
            self._tangles.observe(url, visit.positive and new)
            grade = round(min(max(visit.score, 0.0), 1.0) * _GRADES)
            self._grades[grade] += 1
            for kind in kinds:
                pattern = self._latest(kind)
                pattern.pages += 1
                pattern.best = max(pattern.best, inf if visit.positive else grade)

    def take_probe(self, response: Response) -> None:
        """Take what came of a question that `same_pages` had."""
        for url in self.same_pages.take_probe(response):
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
