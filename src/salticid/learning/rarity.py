"""How much a word tells: the rarer it is in its language, the more."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from salticid.columns import grow
from salticid.exact import LOGS_OF_COUNTS, exps, logs, logs_of_counts
from salticid.learning.stem_vectors import StemVector
from salticid.model import Floats, Ints
from salticid.native import NOTHING, at, lib
from salticid.protocols import Brief, OwnWords
from salticid.snapshots import in_snapshot
from salticid.text import STOP, Bag, Stems, listed, stemmer, stop_words, word_frequencies

# The usual words of a language: what a page about nothing in particular would say.

SIZE = 10_000
"""How many words, stop words aside, the imagined text has: about as many as a dozen example pages."""


@cache
def background(code: str) -> tuple[tuple[str, int], ...]:
    """How often each word is to be expected in a text of SIZE words; the commonest first, none below once.

    The frequencies are renormalised without stop words. For a language without a word list (Estonian,
    Basque, Esperanto, ...) they are the English ones, which says little and misleads nobody: few of those
    words will turn up.

    >>> [word for word, times in background("en")[:3]], sum(times for _, times in background("en")) <= SIZE
    (['time', 'people', 'day'], True)
    """
    shares = frequencies(code)
    per_word = SIZE / sum(shares.values())
    counts = ((word, int(frequency * per_word)) for word, frequency in shares.items())
    return tuple(sorted((pair for pair in counts if pair[1]), key=lambda pair: (-pair[1], pair[0])))


@cache
def frequencies(code: str) -> Mapping[str, float]:
    """The share of a language's text that each of its usual words has, stop words left out."""
    stop = stop_words(listed(code))
    return MappingProxyType({word: share for word, share in word_frequencies(code).items() if word not in stop})


SHORT_PAGE = 100
"""So many words, stop words aside, is a page thought to have when rarity is worked out."""
LEAST_FREQUENCY = 2e-7
"""The frequency of a word that no list knows: a fifth of the rarest listed ones."""
POWER = 0.7
"""The power rarity is raised to, so that names and misspellings, the rarest of all, do not drown the rest."""

_NONE = np.zeros(0, np.int32)


