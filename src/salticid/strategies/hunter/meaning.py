"""What the texts at waiting links mean, beside the keywords and the titles of pages that were liked and rejected."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

import numpy as np
import numpy.typing as npt

from salticid.columns import Column, grow
from salticid.encoders import cosines
from salticid.model import FROM_SEED, Floats, Ints, Page
from salticid.protocols import Directions, Meanings, Table, UrlTable
from salticid.snapshots import in_snapshot, rows
from salticid.strategies.hunter.page_records import PageRecords
from salticid.strategies.hunter.waiting import Waiting

_TEXTS = ("link", "source")
_SIDES = ("keywords", "liked mean", "liked best", "rejected mean", "rejected best")
SEMANTIC = tuple(f"{text} means {side}" for text in _TEXTS for side in _SIDES)
"""The features that need a sentence encoder: how near the text of a link, which is its anchor and the words of its URL,
and the title of the page it is on come to the keywords, and to the titles of liked and of rejected pages."""

LINKS_A_PAGE, AT_ONCE, AT_FIRST = 3, 16, 64
"""So many links are encoded for each page in the mean; so many together; and so many before the first page."""
_BEST = 256
"""Links are encoded among so many, the best by all that is known of them without."""
MOST_TITLES = 32
"""Links are compared with so many titles of liked pages, the best of them, and of rejected ones, the newest."""
_PART = 10
"""Titles are chosen anew when this part of the pages more was read."""
_LIKED, _REJECTED = 0.5, 0.3
"""Rewards from which, and below which, a page is liked or rejected."""
KEPT_TITLES, KEPT_LINKS = 4096, 8192
"""Titles of so many pages at least, the newest, and the vectors of at most so many links are kept."""
_ANCHOR_WORDS, _LONGEST_TITLE, _LONGEST_ADDRESS = 12, 200, 100
_NO_WORD, _UNKNOWN = -1, -1
_LETTERS = re.compile(r"[^\W\d_]+")
_NOT_ITS_NAME = frozenset(("index", "default", "home"))


@in_snapshot(
    "_meanings", "_words", "_urls", _waiting=Waiting, _pages=PageRecords, _keywords=rows(np.int8), _titles=Column,
    _unread=list[str], _dropped=int, _anchors=rows(np.int32), _place=np.int32, _vectors=Column, _liked=np.int64,
    _rejected=np.int64, _usual=np.float64, _allowance=int, _due=int, _is_new=np.bool_, _has_changed=bool,
    features=rows(np.float32),
)  # fmt: skip
class LinkMeanings:
    """The semantic features of waiting links, in the slots of `Waiting`.

    Two stages keep the cost bounded. All links are scored by words. Those that could come up next are encoded then, a
    few for each page read, and each text once. A feature is what the cosine adds to that of the usual link; of a link
    that is not encoded it is 0.
    """

    def __init__(
        self, meanings: Meanings, tables: tuple[UrlTable, Table], keywords: str, waiting: Waiting, pages: PageRecords
    ) -> None:
        self._meanings, (self._urls, self._words) = meanings, tables
        self._waiting, self._pages = waiting, pages
        self._keywords = self._encode([keywords])
        self._titles, self._dropped = Column(np.int8, meanings.width), 0
        self._unread: list[str] = []
        self._anchors = np.full((1024, _ANCHOR_WORDS), _NO_WORD, np.int32)
        self._place = np.full(1024, _UNKNOWN, np.int32)
        self._vectors = Column(np.int8, meanings.width)
        self._liked = self._rejected = np.zeros(0, np.int64)
        self._usual = np.zeros(len(SEMANTIC))
        self._allowance, self._due = AT_FIRST, 0
        self._is_new, self._has_changed = np.zeros(1024, np.bool_), True
        self.features = np.zeros((1024, len(SEMANTIC)), np.float32)

    def read(self, page: Page) -> None:
        """A page was read, or an example; its title means something."""
        self._titles.add(0)
        self._unread.append(page.title[:_LONGEST_TITLE])
        if len(self._titles.held) >= 2 * KEPT_TITLES:
            self._titles.drop(KEPT_TITLES)
            self._dropped += KEPT_TITLES
            self._liked, self._rejected = (
                some[some >= KEPT_TITLES] - KEPT_TITLES for some in (self._liked, self._rejected)
            )
        self._allowance = min(self._allowance + LINKS_A_PAGE, AT_FIRST)

    def enter(self, slots: Ints, page: Page | None) -> None:
        """New links wait in these slots, which stand on a page, or on none."""
        size = self._waiting.size
        self._place, self.features = grow(self._place, size), grow(self.features, size)
        self._anchors, self._is_new = grow(self._anchors, size), grow(self._is_new, size)
        self._is_new[slots] = True
        self._place[slots], self.features[slots], self._anchors[slots] = _UNKNOWN, 0.0, _NO_WORD
        if page is None or not len(page.tokens):
            return
        links, places = page.links, self._waiting.place.held[slots]
        at = links.start[places][:, None] + np.arange(_ANCHOR_WORDS)
        inside = at < links.end[places][:, None]
        self._anchors[slots] = np.where(inside, page.tokens[np.minimum(at, len(page.tokens) - 1)], _NO_WORD)

    def learn(self) -> None:
        """Look again which pages are liked and which are not, whenever a tenth more were read; make room."""
        if len(self._vectors.held) > KEPT_LINKS:
            self._make_room()
        if len(self._pages) < self._due:
            return
        self._take_in(self._encode(self._unread))
        self._due, self._has_changed = len(self._pages) + 1 + len(self._pages) // _PART, True
        rewards = self._pages.rewards()[self._dropped :]
        liked = np.flatnonzero(rewards >= _LIKED)
        self._liked = np.sort(liked[np.argsort(-rewards[liked], kind="stable")[:MOST_TITLES]])
        self._rejected = np.flatnonzero(rewards < _REJECTED)[-MOST_TITLES:]

    def score(self, slots: Ints, weights: Floats, bounds: Floats) -> None:
        """Work out the features of links anew, and add what they come to to the margins."""
        is_all = len(slots) == len(self._waiting) and self._has_changed
        new = slots if is_all else slots[self._is_new[slots]]
        cosine = self._cosines(new, self._known(new))
        if is_all:
            self._usual, self._has_changed = _means(cosine), False
        self.features[new] = np.where(np.isnan(cosine), 0.0, cosine - self._usual)
        self._is_new[new] = False
        self._waiting.margin.held[slots] += self._margins(slots, weights, bounds)

    def refine(self, weights: Floats, bounds: Floats) -> Ints:
        """Encode the best links that are not encoded yet, as many as may be, and score them; which these are.

        On a web of menus, where nothing depends on it, none is.
        """
        if self._allowance < AT_ONCE or not weights.any():
            return np.zeros(0, np.int32)
        best = self._waiting.best(_BEST)
        may = (self._place[best] == _UNKNOWN) & (self._waiting.source.held[best] != FROM_SEED)
        slots: Ints = best[may][: self._allowance]
        self._allowance -= len(slots)
        self._place[slots] = len(self._vectors.held) + np.arange(len(slots))
        vectors = self._encode([*self._unread, *self._texts(slots)])  # together, which is quicker
        self._vectors.append(vectors[len(self._unread) :])
        self._take_in(vectors[: len(self._unread)])
        self._is_new[slots] = True
        self._waiting.margin.held[slots] -= self._margins(slots, weights, bounds)
        self.score(slots, weights, bounds)
        return slots

    def look(self, slots: Ints) -> Floats:
        """The features of these links, all of them encoded; nothing is changed."""
        cosine = self._cosines(slots, self._encode(self._texts(slots)))
        features: Floats = np.where(np.isnan(cosine), 0.0, cosine - _means(cosine))
        return features

    def _margins(self, slots: Ints, weights: Floats, bounds: Floats) -> Floats:
        margins: Floats = (np.minimum(self.features[slots], bounds) * weights).sum(axis=1)
        return margins

    def _take_in(self, vectors: Directions) -> None:
        """These are the vectors of the titles that were not encoded yet."""
        if len(vectors):
            self._titles.held[-len(vectors) :] = vectors
        self._unread.clear()

    def _encode(self, texts: list[str]) -> Directions:
        vectors = self._meanings.of(texts)
        vectors[[not text for text in texts]] = 0
        return vectors

    def _known(self, slots: Ints) -> Directions:
        """The vectors of links, 0 where they are not encoded."""
        known = self._place[slots] != _UNKNOWN
        vectors = np.zeros((len(slots), self._meanings.width), np.int8)
        vectors[known] = self._vectors.held[self._place[slots[known]]]
        return vectors

    def _texts(self, slots: Ints) -> list[str]:
        """The anchor of each link, and the words of its URL that the anchor does not say."""
        anchors = self._anchors[slots]
        spelled = iter(self._words.spell(anchors[anchors != _NO_WORD].tolist()))
        texts = []
        for url, many in zip(self._waiting.url.held[slots].tolist(), (anchors != _NO_WORD).sum(axis=1), strict=True):
            words = [next(spelled) for _ in range(many)]
            texts.append(" ".join([*words, *(word for word in name_of(self._urls[url]) if word not in words)]))
        return texts

    def _cosines(self, slots: Ints, vectors: Directions) -> Floats:
        """How near links and their sources come to each side, NaN where nothing is known."""
        titles = self._titles.held
        sides = np.concatenate((self._keywords, titles[self._liked], titles[self._rejected]))
        known = np.flatnonzero(vectors.any(axis=1))
        cosine = np.full((len(slots), len(SEMANTIC)), np.nan)
        cosine[known, : len(_SIDES)] = self._by_side(cosines(vectors[known], sides))
        pages, page = np.unique(self._sources(slots), return_inverse=True)
        has_title = pages >= 0
        sources = np.zeros((len(pages), titles.shape[1]), np.int8)
        sources[has_title] = titles[pages[has_title]]
        near = cosines(sources, sides)
        near[~sources.any(axis=1)] = np.nan
        near[:, 1:][pages[:, None] == np.concatenate((self._liked, self._rejected))] = np.nan  # it is like itself
        cosine[:, len(_SIDES) :] = self._by_side(near)[page]
        return cosine

    def _sources(self, slots: Ints) -> npt.NDArray[np.int64]:
        """For each link which of the titles is that of the page it was first seen on, or a negative number."""
        rows_of = self._pages.rows_of_steps(self._waiting.source.held[slots])
        sources: npt.NDArray[np.int64] = np.where(rows_of < self._dropped, -1, rows_of - self._dropped)
        return sources

    def _by_side(self, near: Floats) -> Floats:
        """Of the cosines to the keywords and to single titles, those to the sides: the mean and the best of each."""
        sides = np.full((len(near), len(_SIDES)), np.nan)
        sides[:, 0] = near[:, 0]
        middle = 1 + len(self._liked)
        for place, some in ((1, near[:, 1:middle]), (3, near[:, middle:])):
            many = (~np.isnan(some)).sum(axis=1)
            has = many > 0
            sides[has, place] = np.where(np.isnan(some[has]), 0.0, some[has]).sum(axis=1) / many[has]
            sides[has, place + 1] = np.where(np.isnan(some[has]), -1.0, some[has]).max(axis=1, initial=-1.0)
        return sides

    def _make_room(self) -> None:
        """Keep the vectors of links that wait; those of the best alone, if they are too many."""
        living = self._waiting.living()
        living = living[self._place[living] != _UNKNOWN]
        order = np.lexsort((self._waiting.age.held[living], -self._waiting.margin.held[living]))
        stay, leave = np.split(living[order], [KEPT_LINKS // 2])
        vectors = self._vectors.held[self._place[stay]]
        self._vectors = Column(np.int8, self._meanings.width)
        self._vectors.append(vectors)
        self._place[stay], self._place[leave] = np.arange(len(stay)), _UNKNOWN


def _means(cosine: Floats) -> Floats:
    """The mean of each column over what is known, 0 where nothing is."""
    known = ~np.isnan(cosine)
    means: Floats = np.where(known, cosine, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return means


def name_of(url: str) -> list[str]:
    """The words of the last part of a URL's path that names something.

    >>> name_of("http://a.example/wp/a/Anne_Boleyn.htm"), name_of("https://b.example/threading/index.html?x=1")
    (['anne', 'boleyn'], ['threading'])
    """
    parts = [part.rpartition(".")[0] or part for part in unquote(urlsplit(url).path).split("/") if part]
    named = [part for part in parts if part.lower() not in _NOT_ITS_NAME]
    return _LETTERS.findall(named[-1][:_LONGEST_ADDRESS].lower()) if named else []
