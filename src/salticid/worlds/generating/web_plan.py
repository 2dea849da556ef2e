"""The plan of a generated web: which host and topic each place belongs to, and how popular it is in its groups.

A place is a slot that one page after the other takes (see `ages`); a plan keeps some twenty bytes for each.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np
import numpy.typing as npt

from salticid.model import Bools, Ints
from salticid.worlds.generating.chance import Lots, Reals, Whole, eleventh_root, popular
from salticid.worlds.generating.hosts import BRANCHES, Hosts
from salticid.worlds.generating.lexicon import Lexicon
from salticid.worlds.generating.topic_tree import Tree

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
        standing = np.where(
            index, Permanence.INDEX, np.where(enduring, Permanence.ENDURING, Permanence.PASSING)
        )
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
        return self._groups(np.zeros(self.places, np.int64), self._order)

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
    topic: Whole = np.where(
        loyal, main, np.where((luck < _NEARBY) & (hosts.is_mixed[host_of] == 0), near, anything)
    )
    return topic
