"""All that can be read about a link."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from salticid.learning import LinkWeights, PageTraits
from salticid.model import Feedback, Ints, Visit
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot
from salticid.strategies.best_first import BestFirst


@in_snapshot("_words", "_urls")
class Context(BestFirst):
    """A link scores by its anchor, the words around it, its address, the page's titles and its place there.

    The score is P(class the crawl is after | link) by a logistic regression that was learned from labelled links
    of another world: `weights`, in a strategy file that `salticid links --save FILE.toml --score context` writes.
    Without them nothing is known of links, and each is as promising as the page it is on, as in best_first.

    >>> from salticid.testing import walk_through
    >>> walk_through(Context(), max_pages=5)
    ['seed', 'a', 'b', 'b1', 'b2']

    Paper: none, it is our own; context of links is named as future work in Passerini, Frasconi, Soda, "Evaluation
    methods for focused crawling", AI*IA 2001.
    """

    def __init__(self, *, weights: LinkWeights | None = None, admit: Literal["compete", "always"] = "compete") -> None:
        self.weights = weights
        self.admit = admit

    def start(self, brief: Brief) -> None:
        super().start(brief)
        self._words, self._urls = brief.words, brief.urls

    def score_links(self, visit: Visit, fresh: Ints) -> float | Sequence[float]:
        if self.weights is None:
            return super().score_links(visit, fresh)
        page = PageTraits.of(visit.require_page(), self._words, self._urls)
        return [self.weights.chance(page.traits(place)) for place in fresh.tolist()]

    def revise(self, scores: Sequence[tuple[int, float]], feedback: Sequence[Feedback]) -> None:
        if self.weights is None:
            super().revise(scores, feedback)
