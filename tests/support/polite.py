"""Hosts of every temper, and what politeness to them is: each rule lists the offences in a record of requests."""

from __future__ import annotations

import asyncio
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from email.utils import formatdate
from itertools import pairwise
from math import inf
from urllib.parse import urlsplit

from tests.support.virtual_time import Answer, clock, html, wall

from salticid.webs.live.client import Exchange
from salticid.webs.live.failures import Failure

DAY, HOUR = 24 * 3600.0, 3600.0
NEARLY = 1e-5
TRIES = {Failure.NO_CONNECTION: 3, Failure.TIMEOUT: 2, Failure.BROKEN: 2, Failure.LATER: 5}


@dataclass(frozen=True)
class Temper:
    """How a host behaves. `later` is the share of its answers that ask to come back, in so many seconds."""

    pages: int = 40
    latency: tuple[float, float] = (0.02, 2.0)
    crawl_delay: float = 0.0
    later: float = 0.0
    back_in: tuple[float, float] | None = None
    by_date: bool = False
    fails: float = 0.0
    robots_from: float = 0.0


SLOW = Temper(pages=400, latency=(60.0, 600.0))
TEMPERS = [
    Temper(),
    Temper(crawl_delay=20.0),
    Temper(pages=110, crawl_delay=900.0),
    Temper(later=0.3, back_in=(0.0, 300.0)),
    Temper(later=0.2, back_in=(620.0, 7200.0)),
    Temper(later=0.3, back_in=(-100.0, 2000.0), by_date=True),
    Temper(later=1.0, back_in=(620.0, 3600.0)),
    Temper(later=0.3),
    Temper(fails=0.3),
    Temper(robots_from=300.0),
    Temper(robots_from=5 * HOUR, later=0.1, back_in=(620.0, 7200.0)),
    Temper(robots_from=inf),
    Temper(robots_from=inf, back_in=(60.0, 5000.0)),
]


@dataclass(frozen=True)
class Ask:
    """One request, as the asked host saw it."""

    url: str
    begin: float
    end: float
    answer: Answer
    not_before: float
    """When the host wants to be asked again."""

    @property
    def host(self) -> str:
        return urlsplit(self.url)[1]

    @property
    def origin(self) -> str:
        return self.url.removesuffix(urlsplit(self.url).path)

    @property
    def is_robots(self) -> bool:
        return self.url.endswith("/robots.txt")

    @property
    def crawl_delay(self) -> float:
        said = isinstance(self.answer, Exchange) and self.answer.body.partition(b"Crawl-delay: ")[2]
        return float(said) if self.is_robots and said else 0.0


class FakeWeb:
    """Hosts of all tempers and one slow one in nine, three or four to an address; keeps what it was asked."""

    def __init__(self, hosts: int, seed: int = 7) -> None:
        self.asks: list[Ask] = []
        self._dice = random.Random(seed)
        kinds = [SLOW if n % 9 == 8 else TEMPERS[n % len(TEMPERS)] for n in range(hosts)]
        self.tempers = {f"h{n}.example": kind for n, kind in enumerate(kinds)}
        self.addresses = {host: f"a{n % (hosts * 3 // 10)}" for n, host in enumerate(self.tempers)}

    async def get(self, url: str) -> Answer:
        begin, temper = clock(), self.tempers[urlsplit(url)[1]]
        await asyncio.sleep(self._dice.uniform(*temper.latency))
        wait, answer = self._robots(url, temper) if url.endswith("/robots.txt") else self._page(url, temper)
        self.asks.append(Ask(url, begin, clock(), answer, clock() + wait))
        return answer

    def _robots(self, url: str, temper: Temper) -> tuple[float, Answer]:
        if clock() < temper.robots_from:
            return self._later(temper)
        delay = temper.crawl_delay / (2 if url.startswith("https") else 1)
        said = f"User-agent: *\nDisallow: /private\nCrawl-delay: {delay}"
        return 0.0, Exchange(200, {}, said.encode())

    def _page(self, url: str, temper: Temper) -> tuple[float, Answer]:
        if self._dice.random() < temper.later:
            return self._later(temper)
        if self._dice.random() < temper.fails:
            return 0.0, self._dice.choice([Failure.TIMEOUT, Failure.BROKEN])
        host, path = urlsplit(url)[1:3]
        number = int(path.strip("/private"))
        if path.startswith("/p") and number % 10 == 7:
            return 0.0, Exchange(301, {"location": f"/r{number}"}, b"")
        further = range(number + 1, min(number + 4, temper.pages))
        links = [f"http{'s' if n % 8 == 5 else ''}://{host}/p{n}" for n in further]
        other = self._dice.choice(list(self.tempers))
        return 0.0, html("spiders", [*links, f"/private{number}", f"http://{other}/p{number % 40}"])

    def _later(self, temper: Temper) -> tuple[float, Answer]:
        status = self._dice.choice([429, 503])
        if temper.back_in is None:
            return 0.0, Exchange(status, {}, b"")
        wait = float(round(self._dice.uniform(*temper.back_in)))
        until = formatdate(wall() + wait, usegmt=True)
        # A date has no fraction of a second.
        named, wait = (until, wait - wall() % 1) if temper.by_date else (f"{wait:.0f}", wait)
        return wait, Exchange(status, {"retry-after": named}, b"")


