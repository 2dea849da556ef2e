"""How a live crawl ends: on time, within its budget, at a word, and with nobody left behind."""

from __future__ import annotations

import asyncio
from math import inf

import pytest
from tests.support.slow_web import Hunt, SlowWeb, hosts, hunt
from tests.support.virtual_time import clock, run_virtual

from salticid.crawl import HARVEST_WINDOW
from salticid.drivers.live import DriverCalls
from salticid.model import Response, StopReason
from salticid.testing.small import SmallWeb
from salticid.topic import Limits
from salticid.webs.live.politeness import MayAsk

UNTIL_100 = Limits(max_seconds=100.0)


@pytest.mark.parametrize("requests", [1, 2, 8])
@pytest.mark.parametrize("count", [1, 3, 50])
def test_time_is_up_although_everybody_waits(requests: int, count: int) -> None:
    async def main() -> None:
        done = Hunt(SlowWeb(hosts(count), lambda name: 1.0 if name == "seed" else inf), requests, UNTIL_100)
        assert await done.run() is StopReason.TIME
        assert clock() == pytest.approx(100)

    run_virtual(main())


@pytest.mark.parametrize("seconds", [1000.0, 20.0])
def test_an_interrupt_ends_it_at_once(seconds: float) -> None:
    async def main() -> None:
        done = Hunt(SlowWeb(hosts(50), lambda name: 1.0 if name == "seed" else seconds), 8)
        asyncio.get_running_loop().call_later(50.0, done.driver.interrupt)
        assert await done.run() is StopReason.INTERRUPTED
        assert clock() == pytest.approx(50, abs=1e-6)
        assert done.crawl.in_flight > 0

    run_virtual(main())


def test_an_interrupt_before_the_start() -> None:
    async def main() -> None:
        done = Hunt(SlowWeb(hosts(5)), 8)
        done.driver.interrupt()
        assert await done.run() is StopReason.INTERRUPTED
        assert done.web.sent == []

    run_virtual(main())


def test_silence_is_told_every_minute_and_not_before() -> None:
    async def main() -> None:
        told: list[float] = []
        seconds = {"seed": 59.9, "h0.example/x": 59.9, "h1.example/x": 250.0}
        calls = DriverCalls(on_silence=lambda: told.append(clock()))
        done = Hunt(SlowWeb(hosts(2), lambda name: seconds[name]), 8, calls=calls)
        assert await done.run() is StopReason.FRONTIER_EMPTY
        assert told == pytest.approx([59.9 + 59.9 + 60, 59.9 + 59.9 + 120, 59.9 + 59.9 + 180])
        assert clock() == pytest.approx(59.9 + 250)

    run_virtual(main())


@pytest.mark.parametrize("requests", [1, 8])
@pytest.mark.parametrize("sitemaps", [False, True])
def test_a_bug_in_the_web_surfaces(requests: int, sitemaps: bool) -> None:
    class Buggy(SlowWeb):
        async def fetch(self, url: int, may_ask: MayAsk | None = None) -> Response:
            response = await super().fetch(url, may_ask)
            return response if sitemaps or self.small.name(url) != "h3.example/x" else 1 / 0  # type: ignore[return-value]

        async def sitemap(self, url: int) -> list[int]:
            return [1 // 0]

    async def main() -> None:
        done = Hunt(Buggy(hosts(50), lambda name: 20.0), requests, sitemaps=sitemaps)
        with pytest.raises(ZeroDivisionError):
            await done.run()
        assert clock() < 200
        assert asyncio.all_tasks() == {asyncio.current_task()}

    run_virtual(main())


@pytest.mark.parametrize("requests", [1, 5, 64, 500])
def test_no_budget_is_exceeded(requests: int) -> None:
    stopped, done = hunt(SlowWeb(hosts(300), lambda name: 20.0), requests, Limits(max_pages=37))
    assert (stopped, done.crawl.pages) == (StopReason.BUDGET, 37)
    assert len(done.web.sent) == 37

    names = [f"h{n}.example/gone" for n in range(300)]
    web = SlowWeb(SmallWeb({"seed": ("spiders", names)}, dead=names), lambda name: 20.0)
    stopped, done = hunt(web, requests, Limits(max_pages=100, max_fetches=37))
    assert (stopped, done.crawl.fetches) == (StopReason.FETCHES, 37)
    assert len(done.web.sent) == 37


def test_the_harvest_fell_below_what_was_asked_for() -> None:
    small = SmallWeb({f"h{n}.example/x": ("rain", [f"h{n + 1}.example/x"]) for n in range(2 * HARVEST_WINDOW)})
    limits = Limits(max_pages=2 * HARVEST_WINDOW, min_harvest=0.3)
    stopped, done = hunt(SlowWeb(small), 8, limits)
    assert (stopped, done.crawl.pages) == (StopReason.CONDITION, HARVEST_WINDOW)


def test_what_is_on_its_way_is_left_behind_when_the_harvest_fell() -> None:
    names = [f"h{n}.example/x" for n in range(HARVEST_WINDOW + 50)]
    small = SmallWeb({"seed": ("rain", names), **{name: ("rain", []) for name in names}})
    web = SlowWeb(small, lambda name: 1.0 if name == "seed" or int(name[1:-10]) < HARVEST_WINDOW else 1000.0)

    async def main() -> None:
        done = Hunt(web, 200, Limits(min_harvest=0.3))
        assert await done.run() is StopReason.CONDITION
        assert clock() == pytest.approx(2)

    run_virtual(main())


def mapped(seconds: float) -> SlowWeb:
    """A seed whose sitemap takes so long, and names a page that nothing links to."""
    web = SlowWeb(SmallWeb({"seed": ("spiders", []), "hidden": ("spiders", [])}), lambda name: 20.0)
    web.maps["seed"] = seconds, ["hidden"]
    return web


def test_a_sitemap_is_waited_for_when_no_other_link_is_left() -> None:
    stopped, done = hunt(mapped(300.0), 4, sitemaps=True)
    assert (stopped, done.visited()) == (StopReason.FRONTIER_EMPTY, ["seed", "hidden"])
    assert hunt(mapped(300.0), 4)[1].visited() == ["seed"]


def test_a_sitemap_of_a_host_that_wants_to_be_left_alone_is_done_without() -> None:
    stopped, done = hunt(SlowWeb(hosts(3)), 4, sitemaps=True)
    assert (stopped, len(done.visited())) == (StopReason.FRONTIER_EMPTY, 4)


@pytest.mark.parametrize("limits", [Limits(max_pages=1), Limits(max_fetches=1)])
def test_no_sitemap_is_waited_for_when_the_budget_is_used_up(limits: Limits) -> None:
    async def main() -> None:
        done = Hunt(mapped(300.0), 4, limits, sitemaps=True)
        assert await done.run() in (StopReason.BUDGET, StopReason.FETCHES)
        assert clock() == pytest.approx(20)

    run_virtual(main())


@pytest.mark.parametrize("requests", [1, 4])
def test_no_sitemap_is_waited_for_when_the_time_is_up(requests: int) -> None:
    async def main() -> None:
        done = Hunt(mapped(300.0), requests, UNTIL_100, sitemaps=True)
        assert await done.run() is StopReason.TIME
        assert clock() == pytest.approx(100)

    run_virtual(main())


def test_an_interrupt_waits_for_no_sitemap() -> None:
    async def main() -> None:
        done = Hunt(mapped(300.0), 4, sitemaps=True)
        asyncio.get_running_loop().call_later(50.0, done.driver.interrupt)
        assert await done.run() is StopReason.INTERRUPTED
        assert clock() == pytest.approx(50)

    run_virtual(main())