@in_snapshot("_code", _stems=Stems, _by_language=dict[str, tuple[int, np.float64]])
class Rarity:
    """Stem id -> (-log P)^0.7, P being the chance that a page of SHORT_PAGE words holds the stem.

    The chances come from the frequencies of the language alone, so that no page need be seen before, and none
    changes them. For a language without a list they are the English ones: most of its words are rare then. On a page in
    another language a word is as rare as it is in the one of the two where it is more frequent.

    >>> from salticid.tables import Texts
    >>> stems = Stems(Texts(), "en")
    >>> rarity = Rarity(stems, "en")
    >>> [round(float(r), 1) for r in rarity.of(np.array(stems.terms("people spiders salticids")))]
    [1.5, 3.5, 5.3]
    >>> jahr = np.array(stems.terms("Jahr"))
    >>> round(float(rarity.of(jahr)[0]), 1), round(float(rarity.of(jahr, "de")[0]), 1)
    (5.3, 2.9)
    """

    def __init__(self, stems: Stems, code: str) -> None:
        self._stems, self._code = stems, code
        self._by_language: dict[str, tuple[int, Floats]] = {}

    def of(self, stems: Ints, page_language: str | None = None) -> Floats:
        """The rarity of each stem, on a page in this language; 0 for STOP."""
        rarities = self._in(self._code, stems)
        if page_language is None or page_language == self._code:
            return rarities
        return np.minimum(rarities, self._in(page_language, stems))

    def shares(self, stems: Ints) -> Floats:
        """The chance, by the language, that a page of SHORT_PAGE words holds each stem."""
        return exps(-exps(logs(self.of(stems)) / POWER))

    def vector(
        self,
        bag: Bag,
        page_language: str | None = None,
        length: float = 1.0,
        phrases: Ints = _NONE,
        share: float = 1.0,
    ) -> StemVector:
        """A page as rare words see it: (1 + log f) times the rarity of each stem, f being how often it is there.

        It has this length, if it holds anything. What weighs only a `share` of that are these stems.
        """
        if lib is not None:
            weights = np.empty(len(bag.terms))
            for _ in range(2):
                if self._has_weighed(bag, page_language, length, phrases, share, weights):
                    return StemVector(bag.terms, weights)
                self.of(bag.terms, page_language)
        weights = (1.0 + logs_of_counts(bag.counts.astype(np.int64))) * self.of(bag.terms, page_language)
        weights[np.isin(bag.terms, phrases)] *= share
        return StemVector(bag.terms, weights).unit().times(length)

    def _has_weighed(
        self, bag: Bag, page_language: str | None, length: float, phrases: Ints, share: float, weights: Floats
    ) -> bool:
        """Write the weights of a bag; False where one is not known yet."""
        codes = (self._code,) if page_language in (None, self._code) else (self._code, str(page_language))
        known = [self._learned(code) for code in codes]
        other = at(known[1]) if len(known) > 1 else NOTHING
        return bool(
            lib.rare_weights(
                at(bag.terms), at(bag.counts), len(bag.terms), at(LOGS_OF_COUNTS), len(LOGS_OF_COUNTS),
                at(known[0]), other, min(map(len, known)), at(phrases), len(phrases), share, length, at(weights),
            )
        )  # fmt: skip

    def _in(self, code: str, stems: Ints) -> Floats:
        known = self._learned(code)
        rarities: Floats = known[stems]
        if not rarities.all():
            is_new = (rarities == 0.0) & (stems != STOP)
            news = stems[is_new].tolist()
            known[news] = self._of_texts(code, self._stems.texts(news))
            rarities[is_new] = known[news]
        return rarities

    def _learned(self, code: str) -> Floats:
        """The rarities by stem id: of all stems that are new, and of those of a world, which are many, some."""
        many = len(self._stems)
        learned, known = self._by_language.get(code) or (0, np.zeros(1024))
        if learned < many:
            known, first = grow(known, many), max(learned, self._stems.first_new)
            known[first:many] = self._of_texts(code, self._stems.new_texts(first))
            self._by_language[code] = many, known
        return known

    def _of_texts(self, code: str, texts: list[str]) -> list[float]:
        by_text = _rarity_list(code, self._code)
        return [by_text.get(text, _RAREST) for text in texts]


class RareWords(NamedTuple):
    """The stems of a crawl's words, every keyword among them, and how rare each is."""

    stems: Stems
    rarity: Rarity

    @classmethod
    def of_brief(cls, brief: Brief) -> RareWords:
        """The same for all who ask with one brief: every word is met once."""
        if brief.own_words not in _SHARED:
            stems = Stems.of_brief(brief, every_keyword=True)
            _SHARED[brief.own_words] = cls(stems, Rarity(stems, brief.language))
        return _SHARED[brief.own_words]


_SHARED: WeakKeyDictionary[OwnWords, RareWords] = WeakKeyDictionary()


def rarities(shares: Floats) -> Floats:
    """The rarity of stems that so large a share of pages holds."""
    return exps(POWER * logs(-logs(shares)))


def _rarities(frequencies: Floats) -> Floats:
    return rarities(1.0 - exps(-SHORT_PAGE * frequencies))


_RAREST = float(_rarities(np.array([LEAST_FREQUENCY]))[0])


@cache
def _rarity_list(code: str, stemmed_as: str) -> dict[str, float]:
    """The rarity of each stem a frequency list knows, by the stemmer of a language; a stem counts for all its words.

    A stop word, which only a topic of that name asks for, counts where no other word has its stem.
    """
    usual = frequencies(code)
    together = _by_stem(usual, stemmed_as)
    stop = {word: share for word, share in word_frequencies(code).items() if word not in usual}
    together = {**_by_stem(stop, stemmed_as), **together}
    frequent = np.maximum(np.fromiter(together.values(), np.float64, len(together)), LEAST_FREQUENCY)
    return dict(zip(together, _rarities(frequent).tolist(), strict=True))


def _by_stem(shares: Mapping[str, float], stemmed_as: str) -> dict[str, float]:
    together: dict[str, float] = {}
    for stem, share in zip(stemmer(stemmed_as)(list(shares)), shares.values(), strict=True):
        together[stem] = together.get(stem, 0.0) + share
    return together
