"""How much a word near a link speaks for the topic, in several ways of knowing it."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from salticid.columns import grow
from salticid.exact import logs
from salticid.learning import RareWords, Rarity, Stack, StemVector, length_of, log_vector, total
from salticid.model import Floats, Ints, Page
from salticid.native import at, lib
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot, rows
from salticid.text import STOP, Bag, OwnWords, PageBags, Stems

PROFILES = ("learned", "topic")
LEARNED, TOPIC = range(len(PROFILES))
SPANS = (("anchor", 0), ("near", 8))
"""What is read of a link: its anchor, and that with so many words on either side."""
TEXTS = len(SPANS) * len(PROFILES)
"""So many numbers tell what the words at and around a link say."""
EARLY, TITLE, IN_LIST, LEAVES_HOST = range(TEXTS, TEXTS + 4)
TOLD = TEXTS + 4
"""What is told of a link, side by side as it is looked at together: what the words at and around it say, how early it
stands on its page, what the title of that says, whether it stands in a list and whether it leads to another host."""
_REACHES = np.array([reach for _, reach in SPANS], np.int32)
_KEYWORDS = 0.35
"""What the keywords count beside the examples, which count 1."""
_DOUBT = 2.0
"""So many pages of the usual kind are added to those on topic before their words are trusted."""
_TITLE_WORDS = 30
"""So many words of title and headings, the first, are a page's title."""
_ENOUGH_PAGES = 30
"""From so many pages, what is said on good ones and elsewhere has half its say."""


@in_snapshot()
class PageStems(NamedTuple):
    """A page that may be read again: its stems in reading order, what it says of its own, where its links stand."""

    stems: Ints
    own: Bag
    vector: StemVector
    title: Ints
    start: Ints
    end: Ints


