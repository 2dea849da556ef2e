"""Languages that addresses name (/fr/page, fr.example.org, ?lang=fr), and links that lead to other languages."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

import numpy as np

from salticid.columns import grow
from salticid.model import Bools, Ints
from salticid.protocols import UrlTable
from salticid.snapshots import in_snapshot

MOST_ROOTS = 5_000
"""Places of sites under which pages in other languages lie, the first ones met."""
_ALL_CODES = (
    "af am ar az be bg bn bs ca cs cy da de el en eo es et eu fa fi fr ga gl gu he hi hr hu hy id is it ja ka kk km kn "
    "ko ku ky la lb lo lt lv mk ml mn mr ms mt my nb ne nl nn no pa pl ps pt ro ru si sk sl so sq sr sv sw ta te tg th "
    "tk tl tr tt uk ur uz vi xh yi yo zh zu"
)
_CODES = frozenset(_ALL_CODES.split())
"""Two-letter codes of languages that sites are written in."""
_SAME = {"nb": "no", "nn": "no"}
_TAG = r"[a-z]{2}(?:[-_](?:[a-z]{2}|[a-z]{4}|419))?"
"""How an address names a language, perhaps with a country or a script."""
_NAMED = re.compile(
    rf"(?<=://)(?P<host>{_TAG})\.(?=[^/.]+\.[^/.])|(?<=[^:/]/)(?P<folder>{_TAG})(?:/|$)"
    rf"|[?&](?:lang|language|locale|hl|uselang)=(?P<parameter>{_TAG})(?=&|$)",
    re.IGNORECASE,
)


class LanguagePlace(NamedTuple):
    """Where a URL names a language, by its `host`, a `folder` or a `parameter`; and what to cut to leave it out."""

    kind: str | None
    code: str
    start: int
    end: int


def language_places(url: str) -> Iterator[LanguagePlace]:
    """Where a canonical URL may name a language, from left to right.

    >>> [place.code for place in language_places("https://fr.example.org/zh-cn/a?hl=de")]
    ['fr', 'zh', 'de']
    >>> list(language_places("https://example.org/wiki/France"))
    []
    """
    for match in _NAMED.finditer(url):
        code = match[match.lastgroup or 0][:2].lower()
        if code in _CODES:
            yield LanguagePlace(match.lastgroup, _SAME.get(code, code), *match.span())


def without_language(url: str) -> str:
    """A URL without the first language that it names, and without `www.`: equal for translations of a page.

    >>> without_language("https://fr.example.org/a"), without_language("https://www.example.org/a")
    ('https://example.org/a', 'https://example.org/a')
    >>> without_language("https://example.org/zh-cn/a/"), without_language("https://example.org/a/?lang=fr")
    ('https://example.org/a/', 'https://example.org/a/')
    """
    place = next(language_places(url), None)
    if place is not None:
        url = url[: place.start] + url[place.end :]
    return url.replace("://www.", "://", 1)


@in_snapshot("_urls", "_wanted", "_named", _kinds=np.uint8, _roots=dict[str, int])
class OtherLanguages:
    """Which links lead to the pages of a site in languages that are not `wanted`.

    A folder `/it/` may be Italian, or a department. It counts as a language where the page with the link has one that
    is wanted in its place (/en/a to /fr/b), or has the same address but for it (/a to /fr/a); from then on all below it
    does. A parameter such as `lang=fr` always does. Where a person named the languages (`named`), it is enough that the
    page has any language in that place.
    """

    def __init__(self, urls: UrlTable, wanted: Collection[str], named: bool = False) -> None:
        self._urls, self._wanted = urls, frozenset(_SAME.get(code, code) for code in wanted)
        self._named = named
        self._kinds = np.zeros(1024, np.uint8)
        self._roots: dict[str, int] = {}

    def among(self, page: int, links: Ints) -> Bools:
        """For each of some links of a page whether it leads to another language."""
        kinds = self._kinds = grow(self._kinds, int(links.max(initial=-1)) + 1)
        news = np.unique(links[kinds[links] == _NEW])
        for url, text in zip(news.tolist(), self._urls.spell(news.tolist()), strict=True):
            names_other = any(place.code not in self._wanted for place in language_places(text))
            kinds[url] = _NAMES_OTHER if names_other else _PLAIN
        other: Bools = kinds[links] == _NAMES_OTHER
        if other.any():
            here = self._urls[page]
            at = np.flatnonzero(other)
            other[at] = [self._leads_to_another(here, text) for text in self._urls.spell(links[at].tolist())]
        return other

    def _leads_to_another(self, here: str, link: str) -> bool:
        for place in language_places(link):
            if place.code in self._wanted:
                continue
            root = link[: link.find("/", place.end)] if place.kind == "host" else link[: place.end]
            if place.kind == "parameter" or root in self._roots:
                return True
            if self._is_beside(here, link, place) or _is_the_same(here, link, place):
                if len(self._roots) < MOST_ROOTS:
                    self._roots[root] = 1
                return True
        return False

    def _is_beside(self, here: str, link: str, place: LanguagePlace) -> bool:
        """Whether this page names a language where the link names one that is not wanted."""
        mine = next((mine for mine in language_places(here) if mine.kind == place.kind), None)
        if mine is None or not (self._named or mine.code in self._wanted) or here[: mine.start] != link[: place.start]:
            return False
        return place.kind == "folder" or here[mine.end :].partition("/")[0] == link[place.end :].partition("/")[0]


_NEW, _PLAIN, _NAMES_OTHER = range(3)


def _is_the_same(here: str, link: str, place: LanguagePlace) -> bool:
    """Whether the address of a link is that of a page but for a folder, behind which there is more."""
    if place.kind != "folder" or place.end == len(link) or here.startswith(link[: place.end]):
        return False
    return here == link[: place.start] + link[place.end :]
