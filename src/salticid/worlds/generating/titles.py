"""Titles: a few words of the page's topic in one of a few forms. A page keeps its title as long as it lives."""

from __future__ import annotations

import numpy as np

from salticid.model import Ints
from salticid.worlds.generating.chance import Lots, Reals, Whole, zipf
from salticid.worlds.generating.copies import Copies
from salticid.worlds.generating.lexicon import OWN, Lexicon
from salticid.worlds.generating.web_plan import WebPlan

WIDEST = 6
NOTHING = -1
"""Fills a row of words that is shorter than `WIDEST`."""
_LEAF, _A, _B, _KIND = -2, -3, -4, -5
_SLOTS = {"@leaf": _LEAF, "@a": _A, "@b": _B, "@kind": _KIND}
_HOME = "@leaf @kind"
_PLAIN = ("news and updates", "about this page", "questions and answers")
_TOPICAL = (
    "@leaf @a and @b", "@a and @b a short guide", "notes on @a and @b", "choosing @leaf @a", "@a for beginners",
    "@a and the @leaf club", "the story of @leaf @a", "@leaf links @a @b",
)  # fmt: skip
_FOREIGN_STEP, _FOREIGN_FIRST = 53, 200
_PLAIN_SHARE = 0.1


def word_rows(lexicon: Lexicon, texts: tuple[str, ...]) -> Ints:
    """Texts as rows of word ids, `NOTHING` behind; a word that begins with @ stands for what is filled in later."""
    rows = np.full((len(texts), WIDEST), NOTHING, np.int32)
    for row, text in zip(rows, texts, strict=True):
        words = text.split()
        row[: len(words)] = [_SLOTS[word] if word in _SLOTS else lexicon.words.find(word) for word in words]
    return rows


def topical(lexicon: Lexicon, topic: Whole, tongue: Whole, rank: Whole) -> Ints:
    """The word of that rank in each topic's vocabulary, in the language asked for; rank 0 names the topic."""
    abroad = lexicon.foreign[
        tongue - 1, (topic * _FOREIGN_STEP + _FOREIGN_FIRST + rank) % lexicon.foreign.shape[1]
    ]
    return np.where(tongue > 0, abroad, lexicon.own[topic, rank])


class Titles:
    """The titles of pages, as rows of word ids."""

    def __init__(self, plan: WebPlan, copies: Copies) -> None:
        self._plan, self._copies = plan, copies
        self._lots, self._words = Lots(plan.seed, "title"), Lots(plan.seed, "title words")
        self._forms = word_rows(plan.lexicon, (_HOME, *_PLAIN, *_TOPICAL))

    def of(self, places: Whole, generations: Whole) -> Ints:
        """The title of each page; a copy has that of its original."""
        places, generations, _ = self._copies.source(places, generations)
        plan, lexicon = self._plan, self._plan.lexicon
        host = plan.host_of[places]
        topic, home = plan.topic_of[places].astype(np.int64), plan.nth(places) == 0
        tongue = np.where(home, 0, plan.hosts.tongue[host])
        keys = self._lots.below(1000, places, generations)
        plain = keys < 1000 * _PLAIN_SHARE
        topical_form = 1 + len(_PLAIN) + keys % len(_TOPICAL)
        form = np.where(home, 0, np.where(plain, 1 + keys % len(_PLAIN), topical_form))
        rows = self._forms[form]
        first = 1 + self._rank(places, generations, 0)
        second = 1 + self._rank(places, generations, 1)
        second = np.where(second == first, 1 + second % (OWN - 1), second)
        fill = {
            _LEAF: topical(lexicon, topic, tongue, np.zeros_like(topic)),
            _A: topical(lexicon, topic, tongue, first),
            _B: topical(lexicon, topic, tongue, second),
            _KIND: lexicon.kinds[plan.hosts.kind[host]],
        }
        for slot, words in fill.items():
            rows = np.where(rows == slot, words[:, None], rows)
        return rows.astype(np.int32)

    def _rank(self, places: Whole, generations: Whole, number: int) -> Whole:
        luck: Reals = self._words.rolls(places, generations, np.full(len(places), number))
        return zipf(luck, OWN - 1, 5)
