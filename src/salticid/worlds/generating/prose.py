"""The text of pages, as word ids: words of the topic among words everybody uses, and rare ones.

Ranks fall as Zipf's law has it, and steeper for rare words. An edition changes a few words of the text, a copy a
few more. One word in eight is an earlier one of the page again: words come in bursts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from salticid.model import Ints
from salticid.worlds.generating.chance import (
    Keys,
    Lots,
    Reals,
    ReferenceKind,
    References,
    Whole,
    below,
    later,
    power,
    reach,
    rolls,
    zipf,
    zipf_ranks,
)
from salticid.worlds.generating.lexicon import KERNEL, OWN, SHARED, TAIL_SHIFT, Lexicon
from salticid.worlds.generating.linking import Outlinks, Role
from salticid.worlds.generating.lives import Copies, PageLives
from salticid.worlds.generating.plan import WebPlan

# Titles: a few words of the page's topic in one of a few forms. A page keeps its title as long as it lives.

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
    abroad = lexicon.foreign[tongue - 1, (topic * _FOREIGN_STEP + _FOREIGN_FIRST + rank) % lexicon.foreign.shape[1]]
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
_AROUND, _SPOKEN = 8, 0.45
"""So many words on either side of a link speak of its target where they speak of a topic, and that share of those that
speak of anything does, too."""
_CLASS, _PART, _BURST = np.uint64(1023), np.uint64(127), np.uint64(7)


@dataclass(frozen=True, eq=False)
class Passages:
    """Links within texts as columns: the page, the word before which the link stands, the topic of its target."""

    page: Whole
    spot: Whole
    topic: Whole

    def topics(self, lengths: Whole) -> Whole:
        """For each word of texts of these lengths the topic of the nearest link, or -1 if none is near.

        >>> Passages(np.array([1]), np.array([1]), np.array([7])).topics(np.array([2, 10])).tolist()
        [-1, -1, 7, 7, 7, 7, 7, 7, 7, 7, 7, -1]
        """
        about = np.full(int(lengths.sum()), -1)
        begin = (np.cumsum(lengths) - lengths)[self.page]
        for distance in range(_AROUND, 0, -1):
            for word in (self.spot - distance, self.spot + distance - 1):
                there = (word >= 0) & (word < lengths[self.page])
                about[(begin + word)[there]] = self.topic[there]
        return about


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

    def write(self, pages: PageLives, source: PageLives, lengths: Whole, passages: Passages) -> Ints:
        """The words of all pages, which have these lengths, one page after the other, with these links among them."""
        page = np.repeat(np.arange(len(pages.places)), lengths)
        number = np.arange(len(page)) - (np.cumsum(lengths) - lengths)[page]
        keys = later(self._text.keys(source.places, source.generations)[page], number)
        care = self._care.rolls(source.places, source.generations)
        keys = self._edit(source, 5 + (100 * care * care).astype(np.int64), page, number, keys)
        copies = np.where(pages.places != source.places, _COPY_CHANGES, 0)
        if copies.any():
            keys = self._edit(pages, copies, page, number, keys)
        words = self._draw(source, page, keys, passages.topics(lengths))
        again = ((keys >> np.uint64(17)) & _BURST) == 0
        earlier = np.arange(len(page)) - number + (rolls(keys) * number).astype(np.int64)
        words[again] = words[earlier[again]]
        return words

    def _edit(self, pages: PageLives, changes: Whole, page: Whole, number: Whole, keys: Keys) -> Keys:
        """The keys of a text of which so many words in 1,024 are others in each edition."""
        edits = later(self._edits.keys(pages.places, pages.generations, pages.editions)[page], number)
        others = (edits & _CLASS).astype(np.int64) < changes[page]
        return np.where(others, later(edits, 0), keys)

    def _draw(self, pages: PageLives, page: Whole, keys: Keys, near: Whole) -> Ints:
        """The word that each key means on its page, where a link `near` by leads to a topic."""
        plan, topics, wide = self._plan, len(self._plan.tree.leaves), len(self._plan.tree.fields)
        places, generations = pages.places, pages.generations
        topic = plan.topic_of[places].astype(np.int64)
        stray = self._stray.below(topics, places, generations)
        limits = self._limits(places, generations)
        draw = (keys & _CLASS).astype(np.int16)
        kind = np.zeros(len(page), np.int64)
        for limit in limits:
            kind += draw >= limit[page]
        about = np.where(kind == 1, stray[page], np.where(near < 0, topic[page], near))
        beside = np.flatnonzero((kind == 3) & (near >= 0))
        kind[beside[rolls(later(keys[beside], 1)) < _SPOKEN]] = 0
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


# Anchors: what a link says about its target, which may be much or nothing.

_PLAIN_ANCHORS = ("click here", "more", "this page", "read more", "link", "here")
_TITLE, _END_OF_TITLE, _SAYS_NOTHING = 0.55, 0.78, 0.95
"""Of the links in texts, those that say the title, those that say its last words or nothing about the target; the
others have no words at all, as pictures do."""


class AnchorTexts:
    """The anchors of links, as rows of word ids."""

    def __init__(self, plan: WebPlan, titles: Titles) -> None:
        self._plan, self._titles = plan, titles
        self._plain = word_rows(plan.lexicon, _PLAIN_ANCHORS)
        self._home, self._members, self._calendar = word_rows(plan.lexicon, ("home", "members only", "calendar"))
        frame = word_rows(plan.lexicon, ("previous page", "next page", "share this"))
        self._frame = dict(zip((Role.PREVIOUS, Role.NEXT, Role.SHARE), frame, strict=True))

    def of(self, links: Outlinks) -> Ints:
        """The words of each link."""
        title = self._titles.of(links.place, links.generation)
        luck = rolls(later(links.key, 6))[:, None]
        plain = self._plain[below(later(links.key, 7), len(_PLAIN_ANCHORS))]
        text = np.where(luck < _TITLE, title, np.where(luck < _END_OF_TITLE, _last_words(title), plain))
        text = np.where(luck < _SAYS_NOTHING, text, NOTHING)
        own = (links.role == Role.TEXT)[:, None]
        bar = (links.role == Role.BAR)[:, None]
        rows = np.where(own, text, np.where(bar, _last_words(title), title))
        for role, words in self._frame.items():
            rows = np.where((links.role == role)[:, None], words, rows)
        home = (links.role == Role.BAR) & (self._plan.nth(links.place) == 0)
        rows = np.where(home[:, None], self._home, rows)
        kind = References.unpack(links.reference).kind[:, None]
        rows = np.where(kind == ReferenceKind.FORBIDDEN, self._members, rows)
        anchors: Ints = np.where(kind == ReferenceKind.CALENDAR, self._calendar, rows).astype(np.int32)
        return anchors


def words_in(rows: Ints) -> Whole:
    """How many words each row holds."""
    counts: Whole = np.count_nonzero(rows != NOTHING, axis=1).astype(np.int64)
    return counts


def _last_words(rows: Ints, count: int = 2) -> Ints:
    """The last two words of each row, which has at least two.

    >>> _last_words(np.array([[5, 6, 7, -1, -1, -1]])).tolist()
    [[6, 7, -1, -1, -1, -1]]
    """
    last = words_in(rows)
    words = np.full_like(rows, NOTHING)
    for at in range(count):
        words[:, at] = np.take_along_axis(rows, (last - count + at)[:, None], axis=1)[:, 0]
    return words
