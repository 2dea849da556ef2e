"""How good a page is by its keywords and its place among the pages seen."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np

from salticid.model import Floats, Ints, Page
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot
from salticid.strategies.parts.queue import keywords_of
from salticid.text import Stems

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
