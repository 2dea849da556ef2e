"""The oracle: a crawl that knows all links and all targets, against which the others are measured."""

from __future__ import annotations

from collections import deque

import numpy as np
import numpy.typing as npt
from scipy import sparse

from salticid.metrics.parts.page_links import PageLinks, gather
from salticid.model import Ints
from salticid.webs.recorded import RecordedWeb
from salticid.webs.world_arrays import PAGE


class Oracle:
    """The oracle of one world; what does not depend on the topic is worked out once.

    It follows the links that a crawl may follow, and it may fetch what a crawl may: the seeds, and what pages
    that were fetched lead to. It takes a target when it knows a link to one that is not found yet. Otherwise
    it takes the first step of a shortest path to the nearest target not found yet. Among equals it takes what
    it has known longest: the seeds in their order, then link by link. It ends when no way leads to a target.

    No page is wasted: dead links cost it nothing, and a seed that leads nowhere near is never fetched.
    It is greedy, not perfect: a detour past many targets can beat the way to the nearest one.
    """

    def __init__(self, web: RecordedWeb) -> None:
        self.links = PageLinks.between(web)
        self._url_of = web.arrays[PAGE.url]
        self._backwards = _backwards(self.links)

    def crawl(self, seeds: Ints, targets: Ints, length: int) -> list[bool]:
        """For each page fetched, at most `length`, whether it is a target; both are given as URL ids.

        A target counts where its page is at that very URL, as it does for a crawl (`parts.hits`). What is
        not to count as found, as seeds and examples are not, must not be among the targets.
        """
        pages = self.links.answering(targets)
        hunt = _Hunt(self.links, pages[np.isin(self._url_of[pages], targets)])
        hunt.learn(self.links.answering(seeds))
        hits: list[bool] = []
        while len(hits) < length:
            target = hunt.known_target()
            page = self._towards_the_nearest(hunt) if target is None else target
            if page is None:
                break
            hits.append(target is not None)
            hunt.fetch(page)
        return hits

    def _towards_the_nearest(self, hunt: _Hunt) -> int | None:
        """The known page with the least number of links to a target not found yet, when no target is known.

        Goes back from the targets, a link at a time, until it meets what is known. No page that was fetched
        lies on these ways: it would have made the next page on the way known.
        """
        behind = hunt.hidden_targets()
        is_behind = np.zeros(len(self.links), np.bool_)
        while len(behind):
            is_behind[behind] = True
            before = gather(*self._backwards, behind)
            candidates = before[hunt.known_since[before] >= 0]
            if len(candidates):
                return int(candidates[np.argmin(hunt.known_since[candidates])])
            behind = np.unique(before[~is_behind[before]])
        return None


class _Hunt:
    """What the oracle knows in the course of one crawl.

    `known_since` tells in which order pages became known; it is -1 for those that are not.
    """

    def __init__(self, links: PageLinks, targets: Ints) -> None:
        self.known_since = np.full(len(links), -1, np.int32)
        self._links, self._targets = links, targets
        self._is_hidden = np.zeros(len(links), np.bool_)
        self._is_hidden[targets] = True
        self._known_targets: deque[int] = deque()
        self._page_count = 0

    def learn(self, pages: Ints) -> None:
        """Links to these pages are known from now on, to the first of them the longest."""
        new = pages[self.known_since[pages] < 0]
        order = np.arange(self._page_count, self._page_count + len(new), dtype=np.int32)
        self.known_since[new[::-1]] = order[::-1]  # of a page named twice the first mention is written last
        self._page_count += len(new)
        self._known_targets.extend(dict.fromkeys(new[self._is_hidden[new]].tolist()))

    def known_target(self) -> int | None:
        """The target not found yet that was known first, if one is known; it is handed out once."""
        return self._known_targets.popleft() if self._known_targets else None

    def hidden_targets(self) -> Ints:
        """All targets not found yet."""
        return self._targets[self._is_hidden[self._targets]]

    def fetch(self, page: int) -> None:
        """Take a page: it is found if it was wanted, and the pages it leads to are known."""
        self._is_hidden[page] = False
        self.learn(self._links.of(page))


def _backwards(links: PageLinks) -> tuple[npt.NDArray[np.int64], Ints]:
    """The same links by the page they lead to: where the sources of each page begin, and the sources."""
    size = len(links)
    weightless = np.ones(len(links.page), np.int8)
    transpose = sparse.csr_array((weightless, links.page, links.start), shape=(size, size)).tocsc()
    return transpose.indptr.astype(np.int64), transpose.indices
