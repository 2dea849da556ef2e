"""What a URL looks like from afar: which others are of its kind, and whether it goes round in circles."""

from __future__ import annotations

import re
from collections import Counter
from hashlib import blake2b

from salticid.urls import site

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
