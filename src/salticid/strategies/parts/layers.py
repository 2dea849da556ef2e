"""Which of several layers of known pages a page is like."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np

from salticid.exact import logs
from salticid.model import Floats, Ints
from salticid.snapshots import in_snapshot, rows
from salticid.text.bags import Bag

_TELLING = 40
"""So many words of each known page are looked at, those that tell it best from the others."""
_ONE = 1 << 20
"""Logarithms and weights are whole multiples of 1/_ONE, so that no sum depends on the order of words."""


@in_snapshot(count=int, _words=np.int32, _log=rows(np.int64), _mean=rows(np.int64), _norm=list[float])
class Layers:
    """Tells layers of pages apart by naive Bayes, and says how like a page is to the others of its layer.

    The vocabulary is made of the 40 words of each known page that weigh most, f * ln(1 + N/n), and those as
    heavy as the 40th. P(word | layer) is smoothed by one, all layers are equally likely beforehand, and of
    equally likely ones the first is taken. The likeness is the cosine of the page with the mean of the
    layer's weighted pages. `others` are pages of no layer.

    >>> web, spider, eye = 1, 2, 3
    >>> layers = Layers([[Bag.of([spider, spider, eye])], [Bag.of([web, web, spider])]])
    >>> [layers.place(Bag.of(page))[0] for page in ([spider, eye], [web, eye, web], [9])]
    [0, 1, None]
    """

    def __init__(self, layers: Sequence[Sequence[Bag]], others: Sequence[Bag] = ()) -> None:
        self.count = len(layers)
        groups = [*layers, others] if others else layers
        bags = [bag for group in groups for bag in group]
        words, holding = np.unique(np.concatenate([bag.terms for bag in bags]), return_counts=True)
        rarity = logs(1 + len(bags) / holding)
        heavy = [_heaviest(bag, rarity[words.searchsorted(bag.terms)]) for bag in bags]
        self._words: Ints = np.unique(np.concatenate(heavy))
        rarity = rarity[words.searchsorted(self._words)]
        self._log = np.array([self._logarithms(group) for group in groups])
        self._mean = np.array([self._middle(layer, rarity) for layer in layers])
        self._norm = [sqrt(int(mean @ mean)) for mean in self._mean]

    def place(self, page: Bag) -> tuple[int | None, float]:
        """The page's layer, None if it is of no layer, and its likeness, 0..1."""
        at, counts = self._known_words(page)
        if not len(at):
            return None, 0.0
        layer = int(np.argmax(self._log[:, at] @ counts))
        if layer >= self.count:
            return None, 0.0
        common = int(self._mean[layer, at] @ counts)
        return layer, min(1.0, common / (self._norm[layer] * page.norm))

    def _known_words(self, page: Bag) -> tuple[Ints, Ints]:
        """The page's words that are in the vocabulary, by their places in it, and their counts."""
        at = self._words.searchsorted(page.terms)
        at[at == len(self._words)] = 0
        is_known = self._words[at] == page.terms
        return at[is_known], page.counts[is_known]

    def _logarithms(self, layer: Sequence[Bag]) -> Ints:
        counts = np.ones(len(self._words))
        for bag in layer:
            at, times = self._known_words(bag)
            counts[at] += times
        return _whole(logs(counts / counts.sum()))

    def _middle(self, layer: Sequence[Bag], rarity: Floats) -> Ints:
        total = _whole(np.zeros(len(self._words)))
        for bag in layer:
            at, times = self._known_words(bag)
            weights = times * rarity[at]
            total[at] += _whole(weights / np.sqrt((weights * weights).sum()))
        middle: Ints = total // len(layer)
        return middle


def _heaviest(bag: Bag, rarity: Floats) -> Ints:
    weights = bag.counts * rarity
    if len(weights) <= _TELLING:
        return bag.terms
    last = np.partition(weights, -_TELLING)[-_TELLING]
    heaviest: Ints = bag.terms[weights >= last]
    return heaviest


def _whole(values: Floats) -> Ints:
    whole: Ints = np.rint(values * _ONE).astype(np.int64)
    return whole
