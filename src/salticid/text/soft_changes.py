"""Whether a page says something new, or only shows another date, another count, other links.

What counts are the words that a page says itself, outside its links. Numbers are no words here, so that times, prices
and counters of visitors or comments never count; nor do the words of a date, nor the order of what is said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby

import numpy as np

from salticid.model import Bools, Page
from salticid.protocols import Table

_CALENDAR = """
january february march april may june july august september october november december
jan feb mar apr jun jul aug sep sept oct nov dec
januar februar märz mai juni juli oktober dezember mär okt dez
janvier février mars avril juin juillet août septembre octobre novembre décembre
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre
janeiro fevereiro março maio junho julho setembro outubro novembro dezembro
januari februari maart mei augustus
monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun
montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag
lundi mardi mercredi jeudi vendredi samedi dimanche
lunes martes miércoles jueves viernes sábado domingo
lunedì martedì mercoledì giovedì venerdì sabato domenica
segunda terça quarta quinta sexta feira
maandag dinsdag woensdag donderdag vrijdag zaterdag zondag
second seconds minute minutes hour hours day days week weeks month months year years
sec secs min mins hr hrs ago am pm utc gmt today yesterday tomorrow now just
sekunde sekunden minuten stunde stunden tag tage tagen woche wochen monat monate monaten jahr jahre jahren
heute gestern uhr
seconde secondes heure heures jour jours semaine semaines mois an ans hier aujourd hui
segundo segundos minuto minutos hora horas día días semana semanas mes meses año años hoy ayer
"""
_JOINING = """
a an the of on at in about over almost less than st nd rd th
de del di den der des le la el il y hace vor um
"""
CALENDAR = frozenset(_CALENDAR.split())
"""Words of dates and of times gone by, in the languages of most pages; a change of these alone is none."""
JOINING = frozenset(_JOINING.split())
"""Small words that belong to a date when they stand beside words of one: an hour ago, the 5th of May."""

_SHORTEST = 3
"""A final s of words longer than this is no difference: 1 comment, 2 comments."""


def telling(words: Sequence[str]) -> Counter[str]:
    """Those of a page's words that can be news, counted.

    >>> telling("updated on friday the th of may at pm by anna comments".split()) == Counter(
    ...     "updated by anna comment".split())
    True
    """
    found: Counter[str] = Counter()
    for is_small, run in groupby(words, lambda word: word in CALENDAR or word in JOINING):
        some = [word for word in run if len(word) > 1]
        if not is_small or CALENDAR.isdisjoint(some):
            found.update(word.removesuffix("s") if len(word) > _SHORTEST else word for word in some)
    return found


class SoftChanges:
    """Tells pages that say something new from pages that only look another way.

    `own_words` says for each token of a page whether the page says it itself, and not its whole site.

    >>> from salticid.testing.small import SmallWeb
    >>> web = SmallWeb({
    ...     "a": "<title>Spiders (3)</title>They jump. 5 comments, 2 hours ago.",
    ...     "b": "<title>Spiders (4)</title>They jump. 1 comment, an hour ago. <a href='/c'>More</a>",
    ...     "c": "<title>Spiders</title>They jump and dance."})
    >>> a, b, c = (web.page(web.id(name)) for name in "abc")
    >>> soft_changes = SoftChanges(web.words)
    >>> soft_changes.is_soft(a, b), soft_changes.is_soft(a, c)
    (True, False)
    """

    def __init__(self, words: Table, own_words: Callable[[Page], Bools] | None = None) -> None:
        self._words, self._own_words = words, own_words

    def is_soft(self, old: Page, new: Page) -> bool:
        """Whether the new version of a page says nothing new."""
        return not self.difference(old, new)

    def difference(self, old: Page, new: Page) -> dict[str, int]:
        """How many times more, or less, the new version says each word; without those that it says as often.

        A text that has become a link, or was one, is said all the same.
        """
        if self._telling(old, links=True) == self._telling(new, links=True):
            return {}
        said = self._telling(new)
        said.subtract(self._telling(old))
        return {word: many for word, many in said.items() if many}

    def _telling(self, page: Page, links: bool = False) -> Counter[str]:
        own_words = self._own_words
        says = np.ones(len(page.tokens), np.bool_) if own_words is None else own_words(page).copy()
        if not links:
            for start, end in zip(page.links.start.tolist(), page.links.end.tolist(), strict=True):
                says[start:end] = False
        return telling(self._words.spell(page.tokens[says].tolist()))
