"""The links of a world as arrays: PageRank, the oracle's paths, communities."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import csr_array

from salticid.metrics.parts.retrieval import ranks
from salticid.model import Bools, Floats, Ints, Outcome
from salticid.webs import LINK, MAX_REDIRECTS, NOFOLLOW, OUTCOMES, PAGE, REDIRECT, ROW, URL, RecordedWeb

_MOST_ROUNDS = 1000


def keyword_hits(counts: csr_array, query: Floats) -> Ints:
    """How many distinct stems of the query each page has.

    >>> keyword_hits(csr_array([[5, 0, 1], [1, 1, 0]]), np.array([2.0, 1.0, 0.0])).tolist()
    [1, 2]
    """
    there = csr_array((counts.data > 0, counts.indices, counts.indptr), counts.shape)
    hits: Ints = there @ (query > 0).astype(np.int32)
    return hits


def keyword_pagerank_ranks(keyword_hits: Ints, pagerank: Floats) -> Floats:
    """rank_KW,PR: 1 for the page with the most keywords, among equals the one of highest PageRank.

    Pages equal in both share the mean of their places. The hits are of one topic's pool, the PageRanks of its
    pages worked out over the pages of all topics and crawlers.

    >>> keyword_pagerank_ranks(np.array([1, 2, 1, 1]), np.array([0.5, 0.1, 3.0, 0.5])).tolist()
    [3.5, 1.0, 2.0, 3.5]

    Paper: Pant, Srinivasan, Menczer, "Exploration versus exploitation in topic driven crawlers", 2002.
    """
    return ranks(keyword_hits - ranks(pagerank) / (len(pagerank) + 1))


def pool_pagerank(indptr: Ints, targets: Ints, damping: float = 0.85, tolerance: float = 1e-9) -> Floats:
    """The PageRank of each page of a pool by the links among them; 1 in the mean.

        PR(p) = (1 - g) + g * sum of PR(d) / |out(d)| over the pages d of the pool that link to p

    Page number i links to the pages `targets[indptr[i]:indptr[i + 1]]` of the pool, a number below 0 being a
    page outside it. Links to outside, to the page itself, and second links to a page are passed over. A page
    that then has none counts as linking to every page, itself too. Rounds go on until all ranks together
    move by less than `tolerance`.

    Both pages link to the first, the first to none, so to both: with g = 0.5, PR(1) = 0.5 + 0.5 * PR(0) / 2 and
    PR(0) + PR(1) = 2, so PR(0) = 1.2.

    >>> pool_pagerank(np.array([0, 0, 1]), np.array([0]), damping=0.5).round(6).tolist()
    [1.2, 0.8]

    Papers: Brin, Page, "The anatomy of a large-scale hypertextual web search engine", 1998; Haveliwala,
    "Efficient computation of PageRank", 1999.
    """
    size = len(indptr) - 1
    source = np.repeat(np.arange(size), np.diff(indptr))
    inside = (targets >= 0) & (targets != source)
    links = np.unique(source[inside] * size + targets[inside])
    source, target = np.divmod(links, max(size, 1))
    out = np.bincount(source, minlength=size)
    dead_ends = out == 0
    shares = csr_array((1 / out[source], (target, source)), (size, size))
    pagerank = np.ones(size)
    for _ in range(_MOST_ROUNDS):
        before = pagerank
        pagerank = 1 - damping + damping * (shares @ before + before[dead_ends].sum() / max(size, 1))
        if np.abs(pagerank - before).sum() < tolerance:
            break
    return pagerank


# The links between the pages of a world, as arrays.


@dataclass(frozen=True, slots=True, eq=False)
class PageLinks:
    """The links between the pages of a world that a crawl may follow, redirects resolved.

    The pages that page `p` leads to are page[start[p]:start[p + 1]], in reading order, with repetitions.
    `page_at[url]` is the page that answers at a URL of the world, -1 where none does.

    Four pages, of which 0 leads to 1 and 2, both of these lead to 3, and 3 to itself:

    >>> links = PageLinks(np.array([0, 2, 3, 4, 5]), np.array([1, 2, 3, 3, 3]), page_at=np.arange(4))
    >>> links.of(0).tolist(), links.distances(np.array([1])).tolist()
    ([1, 2], [-1, 0, -1, 1])
    """

    start: npt.NDArray[np.int64]
    page: Ints
    page_at: Ints

    @classmethod
    def between(cls, web: RecordedWeb) -> PageLinks:
        """Those of a world: no link that is nofollow, or on a page that is, and none that leads to no page."""
        page_at = _page_at(web)
        ends = web.arrays[LINK.end].astype(np.int64)
        begins = np.concatenate([np.zeros(1, np.int64), ends])
        page = page_at[web.arrays[LINK.url]]
        on_nofollow = np.repeat((web.arrays[PAGE.flags] & NOFOLLOW) > 0, np.diff(begins))
        usable = (page >= 0) & ~web.arrays[LINK.nofollow] & ~on_nofollow
        counts = np.concatenate([np.zeros(1, np.int64), np.cumsum(usable)])
        return cls(counts[begins], page[usable], page_at)

    def __len__(self) -> int:
        return len(self.start) - 1

    def of(self, page: int) -> Ints:
        """The pages that a page leads to."""
        return self.page[self.start[page] : self.start[page + 1]]

    def answering(self, urls: Ints) -> Ints:
        """The pages that answer at these URLs, in their order; URLs without a page are passed over."""
        valid_urls = urls[(urls >= 0) & (urls < len(self.page_at))]
        pages: Ints = self.page_at[valid_urls]
        return pages[pages >= 0]

    def distances(self, seeds: Ints) -> Ints:
        """For each page the least number of links from one of the seeds, URL ids; -1 where no way leads."""
        away = np.full(len(self), -1, np.int32)
        away[self.answering(seeds)] = steps = 0
        while len(level := np.flatnonzero(away == steps)):
            steps += 1
            neighbours = gather(self.start, self.page, level)
            away[neighbours[away[neighbours] < 0]] = steps
        return away

    def among(self, pages: Ints) -> tuple[npt.NDArray[np.int64], Ints]:
        """The links of some pages, as `community_cohesiveness` takes them.

        Page number i of them leads to link[start[i]:start[i + 1]], places in `pages`; -1 is none of them.
        """
        place = np.full(len(self), -1, np.int32)
        place[pages] = np.arange(len(pages))
        lengths = self.start[pages + 1] - self.start[pages]
        start = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        return start, place[gather(self.start, self.page, pages)]


def gather(start: npt.NDArray[np.int64], values: Ints, rows: npt.NDArray[np.signedinteger[Any]]) -> Ints:
    """The values of several rows, one after the other; row r is values[start[r]:start[r + 1]].

    >>> gather(np.array([0, 2, 2, 3]), np.array([7, 8, 9]), np.array([2, 0, 1])).tolist()
    [9, 7, 8]
    """
    begins = start[rows]
    lengths = start[rows + 1] - begins
    shifts = np.repeat(begins - (np.cumsum(lengths) - lengths), lengths)
    return values[shifts + np.arange(len(shifts))]


def _page_at(web: RecordedWeb) -> Ints:
    """For each URL of the world the page that `fetch` would give, -1 for none."""
    arrays = web.arrays
    row, kind = arrays[URL.row], arrays[ROW.kind]
    page_at = _column_by_url(row, np.where(kind == OUTCOMES.index(Outcome.OK), arrays[ROW.page], -1))
    redirects = _column_by_url(row, np.where(kind == REDIRECT, arrays[ROW.target], -1))
    from_urls = np.flatnonzero(redirects >= 0)
    at: npt.NDArray[np.int64] = from_urls
    for _ in range(MAX_REDIRECTS):
        at = np.where(redirects[at] >= 0, redirects[at], at)
    page_at[from_urls] = page_at[at]
    return page_at


def _column_by_url(row: Ints, of_row: Ints) -> Ints:
    """A column of the rows for each URL, -1 for a URL without a row."""
    column = np.append(of_row, np.int32(-1)).astype(np.int32, copy=False)
    by_url: Ints = column[row]
    return by_url


# The oracle: a crawl that knows all links and all targets, against which the others are measured.


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


# Cohesiveness: how many links lead from a page of a crawl into its community.


def community_cohesiveness(start: npt.NDArray[np.int64], link: Ints, community: Bools) -> float | None:
    """Community cohesiveness = sum over the pages i of the community C of |L_i in C| / |C| (spec 5).

    Pages go by their place in the crawl. The links of page i are link[start[i]:start[i + 1]], each the place
    of the page it leads to, or -1 when that is not in the crawl (as `PageLinks.among` gives them). L_i is a
    set: a page linked to twice counts once. `community` says which pages are in C: the relevant ones and the
    seeds. None when there are none.

    Three pages: 0 links to 1 (twice), 2 and outside, 1 links to 0, 2 to both others; 0 and 1 are the community.

    >>> start, link = np.array([0, 4, 5, 7]), np.array([1, 1, 2, -1, 0, 0, 1], np.int32)
    >>> community = np.array([True, True, False])
    >>> community_cohesiveness(start, link, community), community_overall(start, link, community)
    (1.0, 1.3333333333333333)

    Paper: Johnson, Tsioutsiouliklis, Giles, "Evolving strategies for focused web crawling", ICML 2003.
    """
    inward = _links_into(community, start, link)
    return float(inward[community].mean()) if community.any() else None


def community_overall(start: npt.NDArray[np.int64], link: Ints, community: Bools) -> float | None:
    """The same over all pages of the crawl: sum over them of |L_i in C| / their number; None for no pages."""
    return float(_links_into(community, start, link).mean()) if len(community) else None


def _links_into(community: Bools, start: npt.NDArray[np.int64], link: Ints) -> npt.NDArray[np.int64]:
    """|L_i in C| of each page i."""
    pages = len(community)
    source = np.repeat(np.arange(pages), np.diff(start))
    inside = (link >= 0) & community[link] if pages else np.zeros(0, np.bool_)
    distinct = np.unique(source[inside] * pages + link[inside])
    return np.bincount(distinct // max(pages, 1), minlength=pages)
