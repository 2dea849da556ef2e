"""The lobby: links that were chosen and have to wait, because their site or address has had enough for now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from math import inf

from salticid.model import FROM_SEED, Choice, Visit
from salticid.protocols import UrlTable
from salticid.snapshots import in_snapshot
from salticid.topic import Limits
from salticid.urls import site

# Crowds: hosts that belong together, under one registered domain or at one address, counted as one.
#
# Names cost nothing: whoever owns a domain, or an address, can have any number of hosts. So the share of a budget is
# that of a site, and of an address; and new names there earn their requests: a few are asked on trust, and more for
# every page there that the judge likes. An address may be shared by honest strangers, and a site may be a university:
# no host is refused, it waits for as long as others have links.

LEAST_SHARE = 200
"""Pages that every site may have, however small the budget."""
NAMES_ON_TRUST = 20
"""Names of a site, or at an address, that are asked before the judge likes a page there."""
NAMES_A_GOOD_PAGE = 20
"""Names more for each page that it likes."""


@in_snapshot(
    "_urls", "_share", "_places", "_limits", "_most_pages", "_most_fetches", "_under_way", "_asking",
    "_relented", _hosts=set[str], _names=Counter[str], _good_pages=Counter[str], _pages=Counter[str],
    _fetches=Counter[str],
)  # fmt: skip
class Crowds:
    """Which hosts have to wait for others: a function of who was asked and of the visits, in their order.

    `share` is the part of the budget that one crowd may have while links of others wait, `places` the address of
    each host that is known by now.
    """

    def __init__(self, urls: UrlTable, share: float, places: Mapping[str, str]) -> None:
        self._urls, self._share, self._places = urls, share, places
        self._limits: Limits | None = None
        self._most_pages = self._most_fetches = inf
        self._hosts: set[str] = set()
        self._names: Counter[str] = Counter()
        self._good_pages: Counter[str] = Counter()
        self._pages: Counter[str] = Counter()
        self._fetches: Counter[str] = Counter()
        self._under_way: Counter[str] = Counter()
        self._asking: dict[int, tuple[str, ...]] = {}
        self._relented = False

    def bind(self, limits: Limits) -> None:
        """The budget that shares are parts of."""
        if limits is self._limits:
            return
        self._relented |= self._limits not in (None, limits)
        self._limits = limits
        self._most_pages = max(self._share * limits.max_pages, LEAST_SHARE)
        self._most_fetches = max(self._share * limits.fetches, LEAST_SHARE)

    def has_relented(self) -> bool:
        """Whether a host that had to wait may perhaps be asked now; said once."""
        relented, self._relented = self._relented, False
        return relented

    def must_wait(self, host: str) -> bool:
        """Whether a host has to wait for as long as others have links."""
        new = host not in self._hosts
        return any(self._has_its_share(crowd) or (new and self._is_full(crowd)) for crowd in self._of(host))

    def admit(self, host: str) -> bool:
        """Whether a host may be asked now; if so it is a name that was asked."""
        if self.must_wait(host):
            return False
        if host not in self._hosts:
            self._hosts.add(host)
            self._names.update(self._of(host))
        return True

    def begin(self, url: int, host: str) -> None:
        """A host is asked on behalf of a URL: until that ends it counts as if it were a page."""
        crowds = self._of(host)
        for crowd in crowds:
            self._under_way[crowd] += 1
        self._asking[url] = self._asking.get(url, ()) + crowds

    def end(self, url: int) -> None:
        """Nobody is asked on behalf of a URL any more."""
        for crowd in self._asking.pop(url, ()):
            self._under_way[crowd] -= 1

    def observe(self, visit: Visit) -> None:
        """A visit was made."""
        if not visit.outcome.fetched:
            return
        host = self._urls.host_name(self._urls.host(visit.url))
        if host not in self._hosts:
            self.admit(host)
        for crowd in self._of(host):
            self._fetches[crowd] += 1
            self._pages[crowd] += visit.good
            if visit.good and visit.positive:
                self._relented |= self._is_full(crowd)
                self._good_pages[crowd] += 1

    def _of(self, host: str) -> tuple[str, ...]:
        """The crowds a host is one of."""
        place = self._places.get(host)
        return (_site_of(host),) if place is None else (_site_of(host), f"at {place}")

    def _is_full(self, crowd: str) -> bool:
        return self._names[crowd] >= NAMES_ON_TRUST + NAMES_A_GOOD_PAGE * self._good_pages[crowd]

    def _has_its_share(self, crowd: str) -> bool:
        coming = self._under_way[crowd]
        return self._pages[crowd] + coming >= self._most_pages or self._fetches[crowd] + coming >= self._most_fetches


@lru_cache(maxsize=4096)
def _site_of(host: str) -> str:
    return f"site {site(f'http://{host}/')}"


MOST_WAITING = 2_000
"""Hosts that wait; the links of others that should are left out."""


class Lobby:
    """Keeps a link or so of each host that has to wait, and says which hosts must not be chosen meanwhile.

    Without crowds no host waits. A seed never waits, for a person named it, nor does a choice that was let in.
    """

    def __init__(self, urls: UrlTable, crowds: Crowds | None) -> None:
        self._urls, self._crowds = urls, crowds
        self.hosts: frozenset[int] = frozenset()
        self._waiting: dict[Choice, str] = {}
        self._let_in: set[int] = set()

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def full(self) -> bool:
        """Whether there is no room for another host."""
        return len(self.hosts) >= MOST_WAITING

    def must_wait(self, choice: Choice) -> bool:
        """Whether a choice has to wait, by what is known of its host."""
        if self._crowds is None or self._is_free(choice):
            return False
        return self._crowds.must_wait(self._urls.host_name(self._host(choice)))

    def may_ask(self, url: int, host: str) -> bool:
        """Whether a host, whose address is known by now, may be asked on behalf of a URL."""
        if self._crowds is None:
            return True
        if not self._crowds.admit(host) and url not in self._let_in:
            return False
        self._crowds.begin(url, host)
        return True

    def keep(self, choice: Choice, crowded_host: str | None = None) -> None:
        """Let a choice wait, and with it all links of its host; or of the crowded host that it was sent on to."""
        own = self._urls.host_name(self._host(choice))
        self._waiting[choice] = crowded_host or own
        if crowded_host in (None, own):
            self.hosts |= {self._host(choice)}

    def let_in(self, choice: Choice) -> Choice:
        """The same choice, which need not wait any more; `leave` takes that back."""
        self._waiting.pop(choice, None)
        self._let_in.add(choice.link.url)
        return choice

    def leave(self, url: int) -> None:
        """Nobody asks on behalf of a URL any more."""
        self._let_in.discard(url)
        if self._crowds is not None:
            self._crowds.end(url)

    def best(self) -> Choice | None:
        """The most promising of those who wait, the oldest of equals."""
        return max(self._waiting, key=lambda choice: choice.score, default=None)

    def release(self) -> list[Choice]:
        """Those who need not wait any longer, the most promising first."""
        if self._crowds is None or not self._crowds.has_relented():
            return []
        hopeful = sorted(self._waiting, key=lambda choice: -choice.score)
        free = [choice for choice in hopeful if self._crowds.admit(self._waiting[choice])]
        for choice in free:
            del self._waiting[choice]
        self.hosts = frozenset(host for host in self.hosts if self._crowds.must_wait(self._urls.host_name(host)))
        return free

    def _is_free(self, choice: Choice) -> bool:
        return choice.link.source == FROM_SEED or choice.link.url in self._let_in

    def _host(self, choice: Choice) -> int:
        return self._urls.host(choice.link.url)
