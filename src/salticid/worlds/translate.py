"""Pages taken over from one pair of tables into another."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from salticid.model import NO_URL, Ints, Links, Page
from salticid.protocols import Table, UrlTable


class Translation:
    """Gives pages the ids of other tables; `spell_url` and `spell_word` say what their own ids stand for.

    What was looked up is kept, so that one translation serves one pair of tables.

    >>> from salticid.tables import Texts, Urls
    >>> from salticid.testing import spider_web
    >>> web, urls, words = spider_web(), Urls(), Texts()
    >>> page = Translation(web.urls.__getitem__, web.words.__getitem__).page(web.page(web.id("b")), urls, words)
    >>> urls[page.url], words.spell(page.anchor(0).tolist()), page.text[:15]
    ('http://small.example/b', ['their', 'eyes'], 'Jumping spiders')
    """

    def __init__(self, spell_url: Callable[[int], str], spell_word: Callable[[int], str]) -> None:
        self._url, self._word = _Ids(spell_url), _Ids(spell_word)

    def page(self, page: Page, urls: UrlTable, words: Table) -> Page:
        """The same page under the ids of these tables, which learn what they do not know yet."""
        url, canonical, refresh = (
            at if at == NO_URL else int(self._url.to(np.array([at]), urls)[0])
            for at in (page.url, page.canonical, page.refresh)
        )
        links = page.links
        return Page(
            url=url,
            title=page.title,
            tokens=self._word.to(page.tokens, words),
            area_start=page.area_start,
            area=page.area,
            links=Links(self._url.to(links.url, urls), links.start, links.end, links.nofollow),
            packed_text=page.packed_text,
            canonical=canonical,
            refresh=refresh,
            noindex=page.noindex,
            nofollow=page.nofollow,
        )


class _Ids:
    """Ids of one table -> ids of another, filled in as they turn up."""

    def __init__(self, spell: Callable[[int], str]) -> None:
        self._spell = spell
        self._map = np.full(1024, -1, np.int32)

    def to(self, ids: Ints, table: Table) -> Ints:
        if len(ids) and (top := int(ids.max())) >= len(self._map):
            grown = np.full(max(top + 1, 2 * len(self._map)), -1, np.int32)
            grown[: len(self._map)] = self._map
            self._map = grown
        for at in dict.fromkeys(ids[self._map[ids] < 0].tolist()):
            self._map[at] = table.intern(self._spell(at))
        found: Ints = self._map[ids]
        return found
