"""Best-N-First that is as greedy as the crawl goes well."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta

from salticid.model import Event, Visit
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot
from salticid.strategies.parts import InBatches


@in_snapshot(_n=int, _scores=list[float], _harvest=float | None, _news=list[Event])
class AdaptiveN(InBatches):
    """Best-N-First whose N doubles while the harvest falls and halves while it rises.

    Score as in best_first. N starts at `n_min`, for short crawls favour greed. Whenever a batch is back and
    at least `window` pages have come since the last look, their mean score by the judge, the harvest, is
    compared with that of the look before. Lower by more than the share `margin`: what the frontier holds best
    is a seam running out, and N doubles, to try links that look worse. Higher by more: a seam was struck,
    and N halves, to follow it. N stays between `n_min` and `n_max`, and a `n_max` below `n_min` counts as
    `n_min`. Each change is an event.

    The mean score and not the share of positives: far from the topic that share is 0 look after look, and
    says nothing, while scores already rise.

    >>> from salticid.testing import walk_through
    >>> walk_through(AdaptiveN(n_min=2), max_pages=5)
    ['seed', 'a', 'b', 'b1', 'b2']

    Paper: none, it is our own; an adaptive greediness is named as future work in Pant, Srinivasan, Menczer,
    "Exploration versus exploitation in topic driven crawlers", 2002.
    """

    def __init__(
        self,
        *,
        n_min: Annotated[int, Meta(ge=1, le=4096)] = 1,
        n_max: Annotated[int, Meta(ge=1, le=4096)] = 256,
        window: Annotated[int, Meta(ge=1, le=10_000)] = 50,
        margin: Annotated[float, Meta(ge=0, le=1)] = 0.1,
        admit: Literal["compete", "always"] = "compete",
    ) -> None:
        self.n_min = n_min
        self.n_max = n_max
        self.window = window
        self.margin = margin
        self.admit = admit

    def start(self, brief: Brief) -> None:
        super().start(brief)
        self._n = self.n_min
        self._scores: list[float] = []
        self._harvest: float | None = None
        self._news: list[Event] = []

    def size_of_batch(self) -> int:
        return self._n

    def learn(self, visits: Sequence[Visit]) -> None:
        self._scores += [self.score_page(visit) for visit in visits if visit.page is not None]
        if len(self._scores) < self.window:
            return
        before, self._harvest = self._harvest, sum(self._scores) / len(self._scores)
        self._scores.clear()
        if before is not None:
            self._adapt(before, self._harvest)

    def _adapt(self, before: float, harvest: float) -> None:
        n = self._n
        if harvest < before * (1 - self.margin):
            n = min(2 * n, max(self.n_min, self.n_max))
        elif harvest > before * (1 + self.margin):
            n = max(n // 2, self.n_min)
        if n != self._n:
            self._n = n
            self._news.append(Event("n", (("n", n),)))

    def events(self) -> list[Event]:
        news, self._news = self._news, []
        return news
