"""What answers about a few pages say of all pages: a logistic model of words, on top of what the judge believes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from math import fsum, sqrt
from typing import NamedTuple

import numpy as np

from salticid.exact import log, logistic
from salticid.learning.keyword_match import PageWords
from salticid.learning.stem_vectors import Stack, StemVector
from salticid.model import Floats
from salticid.snapshots import in_snapshot

MOST_CANDIDATES = 512
"""So many of the pages seen, evenly spread over the crawl, may be asked about."""
TRUST = 1.0
"""The log odds of the judge count so much beside what answers say."""
STRENGTH = 4.0
"""How far an answer may move a page that says the same; the inverse of the regularization."""
BIAS = 0.3
"""What all pages have in common, as if it were a word of this weight squared."""
WRONG = 0.1
"""So often a language model is expected to be wrong. A person is taken at their word."""
BACKED = 0.5
"""An answer that is right with this probability makes an example of its page."""
SUBJECT = 4
"""From so many good answers on pages can be examples of a subject; with fewer, perhaps one page is looked for."""
PERSON = 1.0
"""The weight of a person's answer; others weigh less."""
_SURE = 6.0
"""Log odds of the judge count up to here."""
_CLOSE_ENOUGH = 1e-6
_MOST_ROUNDS = 200

Belief = Callable[[PageWords], float]
"""What a judge believes of a page, 0..1, before any answer."""


@in_snapshot()
class Told(NamedTuple):
    """An answer: above 0 the page is wanted, below 0 it is not; its weight is its size."""

    words: PageWords
    liking: float


@in_snapshot(
    _told=dict[int, Told], _seen=dict[int, PageWords], _every=int, _count=int, _weights=np.float64, _bias=float,
    _trusted=list[float],
)  # fmt: skip
class Answers:
    """Corrects what a judge believes by what was answered.

        log odds = TRUST * log odds of the judge + sum over answers of a_i (page . answer_i + BIAS)

    The a_i minimize the logistic loss over the answers, each weighted by its size, plus |weights|^2 / (2 STRENGTH).
    Without answers the belief of the judge stays as it is. Products are exact sums and answers are taken in the order
    in which they came, so that the numbering of words changes nothing.

    Papers: Yu, Huang, Lin, "Dual coordinate descent methods for logistic regression and maximum entropy models",
    Machine Learning 2011; Settles, "Active learning literature survey", 2009.
    """

    def __init__(self) -> None:
        self._told: dict[int, Told] = {}
        self._seen: dict[int, PageWords] = {}
        self._every, self._count = 1, 0
        self._weights, self._bias = np.zeros(0), 0.0
        self._trusted: list[float] = []

    def __len__(self) -> int:
        return len(self._told)

    def see(self, url: int, words: PageWords) -> None:
        """The crawl has seen a page, which may be asked about."""
        if self._count % self._every == 0:
            self._seen[url] = words
        self._count += 1
        if len(self._seen) > MOST_CANDIDATES:
            self._seen = dict(islice(self._seen.items(), None, None, 2))
            self._every *= 2

    def tell(self, url: int, words: PageWords, liking: float) -> None:
        """Somebody answered; a liking of 0 takes back what was said. Has its effect from the next `fit` on."""
        self._told.pop(url, None)
        if liking:
            self._told[url] = Told(words, liking)

    def fit(self, belief: Belief) -> None:
        """Learn all answers anew, on top of what the judge believes by now."""
        told = list(self._told.values())
        vectors = [each.words.vector for each in told]
        size = max((int(vector.stems.max()) + 1 for vector in vectors if len(vector.stems)), default=0)
        stack = Stack(vectors)
        alike = [np.array(stack.products(_dense(vector, size))) + BIAS for vector in vectors]
        offsets = [_odds(belief(each.words)) for each in told]
        likings = [each.liking for each in told]
        parts = _solve(alike, offsets, likings)
        self._trusted = _trusted(alike, offsets, likings, parts)
        parts = _solve(alike, offsets, [liking * trust for liking, trust in zip(likings, self._trusted, strict=True)])
        self._weights = stack.total(size, parts)
        self._bias = BIAS * sum(parts)

    def trusts(self, url: int) -> bool:
        """Whether the page of an answer becomes an example.

        It does if a person answered; else if there is a subject, and the answer is probably right by what is believed
        and by the other answers.
        """
        if url not in self._told or abs(self._told[url].liking) >= PERSON:
            return url in self._told
        good = sum(told.liking > 0 for told in self._told.values())
        trusts = zip(self._told, self._trusted, strict=True)
        return good >= SUBJECT and any(told == url and trust >= BACKED for told, trust in trusts)

    def corrected(self, words: PageWords, believed: float) -> float:
        """The probability of a page by belief and answers together."""
        return logistic(self._log_odds(words, believed)) if self._told else believed

    def _log_odds(self, words: PageWords, believed: float) -> float:
        return _odds(believed) + words.vector.product(self._weights) + self._bias

    def questions(self, most: int, belief: Belief, match: Belief, asked: Mapping[int, None]) -> list[int]:
        """Up to `most` pages whose answers would change the order most, by URL; none of them all but alike.

        The value of a question is how unsure one is of the page, times how like it is to other pages that one is
        unsure of, times how unlike it is to what was asked before. The last question is about the page that answers
        the keywords best of those that the judge takes for irrelevant.
        """
        pages = {
            url: words for url, words in self._seen.items()
            if url not in self._told and url not in asked and len(words.vector.stems)
        }  # fmt: skip
        if not pages:
            return []
        beliefs = [self.corrected(words, belief(words)) for words in pages.values()]
        doubt = np.array([p * (1.0 - p) for p in beliefs])
        around = _Surroundings([words.vector for words in pages.values()])
        values = doubt * around.reach(doubt)
        before = [
            self._told[url].words if url in self._told else self._seen.get(url) for url in {**self._told, **asked}
        ]
        for words in before:
            if words is not None:
                values = values * around.unlike(words.vector)
        matches = np.array([match(words) if p < 0.5 else 0.0 for words, p in zip(pages.values(), beliefs, strict=True)])
        urls, chosen = list(pages), list[int]()
        for number in range(min(most, len(urls))):
            by = matches if number == most - 1 and matches.max() > 0.0 else values
            at = int(by.argmax())
            chosen.append(urls[at])
            unlike = around.unlike(pages[urls[at]].vector)
            values, matches = values * unlike, matches * unlike
            values[at] = matches[at] = -1.0
        return chosen


