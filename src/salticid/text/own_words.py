"""What a page says of its own: no menus, nothing that all pages of its site say, no stop words of its language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from salticid.columns import distinct, grow
from salticid.model import Area, Bools, Ints, Page, RepeatedRows
from salticid.native import at, lib
from salticid.native import at as address
from salticid.protocols import Table, UrlTable
from salticid.snapshots import in_snapshot, rows
from salticid.text import language
from salticid.text.boilerplate import ROW, Boilerplate, WordMarks

# Menus, tables of contents, prev and next: what of a page's words is a list of links, and no text of its own.

LEAST_LINKS = 5
"""So many links in a row are a list."""
MOST_WORDS_BETWEEN = 2
"""Links with no more words between them stand in a row."""


def link_lists(page: Page) -> Bools:
    """For each token of a page whether it is part of a list of links, from the first link's words to the last one's.

    >>> from salticid.testing.small import SmallWeb
    >>> menu = " ".join(f'<a href="/{n}">part {n}</a>' for n in "abcde")
    >>> web = SmallWeb({"home": menu + "<p>Some text with <a href='/f'>a link</a></p>"})
    >>> link_lists(web.page(web.id("home"))).astype(int).tolist()
    [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0]
    """
    start, end, size = page.links.start, page.links.end, len(page.tokens)
    if lib is None:
        return _link_lists(start, end, size)
    marks = np.empty(size, np.bool_)
    lib.list_marks(at(start), at(end), len(start), LEAST_LINKS, MOST_WORDS_BETWEEN, at(marks), size)
    return marks


def _link_lists(start: Ints, end: Ints, size: int) -> Bools:
    inside = np.zeros(size + 1, np.int32)
    if len(start) < LEAST_LINKS:
        return inside[:-1] > 0
    apart = start[1:] - end[:-1] > MOST_WORDS_BETWEEN
    first = np.flatnonzero(np.concatenate(([True], apart)))
    last = np.append(first[1:], len(start)) - 1
    long = last - first + 1 >= LEAST_LINKS
    np.add.at(inside, start[first[long]], 1)
    np.add.at(inside, end[last[long]], -1)
    return np.cumsum(inside[:-1]) > 0


# The language of a page, by the stop words it uses.

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


@in_snapshot(
    "_code", _marks=WordMarks, _boilerplate=Boilerplate, _languages=PageLanguages, _last_read=Page | None,
    _last="_Reading | None",
)  # fmt: skip
class OwnWords:
    """Which words of a page are its own: its title and headings, and text that its site does not repeat.

    Lists of links are left out, and the stop words of a page in another language than the crawl's, which knows its
    own stop words anyway. What a site repeats is learned from the pages read.

    >>> from salticid.testing.small import SmallWeb
    >>> menu = " ".join(f'<a href="/{n}">part {n}</a>' for n in "abcde")
    >>> web = SmallWeb({"home": f"<title>Eyes</title>{menu}<p>Some text with <a href='/f'>a link</a></p>"})
    >>> page, own_words = web.page(web.id("home")), OwnWords(web.urls, web.words, "en")
    >>> [web.words[word] for word in page.tokens[own_words.of(page)]]
    ['eyes', 'some', 'text', 'with', 'a', 'link']
    """

    def __init__(self, urls: UrlTable, words: Table, code: str) -> None:
        self._code = code
        self._marks = WordMarks(words, code)
        self._boilerplate = Boilerplate(urls, self._marks)
        self._languages = PageLanguages(words, code, self._marks)
        self._last_read: Page | None = None
        self._last: _Reading | None = None

    def read(self, pages: Sequence[Page]) -> None:
        """The crawl has read these; a page told twice in a row is read once.

        Who asks for the words of a page asks before it is read, whether or not others did: a crawl that is played again
        does not ask all it asked at first.
        """
        for page in pages:
            if page is not self._last_read:
                self._last_read = page
                self._boilerplate.read(page)

    def of(self, page: Page) -> Bools:
        """For each token of a page whether it is its own, as far as its site is known by now."""
        return self._read(page).own

    def language(self, page: Page) -> str:
        """The language of what the page says of its own."""
        return self._read(page).language

    def many(self, page: Page) -> int:
        """How many words of a page are its own."""
        return self._read(page).many

    def basis(self, page: Page) -> RepeatedRows:
        """What these answers depend on, besides the page."""
        return self._read(page).basis

    def holds(self, basis: RepeatedRows) -> bool:
        """Whether the answers for the page that this is of would be the same by now."""
        return self._boilerplate.holds(basis)

    def _read(self, page: Page) -> _Reading:
        """The answers for the last page are kept: several ask for them."""
        if self._last is None or self._last.page is not page:
            self._last = self._with_numpy(page) if lib is None else self._compiled(page)
        return self._last

    def _compiled(self, page: Page) -> _Reading:
        tokens, links, marks = page.tokens, page.links, self._marks
        at, basis = self._boilerplate.basis(page)
        own, sample = np.empty(len(tokens), np.bool_), np.array([SAMPLE, 0], np.int32)
        many = lib.own_words(
            address(tokens), len(tokens), address(page.area_start), address(page.area), len(page.area), Area.REST,
            address(links.start), address(links.end), len(links), LEAST_LINKS, MOST_WORDS_BETWEEN,
            address(at), address(basis.is_known), len(at), ROW,
            address(marks.is_stop), address(marks.known), len(marks.known), address(sample), address(own),
        )  # fmt: skip
        if many >= 0 and self._languages.is_home(*sample.tolist()):
            return _Reading(page, own, many, self._code, basis)
        return self._with_numpy(page)

    def _with_numpy(self, page: Page) -> _Reading:
        text = ~(link_lists(page) | self._boilerplate.repeated(page))
        own, code = page.in_headings | text, self._languages.of(page.tokens[text])
        if code != self._code:
            own &= ~self._languages.stop_words(page.tokens, code)
        return _Reading(page, own, int(np.count_nonzero(own)), code, self._boilerplate.basis(page)[1])


@in_snapshot()
class _Reading(NamedTuple):
    """What a page says of its own."""

    page: Page
    own: Bools
    many: int
    language: str
    basis: RepeatedRows
