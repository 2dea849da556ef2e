"""Hosts that were given up get another chance at the end, and what was lost with them is offered again."""

from __future__ import annotations

import asyncio

from tests.support.virtual_time import Answer, clock, html, live_web, run_virtual

from salticid.crawl import Crawl
from salticid.drivers.live import LiveDriver
from salticid.judges.cosine import Cosine
from salticid.model import StopReason
from salticid.runs.brief import KnownPages, settle
from salticid.runs.recorded import MemoryLog
from salticid.strategies.breadth_first import BreadthFirst
from salticid.topic import Limits, Scope, Topic
from salticid.webs.live.client import Exchange
from salticid.webs.live.failures import Failure
from salticid.webs.live.politeness import Manners

HOME, GONE = "http://home.example/", "http://gone.example/"
PAGES = [f"{GONE}p{n}" for n in range(6)]


def crawl(back_at: float, topic: Topic | None = None) -> tuple[StopReason, list[tuple[str, str, int]], float]:
    """A crawl of two hosts, one of which is there until it was asked for two pages, and from a time on again.

    Why it ended, the visits, and how late it was.
    """
    asked: list[str] = []

    async def get(url: str) -> Answer:
        await asyncio.sleep(0.1)
        if url.endswith("robots.txt") and not url.startswith(GONE):
            return Exchange(404, {}, b"")
        if url.startswith(GONE):
            asked.append(url)
            if len(asked) > 3 and clock() < back_at:
                return Failure.NO_CONNECTION
            return Exchange(404, {}, b"") if url.endswith("robots.txt") else html("spiders", [])
        links = [*PAGES, *(f"{HOME}p{n}" for n in range(60))] if url == HOME else []
        return html("spiders", links)

    async def main() -> tuple[StopReason, list[tuple[str, str, int]], float]:
        live = live_web(get, Manners(1.0, 8, clock), 4)
        brief = settle(topic or Topic("t", "spiders", (HOME,), language="en"), KnownPages(), live, Limits(), seed=0)
        log = MemoryLog()
        driver = LiveDriver(Crawl(brief, BreadthFirst(), Cosine(), log, clock), live, 4, clock)
        stopped = await driver.run()
        visits = [(live.urls[visit.url], visit.outcome.value, visit.depth) for visit in log.visits]
        return stopped, [visit for visit in visits if visit[0].startswith(GONE)], clock()

    return run_virtual(main())


def test_who_was_gone_is_tried_again_at_the_end_and_all_that_was_lost_is_read() -> None:
    stopped, visits, ended = crawl(back_at=40.0)
    assert stopped is StopReason.FRONTIER_EMPTY
    assert sorted(url for url, outcome, _ in visits if outcome == "ok") == PAGES
    assert sorted(url for url, outcome, _ in visits if outcome == "unreachable") == PAGES[2:]
    assert {depth for _, _, depth in visits} == {1}
    assert ended > 60


def test_who_stays_away_is_tried_once_more_and_the_crawl_ends() -> None:
    stopped, visits, _ = crawl(back_at=1e6)
    assert stopped is StopReason.FRONTIER_EMPTY
    lost = [url for url, outcome, _ in visits if outcome == "unreachable"]
    assert sorted(lost) == sorted([*PAGES[2:], PAGES[2]])


def test_a_link_offered_again_is_as_deep_as_it_was() -> None:
    shallow = Topic("t", "spiders", (HOME,), language="en", scope=Scope(max_depth=1))
    _, visits, _ = crawl(back_at=40.0, topic=shallow)
    assert sorted(url for url, outcome, _ in visits if outcome == "ok") == PAGES


def test_who_waits_for_the_network_goes_on_waiting_when_another_has_enough_of_it() -> None:
    async def main() -> None:
        back = 100.0

        async def get(url: str) -> Answer:
            await asyncio.sleep(0.1)
            return Failure.NO_ROUTE if clock() < back else html("spiders", [])

        live = live_web(get, Manners(0.0, 8, clock), 4)
        impatient, patient = (asyncio.create_task(live.fetch(live.urls.intern(f"{HOME}{path}"))) for path in ("a", "b"))
        await asyncio.sleep(30)
        impatient.cancel()
        assert (await patient).outcome.value == "ok"
        assert clock() > back

    run_virtual(main())
