"""Links by a weighted sum of what the pages that point to them tell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import inf
from typing import ClassVar

import numpy as np

from salticid.model import FROM_OFFER, FROM_SEED, Choice, Feedback, Floats, Ints, Links, Page, Visit
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot
from salticid.strategies.parts import (
    ANCHOR,
    CONTEXT,
    HOST,
    LEVELS,
    NONE,
    TERMS,
    Frontier,
    LinkWords,
    OpenUrls,
    Pairs,
    Parent,
    PastLinks,
    QueueStrategy,
    Ranking,
    Stretch,
    Weight,
    Weights,
    ranks,
)
from salticid.topic import Limits

_REASONS = 3
"""So many terms of a rank are given as its reasons."""
_SPARE = 1024
"""So many more URLs than may wait are remembered before those that were evicted are looked for."""


@in_snapshot(
    "_phases", "_ranking", "_host_of", "_asks_for_hosts", _words=LinkWords | None, _phase=int,
    _max_pages=int, _limit=int, _open_urls=OpenUrls, _past=PastLinks, _flying=set[int],
    _hosts=dict[int, tuple[int, int]],
)  # fmt: skip
class LinearRank(QueueStrategy):
    """A link ranks by a weighted sum of what is known of the pages that point to it, its words and its host.

    Rank(u) = sum of weight * score. P are the downloaded pages that link to u, L(p) the URLs p links to:

        hub         mean of |L(p)| over P / mean of |L| over all downloaded pages
        authority   |P| / mean of |P| over all URLs seen
        comm_in     share of P that is in the community
        comm_out    sum over P of the share of L(p) that is in the community
        parent_k    signed scores of the pages k links above u: the lowest if all are negative, else the highest
        anchor      cosine of the keywords with the anchor, the best of all links to u
        context     the same with ten words more on each side
        host        (good + 1) / (all + 2) of the pages downloaded from u's host

    The community are the seeds and the pages that the judge calls positive. A signed score is 2 * score - 1, or with
    `margin` log(score / (1 - score)), the margin of an `svm`; so the judge should be one whose line is 0.5. The
    weights given are those the paper found; it asks for the last three terms without trying them. parent_1 alone is
    best_first.

    A link is ranked anew only when a page arrives that points to it. What lies above a page is settled when the
    page arrives. Seeds go first; an offered link counts as one of a perfect page, until a page points to it.

    `later` are weights that take over one after another, in equal parts of max_pages; when they do, all waiting
    links are ranked anew. With `by_distance` they are those of links two, three, ... links from the seeds, the last of
    all farther ones. A judge that changes its mind changes parent_1 of the links that wait; the community
    stays. `why` gives the three strongest terms, as they are when somebody asks.

    Of evicted links nothing is kept, so that one found again begins anew, and comm_out follows the growth of
    the community on the last max_buffer pages only.

    >>> from salticid.testing import walk_through
    >>> walk_through(LinearRank(), max_pages=5)
    ['seed', 'a', 'b', 'b1', 'b2']

    Paper: Johnson, Tsioutsiouliklis, Giles, "Evolving strategies for focused web crawling", ICML 2003.
    """

    heeds: ClassVar[bool] = True

    def __init__(
        self,
        *,
        hub: Weight = 0.025828,
        authority: Weight = 0.025852,
        comm_in: Weight = 0.196382,
        comm_out: Weight = 0.312661,
        parent_1: Weight = 0.250646,
        parent_2: Weight = 0.093023,
        parent_3: Weight = 0.080103,
        parent_4: Weight = 0.005168,
        parent_5: Weight = 0.010336,
        anchor: Weight = 0.0,
        context: Weight = 0.0,
        host: Weight = 0.0,
        later: tuple[Weights, ...] = (),
        by_distance: bool = False,
        margin: bool = False,
    ) -> None:
        self.hub = hub
        self.authority = authority
        self.comm_in = comm_in
        self.comm_out = comm_out
        self.parent_1 = parent_1
        self.parent_2 = parent_2
        self.parent_3 = parent_3
        self.parent_4 = parent_4
        self.parent_5 = parent_5
        self.anchor = anchor
        self.context = context
        self.host = host
        self.later = later
        self.by_distance = by_distance
        self.margin = margin

    def start(self, brief: Brief) -> None:
        first = Weights(**{term: getattr(self, term) for term in TERMS})
        self._phases: Floats = np.stack([weights.row() for weights in (first, *self.later)])
        self._phase = 0
        self._ranking = Ranking(self.margin, self.by_distance)
        self._max_pages, self._limit = brief.limits.max_pages, brief.limits.max_buffer
        self.frontier = Frontier(brief.urls, self._limit)
        self._open_urls = OpenUrls(len(brief.urls))
        self._past = PastLinks(self._limit)
        self._flying: set[int] = set()
        self._hosts: dict[int, tuple[int, int]] = {}
        self._host_of = brief.urls.host
        reads = self._phases[:, [ANCHOR, CONTEXT]].any()
        self._words = LinkWords(brief) if reads else None
        self._asks_for_hosts = bool(self._phases[:, HOST].any())
        self._open_urls.see(brief.seeds.url)
        for url in brief.seeds.url.tolist():
            self._open_urls.join_community(url)
        self.frontier.push(brief.seeds.url, inf)

    def choose(self, n: int, busy: frozenset[int]) -> list[Choice]:
        choices = [self._with_reasons(choice) for choice in super().choose(n, busy)]
        self._flying.update(choice.link.url for choice in choices)
        return choices

    def observe(self, visit: Visit, fresh: Ints) -> None:
        self.frontier.discard(visit.final)
        if visit.page is not None:
            self._download(visit, visit.page)
            self._queue(visit, visit.page, fresh)
            self._open_urls.close(visit.final)
        self._flying.discard(visit.url)
        self._open_urls.close(visit.url)
        self._forget_evicted()

    def revise(self, scores: Sequence[tuple[int, float]], feedback: Sequence[Feedback]) -> None:
        """Settle anew what the parents of waiting links say, as far as the links of these are kept."""
        urls: dict[int, None] = {}
        for step, score in scores:
            if step in self._past:
                self._past.rescore(step, self._ranking.signed(score))
                urls |= dict.fromkeys(self._past.of(step).tolist())
        for url in urls:
            slot = self._open_urls.slot(url)
            parents = self._past.leading_to(slot, self._open_urls) if slot != NONE else ()
            if above := [self._past.score(step) for step in parents]:
                self._open_urls.set_parents(slot, max(above), min(above))
        self._rank_again(urls)

    def offer(self, links: Links) -> None:
        self._open_urls.see(np.unique(links.url))
        self.frontier.push(links.url, self._perfect, FROM_OFFER)
        self._forget_evicted()

    def extend(self, limits: Limits) -> None:
        """The parts of max_pages grow with it; weights that rule already go on."""
        self._max_pages = limits.max_pages

    def waiting(self, k: int) -> tuple[int, list[Choice]]:
        size, best = super().waiting(k)
        return size, [self._with_reasons(choice) for choice in best]

    @property
    def _weights(self) -> Floats:
        row: Floats = self._phases[self._phase]
        return row

    @property
    def _perfect(self) -> float:
        """The rank of a link for which every term is 1."""
        return float(ranks(self._weights, np.ones((len(TERMS), 1)))[0])

    def _download(self, visit: Visit, page: Page) -> None:
        """Take note of a page: of where it stands, and of what it says about the URLs it links to."""
        open_urls, totals = self._open_urls, self._open_urls.totals
        inside = visit.positive or open_urls.in_community(np.array([visit.url])) > 0
        if inside:
            for url in dict.fromkeys((visit.url, visit.final)):
                self._join(url)
        targets = np.zeros(0, np.int32) if page.nofollow else page.links.url[~page.links.nofollow]
        urls = np.array(list(dict.fromkeys(targets.tolist())), np.int32)
        open_urls.see(urls)
        totals.pages += 1
        totals.links += len(urls)
        pages, good = self._hosts.get(host := self._host_of(visit.final), (0, 0))
        self._hosts[host] = pages + 1, good + visit.positive
        above, signed_score = open_urls.above(visit.url), self._ranking.signed(visit.score)
        if len(urls):
            share = open_urls.in_community(urls) / len(urls)
            pairs = Pairs(_below(signed_score, above.most), _below(signed_score, above.least))
            open_urls.add_parent(open_urls.open(urls), Parent(len(urls), share, inside, pairs))
            self._past.add(visit.step, signed_score, urls, open_urls)
            if self._words is not None:
                self._add_words(self._words, page)

    def _join(self, url: int) -> None:
        """A page joins the community: pages that link to it have one link more into it."""
        open_urls, slot = self._open_urls, self._open_urls.slot(url)
        if open_urls.join_community(url) and slot != NONE:
            for step in self._past.leading_to(slot, open_urls):
                siblings = self._past.of(step)
                slots = open_urls.slots(siblings)
                open_urls.add_share(slots[slots != NONE], 1.0 / len(siblings))

    def _add_words(self, words: LinkWords, page: Page) -> None:
        """Take note of what the links of a page say; of several to one URL, the best counts."""
        slots = self._open_urls.slots(page.links.url)
        places = np.flatnonzero(~page.links.nofollow & (slots != NONE))
        begin, end = page.links.start[places].astype(np.int64), page.links.end[places].astype(np.int64)
        anchor, context = words.scores(page.tokens, Stretch(begin, end, 0, len(page.tokens)))
        self._open_urls.add_words(slots[places], anchor, context)

    def _queue(self, visit: Visit, page: Page, fresh: Ints) -> None:
        """Rank the links of a page, those that wait already anew."""
        places: dict[int, int] = {}
        for url, place in zip(page.links.url[fresh].tolist(), fresh.tolist(), strict=True):
            places.setdefault(url, place)
        weights = min(self._open_urls.totals.pages * len(self._phases) // self._max_pages, len(self._phases) - 1)
        switches = weights > self._phase and not self.by_distance
        self._phase = weights if switches else self._phase
        self._rank_again(list(self.frontier) if switches else [url for url in places if url in self.frontier])
        news = [url for url in places if url not in self.frontier]
        if news:
            self._open_urls.depth[self._open_urls.slots(np.array(news, np.int32))] = visit.depth + 1
            self.frontier.push(news, self._ranks(news), visit.step, [places[url] for url in news])

    def _rank_again(self, urls: Iterable[int]) -> None:
        """Rank those of these that wait and that a page points to; seeds stay in front."""
        waiting = [url for url in urls if url in self.frontier and self._has_rank(url)]
        for url, rank in zip(waiting, self._ranks(waiting).tolist(), strict=True):
            self.frontier.rescore(url, rank)

    def _has_rank(self, url: int) -> bool:
        slot = self._open_urls.slot(url)
        return slot != NONE and self._open_urls.has_parents(slot) and self.frontier.score(url) < inf

    def _ranks(self, urls: list[int]) -> Floats:
        return ranks(self._weights_of(urls), self._terms(urls))

    def _weights_of(self, urls: list[int]) -> Floats:
        """The weights that rank these: one row for all, or a column for each."""
        if not self.by_distance:
            return self._weights
        away = self._open_urls.depth[self._open_urls.slots(np.array(urls, np.int32))]
        columns: Floats = self._phases[np.clip(away - 1, 0, len(self._phases) - 1)].T
        return columns

    def _terms(self, urls: list[int]) -> Floats:
        slots = self._open_urls.slots(np.array(urls, np.int32))
        hosts = np.array([self._host_score(url) for url in urls] if self._asks_for_hosts else 0.0)
        return self._open_urls.terms(slots, hosts)

    def _host_score(self, url: int) -> float:
        pages, good = self._hosts.get(self._host_of(url), (0, 0))
        return (good + 1) / (pages + 2)

    def _with_reasons(self, choice: Choice) -> Choice:
        """A choice with its reasons; a seed, whose place in front no rank gives it, with that of a perfect link."""
        url = choice.link.url
        if choice.link.source == FROM_SEED:
            return replace(choice, score=self._perfect)
        slot = self._open_urls.slot(url)
        if slot == NONE or not self._open_urls.has_parents(slot):
            return choice
        shares = (self._weights_of([url]).reshape(-1) * self._terms([url])[:, 0]).tolist()
        strongest = sorted(zip(TERMS, shares, strict=True), key=lambda share: -abs(share[1]))[:_REASONS]
        return replace(choice, why=tuple(share for share in strongest if share[1]))

    def _forget_evicted(self) -> None:
        """Drop what is known of links that were evicted, once they are many."""
        if self._limit is not None and len(self._open_urls) > 2 * self._limit + len(self._flying) + _SPARE:
            for url in self._open_urls.urls():
                if url not in self.frontier and url not in self._flying:
                    self._open_urls.forget(url)


def _below(score: float, above: Floats) -> Floats:
    """What is k links above a URL, seen from a page that links to it: the page, then what is k - 1 above that."""
    return np.concatenate(([score], above[: LEVELS - 1]))
