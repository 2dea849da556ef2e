"""The terms of a linear rank function and their weights; how good a page is by its keywords and its place."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Meta

from salticid.exact import log, logs
from salticid.model import Floats, Ints, Page
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot
from salticid.strategies.parts.queue import keywords_of
from salticid.text import STOP, Bag, Stems

Weight = Annotated[float, Meta(ge=0, le=1)]


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much each term counts; those not named count nothing."""

    hub: Weight = 0.0
    authority: Weight = 0.0
    comm_in: Weight = 0.0
    comm_out: Weight = 0.0
    parent_1: Weight = 0.0
    parent_2: Weight = 0.0
    parent_3: Weight = 0.0
    parent_4: Weight = 0.0
    parent_5: Weight = 0.0
    anchor: Weight = 0.0
    context: Weight = 0.0
    host: Weight = 0.0

    def settings(self) -> dict[str, float]:
        """The weights by name."""
        return msgspec.structs.asdict(self)

    def row(self) -> Floats:
        """The weights in the order of `TERMS`."""
        return np.array(msgspec.structs.astuple(self), np.float64)


TERMS: tuple[str, ...] = Weights.__struct_fields__
HUB, AUTHORITY, COMM_IN, COMM_OUT, PARENT_1, *_, ANCHOR, CONTEXT, HOST = range(len(TERMS))
LEVELS = ANCHOR - PARENT_1
"""How many generations of pages above a URL are looked at."""


_FARTHEST = 36.0
"""Beyond this margin a score is 0 or 1 to the last bit."""


class Ranking(msgspec.Struct, frozen=True):
    """How a linear rank is made, besides its weights.

    `margin`: signed scores are the margins that a judge such as `svm` made its scores of, as the paper has them, and
    not brought to -1..1. `by_distance`: of several rows of weights, the first ranks links one link from the seeds,
    the second those two away, and so on, the last all that are farther; else they take over in the course of a crawl.
    """

    margin: bool = False
    by_distance: bool = False

    def signed(self, score: float) -> float:
        """The signed score of a page.

        >>> Ranking().signed(0.75), round(Ranking(margin=True).signed(0.75), 12), Ranking(margin=True).signed(0.0)
        (0.5, 1.098612288668, -36.0)
        """
        if not self.margin:
            return 2 * score - 1
        return min(max(log(score) - log(1.0 - score), -_FARTHEST), _FARTHEST)

    def all_signed(self, scores: Floats) -> Floats:
        """The signed score of each of many pages, the same to the last bit."""
        if not self.margin:
            return 2 * scores - 1
        signed: Floats = np.clip(logs(scores) - logs(1.0 - scores), -_FARTHEST, _FARTHEST)
        return signed


USUAL_RANKING = Ranking()


def ranks(weights: Floats, scores: Floats) -> Floats:
    """Rank = sum of weight * score; `scores` has a row for each term and a column for each URL, and so may `weights`.

    The terms are added one after the other, in their order, so that whoever does the same in another way has
    the same last bit.

    >>> ranks(np.array([0.5, 0.25]), np.array([[1.0, 0.0], [2.0, 4.0]])).tolist()
    [1.0, 1.0]
    """
    total = np.zeros(scores.shape[1])
    for weight, row in zip(weights, scores, strict=True):
        total = total + weight * row
    return total


# How spans of a stream of words match a query, all of them at once.

Places = npt.NDArray[np.int64]


class Spans:
    """The cosines of a query, which has a term, with spans of a stream of stems, on raw frequencies.

    All sums are of whole numbers, so that the order of words and the number of spans looked at together change
    nothing.

    >>> spans = Spans(Bag.of([3, 5]), np.array([3, 3, 9, 0, 5], np.int32))
    >>> spans.cosines(np.array([0, 2, 3]), np.array([4, 4, 5])).round(4).tolist()
    [0.6325, 0.0, 0.7071]
    """

    def __init__(self, query: Bag, stems: Ints) -> None:
        self._query, self._stems = query, stems
        at = np.minimum(query.terms.searchsorted(stems), len(query.terms) - 1)
        counts = np.where(query.terms[at] == stems, query.counts[at], 0)
        self._hits = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)))

    def cosines(self, begin: Ints | Places, end: Ints | Places) -> Floats:
        """The cosine of the query with each span `stems[begin:end]`."""
        cosines = np.zeros(len(begin))
        common = self._hits[end] - self._hits[begin]
        hits = np.flatnonzero(common)
        if len(hits):
            norms = self._query.norm * np.sqrt(_squares(self._stems, begin[hits], end[hits]))
            cosines[hits] = np.minimum(1.0, common[hits] / norms)
        return cosines


def _squares(stems: Ints, begin: Ints | Places, end: Ints | Places) -> Floats:
    """The squared norm of the bag of each span, none of them without a term."""
    sizes = (end - begin).astype(np.int64)
    span = np.repeat(np.arange(len(sizes)), sizes)
    terms = stems[np.arange(len(span)) + np.repeat(begin - (np.cumsum(sizes) - sizes), sizes)]
    words = terms != STOP
    keys = np.sort(span[words] << 32 | terms[words])
    first = np.concatenate(([0], np.flatnonzero(keys[1:] != keys[:-1]) + 1))
    # In floats, exact up to 2**53; a hostile page repeats a word often enough to overflow an int32.
    counts = np.diff(first, append=len(keys)).astype(np.float64)
    return np.bincount(keys[first] >> 32, counts * counts, len(sizes)).astype(np.float64)


# How the words in and around links match a topic.

