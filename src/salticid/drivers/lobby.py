"""Where chosen links wait: in the lobby for a site or address that had enough, in the parking lot for a paused host."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from math import inf

from salticid.model import FROM_SEED, Choice, Outcome, Visit
from salticid.protocols import Log, UrlTable
from salticid.snapshots import in_snapshot
from salticid.topic import Limits
from salticid.urls import origin, site

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


@dataclass(frozen=True, slots=True)
class _SetAside:
    """A choice whose host, or one it was sent on to, wants to be left alone; `host` if it is its own."""

    until: float
    choice: Choice
    host: int | None


class Parking:
    """The choices set aside, in the order in which they came, each until its time on the clock."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._choices: list[_SetAside] = []

    def __len__(self) -> int:
        return len(self._choices)

    def add(self, choice: Choice, until: float | None = None, host: int | None = None) -> None:
        """Set a choice aside until then, or until there is room for it; its `host` is left alone meanwhile."""
        self._choices.append(_SetAside(self._clock() if until is None else until, choice, host))

    def release(self, has_room: Callable[[], bool]) -> list[Choice]:
        """Those whose time has come, for as long as there is room."""
        now, free = self._clock(), []
        for each in [each for each in self._choices if each.until <= now]:
            if not has_room():
                break
            self._choices.remove(each)
            free.append(each.choice)
        return free

    @property
    def hosts(self) -> frozenset[int]:
        """The hosts that are left alone."""
        return frozenset(each.host for each in self._choices if each.host is not None)

    @property
    def until(self) -> float | None:
        """When the first of them may be asked for; None when there are none."""
        return min((each.until for each in self._choices), default=None)

    @property
    def next(self) -> float | None:
        """When the next of those may be asked for whose time has not come; None when there are none."""
        now = self._clock()
        return min((each.until for each in self._choices if each.until > now), default=None)

    @property
    def overdue(self) -> list[float]:
        """The promise of each link whose time has come, if there were room."""
        now = self._clock()
        return [each.choice.score for each in self._choices if each.until <= now]

    def urls(self) -> list[tuple[int, float]]:
        """The URLs set aside, and until when."""
        return [(each.choice.link.url, each.until) for each in self._choices]


# Second chances: hosts that were given up, and the links that were lost with them.
#
# A host may be gone for a while, or our own network was. So each one that was given up is tried again with one of its
# links: when a crawl goes on in a new run, and once more when nothing else is left. If it answers, the others are
# offered again. Links to addresses that the crawl might not reach are, when it may reach more.

MOST_LINKS = 100_000
"""Links remembered, the first ones lost."""
AGAIN_AFTER = 60.0
"""Seconds between two chances for a host."""


@in_snapshot("_urls", "_last_try", _links=dict[str, dict[int, None]], _refused=dict[int, None], _count=int)
class SecondChances:
    """The links lost with hosts given up: a function of the visits it was shown, in their order."""

    def __init__(self, urls: UrlTable) -> None:
        self._urls = urls
        self._links: dict[str, dict[int, None]] = {}
        self._refused: dict[int, None] = {}
        self._count = 0
        self._last_try: dict[str, float] = {}

    def observe(self, visit: Visit) -> list[int]:
        """A visit was made: the links that may be offered again, because their host is there again."""
        if visit.outcome is Outcome.REFUSED_ADDRESS and len(self._refused) < MOST_LINKS:
            self._refused[visit.url] = None
        elif self._refused:
            self._refused.pop(visit.url, None)
        if visit.outcome is not Outcome.UNREACHABLE and not self._links:
            return []
        host = origin(self._urls[visit.final])
        if visit.outcome is Outcome.UNREACHABLE:
            if self._count < MOST_LINKS and visit.url not in (links := self._links.setdefault(host, {})):
                links[visit.url] = None
                self._count += 1
            return []
        if visit.revisit or not visit.outcome.fetched:
            return []
        back = self._links.pop(host, {})
        self._count -= len(back)
        return [url for url in back if url != visit.url]

    def refused(self) -> list[int]:
        """The links whose addresses were refused, each once; they are forgotten here."""
        links, self._refused = list(self._refused), {}
        return links

    def one_each(self, now: float) -> list[int]:
        """A link of each host given up, but for those that were tried again just now."""
        hosts = [host for host in self._links if now - self._last_try.get(host, -inf) >= AGAIN_AFTER]
        self._last_try.update(dict.fromkeys(hosts, now))
        return [url for host in hosts for url in islice(self._links[host], 1)]


# Waiting for a log that cannot write: the disk is full, or the crawl has all the room it may have.

RETRY_SECONDS = 1.0
"""How long after a failed try to write the next one is made."""


async def wait_for_the_log(
    log: Log, interrupted: Callable[[], bool], on_trouble: Callable[[str], None] | None = None
) -> None:
    """Wait until the log is out of trouble, or the crawl is interrupted; `on_trouble` is called with the trouble."""
    if log.trouble is not None and on_trouble is not None:
        on_trouble(log.trouble)
    while log.trouble is not None and not interrupted():
        await asyncio.sleep(RETRY_SECONDS)
        log.retry()
