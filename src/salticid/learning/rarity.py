"""How much a word tells: the rarer it is in its language, the more."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from salticid.columns import grow
from salticid.exact import exps, logs
from salticid.learning.background import frequencies
from salticid.model import Floats, Ints
from salticid.text import language
from salticid.text.stems import STOP, Stems

SHORT_PAGE = 100
"""So many words, stop words aside, is a page thought to have when rarity is worked out."""
LEAST_FREQUENCY = 2e-7
"""The frequency of a word that no list knows: a fifth of the rarest listed ones."""
POWER = 0.7
"""The power rarity is raised to, so that names and misspellings, the rarest of all, do not drown the rest."""


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
        self._by_language: dict[str, Floats] = {}

    def of(self, stems: Ints, page_language: str | None = None) -> Floats:
        """The rarity of each stem, on a page in this language; 0 for STOP."""
        rarities = self._in(self._code, stems)
        if page_language is None or page_language == self._code:
            return rarities
        return np.minimum(rarities, self._in(page_language, stems))

    def _in(self, code: str, stems: Ints) -> Floats:
        known = self._by_language[code] = grow(self._by_language.get(code, np.zeros(1024)), len(self._stems))
        rarities: Floats = known[stems]
        if not rarities.all():
            by_text = _rarity_list(code, self._code)
            for stem in np.unique(stems[rarities == 0.0]).tolist():
                if stem != STOP:
                    known[stem] = by_text.get(self._stems.text(stem), _RAREST)
            rarities = known[stems]
        return rarities


def _rarities(frequencies: Floats) -> Floats:
    return exps(POWER * logs(-logs(1.0 - exps(-SHORT_PAGE * frequencies))))


_RAREST = float(_rarities(np.array([LEAST_FREQUENCY]))[0])


@cache
def _rarity_list(code: str, stemmed_as: str) -> dict[str, float]:
    """The rarity of each stem a frequency list knows, by the stemmer of a language; a stem counts for all its words.

    A stop word, which only a topic of that name asks for, counts where no other word has its stem.
    """
    usual = frequencies(code)
    together = _by_stem(usual, stemmed_as)
    stop = {word: share for word, share in language.frequencies(code).items() if word not in usual}
    together = {**_by_stem(stop, stemmed_as), **together}
    frequent = np.maximum(np.fromiter(together.values(), np.float64, len(together)), LEAST_FREQUENCY)
    return dict(zip(together, _rarities(frequent).tolist(), strict=True))


def _by_stem(shares: Mapping[str, float], stemmed_as: str) -> dict[str, float]:
    together: dict[str, float] = {}
    for stem, share in zip(language.stemmer(stemmed_as)(list(shares)), shares.values(), strict=True):
        together[stem] = together.get(stem, 0.0) + share
    return together
