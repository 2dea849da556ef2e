"""The words of a generated web, each region of them in the order of its ranks."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

import numpy as np

from salticid.model import Ints
from salticid.tables import Texts
from salticid.worlds.generating.coined import ABROAD, HOME
from salticid.worlds.generating.topic_tree import Tree
from salticid.worlds.generating.word_lists import COMMON, SITE_KINDS, TOPICS

OWN, SHARED, KERNEL = 400, 300, 5_000
"""Words of a topic, words that the topics of a field share, words everybody uses."""
TAIL_SHIFT = 4_000
_RARE_WORDS_A_PAGE = 18
_MONTHS = "january february march april may june july august september october november december"
_SENTENCES = (
    "the of and to a in is it for on this notes guide short story links choosing beginners club updates about page "
    "questions answers news home click here more read link calendar next previous month nothing planned section "
    "members only archive contents"
)
_FRAME = "share"
"""Words of menus alone; behind all others, so that webs without menus are as they were."""


@dataclass(frozen=True, eq=False)
class Lexicon:
    """The table of words, and each region's ids by rank: `own[topic]`, `shared[field]`, `foreign[tongue - 1]`."""

    words: Texts
    common: Ints
    own: Ints
    shared: Ints
    kernel: Ints
    tail: Ints
    foreign: Ints
    kinds: Ints
    months: Ints

    @classmethod
    def of(cls, tree: Tree, pages: int) -> Lexicon:
        """The vocabulary grows as the square root of the text (Heaps' law)."""
        words = Texts()
        coins = 0

        def coin(count: int) -> list[str]:
            nonlocal coins
            coins += count
            return list(HOME.words(coins - count, count))

        def add(texts: list[str]) -> Ints:
            return np.array(words.intern_all([text.encode() for text in texts]), np.int32)

        add(_SENTENCES.split())
        words_of = {topic.leaf: topic.words for topic in TOPICS}
        common, kernel = add(list(COMMON)), add(coin(KERNEL))
        shared = [add([field, *coin(SHARED - 1)]) for field in tree.fields]
        own = []
        for leaf in tree.leaves:
            real = list(dict.fromkeys([leaf, *words_of.get(leaf, ())]))
            own.append(add([*real, *coin(OWN - len(real))]))
        tail = add(coin(3 * isqrt(TAIL_SHIFT * _RARE_WORDS_A_PAGE * max(pages, 100))))
        foreign = [add(list(tongue.words(0, min(5_000, 1_000 + pages)))) for tongue in ABROAD]
        kinds, months = add(list(SITE_KINDS)), add(_MONTHS.split())
        add(_FRAME.split())
        return cls(
            words, common, np.stack(own), np.stack(shared), kernel, tail, np.stack(foreign), kinds, months
        )

    def say(self, text: str) -> list[int]:
        """The ids of words that are known to be here."""
        return [self.words.find(word) for word in text.split()]
