"""The pages of a pool as rows of counts, which all measures of text start from."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

import numpy as np
from scipy.sparse import csr_array

from salticid.model import Floats, Ints
from salticid.text import Bag, Stems
from salticid.webs import TOKEN, RecordedWeb


class WorldTerms:
    """How often each stem occurs on a page of a world, in the world's main language.

    The same pages come in many pools, so what was counted is kept, up to `most` pairs of stem and count (a pair
    takes 12 bytes); then what was not asked for longest goes. Stems are numbered by the world alone, so that
    the order in which pools come changes nothing.
    """

    def __init__(self, web: RecordedWeb, most: int = 50_000_000) -> None:
        self._stems = Stems(web.words, web.arrays.manifest.stems.partition(":")[0])
        self._stems.of(np.arange(len(web.words.disk), dtype=np.int32))
        self._tokens, self._ends = web.arrays[TOKEN.word], web.arrays[TOKEN.end]
        self._most, self._size = most, 0
        self._bags: OrderedDict[int, Bag] = OrderedDict()

    def __len__(self) -> int:
        """How many stems there are by now."""
        return len(self._stems)

    def terms(self, text: str) -> list[int]:
        """The stems of a text, stop words left out, repeats kept."""
        return self._stems.terms(text)

    def bag(self, number: int) -> Bag:
        """The stems of page `number` of the world with their counts."""
        bag = self._bags.get(number)
        if bag is not None:
            self._bags.move_to_end(number)
            return bag
        begin = int(self._ends[number - 1]) if number else 0
        bag = Bag.of(self._stems.of(self._tokens[begin : int(self._ends[number])]))
        self._bags[number] = bag
        self._size += len(bag.terms)
        while self._size > self._most:
            _number, oldest = self._bags.popitem(last=False)
            self._size -= len(oldest.terms)
        return bag


class PoolTerms:
    """The pages of a pool as counts of stems; its columns are the stems of the pool and of the `texts` named.

    `pages` are numbers of pages of the world, ascending and distinct; `counts[i]` are those of `pages[i]`, and
    column j counts stem `stems[j]`.
    """

    def __init__(self, world: WorldTerms, pages: Ints, texts: Iterable[str] = ()) -> None:
        self.pages = pages
        self._world = world
        bags = [world.bag(number) for number in pages.tolist()]
        text_stems = [stem for text in texts for stem in world.terms(text)]
        occurs = np.zeros(len(world), np.bool_)
        occurs[text_stems] = True
        for bag in bags:
            occurs[bag.terms] = True
        self.stems = np.flatnonzero(occurs).astype(np.int32)
        self._column = np.full(len(world), -1, np.int32)
        self._column[self.stems] = np.arange(len(self.stems))
        self.counts = self._rows(bags)

    def query(self, text: str) -> Floats:
        """The counts of a text over the columns; words of one not named at the start may have none, and get lost."""
        terms = np.array(self._world.terms(text), np.int32)
        columns = self._column[terms[terms < len(self._column)]]
        return np.bincount(columns[columns >= 0], minlength=len(self.stems)).astype(np.float64)

    def counts_of(self, pages: Ints) -> csr_array:
        """The counts of any pages of the world, in the order given, over the columns of this pool."""
        return self._rows([self._world.bag(number) for number in pages.tolist()])

    def places(self, pages: Ints) -> Ints:
        """Which rows belong to these pages of the pool: `ranks[pool.places(fetched)]`."""
        return self.pages.searchsorted(pages).astype(np.int32)

    def _rows(self, bags: list[Bag]) -> csr_array:
        none = np.zeros(0, np.int32)
        columns = self._column[np.concatenate([none, *(bag.terms for bag in bags)])]
        counts = np.concatenate([none, *(bag.counts for bag in bags)]).astype(np.int32)
        ends = np.cumsum([0, *(len(bag.terms) for bag in bags)])
        inside = columns >= 0
        starts = np.concatenate(([0], np.cumsum(inside)))[ends].astype(np.int32)
        return csr_array((counts[inside], columns[inside], starts), (len(bags), len(self.stems)))
