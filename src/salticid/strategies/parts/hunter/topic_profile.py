"""How much a word near a link speaks for the topic, in several ways of knowing it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from salticid.columns import grow
from salticid.exact import logs
from salticid.learning.rarity import Rarity
from salticid.learning.stem_vectors import length_of, log_vector, total
from salticid.model import Floats, Ints, Links
from salticid.protocols import Brief
from salticid.text.bags import Bag
from salticid.text.stems import STOP, Stems

PROFILES = ("keywords", "examples", "learned")
KEYWORDS, EXAMPLES, LEARNED = range(len(PROFILES))
SPANS = (("anchor", 0), ("near", 8), ("wide", 30))
"""What is read of a link: its anchor, and that with so many words on either side."""
_DOUBT = 2.0
"""So many pages of the usual kind are added to those on topic before their words are trusted."""


class PageStems(NamedTuple):
    """A page that may be read again: its stems in reading order, those that occur, where its links stand."""

    stems: Ints
    distinct: Ints
    start: Ints
    end: Ints


class TopicProfile:
    """One weight for each stem and each of PROFILES, every column at length 1.

    keywords: those of the topic. examples: the words of the examples, rare ones weighing more, and the
    keywords. learned: half of `examples`, half what pages said that the judge liked, more than the others did:

        P(stem | liked) * log(P(stem | liked) / P(stem)), P by the number of pages, liked by their rewards

    Without examples, keywords stand for them. A page that a person likes is an example from then on.
    """

    def __init__(self, brief: Brief) -> None:
        self.stems = Stems(brief.words, brief.language)
        self._rarity = Rarity(self.stems, brief.language)
        keywords = log_vector(Bag.of(self.stems.terms(brief.topic.keywords)))
        pages = [log_vector(Bag.of(self.stems.of(page.tokens))) for page in brief.examples]
        size = len(self.stems)
        keyword_weights = _unit(total([keywords], size))
        self._words_of_examples = total(pages, size)
        examples = self._example_weights(keyword_weights)
        self._weights = [keyword_weights, examples, examples]

    def weights(self) -> list[Floats]:
        """By profile a weight for each stem there is."""
        self._weights = [grow(column, len(self.stems)) for column in self._weights]
        return self._weights

    def reading(self, tokens: Ints, links: Links, places: Ints) -> PageStems:
        """A page as it is read, with those of its links that matter."""
        stems = self.stems.of(tokens)
        return PageStems(stems, Bag.of(stems).terms, links.start[places], links.end[places])

    def of_links(self, reading: PageStems, profiles: slice = slice(None)) -> Floats:
        """For each link of a page and each span the sum of the weights of its words, over sqrt of their number."""
        size = len(reading.stems)
        words = _running(reading.stems != STOP)
        sums = [_running(weights[reading.stems]) for weights in self.weights()[profiles]]
        columns = []
        for _, reach in SPANS:
            low = np.maximum(reading.start - reach, 0)
            high = np.minimum(reading.end + reach, size)
            share = 1.0 / np.sqrt(np.maximum(words[high] - words[low], 1.0))
            columns += [(running[high] - running[low]) * share for running in sums]
        return np.stack(columns, axis=1)

    def tell(self, favourites: Sequence[PageStems]) -> None:
        """A person likes these pages: they are examples too."""
        weights = self.weights()
        pages = [log_vector(Bag.of(reading.stems)) for reading in favourites]
        self._words_of_examples = grow(self._words_of_examples, len(weights[0])) + total(
            pages, len(weights[0])
        )
        weights[EXAMPLES] = self._example_weights(weights[KEYWORDS])

    def learn(self, readings: Sequence[PageStems], rewards: Sequence[float]) -> None:
        """Make the learned weights anew from pages and how much the judge liked each."""
        weights = self.weights()
        holding, gains = np.zeros(len(weights[0])), np.zeros(len(weights[0]))
        for reading, reward in zip(readings, rewards, strict=True):
            holding[reading.distinct] += 1.0
            gains[reading.distinct] += reward
        stems = np.flatnonzero(holding)
        usual = (holding[stems] + 0.5) / (len(readings) + 1.0)
        on = (gains[stems] + _DOUBT * usual) / (sum(rewards) + _DOUBT)
        gain = np.zeros(len(holding))
        gain[stems] = on * logs(on / usual)
        weights[LEARNED] = _unit(weights[EXAMPLES] + _unit(gain))

    def _example_weights(self, keyword_weights: Floats) -> Floats:
        """The words of the example pages, rare ones weighing more, and the keywords."""
        rare = np.zeros(len(self._words_of_examples))
        stems = np.flatnonzero(self._words_of_examples).astype(np.int32)
        rare[stems] = self._rarity.of(stems)
        return _unit(_unit(self._words_of_examples * rare) + keyword_weights)


def _unit(weights: Floats) -> Floats:
    return weights / (length_of(weights) or 1.0)


def _running(values: npt.NDArray[Any]) -> Floats:
    """The sum of all before each place."""
    sums = np.zeros(len(values) + 1)
    np.cumsum(values, out=sums[1:])
    return sums
