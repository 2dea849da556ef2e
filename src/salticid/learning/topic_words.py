"""Which words speak for a topic, and how much: those of its keywords and examples, and those that go with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum, sqrt
from typing import Generic, TypeVar

import numpy as np

from salticid.learning.rarity import RareWords, Rarity, background
from salticid.learning.stem_vectors import Stack, StemVector, dense_product, length_of, total
from salticid.learning.word_vectors import Meanings, Vectors
from salticid.model import Floats, Page, RepeatedRows
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot
from salticid.text import Bag, OwnWords, PageBags, Stems

# A few of many, evenly spread over all that came.

T = TypeVar("T")


@in_snapshot("_most", items=list[StemVector], _every=int, _count=int)
class EvenSample(Generic[T]):
    """Keeps every k-th of what comes, k doubling whenever `most` are kept; no chance has a part in it.

    >>> kept = EvenSample[int](4)
    >>> for number in range(11):
    ...     kept.add(number)
    >>> kept.items
    [0, 4, 8]
    """

    def __init__(self, most: int) -> None:
        self.items: list[T] = []
        self._most, self._every, self._count = most, 1, 0

    def add(self, item: T) -> None:
        """Take one more item into account."""
        if self._count % self._every == 0:
            self.items.append(item)
        self._count += 1
        if len(self.items) > self._most:
            self.items = self.items[::2]
            self._every *= 2


HEADING_TIMES = 3
"""A word in a title, a heading or a description counts as so many in the text."""
MOST_PAGES = 512
"""So many of the pages seen, evenly spread over the crawl, are kept to learn from."""
USUAL = 0.2
"""How much the usual words of the language are taken off, while no page off topic is known."""
ENOUGH_PAGES = 30
"""From so many pages, what goes together on them has half its say."""
ROUNDS = 2
"""So many times the words that go together are looked for, each time from those found before."""
MOST_STARTS = 64
"""So many start pages at most are listened to."""
PHRASE = 0.5
"""Two keywords side by side count so much, as one more rare word: a name of several words is more than they are."""
MOST_PHRASES = 16
FEW_WORDS = 10
"""A page of so many words of its own is half as like a topic as a long one that says the same."""


@in_snapshot()
@dataclass(frozen=True, slots=True)
class Mixture:
    """How much the sources of a topic's words count beside the examples, which count 1.

    `keywords` beside examples; `starts`, without examples, start pages beside keywords, which then count 1;
    `unlike`, of the pages seen, the half less like the topic, and `negatives`, both taken off; `related`, the words
    that go together with the topic's on the pages seen: so much without examples, 1 / (1 + n) of it with n of
    them, which know better.
    """

    keywords: float = 0.35
    starts: float = 2.0
    unlike: float = 1.0
    negatives: float = 0.5
    related: float = 0.6


MIXTURE = Mixture()


@in_snapshot(
    "mixture", "_has_examples", _own_words=OwnWords, stems=Stems, rarity=Rarity, _phrase_stems=np.int32,
    _bags=PageBags, _keywords=StemVector, _usual=StemVector, _sample=EvenSample, _starts=list[StemVector],
    _last=tuple[Page, StemVector, RepeatedRows] | None, _meanings=Meanings | None, _on=list[StemVector],
    _off=list[StemVector], _seen=Stack, _mean=np.float64, _known=float, _share=float,
    unlike=list[StemVector], _evidence_length=float, evidence=np.float64, weights=np.float64, _length=float,
)  # fmt: skip
class TopicWords:
    """One weight for each stem, made anew from what is known: `tell` what people say, `see` what is crawled.

    A page is a vector whose weights are (1 + log f) times the rarity of the stem, over its own words. Its
    length is 1 for a long page and less for one that says little. The words of the topic are a vector too:

        evidence = mean of examples + keywords - unlike * mean of the half of seen pages less like it
        words = evidence / |evidence| + related * together / |together|
        together = sum over seen pages of (words . page - mean) * page, words being the evidence at first

    The last is the covariance of each word with being on topic, over the pages seen. It takes none of them
    for an example: whatever the crawl has found, evidence is never moved towards it. Without examples, the pages
    a person gave to start from are taken for examples as far as they speak of the keywords: wholly from one standard
    deviation above the mean of the pages seen on, not at all below that mean. With word vectors, the words near
    those of evidence in meaning count as much again.

    >>> from salticid.testing import spider_web
    >>> from salticid.runs.brief import prepare
    >>> from salticid.model import Limits
    >>> web = spider_web()
    >>> words = TopicWords(prepare(web.topic, web, Limits(), seed=0))
    >>> [round(words.likeness(words.vector(web.page(web.id(name)))), 2) for name in ("b", "b1", "a1")]
    [0.56, 0.28, 0.0]
    """

    def __init__(self, brief: Brief, mixture: Mixture = MIXTURE, vectors: Vectors | None = None) -> None:
        self.mixture = mixture
        self._own_words = brief.own_words
        self.stems, self.rarity = RareWords.of_brief(brief)
        phrases = _phrases(self.stems, brief.topic.keywords)
        self._phrase_stems = np.array(list(phrases.values()), np.int32)
        self._bags = PageBags(self.stems, HEADING_TIMES, phrases)
        terms = np.array(self.stems.terms(brief.topic.keywords), np.int32)
        self._keywords = self._vector_of(Bag.of(self._bags.with_phrases(terms)))
        self._usual = self._usual_words(brief.language)
        self._sample: EvenSample[StemVector] = EvenSample(MOST_PAGES)
        self._starts: list[StemVector] = []
        self._has_examples = bool(brief.examples)
        self._last: tuple[Page, StemVector, RepeatedRows] | None = None
        self._meanings = None if vectors is None else Meanings(vectors, brief.words, self.stems)
        if self._meanings is not None:
            self._meanings.meet_text(brief.topic.keywords)
            for page in brief.examples:
                self._meanings.meet(page)
        self.tell([self.vector(page) for page in brief.examples], [self.vector(page) for page in brief.negatives])

    def vector(self, page: Page) -> StemVector:
        """A page as rare words see it; that of the last page is kept, which is scored, then seen."""
        return self.vector_and_basis(page)[0]

    def vector_and_basis(self, page: Page) -> tuple[StemVector, RepeatedRows]:
        """The same, and what it depends on."""
        if self._last is None or self._last[0] is not page:
            own_words = self._own_words
            many, bag = own_words.many(page), self._bags.of(page, own_words.of(page))
            vector = self._vector_of(bag, own_words.language(page), many / (many + FEW_WORDS))
            self._last = page, vector, own_words.basis(page)
        return self._last[1:]

    def start_page(self, page: Page) -> None:
        """The crawl was sent to this page by a person. Weights change with the next `tell`."""
        if len(self._starts) < MOST_STARTS:
            self._starts.append(self.vector(page))

    def see(self, page: Page) -> None:
        """The crawl has seen a page. Weights change with the next `tell`."""
        self._sample.add(self.vector(page))
        self._own_words.read([page])
        if self._meanings is not None:
            self._meanings.meet(page)

    def tell(self, on: Sequence[StemVector], off: Sequence[StemVector]) -> None:
        """These pages are known, all others are not: make the weights anew."""
        self._on, self._off = list(on), list(off)
        self._seen = Stack(self.sample)
        self._mean, self._known, self._share = self._mean_of_examples()
        first = self._sum_of_evidence([])
        likeness = self._seen.products(first)
        middle = sorted(likeness)[len(likeness) // 2] if likeness else 0.0
        self.unlike = [page for page, like in zip(self.sample, likeness, strict=True) if like <= middle]
        evidence = self._sum_of_evidence(self.unlike)
        self._evidence_length = length_of(evidence) or 1.0
        self.evidence = evidence / self._evidence_length
        self.weights = self.evidence
        for _ in range(ROUNDS):
            self.weights = self.evidence + self._together(self.weights)
        self.weights = self.weights + self._alike()
        self._length = length_of(self.weights) or 1.0

    @property
    def sample(self) -> list[StemVector]:
        """The seen pages that are kept."""
        return self._sample.items

    def likeness(self, page: StemVector) -> float:
        """The product of a page with the topic's words at length 1: below 0 for what is said elsewhere."""
        return page.product(self.weights) / self._length

    def likeness_of_found(self) -> list[float]:
        """The `likeness` of those of the seen pages that the crawl found, and nobody gave it."""
        return [product / self._length for product in self._products_of_found(self.weights)]

    def evidence_likeness(self, page: StemVector) -> float:
        """The likeness to the evidence alone."""
        return page.product(self.evidence)

    def both_of_sample(self) -> tuple[list[float], list[float]]:
        """The `evidence_likeness` and the `likeness` of each of the seen pages that are kept."""
        by_all = self._seen.products(self.weights)
        return self._seen.products(self.evidence), [product / self._length for product in by_all]

    def left_out(self) -> list[float]:
        """The `evidence_likeness` of each known page on topic had it alone not been known; none if only one is.

        Without page y, of n with the mean m, the sum of the evidence is t + (m - y) / (n - 1).
        """
        if len(self._on) < 2:
            return []
        others = self._known - 1
        known = Stack(self._on)
        by_evidence = [self._evidence_length * product for product in known.products(self.evidence)]
        by_mean = known.products(self._mean)
        mean_by_evidence = self._evidence_length * dense_product(self._mean, self.evidence)
        mean_by_mean = dense_product(self._mean, self._mean)
        cosines = []
        for evidence_product, mean, page in zip(by_evidence, by_mean, self._on, strict=True):
            size = page.length**2
            product = evidence_product + (mean - size) / others
            square = self._evidence_length**2 + 2 * (mean_by_evidence - evidence_product) / others
            square += (mean_by_mean - 2 * mean + size) / others**2
            cosines.append(product / sqrt(square) if square > 0.0 else 0.0)
        return cosines

    def nearness(self) -> Floats:
        """What one more occurrence of a stem says for the topic, by stem id; below 0 what it says against."""
        stems = np.flatnonzero(self.weights).astype(np.int32)
        near = np.zeros(len(self.weights))
        near[stems] = self.weights[stems] * self.rarity.of(stems)
        return near

    def _mean_of_examples(self) -> tuple[Floats, float, float]:
        """The mean of what is taken for examples, and how many they are: start pages only in part.

        While start pages are all there is, those that speak of something else water the others down.
        """
        parts = self._parts_of_starts()
        weighted = [page.times(part) for page, part in zip(self._starts, parts, strict=True)]
        known = len(self._on) + fsum(parts)
        many = known if self._on else len(parts)
        return total([*self._on, *weighted], len(self.stems)) / max(many, 1), known, known / max(many, 1)

    def _parts_of_starts(self) -> list[float]:
        """For each start page how far it is taken for an example, 0..1; not at all where the topic names some."""
        if self._has_examples:
            return [0.0] * len(self._starts)
        keywords = total([self._keywords], len(self.stems))
        likeness = self._products_of_found(keywords)
        mean = fsum(likeness) / max(len(likeness), 1)
        spread = sqrt(fsum((like - mean) ** 2 for like in likeness) / max(len(likeness), 1))
        trust = len(likeness) / (len(likeness) + ENOUGH_PAGES)
        above = [(page.product(keywords) - mean) / (spread or 1.0) for page in self._starts]
        return [trust * min(max(times, 0.0), 1.0) for times in above]

    def _products_of_found(self, words: Floats) -> list[float]:
        given = {id(page) for page in self._starts}
        products = zip(self.sample, self._seen.products(words), strict=True)
        return [product for page, product in products if id(page) not in given]

    def _sum_of_evidence(self, unlike: list[StemVector]) -> Floats:
        size, mixture = len(self.stems), self.mixture
        weights = total([self._keywords], size)
        if self._known:
            trust = len(unlike) / (len(unlike) + ENOUGH_PAGES)
            usual = total(unlike, size) / max(len(unlike), 1)
            examples = self._mean - usual * (mixture.unlike * trust * self._share)
            if self._on:
                weights = mixture.keywords * weights + examples
                weights -= total([self._usual], size) * (USUAL * (1.0 - trust))
            else:
                weights += mixture.starts * examples
        if self._off:
            weights = weights - mixture.negatives * self._against(weights)
        return weights

    def _against(self, words: Floats) -> Floats:
        """What the pages off topic say, but for what they have in common with these words.

        All of that is spared when there is one such page, which speaks against pages like it and not against the
        topic; 1 / n of it when there are n of them.
        """
        mean = total(self._off, len(self.stems)) / len(self._off)
        common = dense_product(mean, words) / (length_of(words) ** 2 or 1.0)
        return mean - words * (max(common, 0.0) / len(self._off))

    def _together(self, words: Floats) -> Floats:
        likeness = self._seen.products(words)
        mean = fsum(likeness) / max(len(likeness), 1)
        together = self._seen.total(len(self.stems), [like - mean for like in likeness])
        trust = len(likeness) / (len(likeness) + ENOUGH_PAGES)
        return together * (trust * self._relation() / (length_of(together) or 1.0))

    def _alike(self) -> Floats:
        if self._meanings is None:
            return np.zeros(len(self.stems))
        alike = self._meanings.near(self.evidence)
        stems = np.flatnonzero(alike).astype(np.int32)
        alike[stems] *= self.rarity.of(stems)
        return alike * (self._relation() / (length_of(alike) or 1.0))

    def _relation(self) -> float:
        return self.mixture.related / (1 + self._known)

    def _vector_of(self, bag: Bag, page_language: str | None = None, length: float = 1.0) -> StemVector:
        return self.rarity.vector(bag, page_language, length, self._phrase_stems, PHRASE)

    def _usual_words(self, code: str) -> StemVector:
        words, times = zip(*background(code), strict=True)
        stems = np.array(self.stems.of_written(list(words)), np.int32)
        return self._vector_of(Bag.of(np.repeat(stems, times)))


def _phrases(stems: Stems, keywords: str) -> dict[tuple[int, int], int]:
    """The pairs of keywords that stand side by side, stop words aside, and a stem for each."""
    terms = stems.terms(keywords)
    pairs = dict.fromkeys(pair for pair in pairwise(terms) if pair[0] != pair[1])
    return {pair: stems.phrase(*pair) for pair in list(pairs)[:MOST_PHRASES]}