class _Surroundings:
    """Pages among each other."""

    def __init__(self, vectors: Sequence[StemVector]) -> None:
        self._stack = Stack(vectors)
        self._size = 1 + max(int(vector.stems.max()) for vector in vectors)
        self._lengths = np.array([max(vector.length, 1e-9) for vector in vectors])

    def reach(self, weights: Floats) -> Floats:
        """How like each is to the others, which count by their weights."""
        return np.array(self._stack.products(self._stack.total(self._size, weights.tolist())))

    def unlike(self, vector: StemVector) -> Floats:
        """How unlike each is to a page: 0 for one that says the same, 1 for one that shares no word."""
        products = np.array(self._stack.products(_dense(vector, self._size)))
        return np.maximum(1.0 - products / (self._lengths * (vector.length or 1.0)), 0.0)


def _dense(vector: StemVector, size: int) -> Floats:
    dense = np.zeros(max(size, int(vector.stems.max()) + 1 if len(vector.stems) else 0))
    dense[vector.stems] = vector.weights
    return dense


def _odds(probability: float) -> float:
    """What a judge's probability counts as log odds."""
    if not 0.0 < probability < 1.0:
        return TRUST * (_SURE if probability >= 1.0 else -_SURE)
    return TRUST * min(max(log(probability) - log(1.0 - probability), -_SURE), _SURE)


def _trusted(
    alike: Sequence[Floats], offsets: Sequence[float], likings: Sequence[float], parts: Sequence[float]
) -> list[float]:
    """The probability that each answer is right, by all others; a person's always is.

    A wrong answer to a question mostly stands alone: no other page of its side says the same.
    """
    trusted = []
    for i, (row, liking) in enumerate(zip(alike, likings, strict=True)):
        others = fsum(
            [offsets[i], *(part * float(like) for j, (part, like) in enumerate(zip(parts, row, strict=True)) if j != i)]
        )
        agreed = logistic(others if liking > 0 else -others)
        right, wrong = (1.0 - WRONG) * agreed, WRONG * (1.0 - agreed)
        trusted.append(1.0 if abs(liking) >= PERSON else right / (right + wrong))
    return trusted


def _solve(alike: Sequence[Floats], offsets: Sequence[float], likings: Sequence[float]) -> list[float]:
    """How much of each answer is in the weights: the dual of the logistic loss, coordinate by coordinate."""
    parts = [0.0] * len(alike)
    margins = np.array(offsets)
    for _ in range(_MOST_ROUNDS):
        longest = 0.0
        for i, row in enumerate(alike):
            side, most = (1.0, likings[i]) if likings[i] > 0 else (-1.0, -likings[i])
            curve = STRENGTH * float(row[i])
            part, margin = parts[i] * side / STRENGTH, side * float(margins[i])
            start = part
            for _ in range(4):
                slope = logistic(-(margin + curve * (part - start)))
                part -= (part - most * slope) / (1.0 + most * curve * slope * (1.0 - slope))
                part = min(max(part, 0.0), most)
            step = side * STRENGTH * (part - start)
            parts[i] += step
            margins += step * row
            longest = max(longest, abs(step))
        if longest < _CLOSE_ENOUGH:
            break
    return parts


def interval(successes: int, trials: int) -> tuple[float, float]:
    """The 95 % interval of a share, by Wilson's score.

    >>> [round(bound, 2) for bound in interval(9, 10)]
    [0.6, 0.98]
    """
    if not trials:
        return 0.0, 1.0
    z, share = 1.96, successes / trials
    middle = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials)) / (1 + z * z / trials)
    return max(0.0, middle - half), min(1.0, middle + half)
