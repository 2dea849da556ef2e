"""Languages that addresses name (/fr/page, fr.example.org, ?lang=fr), and links that lead to other languages."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

import numpy as np

from salticid.columns import grow
from salticid.model import Bools, Ints
from salticid.protocols import Brief, UrlTable
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

    @classmethod
    def of(cls, brief: Brief) -> OtherLanguages:
        """Wanted are the languages that a person named, else those of the keywords and the start pages."""
        if named := brief.topic.languages:
            return cls(brief.urls, named, named=True)
        seeds = brief.urls.spell(brief.seeds.url.tolist())
        return cls(brief.urls, {brief.language, *(place.code for seed in seeds for place in language_places(seed))})

    @property
    def wanted(self) -> frozenset[str]:
        """The codes of the languages that links may lead to."""
        return self._wanted

    def among(self, page: int, links: Ints) -> Bools:
        """For each of some links of a page whether it leads to another language."""
        other = self.named_by(links)
        if other.any():
            here = self._urls[page]
            at = np.flatnonzero(other)
            other[at] = [self._leads_to_another(here, text) for text in self._urls.spell(links[at].tolist())]
        return other

    def named_by(self, urls: Ints) -> Bools:
        """Which URLs name a language that is not wanted, or something that looks like it."""
        kinds = self._kinds = grow(self._kinds, int(urls.max(initial=-1)) + 1)
        news = np.unique(urls[kinds[urls] == _NEW])
        for url, text in zip(news.tolist(), self._urls.spell(news.tolist()), strict=True):
            names_other = any(place.code not in self._wanted for place in language_places(text))
            kinds[url] = _NAMES_OTHER if names_other else _PLAIN
        named: Bools = kinds[urls] == _NAMES_OTHER
        return named

    def signs(self, here: str, link: str) -> Iterator[tuple[str | None, bool]]:
        """The roots that a link of this page lies under, from left to right; None for a parameter, which has none.

        And whether the root is surely that of a language. Others are if an earlier link showed it.
        """
        for place in language_places(link):
            if place.code in self._wanted:
                continue
            if place.kind == "parameter":
                yield None, True
            else:
                root = link[: link.find("/", place.end)] if place.kind == "host" else link[: place.end]
                yield root, self._is_beside(here, link, place) or _is_the_same(here, link, place)

    def _leads_to_another(self, here: str, link: str) -> bool:
        for root, is_sure in self.signs(here, link):
            if is_sure and root is not None and len(self._roots) < MOST_ROOTS:
                self._roots[root] = 1
            if is_sure or root in self._roots:
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
