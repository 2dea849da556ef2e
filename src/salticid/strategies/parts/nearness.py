"""What an agent reads off a page: its terms, the links it may follow, the keywords near each of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from typing import Literal

import numpy as np
import numpy.typing as npt

from salticid.exact import tanhs
from salticid.model import Bools, Floats, Ints, Links, Page, Visit
from salticid.snapshots import in_snapshot, rows
from salticid.text import STOP, Bag, Stems

Near = Literal["links", "words", "anchor"]
"""How an agent measures the distance of a keyword from a link."""
Whole = npt.NDArray[np.int64]


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

    def likeness(self, keywords: Ints, times: Whole) -> float:
        """The cosine with keywords that count so many times each."""
        norm = sqrt(int(times @ times)) * self.bag.norm
        return min(1.0, int(self.frequency(keywords) @ times) / norm) if norm else 0.0


@in_snapshot(inputs=rows(np.float64))
@dataclass(frozen=True, slots=True, eq=False)
class AgentLinks:
    """Links that an agent may follow, as columns, and the keywords near each of them.

    Link number i of these is link number `places[i]` of the page of visit `steps[i]`, which scored `worth[i]`.
    `inputs` has a row for each keyword of the agent and a column for each link.
    """

    steps: Ints
    places: Ints
    urls: Ints
    worth: Floats
    inputs: Floats

    @classmethod
    def of(cls, visit: Visit, reading: PageTerms, keywords: Ints, near: Nearness) -> AgentLinks | None:
        """Those of a page; None when no link of it may be followed to another page."""
        page, links = reading.page, reading.page.links
        places = np.flatnonzero(~links.nofollow & (links.url != page.url)).astype(np.int32)
        if page.nofollow or not len(places):
            return None
        inputs = near.inputs(links, reading.stems, keywords)[:, places]
        steps, worth = np.full(len(places), visit.step, np.int32), np.full(len(places), visit.score)
        return cls(steps, places, links.url[places], worth, inputs)

    def __len__(self) -> int:
        return len(self.urls)

    def some(self, which: Ints | Whole | Bools) -> AgentLinks | None:
        """Some of them, by number or mask; None if there are none."""
        urls = self.urls[which]
        if not len(urls):
            return None
        return AgentLinks(self.steps[which], self.places[which], urls, self.worth[which], self.inputs[:, which])

    def without(self, url: int) -> AgentLinks | None:
        """The same without those that lead to a URL; None when there are no others."""
        return self.some(self.urls != url) if (self.urls == url).any() else self

    def and_more(self, more: AgentLinks) -> AgentLinks:
        """These, and others of an agent with the same keywords behind them."""
        return AgentLinks(
            np.append(self.steps, more.steps),
            np.append(self.places, more.places),
            np.append(self.urls, more.urls),
            np.append(self.worth, more.worth),
            np.concatenate((self.inputs, more.inputs), axis=1),
        )

    def best(self, scores: Floats, most: int) -> AgentLinks | None:
        """The best ones, each URL once, in the order they had; among equals those that come first."""
        order = np.argsort(-scores, kind="stable")
        first = np.sort(np.unique(self.urls[order], return_index=True)[1])
        return self.some(np.sort(order[first[:most]]))

    def with_keywords(self, had: Ints, has: Ints) -> AgentLinks:
        """The same for other keywords. Those not there before are heard nowhere: the page is gone."""
        inputs = np.zeros((len(has), len(self.urls)))
        now, before = np.nonzero(has[:, None] == had)
        inputs[now] = self.inputs[before]
        return AgentLinks(self.steps, self.places, self.urls, self.worth, inputs)


@dataclass(frozen=True, slots=True)
class Nearness:
    """How near a keyword is to a link: the sum of 1/dist over its occurrences up to a distance of `reach`.

    With `by` "links", dist is 1 in the link's own anchor and in the text up to its neighbors, 2 in the anchor of the
    next link and in the text behind it, and so on. With "words" it is 1 in the anchor, 2 for the words beside it, and
    so on: 1 more than the words to go. With "anchor" only the link's own anchor counts. Two links, the first of which
    says 8, among the stems 7 8 7:

    >>> two = Links(np.array([4, 5]), np.array([1, 3]), np.array([2, 3]), np.zeros(2, np.bool_))
    >>> stems, keywords = np.array([7, 8, 7]), np.array([7, 8])
    >>> [Nearness(by, 5).inputs(two, stems, keywords).round(2).tolist() for by in ("links", "words", "anchor")]
    [[[2.0, 1.5], [1.0, 0.5]], [[1.0, 0.75], [1.0, 0.33]], [[0.0, 0.0], [1.0, 0.0]]]
    """

    by: Near
    reach: int

    def inputs(self, links: Links, stems: Ints, keywords: Ints) -> Floats:
        """For each keyword (rows) and each link (columns) how near they are."""
        keyword, at = np.nonzero(keywords[:, None] == stems)
        if self.by == "links":
            return self._in_links(links, keyword, at, len(keywords))
        far = self.reach if self.by == "words" else 0
        first = links.end.searchsorted(at + 1 - far, side="left")
        many = np.maximum(links.start.searchsorted(at + far, side="right") - first, 0)
        pair = np.repeat(np.arange(len(at)), many)
        link = first[pair] + np.arange(len(pair)) - (np.cumsum(many) - many)[pair]
        away = np.maximum(np.maximum(links.start[link] - at[pair], at[pair] - links.end[link] + 1), 0)
        share = np.where(away <= far, 1 / (1 + away), 0.0)
        near = np.bincount(keyword[pair] * len(links) + link, share, len(keywords) * len(links))
        return near.reshape(len(keywords), len(links)).astype(np.float64, copy=False)

    def _in_links(self, links: Links, keyword: Whole, at: Whole, keywords: int) -> Floats:
        reach = self.reach
        link = np.searchsorted(links.start, at, side="right") - 1
        within = (link >= 0) & (at < links.end[link])
        away = np.arange(1 - reach, reach + 1)
        from_within = np.where(away < reach, 1 / (np.abs(away) + 1), 0)
        from_behind = 1 / np.where(away > 0, away, 1 - away)
        share = np.where(within[:, None], from_within, from_behind)
        width = len(links) + 2 * reach
        cell = (keyword * width + link + reach)[:, None] + away
        near = np.bincount(cell.ravel(), share.ravel(), keywords * width).reshape(keywords, width)
        return near[:, reach:-reach].astype(np.float64, copy=False)


# A small feed-forward net that an agent carries, learns with and hands down.


@dataclass(frozen=True, slots=True)
class Lesson:
    """How a net learns one example: so many steps at this rate, with momentum from step to step.

    A scaled step of a unit is divided by the squared length of what comes in to it, the 1 of its bias included. Without
    momentum and at a rate of at most 1 it does not pass its goal, however many keywords are near the link.
    """

    rate: float
    epochs: int = 1
    momentum: float = 0.0
    is_scaled: bool = True


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

    def learn(self, inputs: Floats, target: float, lesson: Lesson) -> None:
        """Back-propagation: the output for these inputs, a number each, is to be nearer to the target."""
        steps = [np.zeros_like(weights) for weights in self.layers]
        for _ in range(lesson.epochs):
            activities = [inputs[:, None]]
            for weights in self.layers:
                activities.append(_activity(weights, activities[-1]))
            error = target - activities[-1][:, 0]
            for layer in reversed(range(len(self.layers))):
                weights, above = self.layers[layer], activities[layer + 1][:, 0]
                below = np.append(activities[layer][:, 0], 1.0)
                slope = error * (1 - above * above)
                error = (weights[:, :-1] * slope[:, None]).sum(axis=0)
                step = lesson.rate * slope[:, None] * below / ((below * below).sum() if lesson.is_scaled else 1.0)
                steps[layer] = lesson.momentum * steps[layer] + step
                self.layers[layer] = weights + steps[layer]

    def copy(self) -> Net:
        """Another net that estimates as this one does, and learns by itself."""
        return Net(list(self.layers))

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
