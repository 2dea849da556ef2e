"""Cosine similarity in which rare words weigh more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from msgspec import Meta

from salticid.columns import grow
from salticid.errors import UserError
from salticid.exact import log
from salticid.learning import Schedule, StemVector, length_of, total
from salticid.model import Floats, Page
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot
from salticid.text import Bag, PageBags, Stems


@in_snapshot(
    _stems=Stems, _bags=PageBags, _keywords=StemVector, _examples=dict[int, StemVector], _pages=int,
    _pages_with=np.int64, _schedule=Schedule, _idf_of_new=float, _idf=np.float64, _query=np.float64,
    _length=float, line=float,
)  # fmt: skip
class Tfidf:
    """score = cos(query, page), the weight of stem k being f_k * idf_k.

        idf_k = 1 + log((1 + N) / (1 + N_k)),    N pages known or visited, N_k of them with stem k

    The query is the keywords and each example, all at the same length before idf. Visited pages are
    counted at once, but weights are made anew only after `refresh` pages and whenever their number has
    grown by half since, so that scores hold for a while. A page a person likes joins the query; one he
    dislikes leaves it.

    The line is half the mean score of the examples, each against the query without it; without examples,
    or when they score nothing, it is the fixed `similarity`.

    >>> from salticid.testing import spider_web
    >>> from salticid.runs import prepare
    >>> from salticid.model import Limits
    >>> web, judge = spider_web(), Tfidf()
    >>> judge.start(prepare(web.topic, web, Limits(), seed=0))
    >>> [round(judge.score(web.page(web.id(name))), 2) for name in ("b", "b1", "a1")]
    [0.9, 0.5, 0.0]

    Paper: Salton, Buckley, "Term-weighting approaches in automatic text retrieval", 1988.
    """

    def __init__(
        self,
        *,
        similarity: Annotated[float, Meta(gt=0, le=1)] = 0.1,
        refresh: Annotated[int, Meta(ge=1, le=1_000_000)] = 10,
    ) -> None:
        self.similarity = similarity
        self.refresh = refresh

    def start(self, brief: Brief) -> None:
        self._stems = Stems.of_brief(brief)
        self._bags = PageBags(self._stems)
        self._keywords = _unit(Bag.of(self._stems.terms(brief.topic.keywords)))
        self._examples = {page.url: _unit(self._bag(page)) for page in brief.examples}
        if not any(len(vector.stems) for vector in (self._keywords, *self._examples.values())):
            raise UserError(
                f"topic {brief.topic.name!r} gives the judge tfidf no word to go by; "
                "name keywords that are no stop words, or examples, in the topic file"
            )
        self._pages, self._pages_with = 0, np.zeros(1024, np.int64)
        self._schedule = Schedule(self.refresh)
        for page in (*brief.examples, *brief.negatives):
            self._count(page)
        self._weigh()

    def score(self, page: Page) -> float:
        return self._weigh_vector(_unit(self._bag(page))).cosine(self._query, self._length)

    def watch(self, page: Page, score: float) -> bool:
        self._count(page)
        due = self._schedule.due()
        if due:
            self._weigh()
        return due

    def learn(self, likings: Sequence[tuple[Page, float]]) -> bool:
        before = list(self._examples)
        for page, liking in likings:
            self._examples.pop(page.url, None)
            if liking > 0:
                self._examples[page.url] = _unit(self._bag(page))
        changed = before != list(self._examples)
        if changed:
            self._weigh()
        return changed

    def _bag(self, page: Page) -> Bag:
        return self._bags.of(page)

    def _count(self, page: Page) -> None:
        stems = self._bag(page).terms
        self._pages_with = grow(self._pages_with, len(self._stems))
        self._pages_with[stems] += 1
        self._pages += 1

    def _weigh(self) -> None:
        """Make weights, query and line of what has been counted."""
        numbers, at = np.unique(self._pages_with, return_inverse=True)
        self._idf_of_new = 1.0 + log(1 + self._pages)
        self._idf = np.array([1.0 + log((1 + self._pages) / (1 + many)) for many in numbers.tolist()])[at]
        examples = list(self._examples.values())
        self._query, self._length = self._query_of(examples)
        scores = [
            self._weigh_vector(example).cosine(*self._query_of(examples[:at] + examples[at + 1 :]))
            for at, example in enumerate(examples)
        ]
        self.line = (sum(scores) / len(scores) / 2 if scores else 0.0) or self.similarity

    def _query_of(self, examples: list[StemVector]) -> tuple[Floats, float]:
        parts = [self._weigh_vector(vector) for vector in (self._keywords, *examples)]
        query = total(parts, len(self._stems))
        return query, length_of(query)

    def _weigh_vector(self, vector: StemVector) -> StemVector:
        idf = np.full(len(vector.stems), self._idf_of_new)
        is_known = vector.stems < len(self._idf)
        idf[is_known] = self._idf[vector.stems[is_known]]
        return StemVector(vector.stems, vector.weights * idf)


def _unit(bag: Bag) -> StemVector:
    return StemVector(bag.terms, bag.counts / (bag.norm or 1.0))
