"""Near the pages on topic and far from the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from msgspec import Meta

from salticid.errors import UserError
from salticid.learning import StemVector, TrainedJudge, background, length_of, log_vector, total
from salticid.model import Floats, Page
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot
from salticid.text import Bag, PageBags, Stems


@in_snapshot(
    _stems=Stems, _bags=PageBags, _keywords=StemVector, _usual=StemVector, _query=np.float64, _length=float,
    line=float,
)  # fmt: skip
class Rocchio(TrainedJudge):
    """score = cos(q, page), with one vector q made of keywords, pages on topic and pages off.

        q = alpha * keywords + beta / |on| * sum of pages on - gamma / |off| * sum of pages off

    Weights are 1 + log f for a stem that occurs f times, stop words left out, and every page is brought
    to length 1 first; weights of q below 0 become 0. Without negatives the usual words of the language
    stand for one page off topic. With `retrain` it trains itself on its surest verdicts, after so many
    pages and whenever they have grown by half.

    The line lies halfway between the mean score of the pages on topic, each against a q made without it,
    and that of the pages off topic (0 if none is known); without examples it is the fixed `similarity`.

    >>> from salticid.testing import spider_web
    >>> from salticid.runs import prepare
    >>> from salticid.model import Limits
    >>> web, judge = spider_web(), Rocchio()
    >>> judge.start(prepare(web.topic, web, Limits(), seed=0))
    >>> [round(judge.score(web.page(web.id(name))), 2) for name in ("b", "b1", "a1")]
    [0.83, 0.54, 0.0]

    Paper: Rocchio, "Relevance feedback in information retrieval", 1971; Buckley, Salton, Allan, SIGIR 1994.
    """

    def __init__(
        self,
        *,
        alpha: Annotated[float, Meta(ge=0, le=1000)] = 8.0,
        beta: Annotated[float, Meta(gt=0, le=1000)] = 16.0,
        gamma: Annotated[float, Meta(ge=0, le=1000)] = 4.0,
        similarity: Annotated[float, Meta(gt=0, le=1)] = 0.1,
        retrain: Annotated[int, Meta(ge=0, le=1_000_000)] = 0,
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.similarity = similarity
        self.retrain = retrain

    def start(self, brief: Brief) -> None:
        self._stems = Stems.of_brief(brief)
        self._bags = PageBags(self._stems)
        self._keywords = log_vector(Bag.of(self._stems.terms(brief.topic.keywords)))
        if not len(self._keywords.stems) and not brief.examples:
            raise UserError(
                f"topic {brief.topic.name!r} gives the judge rocchio no word to go by; "
                "name keywords that are no stop words, or examples, in the topic file"
            )
        self._usual = self._usual_words(brief.language)
        super().start(brief)

    def train(self, on: Sequence[Page], off: Sequence[Page]) -> None:
        near, far = [self._vector(page) for page in on], [self._vector(page) for page in off]
        self._query, self._length = self._query_of(near, far)
        left_out = [near[at].cosine(*self._query_of(near[:at] + near[at + 1 :], far)) for at in range(len(near))]
        low = [page.cosine(self._query, self._length) for page in far]
        middle = (_mean(left_out) + _mean(low)) / 2
        self.line = middle if left_out and middle > 0 else self.similarity

    def score(self, page: Page) -> float:
        return self._vector(page).cosine(self._query, self._length)

    def _vector(self, page: Page) -> StemVector:
        return log_vector(self._bags.of(page))

    def _query_of(self, near: list[StemVector], far: list[StemVector]) -> tuple[Floats, float]:
        size = len(self._stems)
        query = self.alpha * total([self._keywords], size)
        query += self.beta * total(near, size) / max(len(near), 1)
        query -= self.gamma * total(far or [self._usual], size) / max(len(far), 1)
        query = np.maximum(query, 0.0)
        return query, length_of(query)

    def _usual_words(self, code: str) -> StemVector:
        stems: list[int] = []
        for word, times in background(code):
            stems += self._stems.terms(word) * times
        return log_vector(Bag.of(stems))


def _mean(scores: list[float]) -> float:
    return sum(scores) / len(scores) if scores else 0.0
