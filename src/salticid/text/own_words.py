"""What a page says of its own: no menus, nothing that all pages of its site say, no stop words of its language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from salticid.model import Area, Bools, Page, RepeatedRows
from salticid.native import at as address
from salticid.native import lib
from salticid.protocols import Table, UrlTable
from salticid.snapshots import in_snapshot
from salticid.text.boilerplate import ROW, Boilerplate
from salticid.text.link_lists import LEAST_LINKS, MOST_WORDS_BETWEEN, link_lists
from salticid.text.page_language import SAMPLE, PageLanguages
from salticid.text.word_marks import WordMarks


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
