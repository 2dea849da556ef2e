"""The hosts of a generated web: how large they are, what they are about, how they are run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from salticid.worlds.generating.chance import Lots, Reals, Whole, power
from salticid.worlds.generating.coined import ABROAD
from salticid.worlds.generating.topic_tree import Tree
from salticid.worlds.generating.word_lists import MIXED_SITES, SITE_KINDS

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


@dataclass(frozen=True, eq=False)
class Hosts:
    """All hosts as columns. The pages of host `h` are those from `first[h]` up to `first[h + 1]`, its home first.

    `tongue` is 0 at home; `circle` says which of the circles of its topic a host moves in; `bar` is how many
    pages its navigation bar, or its menu, shows, home not counted; host number `calendars[c]` has calendar number `c`.
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
        bar = np.minimum(
            np.maximum(size - 2, 0) // BRANCHES, Lots(seed, "bar").below(_LONGEST_BAR + 1, hosts)
        )
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
        names.append(
            f"{stem}-{SITE_KINDS[kind[host]]}{lap or ''}.{'test' if kind[host] % 3 == 2 else 'example'}"
        )
    return names
