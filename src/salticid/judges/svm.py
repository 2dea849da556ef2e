"""On the right side of a line between pages on topic and off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from msgspec import Meta

from salticid.errors import UserError
from salticid.exact import logistic
from salticid.learning import STOP_NUMBER, Features, Keys, LinearSvm, TrainedJudge, WordNumbers, background
from salticid.model import Page
from salticid.protocols import Brief

_FEWEST_STAND_INS = 4


class Svm(TrainedJudge):
    """score = 1 / (1 + exp(-margin)) of a linear support vector machine; a page is positive from 0.5 on.

    Features are words, without stems and stop words, and pairs of neighbouring words; their values
    1 + log f, each page brought to length 1. Both sides matter alike, however many pages they have; `c` says
    how much a page on the wrong side costs. A page with no feature of the known pages scores 0.

    It needs examples. Negatives make it much better; without them, the usual words of the language, dealt
    out like cards to as many pages as there are examples, at least four, stand in for pages off topic.
    With `retrain` it trains itself on its surest verdicts, after so many pages and whenever they have
    grown by half; so real pages take the place of the dealt ones.

    >>> from dataclasses import replace
    >>> from salticid.testing import spider_web
    >>> from salticid.runs import prepare
    >>> from salticid.model import Limits
    >>> web, judge = spider_web(), Svm()
    >>> topic = replace(web.topic, examples=("http://small.example/b",))
    >>> judge.start(prepare(topic, web, Limits(), seed=0))
    >>> [round(judge.score(web.page(web.id(name))), 2) for name in ("b", "b1", "a1")]
    [0.68, 0.5, 0.41]

    Paper: Joachims, "Text categorization with support vector machines", ECML 1998.
    """

    def __init__(
        self,
        *,
        c: Annotated[float, Meta(gt=0, le=1000)] = 1.0,
        retrain: Annotated[int, Meta(ge=0, le=1_000_000)] = 0,
    ) -> None:
        self.c = c
        self.retrain = retrain

    def start(self, brief: Brief) -> None:
        if not brief.examples:
            raise UserError(
                f"the judge svm learns from examples and topic {brief.topic.name!r} has none that could be "
                "read; add examples = [URLs of pages about it] to the topic file, and negatives if you can"
            )
        self._vocabulary = WordNumbers(brief.words, brief.language)
        super().start(brief)

    def train(self, on: Sequence[Page], off: Sequence[Page]) -> None:
        far = [self._keys(page) for page in off] or self._stand_ins(max(len(on), _FEWEST_STAND_INS))
        documents = [*(self._keys(page) for page in on), *far]
        self._features = Features(documents)
        rows = [self._features.row(keys) for keys in documents]
        sides = [number < len(on) for number in range(len(rows))]
        self._plane = LinearSvm.train(rows, sides, len(self._features), self.c)

    def score(self, page: Page) -> float:
        row = self._features.row(self._keys(page))
        return logistic(self._plane.margin(row)) if len(row.columns) else 0.0

    def model(self) -> tuple[WordNumbers, Features, LinearSvm]:
        """What scores are made of, for those who score all pages of a world at once."""
        return self._vocabulary, self._features, self._plane

    def _keys(self, page: Page) -> Keys:
        """A number for each word, and for each pair of words that follow each other."""
        words = self._vocabulary.of(page.tokens).astype(np.int64)
        words = words[words != STOP_NUMBER]
        return np.concatenate((words, words[:-1] << 32 | words[1:]))

    def _stand_ins(self, many: int) -> list[Keys]:
        usual = background(self.brief.language)
        words = np.array(self._vocabulary.numbers([word for word, _ in usual]), np.int64)
        times = np.array([times for _, times in usual])
        return [np.repeat(words[hand::many], times[hand::many]) for hand in range(many)]
