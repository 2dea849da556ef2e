"""What strategies have in common that keep their links in one frontier, or go by the keywords themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from salticid.errors import UserError
from salticid.model import FROM_OFFER, Choice, Event, Feedback, Floats, Ints, Links, Visit
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot
from salticid.strategies.parts.frontier import Frontier
from salticid.text import Bag, Stems
from salticid.topic import Limits


@in_snapshot(frontier=Frontier)
class QueueStrategy:
    """A strategy that keeps all links in one frontier; a subclass adds `score_links`.

    The link with the highest score is fetched next; among equals, the oldest. A URL found again keeps the higher score.
    """

    walks: ClassVar[bool] = False
    heeds: ClassVar[bool] = False
    """Whether `revise` changes what is fetched next."""
    admit: str = "compete"

    def score_links(self, visit: Visit, fresh: Ints) -> float | Floats | Sequence[float]:
        """Score the links of a visit's page at the places `fresh`: a number each, or one number for all of them.

        Called once for each visit that has a page. `fresh` are the links that may be chosen, in reading order.
        """
        raise NotImplementedError

    seed_score: ClassVar[float] = 1.0
    """Seeds and offers score as links of a perfect page."""

    def start(self, brief: Brief) -> None:
        self.frontier = Frontier(brief.urls, brief.limits.max_buffer, self.admit)
        self.frontier.push(brief.seeds.url, self.seed_score)

    def choose(self, n: int, busy: frozenset[int]) -> list[Choice]:
        return self.frontier.pop(n, busy)

    def observe(self, visit: Visit, fresh: Ints) -> None:
        self.frontier.discard(visit.final)
        if visit.page is not None:
            self.frontier.push(visit.page.links.url[fresh], self.score_links(visit, fresh), visit.step, fresh)

    def revise(self, scores: Sequence[tuple[int, float]], feedback: Sequence[Feedback]) -> None:
        """A frontier that goes by something else than the judge has nothing to change."""

    def offer(self, links: Links) -> None:
        self.frontier.push(links.url, self.seed_score, FROM_OFFER)

    def extend(self, limits: Limits) -> None:
        """A larger budget changes nothing here."""

    def events(self) -> list[Event]:
        return []

    def waiting(self, k: int) -> tuple[int, list[Choice]]:
        return len(self.frontier), self.frontier.best(k)


def keywords_of(brief: Brief, stems: Stems) -> Bag:
    """The stems of the keywords; a UserError when there is none among them to go by."""
    keywords = Bag.of(stems.terms(brief.topic.keywords))
    if not keywords.norm:
        raise UserError(
            f"the keywords of topic {brief.topic.name!r} hold no word to go by "
            f"({brief.topic.keywords!r} in language {brief.language!r}); name at least one that is no stop word"
        )
    return keywords


# What strategies that fetch in batches have in common.


@in_snapshot(
    "_host", _batch=list[Choice], _out=set[int], _visits=list[tuple[Visit, np.int32]],
    _offers=list[tuple[int, np.int32]], _revisions=dict[int, float],
)  # fmt: skip
class InBatches(QueueStrategy):
    """Takes the best links as a batch and learns nothing until all of them have come back.

    What a batch brings in is queued when its last link has returned, failures included. Say how large
    the next batch is, and it is complete.
    """

    heeds: ClassVar[bool] = True

    def size_of_batch(self) -> int:
        """How many links to take next."""
        raise NotImplementedError

    def learn(self, visits: Sequence[Visit]) -> None:
        """A whole batch has come back, in this order; its links are queued next."""

    def start(self, brief: Brief) -> None:
        super().start(brief)
        self._host = brief.urls.host
        self._batch: list[Choice] = []
        self._out: set[int] = set()
        self._visits: list[tuple[Visit, Ints]] = []
        self._offers: list[tuple[int, Ints]] = []
        self._revisions: dict[int, float] = {}

    def choose(self, n: int, busy: frozenset[int]) -> list[Choice]:
        if not self._batch and not self._out:
            self._batch = self.frontier.pop(self.size_of_batch())
        if busy:
            self._batch.sort(key=lambda choice: self._host(choice.link.url) in busy)
            n = min(n, sum(self._host(choice.link.url) not in busy for choice in self._batch))
        ready, self._batch = self._batch[:n], self._batch[n:]
        self._out.update(choice.link.url for choice in ready)
        return ready

    def observe(self, visit: Visit, fresh: Ints) -> None:
        self._out.discard(visit.url)
        self._visits.append((visit, fresh))
        if not self._batch and not self._out:
            self.learn([visit for visit, _ in self._visits])
            self._queue_what_came_in()

    def offer(self, links: Links) -> None:
        if self._batch or self._out:
            most, waiting = self.frontier.limit, sum(len(urls) for _, urls in self._offers)
            news = links.url if most is None else links.url[: max(0, most - waiting)]
            if len(news):
                self._offers.append((len(self._visits), news))
        else:
            super().offer(links)

    def _queue_what_came_in(self) -> None:
        """Queue all that came in during a batch, except links to pages of the batch itself.

        A link that failed and was offered again afterwards may be chosen again.
        """
        ends = np.array([(visit.url, visit.final) for visit, _ in self._visits])
        batch_urls = np.unique(ends)
        for visit, fresh in self._visits:
            if visit.page is not None:
                fresh = fresh[~np.isin(visit.page.links.url[fresh], batch_urls)]
            super().observe(visit, fresh)
        for before, urls in self._offers:
            super().offer(Links.to(urls[~np.isin(urls, ends[before:])].tolist()))
        self._visits.clear()
        self._offers.clear()
        self._revisions.clear()

    def score_links(self, visit: Visit, fresh: Ints) -> float:
        return self.score_page(visit)

    def score_page(self, visit: Visit) -> float:
        """The score of all links of a page: the judge's score of it, as it stands now."""
        return self._revisions.get(visit.step, visit.score)

    def revise(self, scores: Sequence[tuple[int, float]], feedback: Sequence[Feedback]) -> None:
        self.frontier.rescore_from(dict(scores))
        steps = {visit.step for visit, _ in self._visits}
        self._revisions.update((step, score) for step, score in scores if step in steps)

    def waiting(self, k: int) -> tuple[int, list[Choice]]:
        size, best = super().waiting(k)
        return size + len(self._batch), (self._batch + best)[:k]
