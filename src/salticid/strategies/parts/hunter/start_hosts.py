"""Whose turn it is when a host runs dry: the hosts of the start pages."""

from __future__ import annotations

import numpy as np

from salticid.columns import grow
from salticid.model import Bools, Ints
from salticid.snapshots import in_snapshot

_GOOD = 0.5
"""A page with this reward is of use, however good the others are."""


@in_snapshot(
    "_allotment", _is_start=np.bool_, several=bool, _dry=np.int32, _reward=float, _pages=int,
    _dry_crawl=int, _waits=bool,
)  # fmt: skip
class StartHosts:
    """Who names pages of several hosts wants all of them looked at.

    A host is dry when its last `allotment` pages brought less than the crawl's pages do in the mean, and stays so until
    one brings as much; so is the crawl. While the crawl is dry and the best link is one of a dry host, every second
    page is the best of the start hosts that are not dry, if there is such a link. With start pages of one host nothing
    changes.

    >>> hosts = StartHosts(np.array([0, 1], np.int32), allotment=1)
    >>> hosts.add(0, 0.4), hosts.add(1, 0.3)
    (None, None)
    >>> [hosts.has_turn_after(host) for host in (0, 1, 1, 0, 1)]
    [False, False, True, False, False]
    >>> hosts.add(2, 0.5), hosts.has_turn_after(1)
    (None, False)
    >>> hosts.shut(np.array([0, 1, 2], np.int32), np.array([False]))[:3].tolist()
    [False, True, True]
    """

    def __init__(self, hosts: Ints, allotment: int) -> None:
        self._allotment = allotment
        self._is_start = np.zeros(int(hosts.max(initial=0)) + 1, np.bool_)
        self._is_start[hosts] = True
        self.several = int(self._is_start.sum()) > 1
        """Whether there is anybody to take turns with."""
        self._dry = np.zeros(len(self._is_start), np.int32)
        self._reward, self._pages, self._dry_crawl, self._waits = 0.0, 0, 0, False

    def add(self, host: int, reward: float | None) -> None:
        """A page of this host brought a reward, or there was none."""
        self._make_room(host)
        if reward is None:
            self._dry[host] += 1
            return
        self._reward += reward
        self._pages += 1
        is_use = reward >= min(self._reward / self._pages, _GOOD)
        self._dry[host] = 0 if is_use else self._dry[host] + 1
        self._dry_crawl = 0 if is_use else self._dry_crawl + 1

    def has_turn_after(self, host: int) -> bool:
        """Whether a start host goes before the best link, which is one of this host."""
        self._make_room(host)
        is_dry = min(int(self._dry[host]), self._dry_crawl) >= self._allotment
        has_turn = is_dry and self._waits
        self._waits = self._waits != is_dry
        return has_turn

    def shut(self, hosts: Ints, shut: Bools) -> Bools:
        """By number all hosts up to the last of these but the start hosts that are not dry; and those shut already."""
        self._make_room(max(int(hosts.max(initial=0)), len(shut) - 1))
        others: Bools = ~self._is_start | (self._dry >= self._allotment)
        others[: len(shut)] |= shut
        return others

    def _make_room(self, host: int) -> None:
        self._is_start, self._dry = grow(self._is_start, host + 1), grow(self._dry, host + 1)
