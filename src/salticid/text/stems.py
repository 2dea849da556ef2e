"""Stems as a map over word ids, so that a system that wants none uses none."""

from __future__ import annotations

import numpy as np

from salticid.columns import distinct, grow
from salticid.model import Ints
from salticid.protocols import Brief, Table
from salticid.text import language
from salticid.text.tokens import letter_runs

STOP = 0
"""The stem id of every stop word, and of the empty one: no term at all."""
UNKNOWN = -1


class Stems:
    """Word id -> stem id, filled in as words turn up, or taken over from a world that prepared them.

    >>> from salticid.tables import Texts
    >>> words = Texts()
    >>> ids = [words.intern(w) for w in ("the", "spiders", "spider")]
    >>> stems = Stems(words, "en")
    >>> stems.of(np.array(ids)).tolist(), stems.text(1), stems.terms("Spiders and flies")
    ([0, 1, 1], 'spider', [1, 2])
    """

    def __init__(self, words: Table, code: str, telling: frozenset[str] = frozenset()) -> None:
        self.rules = language.rules(code)
        self._words = words
        self._stop = (language.stop_words(code) - telling) | {""}
        self._stem = language.stemmer(code)
        world_stems = words.stems(self.rules)
        self._of = np.full(1024, UNKNOWN, np.int32) if world_stems is None else np.array(world_stems.of)
        self._world_texts = None if world_stems is None else world_stems.texts
        self._first_new = 1 if self._world_texts is None else len(self._world_texts)
        self._ids: dict[str, int] = {}
        self._texts: list[str] = []
        self._word_of: dict[int, str] = {}
        for at in map(words.find, sorted(telling)):
            if 0 <= at < len(self._of):
                self._of[at] = UNKNOWN

    @classmethod
    def of_brief(cls, brief: Brief, every_keyword: bool = False) -> Stems:
        """The stems of a crawl's words.

        Where a topic is named by stop words alone, such as "c", they are none; with `every_keyword` no keyword is one,
        as in "random numbers" and "group theory". The most usual words of all are stop words even so.
        """
        tokens, stop = frozenset(letter_runs(brief.topic.keywords)), language.stop_words(brief.language)
        counts = every_keyword or tokens <= stop
        telling = language.telling_words(tokens & stop, brief.language) if counts else frozenset()
        return cls(brief.words, brief.language, telling)

    def __len__(self) -> int:
        """How many stems there are, STOP among them."""
        return self._first_new + len(self._texts)

    def of(self, words: Ints) -> Ints:
        """The stem of each word; STOP for stop words."""
        self._of = grow(self._of, len(self._words), UNKNOWN)
        stems: Ints = self._of[words]
        if stems.size and stems.min() == UNKNOWN:
            news = distinct(words[stems == UNKNOWN])
            self._of[news] = self._ids_of(self._words.spell(news.tolist()))
            stems = self._of[words]
        return stems

    @property
    def table(self) -> Ints:
        """The stem of every word by its id, UNKNOWN for words that nobody asked for."""
        return self._of

    def terms(self, text: str) -> list[int]:
        """The stems of a text typed by a person, stop words left out, repeats kept."""
        tokens = list(letter_runs(text))
        stems = self._ids_of(tokens)
        for stem, token in zip(stems, tokens, strict=True):
            self._word_of.setdefault(stem, token)
        return [stem for stem in stems if stem != STOP]

    def of_tokens(self, tokens: list[str]) -> list[int]:
        """The stem of each token, as a tokenizer cuts and writes them; STOP for stop words."""
        return self._ids_of(tokens)

    def phrase(self, first: int, second: int) -> int:
        """Two stems that stand side by side, as one more stem."""
        (stem,) = self._ids_of_stems([f"{self.text(first)} {self.text(second)}"])
        self._word_of.setdefault(stem, f"{self.word(first)} {self.word(second)}")
        return stem

    def word(self, stem: int) -> str:
        """A word with this stem as people write it: the one a person typed, else the first that was met."""
        if stem not in self._word_of:
            words = np.flatnonzero(self._of == stem)[:1].tolist()
            self._word_of[stem] = self._words.spell(words)[0] if words else self.text(stem)
        return self._word_of[stem]

    def text(self, stem: int) -> str:
        """The stem as text; empty for STOP."""
        if stem >= self._first_new:
            return self._texts[stem - self._first_new]
        return self._world_texts[stem] if self._world_texts is not None else ""

    def texts(self, stems: list[int]) -> list[str]:
        """The same for many stems at once."""
        if self._world_texts is None:
            own = self._texts
            return [own[stem - 1] if stem else "" for stem in stems]
        of_world = [stem for stem in stems if stem < self._first_new]
        spelled = dict(zip(of_world, self._world_texts.spell(of_world), strict=True))
        return [spelled[stem] if stem in spelled else self.text(stem) for stem in stems]

    def _ids_of(self, tokens: list[str]) -> list[int]:
        """The stem of each token; STOP for stop words, the next free id for a stem never seen."""
        stop = self._stop
        stems = [stem for token, stem in zip(tokens, self._stem(tokens), strict=True) if token not in stop]
        ids = self._ids_of_stems(stems)
        if len(ids) == len(tokens):
            return ids
        rest = iter(ids)
        return [STOP if token in stop else next(rest) for token in tokens]

    def _ids_of_stems(self, stems: list[str]) -> list[int]:
        """The id of each stem; those of the world are looked up there, once."""
        ids = self._ids
        news = [stem for stem in dict.fromkeys(stems) if stem not in ids]
        if self._world_texts is not None:
            ids.update((stem, at) for stem in news if (at := self._world_texts.find(stem)) >= 0)
            news = [stem for stem in news if stem not in ids]
        ids.update(zip(news, range(len(self), len(self) + len(news)), strict=True))
        self._texts += news
        return list(map(ids.__getitem__, stems))
