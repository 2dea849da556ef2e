"""The links that wait, in arrays: scored all at once, taken one by one."""

from __future__ import annotations

from typing import Any

import numpy as np

from salticid.columns import Column, grow
from salticid.model import Bools, Choice, Ints, Link
from salticid.native import NOTHING, at, lib, struct
from salticid.snapshots import in_snapshot, rows

NOWHERE = -1
_LOW = 4096
"""So many of the lowest are looked for at a time."""
_MANY, _HIGH = 8192, 1 / 64
"""From so many slots on, the best link is looked for among about this share of them, the highest."""


@in_snapshot(
    _limit=int, slot_of=np.int32, _free=Column, _age=int, _many=int, _low=np.int32 | None,
    _age_of_low=np.int64, _up_to=float, _high=np.int32 | None, _from=float, _entered=list[np.int32],
    url=Column, age=Column, host=Column, source=Column, place=Column, margin=Column, is_free=Column,
    _columns=tuple[Column, ...], features=rows(np.float32),
)  # fmt: skip
class Waiting:
    """A slot for each waiting link, with its margin: the higher, the sooner it is taken.

    Best margin first, oldest first among equals; `shrink` drops the lowest, among equals the newest. A slot that
    falls free is given away again. Links enter unscored, at minus infinity.
    """

    def __init__(self, limit: int | None, width: int) -> None:
        self._limit = limit
        self.slot_of = np.full(1024, NOWHERE, np.int32)
        self._free = Column(np.int32)
        self._age = 0
        self._many = 0
        self._low: Ints | None = None
        self._age_of_low = np.zeros(0, np.int64)
        self._up_to = 0.0
        self._high: Ints | None = None
        self._from = 0.0
        self._entered: list[Ints] = []
        self.url, self.age, self.host = Column(np.int32), Column(np.int64), Column(np.int32)
        self.source, self.place = Column(np.int32), Column(np.int32)
        self.margin, self.is_free = Column(np.float64), Column(np.bool_)
        self._columns = (self.url, self.host, self.source, self.place, self.age, self.margin, self.is_free)
        self.features = np.zeros((1024, width), np.float32)

    def __len__(self) -> int:
        return self._many

    def slots(self, urls: Ints) -> Ints:
        """The slot of each URL, NOWHERE for those that do not wait."""
        if len(urls):
            self.slot_of = grow(self.slot_of, int(urls.max()) + 1, NOWHERE)
        return self.slot_of[urls]

    def enter(self, urls: Ints, hosts: Ints, source: int, places: Ints) -> None:
        """Let links wait that do not yet, in the order given; of a URL named twice the first."""
        slots = self._enter(urls, hosts, source, places)
        self._age += len(slots)
        self._many += len(slots)
        self._entered.append(slots)

    def _enter(self, urls: Ints, hosts: Ints, source: int, places: Ints) -> Ints:
        """Give slots to links that have none, and tell which."""
        if lib is not None:
            return self._compiled(urls, hosts, source, places)
        new = np.flatnonzero(self.slots(urls) == NOWHERE)
        first = new[np.sort(np.unique(urls[new], return_index=True)[1])]
        slots = self._free_slots(len(first))
        self.slot_of[urls[first]] = slots
        self.url.held[slots], self.host.held[slots] = urls[first], hosts[first]
        self.source.held[slots], self.place.held[slots] = source, places[first]
        self.age.held[slots] = np.arange(self._age, self._age + len(first))
        self.margin.held[slots], self.is_free.held[slots] = -np.inf, False
        return slots

    def _compiled(self, urls: Ints, hosts: Ints, source: int, places: Ints) -> Ints:
        many, size, free = len(urls), self.size, self._free.held
        self.slots(urls)
        room = self._make_room(max(many - len(free), 0))
        entered: Ints = np.empty(many, np.int32)
        enters = lib.enter_links(
            at(urls), at(hosts), at(places), many, source, self._age, at(self.slot_of), at(free), len(free), size,
            struct("Slots *", [at(column.held) for column in self._columns]), at(entered),
        )  # fmt: skip
        reused = len(self._free.take(min(enters, len(free))))
        for column in self._columns:
            column.take(room - enters + reused)
        return entered[:enters]

    @property
    def size(self) -> int:
        """How many slots there are, free ones among them: the slot after the last is nobody's."""
        return len(self.url.held)

    def new_slots(self) -> Ints:
        """The slots of the links that entered since this was asked for, which have no margin yet."""
        entered, self._entered = self._entered, []
        return np.sort(np.concatenate(entered)) if entered else np.zeros(0, np.int32)

    def by_age(self) -> Ints:
        """All slots that hold a link, the oldest first."""
        living = self.living()
        oldest_first: Ints = living[np.argsort(self.age.held[living])]
        return oldest_first

    def living(self) -> Ints:
        """All slots that hold a link."""
        return np.flatnonzero(~self.is_free.held).astype(np.int32)

    def best(self, k: int, mask: Bools | None = None) -> Ints:
        """The slots of the `k` best links, best first, of those allowed."""
        if not k or not self._many:
            return np.zeros(0, np.int32)
        living = np.flatnonzero(~self.is_free.held if mask is None else ~self.is_free.held & mask)
        margin = self.margin.held[living]
        if len(living) > k:
            least = margin.max() if k == 1 else np.partition(margin, len(margin) - k)[len(margin) - k]
            living = living[margin >= least]
        order = np.lexsort((self.age.held[living], -self.margin.held[living]))
        return living[order[:k]].astype(np.int32)

    def best_one(self, shut: Bools) -> int:
        """The slot of the best link whose host is not shut, by the number of the host; NOWHERE if there is none."""
        if lib is not None:
            high = self._highest()
            best = NOWHERE if high is None else self._best_of(at(high), len(high), shut)
            if best == NOWHERE or self.margin.held[best] < self._from:
                best = self._best_of(NOTHING, self.size, shut)
            return best
        hosts = np.minimum(self.host.held, len(shut))
        slots = self.best(1, ~np.append(shut, False)[hosts])
        return int(slots[0]) if len(slots) else NOWHERE

    def _best_of(self, slots: Any, many: int, shut: Bools) -> int:
        margin, age, is_free, host = self.margin.held, self.age.held, self.is_free.held, self.host.held
        best: int = lib.best_slot(at(margin), at(age), at(is_free), slots, many, at(host), at(shut), len(shut))
        return best

    def _highest(self) -> Ints | None:
        """All slots from some margin on, which are few, and others; None if looking for them is not worth it."""
        if self._high is None and self.size >= _MANY:
            some = self.margin.held[:: self.size // (_MANY // 4)]
            last = int(len(some) * (1 - _HIGH))
            self._from = float(np.partition(some, last)[last])
            self._high = np.flatnonzero(self.margin.held >= self._from).astype(np.int32)
        return self._high

    def choice(self, slot: int, score: float, why: tuple[tuple[str, float], ...]) -> Choice:
        """The link in a slot, as a choice."""
        link = Link(int(self.url.held[slot]), int(self.source.held[slot]), int(self.place.held[slot]))
        return Choice(link, score, why)

    def slot(self, url: int) -> int:
        """The slot of a URL, NOWHERE if it does not wait."""
        return int(self.slot_of[url]) if url < len(self.slot_of) else NOWHERE

    def discard(self, url: int) -> None:
        """Forget a waiting link, if it waits."""
        if (slot := self.slot(url)) != NOWHERE:
            self._drop(np.array([slot], np.int32))

    def shrink(self, newest: Ints) -> None:
        """Drop links until no more wait than may; `newest` are those that entered since the last time."""
        over = 0 if self._limit is None else self._many - self._limit
        if over <= 0:
            self._low = None
            return
        lowest = self._lowest(over, newest)
        self._drop(lowest[:over])
        self._low = lowest[over:]
        self._age_of_low = self.age.held[self._low]

    def _lowest(self, many: int, newest: Ints) -> Ints:
        """Some slots, lowest first, that begin with the `many` lowest: all up to some margin.

        They are those of last time, and those of the newest that belong to them, if that is enough.
        """
        if self._low is not None:
            there = ~self.is_free.held[self._low] & (self._age_of_low == self.age.held[self._low])
            low = self._low[there]
            low_too = self._in_order(newest[self.margin.held[newest] <= self._up_to])
            if len(low) + len(low_too) >= many:
                before = self.margin.held[low].searchsorted(self.margin.held[low_too])
                return np.insert(low, before, low_too)
        living = self.living()
        margin = self.margin.held[living]
        most = min(len(living), many + _LOW)
        self._up_to = float(np.partition(margin, most - 1)[most - 1])
        return self._in_order(living[margin <= self._up_to])

    def _in_order(self, slots: Ints) -> Ints:
        """Lowest first, among equals the newest first."""
        in_order: Ints = slots[np.lexsort((-self.age.held[slots], self.margin.held[slots]))]
        return in_order

    def has_scored(self, slots: Ints) -> None:
        """The features and margins of these links were written anew."""
        if len(slots) == self._many:
            self._low = self._high = None
        elif self._high is not None:
            self._high = np.concatenate((self._high, slots[self.margin.held[slots] >= self._from]))

    def _free_slots(self, many: int) -> Ints:
        """So many free slots: the last that fell free, and when there are no more, new ones."""
        reused = self._free.take(min(many, len(self._free.held)))
        fresh = np.arange(self.size, self.size + many - len(reused), dtype=np.int32)
        self._make_room(len(fresh))
        return np.concatenate((reused[::-1], fresh))

    def _make_room(self, many: int) -> int:
        """So many slots behind the others."""
        for column in self._columns:
            column.more(many)
        self.features = grow(self.features, self.size)
        return many

    def _drop(self, slots: Ints) -> None:
        self.slot_of[self.url.held[slots]] = NOWHERE
        self.is_free.held[slots], self.margin.held[slots] = True, -np.inf
        self._free.append(slots)
        self._many -= len(slots)