@dataclass(frozen=True)
class Record:
    """What a web was asked, where its hosts are, and what was promised to them."""

    asks: list[Ask]
    addresses: dict[str, str]
    delay: float
    per_address: int
    concurrency: int


def by(key: Callable[[Ask], str], asks: Iterable[Ask]) -> list[list[Ask]]:
    """In groups, each in the order of begin."""
    groups: dict[str, list[Ask]] = defaultdict(list)
    for ask in sorted(asks, key=lambda ask: ask.begin):
        groups[key(ask)].append(ask)
    return list(groups.values())


def pairs(record: Record) -> Iterator[tuple[Ask, Ask]]:
    """One request and the next to the same host."""
    for asks in by(lambda ask: ask.host, record.asks):
        yield from pairwise(asks)


def most_at_once(asks: Iterable[Ask]) -> int:
    changes = sorted(change for ask in asks for change in ((ask.end, -1), (ask.begin, 1)))
    most = now = 0
    for _, change in changes:
        now += change
        most = max(most, now)
    return most


def one_at_a_time(record: Record) -> list[str]:
    return [f"{b} before {a} ended" for a, b in pairs(record) if b.begin < a.end]


def a_pause_between(record: Record) -> list[str]:
    def pause(ask: Ask) -> float:
        return max(record.delay, min(ask.end - ask.begin, 60.0))

    return [f"{b} too soon after {a}" for a, b in pairs(record) if b.begin < a.end + pause(a) - NEARLY]


def the_crawl_delay(record: Record) -> list[str]:
    asked_for: dict[str, float] = defaultdict(float)
    found = []
    for a, b in pairs(record):
        asked_for[a.host] = max(asked_for[a.host], a.crawl_delay)
        if b.begin < a.end + asked_for[a.host] - NEARLY:
            found.append(f"{b} too soon after {a}: its host asked for {asked_for[a.host]} s")
    return found


def left_alone_when_told(record: Record) -> list[str]:
    until: dict[str, float] = defaultdict(float)
    found = []
    for a, b in pairs(record):
        until[a.host] = max(until[a.host], a.not_before)
        if b.begin < until[a.host] - NEARLY:
            found.append(f"{b} after {a}, but not before {until[a.host]}")
    return found


def few_at_an_address(record: Record) -> list[str]:
    crowds = (most_at_once(asks) for asks in by(lambda ask: record.addresses[ask.host], record.asks))
    return [f"{crowd} at one address" for crowd in crowds if crowd > record.per_address]


def a_pause_at_an_address(record: Record) -> list[str]:
    pause = record.delay / record.per_address
    return [
        f"{b} too soon after {a}, at the same address"
        for asks in by(lambda ask: record.addresses[ask.host], record.asks)
        for a, b in pairwise(asks)
        if b.begin < a.begin + pause - NEARLY
    ]


def few_in_all(record: Record) -> list[str]:
    crowd = most_at_once(record.asks)
    return [f"{crowd} at once"] if crowd > record.concurrency else []


def robots_first(record: Record) -> list[str]:
    return _unruled(record, inf)


def robots_again_every_day(record: Record) -> list[str]:
    return _unruled(record, DAY + HOUR)


def _unruled(record: Record, kept_for: float) -> list[str]:
    """Pages asked for that robots.txt forbade, had not been asked about, or not for so long."""
    found = []
    for asks in by(lambda ask: ask.origin, record.asks):
        read = -inf
        for ask in asks:
            if ask.is_robots:
                usable = isinstance(ask.answer, Exchange) and ask.answer.status == 200
                read = ask.end if usable else read
            elif ask.begin - read > kept_for or "private" in ask.url:
                found.append(f"{ask}, its robots.txt was read at {read}")
    return found


def no_more_tries_than_the_table_says(record: Record) -> list[str]:
    found = []
    for asks in by(lambda ask: ask.url, (ask for ask in record.asks if not ask.is_robots)):
        kinds = {ask.answer if isinstance(ask.answer, Failure) else Failure.LATER for ask in asks[:-1]}
        if len(asks) > max((TRIES[kind] for kind in kinds), default=1):
            found.append(f"{asks[0].url} asked for {len(asks)} times: {kinds}")
    return found


RULES: list[Callable[[Record], list[str]]] = [
    one_at_a_time, a_pause_between, the_crawl_delay, left_alone_when_told, few_at_an_address,
    a_pause_at_an_address, few_in_all, robots_first, robots_again_every_day, no_more_tries_than_the_table_says,
]  # fmt: skip
