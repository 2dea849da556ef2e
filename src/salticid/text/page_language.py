"""The language of a page, by the stop words it uses."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from salticid.columns import distinct, grow
from salticid.model import Bools, Ints
from salticid.protocols import Table
from salticid.snapshots import in_snapshot, rows
from salticid.text import language
from salticid.text.word_marks import WordMarks

SAMPLE = 400
"""So many words of a page are looked at, the first."""
LEAST_WORDS = 20
"""A page of fewer is taken to be in the language of the crawl."""
AT_HOME = 0.25
"""A page of whose words so many are stop words of the crawl's language is in that language."""
CLEARLY, LEAST_SHARE = 1.5, 0.1
"""Another language is believed when so many times as many words are stop words of it, and at least so many of all."""


@in_snapshot("_code", _marks=WordMarks, _codes=list[str], _all="_StopWords")
class PageLanguages:
    """Tells which pages are in another language than the crawl, and the stop words of that.

    The languages are those with a stemmer. One that shares most stop words with the crawl's own is hardly told from it,
    which does no harm.

    >>> from salticid.tables import Texts
    >>> words = Texts()
    >>> text = "der garten ist nicht so gross wie das haus in dem wir wohnen aber er hat einen baum und viele rosen"
    >>> tokens = np.array([words.intern(word) for word in text.split()])
    >>> languages = PageLanguages(words, "en", WordMarks(words, "en"))
    >>> languages.of(tokens), [words[at] for at in tokens[~languages.stop_words(tokens, "de")]]
    ('de', ['garten', 'haus', 'wohnen', 'baum', 'rosen'])
    """

    def __init__(self, words: Table, code: str, marks: WordMarks) -> None:
        self._code, self._marks = code, marks
        self._codes = list(dict.fromkeys([code, *language.stemmed_languages()]))
        self._all = _StopWords(words, self._codes)

    def of(self, tokens: Ints) -> str:
        """The language of a page with these tokens: that of the crawl unless another one is clear."""
        sample = tokens[:SAMPLE]
        self._marks.learn(sample)
        if self.is_home(len(sample), int(np.count_nonzero(self._marks.is_stop[sample]))):
            return self._code
        votes = self._all.of(sample).sum(axis=0, dtype=np.int64)
        best = int(votes.argmax())
        is_clear = votes[best] > max(CLEARLY * votes[0], LEAST_SHARE * len(sample))
        return self._codes[best] if is_clear else self._code

    def is_home(self, words: int, stop_words: int) -> bool:
        """Whether a page with so many words, in a sample, and stop words among them is in the language of the crawl."""
        return words < LEAST_WORDS or stop_words >= AT_HOME * words

    def stop_words(self, tokens: Ints, code: str) -> Bools:
        """Which tokens are stop words of a language."""
        stop: Bools = self._all.of(tokens)[:, self._codes.index(code)] > 0
        return stop


@in_snapshot("_words", "_codes", _is_stop=rows(np.uint8), _known=np.bool_)
class _StopWords:
    """For each word of a table and each of some languages whether it is one of its stop words, found when asked."""

    def __init__(self, words: Table, codes: list[str]) -> None:
        self._words, self._codes = words, tuple(codes)
        self._is_stop = np.zeros((1024, len(codes)), np.uint8)
        self._known = np.zeros(1024, np.bool_)

    def of(self, tokens: Ints) -> npt.NDArray[np.uint8]:
        """A row for each token, a column for each language."""
        self._is_stop = grow(self._is_stop, len(self._words))
        self._known = grow(self._known, len(self._words))
        known = self._known[tokens]
        if not known.all():
            news = distinct(tokens[~known])
            places = language.stop_word_places(self._codes)
            for at, text in zip(news.tolist(), self._words.spell(news.tolist()), strict=True):
                if text in places:
                    self._is_stop[at, places[text]] = 1
            self._known[news] = True
        return self._is_stop[tokens]