AROUND = 10
"""So many words on each side of an anchor are its context."""

Singles = npt.NDArray[np.float32]


class Stretch(NamedTuple):
    """Spans of a stream of words, one for each link: its anchor `begin` to `end`, within its page `low` to `high`."""

    begin: Places
    end: Places
    low: Places | int
    high: Places | int


@in_snapshot(_stems=Stems, _keywords=Bag)
class LinkWords:
    """The cosine of the keywords with the anchor of a link, and with the anchor and the words around it.

    On stems. Scores are rounded to single precision, in which a world keeps them.
    """

    def __init__(self, brief: Brief) -> None:
        self._stems = Stems.of_brief(brief)
        self._keywords = keywords_of(brief, self._stems)

    def scores(self, words: Ints, links: Stretch) -> tuple[Singles, Singles]:
        """The anchor scores and the context scores of links in a stream of word ids, in single precision."""
        spans = Spans(self._keywords, self._stems.of(words))
        anchor = spans.cosines(links.begin, links.end)
        begin, end = np.maximum(links.begin - AROUND, links.low), np.minimum(links.end + AROUND, links.high)
        context = spans.cosines(begin, end)
        return anchor.astype(np.float32), context.astype(np.float32)


# PageRank over the pages a crawl has seen.

_DAMPING = 0.8
_TOLERANCE = 0.01
_MOST_ROUNDS = 100
_SHARE = 10
"""Ranks are worked out when one page in so many is new: a large graph changes slowly, and costs much."""


@in_snapshot(_pages=deque[tuple[int, np.int32]], _ranks=dict[int, float], _least=float, _news=int)
class LocalRank:
    """The PageRank of the last `most` pages (None: of all) by the links among them; ranks add up to 1.

    rank(p) = (1-g)/n + g * sum of rank(d)/|out(d)| over the pages d that link to p, g = 0.8, until all of
    them together move by less than 0.01; a page without a link to the others counts as linking to all. Ranks
    are worked out anew when a tenth of the pages is new; until then a new page has the rank of the least.

    >>> ranks = LocalRank(None)
    >>> links = {1: [2], 2: [3], 3: [2], 4: [2, 9]}
    >>> ranks.add([(url, np.array(to, np.int32)) for url, to in links.items()])
    >>> [round(ranks.of(url), 2) for url in (1, 2, 3, 4, 9)]
    [0.05, 0.47, 0.43, 0.05, 0.05]
    """

    def __init__(self, most: int | None) -> None:
        self._pages: deque[tuple[int, Ints]] = deque(maxlen=most)
        self._ranks: dict[int, float] = {}
        self._least = 0.0
        self._news = 0

    def add(self, pages: Sequence[tuple[int, Ints]]) -> None:
        """Take in pages with the URLs they link to."""
        self._pages.extend(pages)
        self._news += len(pages)
        if self._pages and self._news * _SHARE >= len(self._pages):
            self._news = 0
            self._rank()

    def of(self, url: int) -> float:
        """The rank of a page, as it was last worked out."""
        return self._ranks.get(url, self._least)

    def _rank(self) -> None:
        size = len(self._pages)
        source, target = _links_among(list(self._pages))
        out = np.bincount(source, minlength=size)
        share = 1 / np.maximum(out, 1)
        dead_ends = np.flatnonzero(out == 0)
        ranks: Floats = np.full(size, 1 / size)
        for _ in range(_MOST_ROUNDS):
            before = ranks
            gifts = np.bincount(target, (before * share)[source], size)
            ranks = (1 - _DAMPING) / size + _DAMPING * (gifts + before[dead_ends].sum() / size)
            if np.abs(ranks - before).sum() < _TOLERANCE:
                break
        self._least = float(ranks.min())
        self._ranks = dict(zip((url for url, _ in self._pages), ranks.tolist(), strict=True))


def _links_among(pages: list[tuple[int, Ints]]) -> tuple[Ints, Ints]:
    """The links between pages, by their places in the list, none to itself and none twice."""
    urls = np.array([url for url, _ in pages], np.int32)
    order = np.argsort(urls, kind="stable")
    source = np.repeat(np.arange(len(pages)), [len(links) for _, links in pages])
    targets = np.concatenate([links for _, links in pages])
    at = urls[order].searchsorted(targets)
    at[at == len(urls)] = 0
    target = order[at]
    inside = (urls[target] == targets) & (target != source)
    pairs = np.unique(source[inside] * len(pages) + target[inside])
    return pairs // len(pages), pairs % len(pages)


@in_snapshot(_stems=Stems, _keywords=np.int32, _rank=LocalRank)
class Linkage:
    """A page's score: how many distinct keywords it has, and among equals its PageRank in the crawl.

    The PageRank is over the last pages seen, as many as links may wait (`max_buffer`), and adds less than
    half a keyword. It is the rank_KW,PR of the paper with what the crawler can know itself.

    Paper: Pant, Srinivasan, Menczer, "Exploration versus exploitation in topic driven crawlers", 2002.
    """

    def __init__(self, brief: Brief) -> None:
        self._stems = Stems.of_brief(brief)
        self._keywords = keywords_of(brief, self._stems).terms
        self._rank = LocalRank(brief.limits.max_buffer)

    def see(self, pages: Sequence[Page]) -> None:
        """These pages came in; of each its links are kept, and nothing else of it."""
        self._rank.add([(page.url, page.links.url.copy()) for page in pages])

    def score(self, page: Page) -> float:
        keywords = np.isin(self._keywords, self._stems.of(page.tokens)).sum()
        return float(keywords) + self._rank.of(page.url) / 2
