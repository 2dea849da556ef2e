"""Cosine similarity with the keywords."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar

from msgspec import Meta

from salticid.errors import UserError
from salticid.model import Page
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot
from salticid.text import Bag, PageBags, Stems


@in_snapshot(_stems=Stems, _bags=PageBags, _query=Bag, line=float)
class Cosine:
    """score = sum f_kq f_kp / (|f_q| |f_p|), raw counts of stems, stop words left out.

    The line is set from the examples, half their mean score, since a raw cosine means little by
    itself; without examples, or when they score nothing, it is the fixed `similarity`.

    Paper: Menczer, Pant, Ruiz, Srinivasan, "Evaluating topic-driven web crawlers", SIGIR 2001.
    """

    heeds: ClassVar[bool] = False

    def __init__(self, *, similarity: Annotated[float, Meta(gt=0, le=1)] = 0.1) -> None:
        self.similarity = similarity

    def start(self, brief: Brief) -> None:
        self._stems = Stems.of_brief(brief)
        self._bags = PageBags(self._stems)
        self._query = Bag.of(self._stems.terms(brief.topic.keywords))
        if not self._query.norm:
            raise UserError(
                f"the keywords of topic {brief.topic.name!r} hold no word to go by "
                f"({brief.topic.keywords!r} in language {brief.language!r}); name at least one that is no stop word"
            )
        scores = [self.score(page) for page in brief.examples]
        self.line = (sum(scores) / len(scores) / 2 if scores else 0.0) or self.similarity

    def score(self, page: Page) -> float:
        return self._bags.cosine(self._query, page)

    def watch(self, page: Page, score: float) -> bool:
        return False

    def learn(self, likings: Sequence[tuple[Page, float]]) -> bool:
        """A fixed query learns nothing."""
        return False
