"""What strategies have in common that keep their links in one frontier, or go by the keywords themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from salticid.errors import UserError
from salticid.model import FROM_OFFER, Choice, Event, Feedback, Floats, Ints, Limits, Links, Visit
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot
from salticid.strategies.parts.frontier import Frontier
from salticid.text.bags import Bag
from salticid.text.stems import Stems


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
