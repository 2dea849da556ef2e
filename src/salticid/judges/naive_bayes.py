"""The probability of being on topic, by naive Bayes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from salticid.errors import UserError
from salticid.exact import shares
from salticid.learning import ON, TaggedPages, TrainedJudge, WordNumbers
from salticid.model import Page
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot
from salticid.text import letter_runs


@in_snapshot(_vocabulary=WordNumbers, _pages=TaggedPages)
class NaiveBayes(TrainedJudge):
    """score = P(on | page), from known pages on topic and off; a page is positive from 0.5 on.

        P(c | page) ~ P(c) * product over areas k and words w of the page in k of P(w in k | c)
        P(w in k | c) = (n_kwc + 1) / (n_kc + |V_k|)

    The areas META, TITLE with H1, and the rest have vocabularies of their own; words as they are, without
    stems and stop words. A page without a word it knows scores 0.

    Naive Bayes takes words for independent, so that nearly every score would be 0 or 1. Ours differs from
    the paper's here: the logarithm of the product is scaled down to that of a page of `evidence` words, a
    geometric mean raised to that power. `evidence=0` is the paper's.

    Without examples the keywords stand for a page; without negatives the usual words of the language are
    counted in both classes, so that what the examples say beyond them counts. With `retrain` it trains
    itself on its surest verdicts, after so many pages and whenever they have grown by half.

    >>> from salticid.testing import spider_web
    >>> from salticid.runs import prepare
    >>> from salticid.model import Limits
    >>> web, judge = spider_web(), NaiveBayes()
    >>> judge.start(prepare(web.topic, web, Limits(), seed=0))
    >>> [round(judge.score(web.page(web.id(name))), 2) for name in ("b", "b1", "a1")]
    [1.0, 0.98, 0.49]

    Paper: Passerini, Frasconi, Soda, "Evaluation methods for focused crawling", AI*IA 2001.
    """

    def __init__(
        self,
        *,
        evidence: Annotated[int, Meta(ge=0, le=100_000)] = 30,
        retrain: Annotated[int, Meta(ge=0, le=1_000_000)] = 0,
    ) -> None:
        self.evidence = evidence
        self.retrain = retrain

    def start(self, brief: Brief) -> None:
        self._vocabulary = WordNumbers(brief.words, brief.language)
        if not brief.examples and not any(self._vocabulary.numbers(list(letter_runs(brief.topic.keywords)))):
            raise UserError(
                f"topic {brief.topic.name!r} gives the judge naive_bayes no word to go by; "
                "name keywords that are no stop words, or examples, in the topic file"
            )
        super().start(brief)

    def train(self, on: Sequence[Page], off: Sequence[Page]) -> None:
        self._pages = TaggedPages(self._vocabulary, classes=2, most_words=self.evidence)
        self._pages.teach(on, off, self.brief.topic.keywords, self.brief.language)

    def score(self, page: Page) -> float:
        evidence, words = self._pages.weigh(page)
        return float(shares(self._pages.bayes.log_prior() + evidence)[ON]) if words else 0.0
