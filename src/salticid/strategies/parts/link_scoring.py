"""What strategies have in common that read the anchor of a link to predict the class of its target."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, NamedTuple

import numpy as np

from salticid.learning import LONGEST_ANCHOR, AnchorWords, LinkModel, LinkTables, model_for
from salticid.model import Choice, Floats, Ints, Links, Page, Visit
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot
from salticid.strategies.parts.queue import QueueStrategy

_WORD = np.dtype(np.int32).itemsize
_SPARE = 64
"""So many links more than wait may be remembered before those that are gone are looked for."""


@in_snapshot()
class SourcePage(NamedTuple):
    """The page a link was found on: its visit, the class the judge put it in, P(class | page)."""

    step: int
    label: int
    posterior: Floats


@in_snapshot()
class WaitingLink(NamedTuple):
    """What is needed of a waiting link when its target has been judged: its source and its anchor."""

    source: SourcePage
    place: int
    anchor: bytes

    @property
    def words(self) -> Ints:
        """The word ids of the anchor."""
        return np.frombuffer(self.anchor, np.int32)


@in_snapshot(model=LinkModel, _waiting=dict[int, WaitingLink], _in_flight=dict[int, WaitingLink], _until_rescore=int)
class LinkScoring(QueueStrategy):
    """A strategy that learns what anchors lead to; a subclass adds `log_prior`, what is probable without one.

    A link's score is P(target class | anchor), naive Bayes on the words of anchors. A visit that comes back
    labels the link it was reached by: the judge's verdict is the class of the link's target. For that,
    links wait with what they said, about as many as wait in the frontier.
    """

    tables: LinkTables | None = None
    evidence: int = 0
    learn: bool = True
    rescore: int = 0
    reads_pages: ClassVar[bool]
    """Whether the class of the page a link is on matters."""

    def log_prior(self, posterior: Floats) -> Floats:
        """log P(class of the target) before the anchor is read, given P(class | page), one or a row each."""
        raise NotImplementedError

    def start(self, brief: Brief) -> None:
        super().start(brief)
        self.model = model_for(brief, self.tables, self.evidence)
        self._waiting: dict[int, WaitingLink] = {}
        self._in_flight: dict[int, WaitingLink] = {}
        self._until_rescore = self.rescore

    def choose(self, n: int, busy: frozenset[int]) -> list[Choice]:
        choices = super().choose(n, busy)
        self._leave(choices)
        return choices

    def observe(self, visit: Visit, fresh: Ints) -> None:
        self.frontier.discard(visit.final)
        link, page = self._in_flight.pop(visit.url, None), visit.page
        if page is None:
            return
        source = self._source(visit, page)
        if self.learn and link is not None:
            self.model.learn_link(link.words, source.label, link.source.label)
        self._queue(page, fresh, source)
        if self.learn and self.reads_pages:
            self.model.learn_page(page, source.label)
        self._until_rescore -= 1
        if self._until_rescore == 0:
            self._rescore_all()

    def offer(self, links: Links) -> None:
        """A link offered scores as such, whatever an anchor said about it before."""
        for url in links.url.tolist():
            self._waiting.pop(url, None)
        super().offer(links)

    def _leave(self, choices: list[Choice]) -> None:
        """These are on their way: what they said is needed when they are back."""
        for link in (choice.link for choice in choices):
            waiting_link = self._waiting.pop(link.url, None)
            if waiting_link is not None and (waiting_link.source.step, waiting_link.place) == (
                link.source,
                link.place,
            ):
                self._in_flight[link.url] = waiting_link

    def _source(self, visit: Visit, page: Page) -> SourcePage:
        reads = self.reads_pages or len(self.model.classes) > 2
        posterior = self.model.pages.posterior(page) if reads else np.zeros(0)
        return SourcePage(visit.step, self.model.label(visit.positive, posterior), posterior)

    def _queue(self, page: Page, fresh: Ints, source: SourcePage) -> None:
        """Queue links as the frontier would: of several to one URL the best, the first among equals."""
        posteriors = self.model.link_posteriors(AnchorWords.of(page, fresh), self.log_prior(source.posterior))
        scores: list[float] = posteriors[:, self.model.target].tolist()
        best: dict[int, int] = {}
        for at, url in enumerate(page.links.url[fresh].tolist()):
            if url not in best or scores[at] > scores[best[url]]:
                best[url] = at
        frontier = self.frontier
        news = {url: at for url, at in best.items() if url not in frontier or scores[at] > frontier.score(url)}
        places = fresh[list(news.values())]
        frontier.push(list(news), [scores[at] for at in news.values()], source.step, places)
        self._remember(page, dict(zip(news, places.tolist(), strict=True)), source)

    def _remember(self, page: Page, places: Mapping[int, int], source: SourcePage) -> None:
        frontier, words = self.frontier, page.tokens.tobytes()
        starts = page.links.start
        ends = np.minimum(page.links.end, starts + LONGEST_ANCHOR).tolist()
        begins = starts.tolist()
        for url, place in places.items():
            if url in frontier:
                anchor = words[_WORD * begins[place] : _WORD * ends[place]]
                self._waiting[url] = WaitingLink(source, place, anchor)
        if len(self._waiting) > len(frontier) + max(len(frontier), _SPARE):
            self._waiting = {url: link for url, link in self._waiting.items() if url in frontier}

    def _rescore_all(self) -> None:
        """Score the waiting links by what is known now; the pages they were found on are not read again."""
        self._until_rescore = self.rescore
        waiting = {url: self._waiting[url] for url in self.frontier if url in self._waiting}
        if waiting:
            anchors = AnchorWords.of_anchors([link.words for link in waiting.values()])
            posteriors = np.stack([link.source.posterior for link in waiting.values()])
            link_posteriors = self.model.link_posteriors(anchors, self.log_prior(posteriors))
            for url, score in zip(waiting, link_posteriors[:, self.model.target].tolist(), strict=True):
                self.frontier.rescore(url, score)
