"""The plan of a generated web: hosts, and the host and topic of each page."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np
import numpy.typing as npt

from salticid.model import Bools, Ints
from salticid.worlds.generating.chance import Lots, Reals, Whole, eleventh_root, popular, power
from salticid.worlds.generating.lexicon import ABROAD, MIXED_SITES, SITE_KINDS, Lexicon, Tree

# The hosts of a generated web: how large they are, what they are about, how they are run.

_SMALLEST, _SMALLEST_WITH_MENU = 3, 80
_LARGEST_SHARE = 20
"""No host holds more than one page in so many."""
_ALWAYS_ROOM = 30
"""Pages that a host may have in the smallest web, too."""
_MIXED, _MIXED_WITH_MENU, _FOREIGN, _FORBIDDING = 0.2, 0.6, 0.08, 0.2
_LONGEST_BAR, _SHORTEST_MENU, _LONGEST_MENU = 5, 20, 60
_HOSTS_A_CIRCLE = 6
CALENDAR_MONTHS = 240
_LARGE = 1_000
"""Pages from which on a web has calendars, and hosts abroad."""
BRANCHES = 10
"""Pages that an index page of a host lists: page p of a host lists those from BRANCHES * p + 1 on."""
_PAGES_A_CALENDAR = 10_000
_PORTAL_SHARE = 30
"""Portals hold one page in so many."""


@dataclass(frozen=True, eq=False)
class Hosts:
    """All hosts as columns. The pages of host `h` are those from `first[h]` up to `first[h + 1]`, its home first.

    `tongue` is 0 at home; `circle` says which of the circles of its topic a host moves in; `bar` is how many
    pages its navigation bar, or its menu, shows, home not counted; everybody links to portals; host number
    `calendars[c]` has calendar number `c`.
    """

    first: Whole
    names: list[str]
    topic: Whole
    kind: Whole
    is_mixed: Whole
    tongue: Whole
    circle: Whole
    circles: int
    bar: Whole
    is_portal: Bools
    forbids: Whole
    latency: Reals
    calendars: Whole
    months: int

    def __len__(self) -> int:
        return len(self.names)

    @property
    def graves(self) -> int:
        """How many hosts there are no more, although links lead to them."""
        return 1 + len(self) // 50

    @classmethod
    def of(cls, tree: Tree, pages: int, seed: int, menus: bool = False) -> Hosts:
        """So many pages on hosts whose sizes fall with the exponent 1 + 8/9, each topic's turn coming in each round.

        With `menus` no host is small, most write about anything, and their bars are long.
        """
        large = pages >= _LARGE
        months = min(CALENDAR_MONTHS, pages // 25)
        calendars = max(1, pages // _PAGES_A_CALENDAR) if large else 0
        size = _sizes(pages - calendars * months, seed, _SMALLEST_WITH_MENU if menus else _SMALLEST)
        hosts = np.arange(len(size))
        topic = _deal_topics(len(tree.leaves), len(size), seed)
        mixed = _MIXED_WITH_MENU if menus else _MIXED
        is_mixed = (Lots(seed, "mixed host").rolls(hosts) < mixed).astype(np.int64)
        abroad = large & (Lots(seed, "foreign host").rolls(hosts) < _FOREIGN)
        tongue = np.where(abroad, 1 + Lots(seed, "tongue").below(len(ABROAD), hosts), 0)
        circles = max(3, len(size) // (len(tree.leaves) * _HOSTS_A_CIRCLE))
        circle = Lots(seed, "circle").below(circles, hosts)
        bar = np.minimum(np.maximum(size - 2, 0) // BRANCHES, Lots(seed, "bar").below(_LONGEST_BAR + 1, hosts))
        if menus:
            lengths = Lots(seed, "menu").below(_LONGEST_MENU - _SHORTEST_MENU + 1, hosts)
            bar = np.minimum(size - 1, _SHORTEST_MENU + lengths)
        kind = np.zeros(len(size), np.int64)
        names = _names(tree, topic.tolist(), is_mixed.tolist(), kind)
        return cls(
            first=np.concatenate([[0], np.cumsum(size)]),
            names=names,
            topic=topic,
            kind=kind,
            is_mixed=is_mixed,
            tongue=tongue,
            circle=np.where(abroad, circles + tongue - 1, circle),
            circles=circles + len(ABROAD),
            bar=bar,
            is_portal=_portals(size, (is_mixed == 1) & ~abroad & large, seed),
            forbids=(Lots(seed, "forbidding host").rolls(hosts) < _FORBIDDING).astype(np.int64),
            latency=np.round(0.05 / (0.1 + 0.9 * Lots(seed, "latency").rolls(hosts)), 4),
            calendars=np.argsort(Lots(seed, "calendar").keys(hosts), kind="stable")[:calendars],
            months=months,
        )


def _sizes(pages: int, seed: int, smallest: int) -> Whole:
    """Sizes drawn until all pages are given away; the last host takes what is left."""
    lot = Lots(seed, "host size").rolls(np.arange(pages // smallest + 1))
    size = (smallest * power(1 / (1 - lot), 36)).clip(max=1e9).astype(np.int64)
    size = np.minimum(size, max(_ALWAYS_ROOM, 2 * smallest, pages // _LARGEST_SHARE))
    ends = np.cumsum(size)
    last = int(np.searchsorted(ends, pages))
    return np.append(size[:last], pages - (ends[last - 1] if last else 0))


def _portals(size: Whole, fit: Bools, seed: int) -> Bools:
    """Some of the hosts that are fit for it, taken by lot while there is room for their pages."""
    room = size.sum() // _PORTAL_SHARE
    order = np.argsort(Lots(seed, "portal").keys(np.arange(len(size))), kind="stable")
    order = order[(fit & (size <= room // 4))[order]]
    portals = np.zeros(len(size), np.bool_)
    portals[order[np.cumsum(size[order]) <= room]] = True
    return portals


def _deal_topics(topics: int, hosts: int, seed: int) -> Whole:
    """A topic for each host, dealt from one shuffled deck after the other."""
    decks = -(-hosts // topics)
    lots = Lots(seed, "host topic").keys(np.arange(decks * topics)).reshape(decks, topics)
    topics_of_hosts: Whole = np.argsort(lots, axis=1, kind="stable").ravel()[:hosts]
    return topics_of_hosts


def _names(tree: Tree, topics: list[int], is_mixed: list[int], kind: Whole) -> list[str]:
    laps: Counter[str] = Counter()
    names = []
    for host, (topic, mix) in enumerate(zip(topics, is_mixed, strict=True)):
        stem = MIXED_SITES[host % len(MIXED_SITES)] if mix else tree.leaves[topic]
        lap, kind[host] = divmod(laps[stem], len(SITE_KINDS))
        laps[stem] += 1
        names.append(f"{stem}-{SITE_KINDS[kind[host]]}{lap or ''}.{'test' if kind[host] % 3 == 2 else 'example'}")
    return names


_LOYAL, _NEARBY = 0.8, 0.9
_ENDURING = 0.16
_LOT_BITS = 34


class Permanence(IntEnum):
    """How long a place is held: a page comes and goes, endures for years, or stays as indexes do."""

    PASSING = 0
    ENDURING = 1
    INDEX = 2


class Groups:
    """Places in groups, within each group the most popular first; those that last come before those that pass."""

    def __init__(self, group: Whole, count: int, order: npt.NDArray[np.uint64], lasting: Bools) -> None:
        self._members: Ints = np.argsort(
            (group.astype(np.uint64) << np.uint64(_LOT_BITS + 2)) | order, kind="stable"
        ).astype(np.int32)
        self.size: Whole = np.bincount(group, minlength=count)
        self._begin = np.cumsum(self.size) - self.size
        self._root = eleventh_root(self.size + 1)
        self._lasting_root = eleventh_root(np.bincount(group[lasting], minlength=count) + 1)

    def one_of(self, group: Whole, chance: Reals, lasting: Bools | None = None) -> Whole:
        """A member of each group named, which must have some: the popular are named more often.

        Where `lasting` is true, one of those that last, if there are any.
        """
        root = self._root[group]
        if lasting is not None:
            root = np.where(lasting, self._lasting_root[group], root)
        return self._member(group, popular(chance, self.size[group], root))

    def any_of(self, group: Whole, chance: Reals) -> Whole:
        """Any member of each group named."""
        return self._member(group, (chance * self.size[group]).astype(np.int64))

    def _member(self, group: Whole, rank: Whole) -> Whole:
        members: Whole = self._members[self._begin[group] + rank].astype(np.int64)
        return members


@dataclass(frozen=True, eq=False)
class WebPlan:
    """Everything about the web that does not change from day to day.

    With `menus`, pages are framed as those of large sites are: a long menu first, of pages that stay, and at the end
    links to the page before and after, to sister sites, and to services that would share the page.
    """

    pages: int
    seed: int
    menus: bool
    tree: Tree
    hosts: Hosts
    lexicon: Lexicon
    host_of: Ints
    topic_of: npt.NDArray[np.int16]
    standing_of: npt.NDArray[np.uint8]

    @classmethod
    def of(cls, pages: int, seed: int, menus: bool = False) -> WebPlan:
        tree = Tree.for_pages(pages)
        hosts = Hosts.of(tree, pages, seed, menus)
        host_of = np.repeat(np.arange(len(hosts), dtype=np.int32), np.diff(hosts.first))
        places = np.arange(len(host_of))
        nth = places - hosts.first[host_of]
        index = (nth == 0) | (BRANCHES * nth + 1 < np.diff(hosts.first)[host_of])
        if menus:
            index |= nth <= hosts.bar[host_of]
        enduring = Lots(seed, "enduring").rolls(places) < _ENDURING
        standing = np.where(index, Permanence.INDEX, np.where(enduring, Permanence.ENDURING, Permanence.PASSING))
        topic = _topics(tree, hosts, host_of, nth, seed)
        lexicon = Lexicon.of(tree, pages)
        return cls(
            pages,
            seed,
            menus,
            tree,
            hosts,
            lexicon,
            host_of,
            topic.astype(np.int16),
            standing.astype(np.uint8),
        )

    @property
    def places(self) -> int:
        """How many places there are; the pages of calendars are numbered from there on."""
        return len(self.host_of)

    def circle_of(self, places: Whole) -> Whole:
        """The circle of each place: of the circles of its topic, the one that its host moves in."""
        circle: Whole = self.topic_of[places].astype(np.int64) * self.hosts.circles
        return circle + self.hosts.circle[self.host_of[places]]

    def nth(self, places: Whole) -> Whole:
        """The number of each place within its host."""
        return places - self.hosts.first[self.host_of[places]]

    @cached_property
    def circles(self) -> Groups:
        """The places of each circle."""
        return self._groups(self._circles, self._order)

    @cached_property
    def models(self) -> Groups:
        """The places of each circle by how often they are copied: lasting articles most, indexes hardly ever."""
        return self._groups(
            self._circles, self._by_standing((Permanence.ENDURING, Permanence.PASSING, Permanence.INDEX))
        )

    @cached_property
    def topics(self) -> Groups:
        """The places of each topic."""
        return self._groups(self.topic_of.astype(np.int64), self._order)

    @cached_property
    def everyone(self) -> Groups:
        """All places, those of portals apart: 0 for all others, 1 for them."""
        return self._groups(self.hosts.is_portal[self.host_of].astype(np.int64), self._order)

    def _groups(self, group: Whole, order: npt.NDArray[np.uint64]) -> Groups:
        most = len(self.tree.leaves) * self.hosts.circles
        return Groups(group, most, order, self.standing_of != Permanence.PASSING)

    @property
    def _circles(self) -> Whole:
        return self.circle_of(np.arange(self.places))

    @cached_property
    def _order(self) -> npt.NDArray[np.uint64]:
        return self._by_standing((Permanence.INDEX, Permanence.ENDURING, Permanence.PASSING))

    def _by_standing(self, standings: tuple[Permanence, ...]) -> npt.NDArray[np.uint64]:
        """An order of all places: one standing before the other, and by lot among places of the same."""
        rank = np.array([standings.index(standing) for standing in Permanence], np.uint64)
        lot = Lots(self.seed, "popularity").keys(np.arange(self.places)) >> np.uint64(64 - _LOT_BITS)
        return (rank[self.standing_of] << np.uint64(_LOT_BITS)) | lot


def _topics(tree: Tree, hosts: Hosts, host_of: Ints, nth: Whole, seed: int) -> Whole:
    """Most pages keep to the topic of their host, some to its field; a mixed host writes about anything."""
    places, topics = np.arange(len(host_of)), len(tree.leaves)
    wide = len(tree.fields)
    luck = Lots(seed, "loyalty").rolls(places)
    main = hosts.topic[host_of]
    near = (main + wide * Lots(seed, "near topic").below(max(1, topics // wide), places)) % topics
    anything = Lots(seed, "any topic").below(topics, places)
    loyal = (nth == 0) | ((luck < _LOYAL) & (hosts.is_mixed[host_of] == 0))
    topic: Whole = np.where(loyal, main, np.where((luck < _NEARBY) & (hosts.is_mixed[host_of] == 0), near, anything))
    return topic
