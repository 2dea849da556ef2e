"""As like the topic as its examples are like each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import fsum
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from salticid.errors import UserError
from salticid.learning import (
    Answers,
    Calibration,
    KeptVectors,
    Mixture,
    PageWords,
    Schedule,
    StaticVectors,
    TopicWords,
    TrainedJudge,
)
from salticid.model import Page
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot

_ON_TOPIC = 0.06
"""From where on a page is rather about the keywords, while no examples tell."""


@in_snapshot("_kept", _answers=Answers, _words=TopicWords, _due=Schedule, _calibration=Calibration)
class Profile(TrainedJudge):
    """score = P(on topic), by how like a page is to the words of the topic; positive from 0.5 on.

    The words of the topic are those of keywords and examples, less what is said elsewhere, plus those that go
    together with them on the pages seen (`learning/topic_words.py`); rare words weigh more, by the frequency lists of
    the language and by the pages seen. A page that answers all keywords, in its title, address or text, is more like
    the topic (`learning/keyword_match.py`). The probability follows from how like it the usual page is, and the n
    known pages, each had it not been known: the line lies n / (n + 1) of the way from the one to the others. While
    fewer than two are known it lies half way from the usual page to those most like the topic. A page is read by its
    own words (`text/own_words.py`): no menus, nothing that every page of its site says. One that says little is less
    like any topic, and one without a word scores 0. Every keyword counts, and two of them side by side are one more
    word.

    It works from keywords alone, from examples, and better with negatives. After `refresh` pages, and
    whenever their number has grown by half, it learns from the pages seen: as what is usual here, never as
    examples of anything. So it cannot talk itself into a topic. Without examples, start pages that speak of the
    keywords stand for them, weighing `starts` beside the keywords. `vectors` names a folder of word vectors, in
    the form of model2vec: then words count that mean much the same.

    >>> from salticid.testing import spider_web
    >>> from salticid.runs import prepare
    >>> from salticid.model import Limits
    >>> web, judge = spider_web(), Profile()
    >>> judge.start(prepare(web.topic, web, Limits(), seed=0))
    >>> [round(judge.score(web.page(web.id(name))), 2) for name in ("b", "b1", "a1")]
    [1.0, 0.99, 0.01]

    Paper: Rocchio, "Relevance feedback in information retrieval", 1971; Robertson, Sparck Jones, "Relevance
    weighting of search terms", 1976.
    """

    def __init__(
        self,
        *,
        keywords: Annotated[float, Meta(ge=0, le=100)] = 0.35,
        starts: Annotated[float, Meta(ge=0, le=100)] = 2.0,
        unlike: Annotated[float, Meta(ge=0, le=100)] = 1.0,
        negatives: Annotated[float, Meta(ge=0, le=100)] = 0.5,
        related: Annotated[float, Meta(ge=0, le=100)] = 0.6,
        refresh: Annotated[int, Meta(ge=1, le=1_000_000)] = 8,
        vectors: str = "",
    ) -> None:
        self.keywords = keywords
        self.starts = starts
        self.unlike = unlike
        self.negatives = negatives
        self.related = related
        self.refresh = refresh
        self.vectors = vectors

    def start(self, brief: Brief) -> None:
        mixture = Mixture(self.keywords, self.starts, self.unlike, self.negatives, self.related)
        self._words = TopicWords(brief, mixture, StaticVectors(Path(self.vectors)) if self.vectors else None)
        if not self._words.weights.any():
            raise UserError(
                f"topic {brief.topic.name!r} gives the judge profile no word to go by; "
                "name keywords that are no stop words, or examples, in the topic file"
            )
        self._due, self._answers = Schedule(self.refresh), Answers()
        self._kept = KeptVectors(brief.own_words)
        super().start(brief)

    def train(self, on: Sequence[Page], off: Sequence[Page]) -> None:
        words = self._words
        near, far = [words.vector(page) for page in on], [words.vector(page) for page in off]
        words.tell(near, far)
        if left_out := words.left_out():
            usual = _mean([words.evidence_likeness(page) for page in (*words.unlike, *far)])
            line = usual + (_mean(left_out) - usual) * len(left_out) / (len(left_out) + 1)
            self._calibration = Calibration.above(usual, line).carried_over(*words.both_of_sample())
        else:
            self._calibration = Calibration.of_pages(words.likeness_of_found(), _ON_TOPIC)
        self._answers.fit(self._believed)

    def learn(self, likings: Sequence[tuple[Page, float]]) -> bool:
        """Answers correct what is believed; pages become examples as `Answers.trusts` says."""
        for page, liking in likings:
            self._answers.tell(page.url, self._words.read(page)[0], liking)
        self._answers.fit(self._believed)
        super().learn([(page, liking) for page, liking in likings if not liking or self._answers.trusts(page.url)])
        return bool(likings)

    def questions(self, most: int, asked: Mapping[int, None]) -> list[int]:
        """The pages seen, by URL, that it would like to be told about; none of those that were `asked`."""
        return self._answers.questions(most, self._believed, self._words.answer, asked)

    def score(self, page: Page) -> float:
        return self._score(self._words.read(page)[0])

    def score_again(self, url: int, recall: Callable[[int], Page]) -> float:
        """The same for a page that was visited, which need not be recalled if it would be read as before."""
        words = self._kept.of(url)
        if words is None:
            page = replace(recall(url))  # a copy, which nobody takes for the last page, read before its site was known
            words, basis = self._words.read(page)
            self._kept.renew(url, words, basis)
        return self._score(words)

    def start_page(self, page: Page) -> None:
        """A page that a person gave to start from."""
        self._words.start_page(page)

    def watch(self, page: Page, score: float) -> bool:
        self._words.see(page)
        words, basis = self._words.read(page)
        self._kept.keep(page.url, words, basis)
        self._answers.see(page.url, words)
        due = self._due.due()
        if due:
            self._train()
        return due

    def _score(self, words: PageWords) -> float:
        return self._answers.corrected(words, self._believed(words)) if len(words.vector.stems) else 0.0

    def _believed(self, words: PageWords) -> float:
        """What is believed of a page before any answer."""
        return self._calibration.probability(self._words.likeness(words)) if len(words.vector.stems) else 0.0


def _mean(numbers: Sequence[float]) -> float:
    return fsum(numbers) / max(len(numbers), 1)
