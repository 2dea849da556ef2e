"""How much a word tells: the rarer it is in its language, the more."""

from __future__ import annotations

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
    changes them. For a language without a list they are the English ones: most of its words are rare then.

    >>> from salticid.tables import Texts
    >>> stems = Stems(Texts(), "en")
    >>> rarity = Rarity(stems, "en")
    >>> [round(float(r), 1) for r in rarity.of(np.array(stems.terms("people spiders salticids")))]
    [1.5, 3.5, 5.3]
    """

    def __init__(self, stems: Stems, code: str) -> None:
        self._stems, self._list = stems, _rarity_list(code)
        self._of = np.zeros(1024)

    def of(self, stems: Ints) -> Floats:
        """The rarity of each stem; 0 for STOP."""
        self._of = grow(self._of, len(self._stems))
        rarities: Floats = self._of[stems]
        if not rarities.all():
            for stem in np.unique(stems[rarities == 0.0]).tolist():
                if stem != STOP:
                    self._of[stem] = self._list.get(self._stems.text(stem), _RAREST)
            rarities = self._of[stems]
        return rarities


def _rarities(frequencies: Floats) -> Floats:
    return exps(POWER * logs(-logs(1.0 - exps(-SHORT_PAGE * frequencies))))


_RAREST = float(_rarities(np.array([LEAST_FREQUENCY]))[0])


@cache
def _rarity_list(code: str) -> dict[str, float]:
    """The rarity of each stem a frequency list knows; a stem is as frequent as its words together."""
    usual = frequencies(code)
    together: dict[str, float] = {}
    for stem, frequency in zip(language.stemmer(code)(list(usual)), usual.values(), strict=True):
        together[stem] = together.get(stem, 0.0) + frequency
    frequent = np.maximum(np.fromiter(together.values(), np.float64, len(together)), LEAST_FREQUENCY)
    return dict(zip(together, _rarities(frequent).tolist(), strict=True))
