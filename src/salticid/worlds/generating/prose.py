"""The text of pages, as word ids: words of the topic among words everybody uses, and rare ones.

Ranks fall as Zipf's law has it, and steeper for rare words. An edition changes a few words of the text, a copy a
few more. One word in eight is an earlier one of the page again: words come in bursts.
"""

from __future__ import annotations

import numpy as np

from salticid.model import Ints
from salticid.worlds.generating.chance import Keys, Lots, Reals, Whole, later, power, reach, rolls, zipf_ranks
from salticid.worlds.generating.lexicon import KERNEL, OWN, SHARED, TAIL_SHIFT
from salticid.worlds.generating.page_lives import PageLives
from salticid.worlds.generating.titles import topical
from salticid.worlds.generating.web_plan import WebPlan

LONGEST = 1_500
_SHORTEST, _TYPICAL = 20, 55
_WEAK = 0.15
"""Pages that hardly use the words of their topic."""
_STRAY = 40
"""Words in 1,024 that come from one other topic."""
_FUNCTION, _RARE = 0.56, 0.86
_OWN_SHARE = 90
"""Of 128 words of a topic, those that are its own and not its field's."""
_COPY_CHANGES = 4
_ABROAD_SHIFT = 3
_CLASS, _PART, _BURST = np.uint64(1023), np.uint64(127), np.uint64(7)


class Prose:
    """Writes the text of many pages at once."""

    def __init__(self, plan: WebPlan) -> None:
        self._plan = plan
        lexicon, seed = plan.lexicon, plan.seed
        self._length, self._strength = Lots(seed, "length"), Lots(seed, "strength")
        self._stray, self._care = Lots(seed, "stray topic"), Lots(seed, "care")
        self._text, self._edits = Lots(seed, "text"), Lots(seed, "edits")
        parts = (lexicon.own, lexicon.shared, lexicon.common, lexicon.kernel, lexicon.tail)
        self._words = np.concatenate([part.ravel() for part in parts])
        self._begin = np.cumsum([0, *(part.size for part in parts)])
        size = np.array([OWN, SHARED, len(lexicon.common), KERNEL])
        self._size, self._shift = size, np.array([5.0, 5.0, 2.0, 10.0])
        self._reach = reach(size, self._shift)

    def lengths(self, places: Whole, generations: Whole) -> Whole:
        """Words of each page: few pages are much longer than the others."""
        luck = 1 - self._length.rolls(places, generations)
        return np.minimum(_SHORTEST + (_TYPICAL * power(1 / luck, 16)).astype(np.int64), LONGEST)

    def write(self, pages: PageLives, source: PageLives) -> tuple[Ints, Whole]:
        """The words of all pages one after the other, and how many each has."""
        lengths = self.lengths(source.places, source.generations)
        page = np.repeat(np.arange(len(pages.places)), lengths)
        number = np.arange(len(page)) - (np.cumsum(lengths) - lengths)[page]
        keys = later(self._text.keys(source.places, source.generations)[page], number)
        care = self._care.rolls(source.places, source.generations)
        keys = self._edit(source, 5 + (100 * care * care).astype(np.int64), page, number, keys)
        copies = np.where(pages.places != source.places, _COPY_CHANGES, 0)
        if copies.any():
            keys = self._edit(pages, copies, page, number, keys)
        words = self._draw(source, page, keys)
        again = ((keys >> np.uint64(17)) & _BURST) == 0
        earlier = np.arange(len(page)) - number + (rolls(keys) * number).astype(np.int64)
        words[again] = words[earlier[again]]
        return words, lengths

    def _edit(self, pages: PageLives, changes: Whole, page: Whole, number: Whole, keys: Keys) -> Keys:
        """The keys of a text of which so many words in 1,024 are others in each edition."""
        edits = later(self._edits.keys(pages.places, pages.generations, pages.editions)[page], number)
        others = (edits & _CLASS).astype(np.int64) < changes[page]
        return np.where(others, later(edits, 0), keys)

    def _draw(self, pages: PageLives, page: Whole, keys: Keys) -> Ints:
        """The word that each key means on its page."""
        plan, topics, wide = self._plan, len(self._plan.tree.leaves), len(self._plan.tree.fields)
        places, generations = pages.places, pages.generations
        topic = plan.topic_of[places].astype(np.int64)
        stray = self._stray.below(topics, places, generations)
        limits = self._limits(places, generations)
        draw = (keys & _CLASS).astype(np.int16)
        kind = np.zeros(len(page), np.int64)
        for limit in limits:
            kind += draw >= limit[page]
        about = np.where(kind == 0, topic[page], stray[page])
        is_shared = ((keys >> np.uint64(10)) & _PART) >= _OWN_SHARE
        # 0 own, 1 shared, 2 function, 3 kernel, 4 rare
        region = np.where(kind < 2, is_shared, kind)
        chance = (keys >> np.uint64(20)) * np.float64(2.0**-44)
        rare = region == 4
        common = np.where(rare, 0, region)
        rank = zipf_ranks(chance, self._reach[common], self._shift[common])
        rank = np.minimum(rank, self._size[common] - 1)
        rank = np.where(rare, (TAIL_SHIFT / (1 - chance)).astype(np.int64) - TAIL_SHIFT, rank)
        at = self._begin[region] + np.where(rare, rank % self._plan.lexicon.tail.size, rank)
        at += np.where(kind < 2, np.where(is_shared, about % wide * SHARED, about * OWN), 0)
        words: Ints = self._words[at]
        tongue = plan.hosts.tongue[plan.host_of[places]]
        if tongue.any():
            abroad = np.flatnonzero((tongue[page] > 0) & ~rare)
            words[abroad] = self._abroad(about[abroad], tongue[page[abroad]], kind[abroad], chance[abroad])
        return words

    def _limits(self, places: Whole, generations: Whole) -> list[np.ndarray[tuple[int], np.dtype[np.int16]]]:
        """Of 1,024 draws, where the words of the topic end, the stray, the function words, the others."""
        keys = self._strength.keys(places, generations)
        weak, luck = rolls(keys) < _WEAK, rolls(later(keys, 0))
        share = (1024 * np.where(weak, 0.02 + 0.04 * luck, 0.10 + 0.26 * luck)).astype(np.int64)
        rest = 1024 - share - _STRAY
        function = share + _STRAY + (_FUNCTION * rest).astype(np.int64)
        rare = share + _STRAY + (_RARE * rest).astype(np.int64)
        return [limit.astype(np.int16) for limit in (share, share + _STRAY, function, rare)]

    def _abroad(self, topic: Whole, tongue: Whole, kind: Whole, chance: Reals) -> Ints:
        foreign = self._plan.lexicon.foreign
        size = foreign.shape[1]
        rank = np.minimum(zipf_ranks(chance, reach(size, _ABROAD_SHIFT), _ABROAD_SHIFT), size - 1)
        words = topical(self._plan.lexicon, topic, tongue, np.minimum(rank, OWN - 1))
        return np.where(kind < 2, words, foreign[tongue - 1, rank])
