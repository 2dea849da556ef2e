"""What a page says, sentence by sentence, and whether a new version says something new."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from salticid.model import Area, Bools, Page
from salticid.protocols import Table
from salticid.text.own_words import link_lists
from salticid.text.tokens import letter_runs

MOST_CHARACTERS = 200_000
"""Of a page's text; what stands after them is not read."""
_LETTERS = re.compile("[A-Za-z]+")
_END = re.compile(r"[.!?…][\"'”’»)\]]*$")
_WIDE_END = re.compile("(?<=[。！？])")  # after which no blank stands
_NO_SIGN = re.compile(r"\w")
_BLANK_BEFORE = re.compile(r" (?=[.,;!?…)\]](?: |$))")
"""Blanks that are no author's: the text of a page has one at each end of a link."""
_LIST = -1


class Stretch(NamedTuple):
    """A part of a page's text: a heading, what stands between two of them, or a list of links."""

    is_list: bool
    sentences: list[str]


def sentences(page: Page) -> list[str]:
    """The sentences of a page's text, in reading order, headings for themselves; lists of links are left out.

    >>> from salticid.testing.small import SmallWeb
    >>> menu = " ".join(f'<a href="/{n}">part {n}</a>' for n in "abcde")
    >>> web = SmallWeb({"home": f"<h1>Eyes</h1>{menu}<p>Spiders have eight, e.g. here. Do <a href=/f>you</a>?"})
    >>> sentences(web.page(web.id("home")))
    ['Eyes', 'Spiders have eight, e.g. here.', 'Do you?']
    """
    return [sentence for stretch in stretches(page) if not stretch.is_list for sentence in stretch.sentences]


_FEW_WORDS = 5


def plain_text(page: Page) -> str:
    """The text of a page without the lists of links it begins and ends with, unless it says hardly anything else.

    >>> from salticid.testing.small import SmallWeb
    >>> menu = " | ".join(f'<a href="/{n}">part {n}</a>' for n in "abcde")
    >>> web = SmallWeb({"home": f"{menu}<h1>Eyes</h1><p>They have eight of them.<p>{menu}"})
    >>> plain_text(web.page(web.id("home")))
    'Eyes They have eight of them.'
    """
    parts = list(stretches(page))
    own = [at for at, part in enumerate(parts) if not part.is_list and any(map(_NO_SIGN.search, part.sentences))]
    is_long = len(page.text) > MOST_CHARACTERS
    if is_long or not own or own[-1] - own[0] == len(parts) - 1:
        return page.text
    if sum(_words(each) for at in own for each in parts[at].sentences) < _FEW_WORDS:
        return page.text
    return " ".join(sentence for part in parts[own[0] : own[-1] + 1] for sentence in part.sentences)


def words_before_text(page: Page) -> int:
    """How many of a page's tokens come before those of its text: its description and its title."""
    return len(page.words_in(Area.META)) + sum(1 for _ in letter_runs(page.title))


def stretches(page: Page) -> Iterator[Stretch]:
    """The text of a page, cut where a heading or a list of links begins or ends. Numbers go with what is before."""
    pieces = page.text[:MOST_CHARACTERS].split(" ")
    words = np.array([*map(_words, pieces)])
    token = words_before_text(page) + np.cumsum(words) - np.maximum(words, 1)
    kinds = np.where(link_lists(page), _LIST, page.areas) if len(page.tokens) else np.zeros(1, np.int32)
    of_pieces = kinds[np.clip(token, 0, len(kinds) - 1)].tolist()
    for kind, some in groupby(zip(of_pieces, pieces, strict=True), itemgetter(0)):
        found = _cut([piece for _, piece in some])
        if found:
            yield Stretch(kind == _LIST, found)


def _cut(pieces: list[str]) -> list[str]:
    """Cut at the ends of sentences: a full stop and the like, after which no small letter follows."""
    found: list[list[str]] = [[]]
    for piece in pieces:
        if found[-1] and _END.search(found[-1][-1]) and not piece[:1].islower() and _NO_SIGN.search(piece):
            found.append([])
        found[-1].append(piece)
    whole = (_BLANK_BEFORE.sub("", " ".join(sentence)) for sentence in found)
    return [sentence for each in whole for sentence in _WIDE_END.split(each) if sentence]


def _words(piece: str) -> int:
    """How many tokens a piece of text between two blanks is."""
    if piece.isascii() and len(piece) <= 64:
        return len(_LETTERS.findall(piece))
    return sum(1 for _ in letter_runs(piece))


# Whether a page says something new, or only shows another date, another count, other links.
#
# What counts are the words that a page says itself, outside its links. Numbers are no words here, so that times,
# prices and counters of visitors or comments never count; nor do the words of a date, nor the order of what is said.

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
