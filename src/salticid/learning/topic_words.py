"""Which words speak for a topic, and how much: those of its keywords and examples, and those that go with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum, sqrt
from typing import Generic, TypeVar

import numpy as np

from salticid.exact import exps, logs
from salticid.learning.keyword_match import LEAST_TOLD, KeywordMatch, PageWords
from salticid.learning.rarity import RareWords, Rarity, background, rarities
from salticid.learning.stem_vectors import Stack, StemVector, dense_product, length_of, total
from salticid.learning.trained_judge import TOP
from salticid.learning.word_vectors import Meanings, Vectors
from salticid.model import Floats, Page, RepeatedRows
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot
from salticid.text import Bag, OwnWords, PageBags, Stems

# A few of many, evenly spread over all that came.

T = TypeVar("T")


@in_snapshot("_most", items=list[PageWords], _every=int, _count=int)
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
LANGUAGE_PAGES = 60
"""The frequency of a word in the language counts as so many pages seen."""
MOST_STARTS = 64
"""So many start pages at most are listened to."""
PHRASE = 0.5
"""Two keywords side by side count so much, as one more rare word: a name of several words is more than they are."""
MOST_PHRASES = 16
MATCH = 0.2
"""How well a page answers the keywords counts so much beside its likeness to the topic's words, at length 1."""
ANSWERS = 0.5
"""A page that gives so much of what the keywords ask for is not off topic, however many others do."""
AGREES = 2.0
"""Words that go together have their full say while the pages most like the topic answer 1 / AGREES as well as any."""
ALONE = 0.5
"""An only start page, often a home page that says something of everything, is taken for so much of an example."""
SHARED = 0.5
"""What most start pages say counts so much, where none of them says a keyword."""
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
    "mixture", "_has_examples", "_urls", _own_words=OwnWords, stems=Stems, rarity=Rarity, _phrase_stems=np.int32,
    _bags=PageBags, _keywords=StemVector, _usual=StemVector, _sample=EvenSample, _starts=list[PageWords],
    _match=KeywordMatch, _matches=list[float], _gain=np.float64,
    _last=tuple[Page, PageWords, RepeatedRows] | None, _meanings=Meanings | None, _on=list[StemVector],
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
        likeness = words . page / |words| + MATCH * match of the keywords (`keyword_match.py`)

    Without examples both sums are weighed by how rare each word is in the pages seen, and `together` counts less when
    the pages most like the topic no longer answer the keywords. `together` is the covariance of each word with being on
    topic, over the pages seen. It takes none of them for an example: whatever the crawl has found, evidence is never
    moved towards it. Without examples, the pages
    a person gave to start from are taken for examples as far as they answer the keywords: wholly from one standard
    deviation above the mean of the pages seen on, not at all below that mean. With word vectors, the words near
    those of evidence in meaning count as much again.

    >>> from salticid.testing import spider_web
    >>> from salticid.runs import prepare
    >>> from salticid.model import Limits
    >>> web = spider_web()
    >>> words = TopicWords(prepare(web.topic, web, Limits(), seed=0))
    >>> [round(words.likeness(words.read(web.page(web.id(name)))[0]), 2) for name in ("b", "b1", "a1")]
    [0.72, 0.36, 0.0]
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
        self._sample: EvenSample[PageWords] = EvenSample(MOST_PAGES)
        self._starts: list[PageWords] = []
        self._urls = brief.urls
        self._match = KeywordMatch(self.stems, brief.words, brief.topic.keywords, self.rarity.shares)
        self._has_examples = bool(brief.examples)
        self._last: tuple[Page, PageWords, RepeatedRows] | None = None
        self._meanings = None if vectors is None else Meanings(vectors, brief.words, self.stems)
        if self._meanings is not None:
            self._meanings.meet_text(brief.topic.keywords)
            for page in brief.examples:
                self._meanings.meet(page)
        self.tell([self.vector(page) for page in brief.examples], [self.vector(page) for page in brief.negatives])

    def vector(self, page: Page) -> StemVector:
        """A page as rare words see it."""
        return self.read(page)[0].vector

    def read(self, page: Page) -> tuple[PageWords, RepeatedRows]:
        """A page as it is judged, and what that depends on; the last one is kept, which is scored, then seen."""
        if self._last is None or self._last[0] is not page:
            own_words = self._own_words
            many, bag = own_words.many(page), self._bags.of(page, own_words.of(page))
            vector = self._vector_of(bag, own_words.language(page), many / (many + FEW_WORDS))
            said = self._match.said(page, own_words.of(page), self._urls[page.url])
            words = PageWords(vector, said, self._urls.host(page.url))
            self._last = page, words, own_words.basis(page)
        return self._last[1:]

    def start_page(self, page: Page) -> None:
        """The crawl was sent to this page by a person. Weights change with the next `tell`."""
        if len(self._starts) < MOST_STARTS:
            self._starts.append(self.read(page)[0])

    def see(self, page: Page) -> None:
        """The crawl has seen a page. Weights change with the next `tell`."""
        words, _ = self.read(page)
        self._sample.add(words)
        self._match.count(words)
        self._own_words.read([page])
        if self._meanings is not None:
            self._meanings.meet(page)

    def tell(self, on: Sequence[StemVector], off: Sequence[StemVector]) -> None:
        """These pages are known, all others are not: make the weights anew."""
        self._on, self._off = list(on), list(off)
        self._seen = Stack([page.vector for page in self.sample])
        self._match.settle()
        self._matches = [self._match.of(page) for page in self.sample]
        self._mean, self._known, self._share = self._mean_of_examples()
        self._gain = self._gain_of_words()
        first = self._sum_of_evidence([])
        likeness = self._seen.products(first)
        middle = sorted(likeness)[len(likeness) // 2] if likeness else 0.0
        self.unlike = [page.vector for page, like in zip(self.sample, likeness, strict=True) if like <= middle]
        evidence = self._sum_of_evidence(self.unlike)
        self._evidence_length = length_of(evidence) or 1.0
        self.evidence = evidence / self._evidence_length
        self.weights = self.evidence
        for _ in range(ROUNDS):
            together = self._together(self._seen.products(self.weights))
            self.weights = self.evidence + together
        if not self._on:
            self.weights = self.evidence + together * self._agreement()
        self.weights = self.weights + self._alike()
        self._length = length_of(self.weights) or 1.0

    @property
    def sample(self) -> list[PageWords]:
        """The seen pages that are kept."""
        return self._sample.items

    def likeness(self, page: PageWords) -> float:
        """How like the topic a page is: by the topic's words at length 1, and by how it answers the keywords."""
        return page.vector.product(self.weights) / self._length + self._match_share * self._match.of(page)

    def answer(self, page: PageWords) -> float:
        """How well a page answers the keywords, 0..1."""
        return self._match.of(page)

    @property
    def _match_share(self) -> float:
        return MATCH / (1 + self._known)

    def likeness_of_found(self) -> list[tuple[float, bool]]:
        """The `likeness` of each seen page that the crawl found, and whether it answers the keywords."""
        answers = [match >= ANSWERS for match in self._of_found(self._matches)]
        return list(zip(self._of_found(self._all_likeness()), answers, strict=True))

    def _all_likeness(self) -> list[float]:
        share, by_words = self._match_share, self._seen.products(self.weights)
        return [product / self._length + share * match for product, match in zip(by_words, self._matches, strict=True)]

    def evidence_likeness(self, page: StemVector) -> float:
        """The likeness to the evidence alone."""
        return page.product(self.evidence)

    def both_of_sample(self) -> tuple[list[float], list[float]]:
        """The `evidence_likeness` and the `likeness` of each of the seen pages that are kept."""
        return self._seen.products(self.evidence), self._all_likeness()

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
        weighted = [page.vector.times(part) for page, part in zip(self._starts, parts, strict=True)]
        known = len(self._on) + fsum(parts)
        many = known if self._on else len(parts)
        return total([*self._on, *weighted], len(self.stems)) / max(many, 1), known, known / max(many, 1)

    def _parts_of_starts(self) -> list[float]:
        """For each start page how far it is taken for an example, 0..1; not at all where the topic names some."""
        if self._has_examples:
            return [0.0] * len(self._starts)
        found = self._of_found(self._matches)
        mean = fsum(found) / max(len(found), 1)
        spread = sqrt(fsum((match - mean) ** 2 for match in found) / max(len(found), 1))
        trust = len(found) / (len(found) + ENOUGH_PAGES)
        above = [(self._match.of(page) - mean) / (spread or 1.0) for page in self._starts]
        agree = 1.0 if len(above) > 1 else ALONE
        return [trust * agree * min(max(times, 0.0), 1.0) for times in above]

    def _of_found(self, numbers: Sequence[float]) -> list[float]:
        """Those of numbers beside the sample that belong to pages which the crawl found, and nobody gave it."""
        given = {id(page) for page in self._starts}
        return [x for page, x in zip(self.sample, numbers, strict=True) if id(page) not in given]

    def _gain_of_words(self) -> Floats:
        """What each word is worth more, or less, than by its rarity in the language: rarity in the pages seen.

        Examples say by themselves which words tell, so that with n of them only so much of it counts: 1 / (1 + n).
        """
        gain = np.ones(len(self.stems))
        if self._on:
            return gain
        others = [page.vector.stems for page in self.sample if not self._match.says_all(page)]
        pages = total([StemVector(stems, np.ones(len(stems))) for stems in others], len(self.stems))
        stems = np.union1d(np.flatnonzero(pages), self._match.terms).astype(np.int32)
        stems = stems[~np.isin(stems, self._phrase_stems)]
        usual = self.rarity.shares(stems)
        shares = (pages[stems] + LANGUAGE_PAGES * usual) / (len(others) + LANGUAGE_PAGES)
        least = exps(LEAST_TOLD * logs(usual))
        rarer = logs(rarities(np.minimum(shares, least)) / rarities(usual))
        gain[stems] = exps(rarer * (2.0 / (1 + self._known)))  # once for the page and once for the topic
        return gain

    def _shared_by_starts(self) -> Floats:
        """What at least half of several start pages say, where none says a keyword: weak evidence, but all there is."""
        many, size = len(self._starts), len(self.stems)
        if self._has_examples or many < 2 or any(page.said.any() for page in self._starts):
            return np.zeros(size)
        stack = [page.vector for page in self._starts]
        saying = total([StemVector(page.stems, np.ones(len(page.stems))) for page in stack], size)
        return np.where(2 * saying >= many + (many < 4), total(stack, size), 0.0) * (SHARED / many)

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
        else:
            weights += self._shared_by_starts()
        weights = weights * self._gain
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

    def _together(self, likeness: Sequence[float]) -> Floats:
        mean = fsum(likeness) / max(len(likeness), 1)
        together = self._seen.total(len(self.stems), [like - mean for like in likeness]) * self._gain
        trust = len(likeness) / (len(likeness) + ENOUGH_PAGES)
        return together * (trust * self._relation() / (length_of(together) or 1.0))

    def _agreement(self) -> float:
        """Whether the pages most like the topic still answer the keywords: their share of what the best answers have.

        Where it is low, the words that go together have led away from the topic.
        """
        by_words, matches = self._of_found(self._seen.products(self.weights)), self._of_found(self._matches)
        most = max(round(TOP * len(matches)), 3)
        liked = sorted(zip(by_words, matches, strict=True), reverse=True)[:most]
        best = fsum(sorted(matches, reverse=True)[:most])
        return min(1.0, AGREES * fsum(match for _, match in liked) / best) if best else 0.0

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
