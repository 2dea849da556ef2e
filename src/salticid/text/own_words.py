"""What a page says of its own: no menus, nothing that all pages of its site say, no stop words of its language."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from salticid.model import Bools, Page
from salticid.native import at, lib
from salticid.protocols import Table, UrlTable
from salticid.text.boilerplate import Boilerplate
from salticid.text.link_lists import link_lists
from salticid.text.page_language import SAMPLE, PageLanguages
from salticid.text.word_marks import WordMarks


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
        self._last: tuple[Page, Bools, str] | None = None

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
        return self._of(page)[1]

    def language(self, page: Page) -> str:
        """The language of what the page says of its own."""
        return self._of(page)[2]

    def _of(self, page: Page) -> tuple[Page, Bools, str]:
        """The answers for the last page are kept: several ask for them."""
        if self._last is None or self._last[0] is not page:
            own, code = self._own_and_language(page)
            if code != self._code:
                own &= ~self._languages.stop_words(page.tokens, code)
            self._last = page, own, code
        return self._last

    def _own_and_language(self, page: Page) -> tuple[Bools, str]:
        lists, repeated, headings = link_lists(page), self._boilerplate.repeated(page), page.in_headings
        if lib is not None:
            tokens, marks = page.tokens, self._marks
            own, sample = np.empty(len(tokens), np.bool_), np.array([SAMPLE, 0], np.int32)
            knows_all = lib.own_marks(
                at(tokens), len(tokens), at(headings), at(lists), at(repeated), at(marks.is_stop), at(marks.known),
                len(marks.known), at(sample), at(own),
            )  # fmt: skip
            if knows_all and self._languages.is_home(*sample.tolist()):
                return own, self._code
        text = ~(lists | repeated)
        return headings | text, self._languages.of(page.tokens[text])