@in_snapshot(
    stems=Stems, _rarity=Rarity, _bags=PageBags, _own_words=OwnWords, _keywords=Bag, _examples=list[Bag],
    _weights=rows(np.float64),
)  # fmt: skip
class TopicProfile:
    """One weight for each stem and each of PROFILES, every column at length 1.

    learned: half the words of keywords and examples, half what pages said that the judge liked, more than the
    others did:

        P(stem | liked) * log(P(stem | liked) / P(stem)), P by the number of pages, liked by their rewards

    topic: as the judge `profile` sees it, but with the rewards that are known by now:

        evidence / |evidence| + together / |together|
        evidence = mean of examples + keywords - mean of the pages rewarded less than the mean
        together = sum over pages of (reward - mean reward) * page

    In both rare words weigh more, and lists of links are not read. A page that a person likes is an example from then
    on.
    """

    def __init__(self, brief: Brief) -> None:
        self.stems, self._rarity = RareWords.of_brief(brief)
        self._bags = PageBags(self.stems)
        self._own_words = brief.own_words
        self._keywords = Bag.of(self.stems.terms(brief.topic.keywords))
        self._examples = [self._own_bag(page) for page in brief.examples]
        self._weights = np.zeros((0, len(PROFILES)))
        self.learn([], [])

    def weights(self) -> Floats:
        """For each stem there is a weight by profile."""
        self._weights = grow(self._weights, len(self.stems))
        return self._weights

    def reading(self, page: Page, many: int) -> PageStems:
        """A page as it is read, with so many of its links, the first."""
        stems = self.stems.of(page.tokens)
        title = stems[page.in_headings][:_TITLE_WORDS]
        own, links = self._own_bag(page), page.links
        vector = self._rare_vector(own, self._own_words.language(page))
        return PageStems(stems, own, vector, title[title != STOP], links.start[:many].copy(), links.end[:many].copy())

    def read_links(self, reading: PageStems, told: Floats) -> None:
        """Write what the words at and around each link of a page say, and those of its title.

        That is for each span, and for the first words of title and headings, the sum of the weights of the words over
        the root of their number.
        """
        weights = self.weights()
        title = weights[:, TOPIC][reading.title]
        told[:, TITLE] = float(title.sum()) / sqrt(max(len(title), 1))
        if lib is None:
            told[:, :TEXTS] = _of_links(reading, weights)
            return
        stems, start, end = reading.stems, reading.start, reading.end
        size, many = len(stems), len(start)
        scratch = np.empty(3 * (size + 1))
        lib.link_words(
            at(stems), size, at(start), at(end), many, at(weights), len(weights),
            at(_REACHES), len(_REACHES), at(scratch), at(told),
        )  # fmt: skip

    def tell(self, favourites: Sequence[PageStems]) -> None:
        """A person likes these pages: they are examples too."""
        self._examples += [reading.own for reading in favourites]

    def learn(self, readings: Sequence[PageStems], rewards: Sequence[float]) -> None:
        """Make the weights anew from pages and how much the judge liked each."""
        size = len(self.stems)
        words = _unit(self._by_rarity(total(list(map(log_vector, self._examples)), size)))
        words = _unit(words + _unit(total([log_vector(self._keywords)], size)))
        gain = self._gain(readings, rewards)
        learned = _unit(words + gain) if readings else words
        self._weights = np.stack((learned, self._topic(readings, rewards)), axis=1)

    def _gain(self, readings: Sequence[PageStems], rewards: Sequence[float]) -> Floats:
        """What each stem adds to the chance of a good page, weighed by how many good pages say it."""
        said = [reading.own.terms for reading in readings]
        holds = Stack([StemVector(terms, np.ones(len(terms))) for terms in said])
        holding, gains = holds.total(len(self.stems)), holds.total(len(self.stems), rewards)
        stems = np.flatnonzero(holding)
        usual = (holding[stems] + 0.5) / (len(readings) + 1.0)
        on = (gains[stems] + _DOUBT * usual) / (sum(rewards) + _DOUBT)
        gain = np.zeros(len(holding))
        gain[stems] = on * logs(on / usual)
        return _unit(gain)

    def _topic(self, readings: Sequence[PageStems], rewards: Sequence[float]) -> Floats:
        size = len(self.stems)
        mean = sum(rewards) / max(len(rewards), 1)
        trust = len(rewards) / (len(rewards) + _ENOUGH_PAGES)
        evidence = total([self._rare_vector(self._keywords)], size)
        if self._examples:
            examples = total(list(map(self._rare_vector, self._examples)), size) / len(self._examples)
            low = [reading.vector for reading, reward in zip(readings, rewards, strict=True) if reward <= mean]
            evidence = _KEYWORDS * evidence + examples - total(low, size) * (trust / max(len(low), 1))
        said = Stack([reading.vector for reading in readings])
        together = said.total(size, [reward - mean for reward in rewards])
        return _unit(self._by_rarity(_unit(evidence) + _unit(together) * trust))

    def _own_bag(self, page: Page) -> Bag:
        return self._bags.of(page, self._own_words.of(page))

    def _rare_vector(self, bag: Bag, page_language: str | None = None) -> StemVector:
        return self._rarity.vector(bag, page_language)

    def _by_rarity(self, weights: Floats) -> Floats:
        stems = np.flatnonzero(weights).astype(np.int32)
        rare = np.zeros(len(weights))
        rare[stems] = weights[stems] * self._rarity.of(stems)
        return rare


def _of_links(reading: PageStems, weights: Floats) -> Floats:
    words = _running(reading.stems != STOP)
    sums = [_running(some[reading.stems]) for some in weights.T]
    columns = []
    for reach in _REACHES:
        low = np.maximum(reading.start - reach, 0)
        high = np.minimum(reading.end + reach, len(reading.stems))
        share = 1.0 / np.sqrt(np.maximum(words[high] - words[low], 1.0))
        columns += [(running[high] - running[low]) * share for running in sums]
    return np.stack(columns, axis=1)


def _unit(weights: Floats) -> Floats:
    return weights / (length_of(weights) or 1.0)


def _running(values: npt.NDArray[Any]) -> Floats:
    """The sum of all before each place."""
    sums = np.zeros(len(values) + 1)
    np.cumsum(values, out=sums[1:])
    return sums
