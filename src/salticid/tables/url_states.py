"""What a crawl knows of each URL."""

from __future__ import annotations

import numpy as np

from salticid.columns import grow
from salticid.model import Bools, Ints, Links
from salticid.native import at, lib
from salticid.snapshots import in_snapshot

UNKNOWN, KNOWN, REACHED, CHOSEN, FAILED = range(5)
"""Nothing; the strategy may choose it; a redirect or a canonical link led there; chosen; chosen in vain."""


@in_snapshot(_states=np.ndarray)
class UrlStates:
    """One small number a URL, 0 at first, found by the URL's id."""

    def __init__(self, size: int, kind: type[np.uint8] | type[np.uint16] = np.uint8) -> None:
        self._states = np.zeros(max(size, 1024), kind)

    def __getitem__(self, url: int) -> int:
        return int(self._states[url]) if url < len(self._states) else UNKNOWN

    def __setitem__(self, url: int, state: int) -> None:
        self._states = grow(self._states, url + 1)
        self._states[url] = state

    def unchosen(self, urls: Ints) -> Bools:
        """Which of these were not chosen, nor reached by a redirect."""
        if len(urls):
            self._states = grow(self._states, int(urls.max()) + 1)
        unchosen: Bools = self._states[urls] < REACHED
        return unchosen

    def learn_fresh(self, links: Links) -> Ints:
        """The places of links that were not chosen and may be followed; from now on the strategy may choose them."""
        urls = links.url
        if lib is None:
            fresh = np.flatnonzero(self.unchosen(urls) & ~links.nofollow).astype(np.int32)
            self.learn(urls[fresh])
            return fresh
        places: Ints = np.empty(len(urls), np.int32)
        many = -1
        while many < 0:
            states = self._states
            many = lib.fresh_links(at(urls), at(links.nofollow), len(urls), at(states), len(states), KNOWN, at(places))
            if many < 0:
                if int(urls.min()) < 0:
                    raise IndexError(f"invalid URL id {int(urls.min())}")
                self._states = grow(states, int(urls.max()) + 1)
        return places[:many]

    def unseen(self, urls: Ints) -> Bools:
        """Which of these nothing is known of."""
        known = urls < len(self._states)
        unseen: Bools = ~known
        unseen[known] = self._states[urls[known]] == UNKNOWN
        return unseen

    def learn(self, urls: Ints) -> None:
        """The strategy may choose these from now on. None of them may have been chosen."""
        if len(urls):
            self._states = grow(self._states, int(urls.max()) + 1)
            self._states[urls] = KNOWN
