"""A day of crawling two hundred hosts of every temper, on virtual time, without one offence."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import pairwise
from math import inf
from urllib.parse import urlsplit

import pytest
from tests.support import polite
from tests.support.polite import HOUR, RULES, FakeWeb, Record, most_at_once
from tests.support.virtual_time import Answer, Asked, Directory, clock, html, live_web, run_virtual

from salticid.crawl import Crawl
from salticid.drivers.live import LiveDriver
from salticid.judges.cosine import Cosine
from salticid.model import Outcome, Response, StopReason
from salticid.runs.brief import KnownPages, settle
from salticid.runs.recorded import MemoryLog
from salticid.strategies.breadth_first import BreadthFirst
from salticid.topic import Limits, Topic
from salticid.webs.live.client import Exchange
from salticid.webs.live.failures import REMEDIES, Failure
from salticid.webs.live.politeness import Address, Line, Manners, Parked
from salticid.webs.live.robots import ALLOW_ALL, RobotsFile
from salticid.webs.live.rules import Rules

CONCURRENCY, PER_ADDRESS, DELAY = 12, 2, 1.0
NOT_FOUND = Exchange(404, {}, b"")


async def crawl(
    web: FakeWeb,
    hours: float,
    manners: type[Manners] = Manners,
    rules: type[Rules] = Rules,
    requests: int = CONCURRENCY,
) -> Record:
    """What it is asked for in so many hours by all there is of the real thing."""
    live = live_web(web.get, manners(DELAY, PER_ADDRESS, clock), requests, web.addresses, rules)
    topic = Topic("day", "spiders", tuple(f"http://{host}/p0" for host in web.tempers), language="en")
    brief = settle(topic, KnownPages(), live, Limits(max_pages=10**6), seed=0)
    driver = LiveDriver(Crawl(brief, BreadthFirst(), Cosine(), MemoryLog(), clock), live, CONCURRENCY, clock)
    asyncio.get_running_loop().call_later(hours * HOUR, driver.interrupt)
    assert await driver.run() is StopReason.INTERRUPTED
    return Record(web.asks, web.addresses, DELAY, PER_ADDRESS, CONCURRENCY)


Rule = Callable[[Record], list[str]]


@pytest.fixture(scope="module")
def day() -> Record:
    return run_virtual(crawl(FakeWeb(hosts=50), hours=26))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_a_day_without_an_offence(day: Record, rule: Rule) -> None:
    assert rule(day)[:3] == []


def test_the_day_was_a_full_one(day: Record) -> None:
    hours = Counter(int(ask.begin // HOUR) for ask in day.asks)
    assert len(day.asks) > 2_500
    assert min(hours[hour] for hour in range(25)) > 50
    assert len(set(day.addresses.values())) == 15
    assert {ask.host for ask in day.asks} == set(day.addresses)
    assert polite.few_in_all(day) or most_at_once(day.asks) == CONCURRENCY


class Hasty(Manners):
    """Waits for nobody."""

    @asynccontextmanager
    async def turn(self, host: str) -> AsyncIterator[None]:
        async with self._state(host).turn:
            yield


class Pushy(Manners):
    """Does not wait in line."""

    @asynccontextmanager
    async def turn(self, host: str) -> AsyncIterator[None]:
        state = self._state(host)
        state.turn = asyncio.Lock()
        async with super().turn(host):
            yield


class Deaf(Manners):
    """Does not hear what hosts ask for."""

    def ask_pause(self, host: str, pause: float) -> None: ...

    def leave_alone(self, host: str, until: float) -> None: ...


class Crowding(Manners):
    """Ignores who lives where."""

    def at(self, address: str) -> Address:
        return Address(self._per_address, self._delay / self._per_address, 0.0, self._clock)


class Lawless(Rules):
    """Asks nobody for rules."""

    async def of(self, url: str) -> RobotsFile | Failure:
        return ALLOW_ALL


BAD_MANNERS: list[tuple[Rule, type[Manners]]] = [
    (polite.one_at_a_time, Pushy),
    (polite.a_pause_between, Hasty),
    (polite.the_crawl_delay, Deaf),
    (polite.left_alone_when_told, Deaf),
    (polite.few_at_an_address, Crowding),
    (polite.a_pause_at_an_address, Crowding),
]


@pytest.mark.parametrize(("rule", "manners"), BAD_MANNERS)
def test_bad_manners_are_found_out(rule: Rule, manners: type[Manners]) -> None:
    assert rule(run_virtual(crawl(FakeWeb(hosts=60), 0.5, manners)))


def test_other_offences_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    assert polite.few_in_all(run_virtual(crawl(FakeWeb(hosts=60), 0.5, requests=100)))
    assert polite.robots_first(run_virtual(crawl(FakeWeb(hosts=20), 0.5, rules=Lawless)))
    stubborn = {**REMEDIES, Failure.BROKEN: replace(REMEDIES[Failure.BROKEN], tries=9)}
    monkeypatch.setattr("salticid.webs.live.web.REMEDIES", stubborn)
    monkeypatch.setattr("salticid.webs.live.rules.RULES_LIFETIME", inf)
    record = run_virtual(crawl(FakeWeb(hosts=30), 26))
    assert polite.robots_again_every_day(record)
    assert any("BROKEN" in offence for offence in polite.no_more_tries_than_the_table_says(record))


class Host:
    """One host that answers by path and by how often it was asked for it, at once; keeps who came when."""

    def __init__(self, answer: Callable[[str], Answer], robots: Answer = NOT_FOUND, delay: float = 1.0):
        self.asked: list[tuple[str, float]] = []
        self._answer, self._robots = answer, robots
        self.manners = Manners(delay, PER_ADDRESS, clock)
        self._live = live_web(self._get, self.manners, CONCURRENCY)

    async def _get(self, url: str) -> Answer:
        path = urlsplit(url).path
        self.asked.append((path, clock()))
        return self._robots if path == "/robots.txt" else self._answer(path)

    async def fetch(self, path: str) -> Response:
        """Ask as often as it takes, as the driver does."""
        while True:
            try:
                return await self._live.fetch(self._live.urls.intern(f"http://host.example{path}"))
            except Parked as parked:
                await asyncio.sleep(parked.until - clock())

    def gaps(self) -> list[float]:
        times = [time for _, time in self.asked]
        return [round(b - a, 3) for a, b in pairwise(times)]


def later(seconds: int) -> Exchange:
    return Exchange(503, {"retry-after": str(seconds)}, b"")


def test_a_host_is_left_alone_after_the_last_try_too() -> None:
    async def main() -> None:
        host = Host(lambda path: later(100) if path == "/a" else html("", []))
        assert (await host.fetch("/a")).status == 503
        assert (await host.fetch("/b")).outcome is Outcome.OK
        assert [path for path, _ in host.asked] == ["/robots.txt", *["/a"] * 5, "/b"]
        assert host.gaps() == [1, 100, 100, 100, 100, 100]

    run_virtual(main())


def test_a_page_whose_host_was_parked_has_no_more_tries_than_others() -> None:
    async def main() -> None:
        host = Host(lambda path: later(5000))
        async with asyncio.timeout(24 * HOUR):
            assert (await host.fetch("/a")).status == 503
        assert host.gaps() == [1, 5000, 5000, 5000, 5000]

    run_virtual(main())


def test_a_redirect_on_a_host_that_wants_long_pauses_leads_on() -> None:
    async def main() -> None:
        patient = Exchange(200, {}, b"User-agent: *\nCrawl-delay: 900")
        moved = Exchange(301, {"location": "/b"}, b"")
        host = Host(lambda path: moved if path == "/a" else html("", []), patient)
        async with asyncio.timeout(24 * HOUR):
            assert (await host.fetch("/a")).outcome is Outcome.OK
        assert [path for path, _ in host.asked] == ["/robots.txt", "/a", "/b"]

    run_virtual(main())


def test_nobody_asks_a_dropped_host_not_even_who_waited_already() -> None:
    async def main() -> None:
        host = Host(lambda path: Failure.NO_CONNECTION)
        second = asyncio.create_task(host.fetch("/b"))
        assert (await host.fetch("/a")).outcome is Outcome.UNREACHABLE
        asked = len(host.asked)
        assert (await second).outcome is Outcome.UNREACHABLE
        assert host.asked[asked:] == []

    run_virtual(main())


@pytest.mark.parametrize(("robots", "first"), [(Exchange(500, {}, b""), 30), (Failure.TIMEOUT, 30), (later(400), 400)])
def test_a_host_without_its_rules_is_left_alone_longer_each_time(robots: Answer, first: float) -> None:
    async def main() -> None:
        host = Host(lambda path: html("", []), robots)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(24 * HOUR):
                await host.fetch("/a")
        assert {path for path, _ in host.asked} == {"/robots.txt"}
        gaps = host.gaps()
        assert len(gaps) >= 3
        assert gaps[0] == first
        assert gaps == sorted(gaps)
        assert gaps[-1] > 600

    run_virtual(main())


@pytest.mark.parametrize(("delay", "asked_for", "pause"), [(0, "", 0), (0, "5", 5), (2, "", 2), (2, "0.5", 2)])
def test_the_longer_pause_counts(delay: float, asked_for: str, pause: float) -> None:
    async def main() -> None:
        said = f"User-agent: *\nCrawl-delay: {asked_for}"
        host = Host(lambda path: html("", []), Exchange(200, {}, said.encode()), delay)
        for path in ("/a", "/b", "/c"):
            await host.fetch(path)
        assert host.gaps() == [pause] * 3

    run_virtual(main())


def test_ten_minutes_are_waited_for_and_no_more() -> None:
    async def main() -> None:
        manners = Manners(1.0, PER_ADDRESS, clock)
        manners.leave_alone("host", 600.0)
        async with manners.turn("host"):
            assert clock() == pytest.approx(600)
        manners.leave_alone("host", 1202.0)
        with pytest.raises(Parked) as parked:
            await manners.turn("host").__aenter__()
        assert (parked.value.host, parked.value.until) == ("host", 1202.0)
        assert clock() == pytest.approx(600)

    run_virtual(main())


class Placed(Directory):
    """Every host is where the person says."""

    def has_rule(self, host: str) -> bool:
        return True


@pytest.mark.parametrize(("directory", "pause"), [(Directory, DELAY / PER_ADDRESS), (Placed, 0.0)])
def test_names_at_one_address_wait_for_each_other_unless_the_person_put_them_there(
    directory: type[Directory], pause: float
) -> None:
    async def main() -> None:
        begun: list[float] = []

        async def answer(url: str) -> Answer:
            begun.append(clock())
            return NOT_FOUND

        names = directory({f"h{n}.example": "one" for n in range(6)})
        line = Line(Asked(answer), names, Manners(DELAY, PER_ADDRESS, clock), 100, clock)
        await asyncio.gather(*(line.get(f"http://h{n}.example/") for n in range(6)))
        assert begun == pytest.approx([pause * n for n in range(6)], abs=1e-5)

    run_virtual(main())


def test_a_run_that_goes_on_asks_no_address_at_once() -> None:
    async def main() -> None:
        manners = Manners(DELAY, PER_ADDRESS, clock)
        manners.come_back()
        sent = await manners.at("one").turn()
        assert clock() == pytest.approx(DELAY / PER_ADDRESS)
        sent()

    run_virtual(main())


def test_the_pause_at_an_address_begins_when_a_request_is_sent_not_when_it_is_made() -> None:
    async def main() -> None:
        manners = Manners(DELAY, PER_ADDRESS, clock)
        sent = await manners.at("one").turn()
        asyncio.get_running_loop().call_later(7.0, sent)  # so long it took to connect
        again = await manners.at("one").turn()
        assert clock() == pytest.approx(7.0 + DELAY / PER_ADDRESS)
        again()

    run_virtual(main())
