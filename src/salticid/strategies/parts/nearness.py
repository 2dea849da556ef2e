"""What an agent reads off a page: its terms, the links it may follow, the keywords near each of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import sqrt

import numpy as np

from salticid.exact import tanhs
from salticid.model import Floats, Ints, Links, Page
from salticid.snapshots import in_snapshot, rows
from salticid.text import STOP, Bag, Stems


@dataclass(frozen=True, slots=True, eq=False)
class PageTerms:
    """A page with the stem of each of its words, in reading order, and how often each occurs."""

    page: Page
    stems: Ints
    bag: Bag

    @classmethod
    def of(cls, page: Page, stems: Stems) -> PageTerms:
        """Read a page."""
        terms = stems.of(page.tokens)
        return cls(page, terms, Bag.of(terms))

    def commonest(self, most: int, besides: Ints | None = None) -> Ints:
        """The most frequent terms, stop words and `besides` left out; among equals, the first to be read."""
        terms, first, counts = np.unique(self.stems, return_index=True, return_counts=True)
        order = np.lexsort((first, -counts))
        exceptions = [STOP] if besides is None else [STOP, *besides.tolist()]
        order_of_terms: Ints = terms[order][~np.isin(terms[order], exceptions)]
        return order_of_terms[:most]

    def frequency(self, terms: Ints) -> Ints:
        """How often each of these terms occurs."""
        bag = self.bag
        if not len(bag.terms):
            return np.zeros(len(terms), np.int32)
        at = np.minimum(bag.terms.searchsorted(terms), len(bag.terms) - 1)
        return np.where(bag.terms[at] == terms, bag.counts[at], 0).astype(np.int32)

    def likeness(self, keywords: Ints) -> float:
        """The cosine with keywords that count once each."""
        if not len(keywords) or not self.bag.norm:
            return 0.0
        return min(1.0, int(self.frequency(keywords).sum()) / (sqrt(len(keywords)) * self.bag.norm))


@in_snapshot(inputs=rows(np.float64))
@dataclass(frozen=True, slots=True, eq=False)
class AgentPage:
    """What an agent keeps of the page it stands on: links it may follow, and the keywords around them.

    Link number i of these is link number `places[i]` of the page of visit `step`. `inputs` has a row for
    each keyword of the agent and a column for each link.
    """

    step: int
    places: Ints
    urls: Ints
    inputs: Floats

    @classmethod
    def of(cls, step: int, reading: PageTerms, keywords: Ints, reach: int) -> AgentPage | None:
        """The ground a page gives to stand on; None when no link of it may be followed to another page."""
        page, links = reading.page, reading.page.links
        places = np.flatnonzero(~links.nofollow & (links.url != page.url)).astype(np.int32)
        if page.nofollow or not len(places):
            return None
        near = nearness(links, reading.stems, keywords, reach)
        return cls(step, places, links.url[places], near[:, places])

    def without(self, link: int) -> AgentPage | None:
        """The same without the links that lead where this one does; None when there are no others."""
        others = self.urls != self.urls[link]
        if not others.any():
            return None
        return AgentPage(self.step, self.places[others], self.urls[others], self.inputs[:, others])

    def with_keywords(self, had: Ints, has: Ints) -> AgentPage:
        """The same for other keywords. Those not there before are heard nowhere: the page is gone."""
        inputs = np.zeros((len(has), len(self.urls)))
        now, before = np.nonzero(has[:, None] == had)
        inputs[now] = self.inputs[before]
        return AgentPage(self.step, self.places, self.urls, inputs)


def nearness(links: Links, stems: Ints, keywords: Ints, reach: int) -> Floats:
    """How near each keyword (rows) is to each link (columns): the sum of 1/dist over its occurrences.

    dist is 1 in the link's own anchor and in the text up to its neighbours, 2 in the anchor of the next link
    and in the text behind it, and so on; what is farther than `reach` does not count. With stems 7 and 8
    around two links, the first of which says 8:

    >>> two = Links(np.array([4, 5]), np.array([1, 3]), np.array([2, 3]), np.zeros(2, np.bool_))
    >>> nearness(two, np.array([7, 8, 7]), np.array([7, 8]), reach=5).tolist()
    [[2.0, 1.5], [1.0, 0.5]]
    """
    keyword, at = np.nonzero(keywords[:, None] == stems)
    link = np.searchsorted(links.start, at, side="right") - 1
    within = (link >= 0) & (at < links.end[link])
    away = np.arange(1 - reach, reach + 1)
    from_within = np.where(away < reach, 1 / (np.abs(away) + 1), 0)
    from_behind = 1 / np.where(away > 0, away, 1 - away)
    share = np.where(within[:, None], from_within, from_behind)
    width = len(links) + 2 * reach
    cell = (keyword * width + link + reach)[:, None] + away
    near = np.bincount(cell.ravel(), share.ravel(), len(keywords) * width).reshape(len(keywords), width)
    return near[:, reach:-reach].astype(np.float64, copy=False)


# A small feed-forward net that an agent carries, learns with and hands down.

_Layer = rows(np.float64)


@in_snapshot(layers="list[_Layer]")
class Net:
    """Layers of tanh units, each with a bias, and one output; without hidden units it is a perceptron.

    Weights start at random in 0..2/n, n the inputs of a unit, so that a new net takes keywords for a good
    sign; biases start at 0. Each layer is a matrix, a row for a unit, its bias last. Sums run in the order
    of the inputs, never through a library that may regroup them.

    >>> net = Net([np.array([[0.5, 0.0]])])
    >>> net.estimates(np.array([[0.0, 1.0, 2.0]])).round(3).tolist()
    [0.0, 0.462, 0.762]
    """

    def __init__(self, layers: list[Floats]) -> None:
        self.layers = layers

    @classmethod
    def random(cls, inputs: int, hidden: int, rng: np.random.Generator) -> Net:
        """An untrained net with random weights."""
        sizes = [inputs, hidden, 1] if hidden else [inputs, 1]
        return cls([_layer(below, units, rng) for below, units in pairwise(sizes)])

    def estimates(self, inputs: Floats) -> Floats:
        """The output for each column of inputs."""
        for weights in self.layers:
            inputs = _activity(weights, inputs)
        (output,) = inputs
        return np.asarray(output)

    def learn(self, inputs: Floats, target: float, rate: float) -> None:
        """One step of back-propagation: the output for one column of inputs is to be nearer to the target.

        The step of a unit is divided by the squared length of what comes in to it, the 1 of its bias
        included, so that a page crowded with keywords does not throw the weights about.
        """
        activities = [inputs[:, None]]
        for weights in self.layers:
            activities.append(_activity(weights, activities[-1]))
        error = target - activities[-1][:, 0]
        for layer in reversed(range(len(self.layers))):
            weights, above = self.layers[layer], activities[layer + 1][:, 0]
            below = np.append(activities[layer][:, 0], 1.0)
            slope = error * (1 - above * above)
            error = (weights[:, :-1] * slope[:, None]).sum(axis=0)
            self.layers[layer] = weights + rate * slope[:, None] * below / (below * below).sum()

    def mutate(self, share: float, noise: float, rng: np.random.Generator) -> Net:
        """A copy in which a share of the weights has normal noise added."""
        return Net([w + noise * rng.standard_normal(w.shape) * (rng.random(w.shape) < share) for w in self.layers])

    def widen(self, rng: np.random.Generator) -> Net:
        """A copy with one more input, whose weights are random in -1/n..1/n, n the inputs before."""
        first, *others = self.layers
        most = 1 / max(1, first.shape[1] - 1)
        return Net([np.insert(first, -1, rng.uniform(-most, most, len(first)), axis=1), *others])


def _layer(inputs: int, units: int, rng: np.random.Generator) -> Floats:
    return np.hstack((rng.uniform(0, 2 / max(1, inputs), (units, inputs)), np.zeros((units, 1))))


def _activity(weights: Floats, below: Floats) -> Floats:
    """tanh(bias + sum of weighted inputs) of each unit (rows), for each column."""
    activity: Floats = tanhs((weights[:, :-1, None] * below).sum(axis=1) + weights[:, -1:])
    return activity
