"""Shards and their coordinator at work over real sockets, in one process: what is told, what is kept, how it ends."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.killing import Site, http, served

from salticid.cluster import post
from salticid.cluster.cluster_crawl import gather, shard_folder
from salticid.cluster.coordinator import Coordinator, CrawlProgress
from salticid.cluster.shard import Plan, Shard
from salticid.errors import SalticidError
from salticid.judges.rocchio import Rocchio
from salticid.model import Ints, Outcome, StopReason, Visit
from salticid.protocols import Strategy
from salticid.runs.live_settings import LiveSettings
from salticid.runs.order import resolve
from salticid.runs.spec import CrawlSpec
from salticid.store.crawl_folder import CrawlFolder
from salticid.strategies.best_first import BestFirst
from salticid.topic import Limits, Topic

SHARDS = 3


def plans(folder: Path, site: Site, port: int, limits: Limits, make: Callable[[], Strategy] = BestFirst) -> list[Plan]:
    settings = LiveSettings(
        delay=0, allow_net=("127.0.0.0/8",), resolve=(f"*=127.0.0.1:{port}",), traps=False, concurrency=4
    )
    topic = Topic("sharded", "jumping spider", (site.url(0),), language="en")
    own = replace(limits, max_seconds=None, min_harvest=None)
    spec = CrawlSpec(topic=topic, strategy="best_first", judge="rocchio", limits=own, live=settings)
    return [
        Plan(resolve(spec, shard_folder(folder, at), strategy=make(), judge=Rocchio()), at, SHARDS, limits)
        for at in range(SHARDS)
    ]


class Together:
    """Shards that talk to each other without a network between them; `restart` loses one as a kill does."""

    def __init__(self, made: Sequence[Plan]) -> None:
        self._plans, self.shards = made, dict[int, Shard]()

    def __getitem__(self, number: int) -> Any:
        return Line(self, number)

    async def begin(self, number: int) -> None:
        shard = Shard(self._plans[number], {at: self[at] for at in range(SHARDS) if at != number})
        await shard.begin(None)
        self.shards[number] = shard

    async def restart(self, number: int) -> None:
        await self.shards.pop(number).finish()
        await self.begin(number)

    async def run(self, watch: Callable[[CrawlProgress], Awaitable[None] | None] = lambda _: None) -> CrawlProgress:
        await asyncio.gather(*(self.begin(number) for number in range(SHARDS)))
        coordinator = Coordinator([self[number] for number in range(SHARDS)], self._plans[0].whole)
        try:
            async with asyncio.timeout(60):
                while (progress := await coordinator.round()).stopped is None:
                    if (more := watch(progress)) is not None:
                        await more
                    await asyncio.sleep(0.02)
        finally:
            await asyncio.gather(*(shard.finish() for shard in self.shards.values()), return_exceptions=True)
        return progress


class Line:
    """One of them, by its number: whoever it is now."""

    def __init__(self, together: Together, number: int) -> None:
        self._together, self._number = together, number

    def __getattr__(self, method: str) -> Any:
        return getattr(self._together.shards[self._number], method)


def good_pages(folder: Path) -> list[str]:
    gather(folder, SHARDS, {"version": "of a test"}, {})
    with closing(CrawlFolder(folder)) as crawled:
        return [visit.final_url for visit in crawled.visits() if visit.outcome == Outcome.OK]


def test_together_they_find_all_there_is_and_count_each_page_once(tmp_path: Path) -> None:
    site = Site(pages=60, hosts=9)
    with served(site) as port:
        progress = asyncio.run(Together(plans(tmp_path, site, port, Limits(max_pages=500))).run())
    assert (progress.stopped, progress.pages) == (StopReason.FRONTIER_EMPTY, 60)
    assert sorted(good_pages(tmp_path)) == sorted(site.all_urls())
    assert max(site.times_asked()[url] for url in site.all_urls()) == 1


def test_dead_links_use_up_the_attempts_and_end_the_crawl(tmp_path: Path) -> None:
    """A shard that meets nothing but dead links must not be allowed the same pages for ever."""
    site = Site(pages=400, hosts=40)
    site.first = {url: [http(404)] for url, number in site.all_urls().items() if number > 3}
    with served(site) as port:
        limits = Limits(max_pages=30, max_fetches=40)
        progress = asyncio.run(Together(plans(tmp_path / "few", site, port, limits)).run())
        assert progress.stopped in (StopReason.FETCHES, StopReason.FRONTIER_EMPTY)
        assert progress.fetches <= 40
        site.first = {url: [http(404)] * 2 for url, number in site.all_urls().items() if number > 3}
        progress = asyncio.run(Together(plans(tmp_path / "many", site, port, Limits(max_pages=400))).run())
    assert (progress.stopped, progress.pages) == (StopReason.FRONTIER_EMPTY, 4)


def test_little_harvest_ends_it_for_all_and_so_does_the_time(tmp_path: Path) -> None:
    site = Site(pages=400, hosts=40)
    with served(site) as port:
        poor = Limits(max_pages=400, min_harvest=0.99)
        progress = asyncio.run(Together(plans(tmp_path / "poor", site, port, poor)).run())
        assert progress.stopped is StopReason.CONDITION
        assert 100 <= progress.pages < 400
        short = Limits(max_pages=400, max_seconds=0.5)
        progress = asyncio.run(Together(plans(tmp_path / "short", site, port, short)).run())
        assert (progress.stopped, progress.seconds >= 0.5) == (StopReason.TIME, True)
        again = asyncio.run(Together(plans(tmp_path / "short", site, port, short)).run())
    assert again.stopped is StopReason.TIME, "the clock goes on where it was"


@pytest.mark.parametrize("room", [2, 1000])
def test_a_shard_made_anew_shows_what_others_lack_and_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    monkeypatch.setattr(post, "ROOM", room)
    site = Site(pages=120, hosts=12)
    with served(site) as port:
        together, due = Together(plans(tmp_path, site, port, Limits(max_pages=500))), [20, 50, 80]

        def lose_one(progress: CrawlProgress) -> Awaitable[None] | None:
            return together.restart(due.pop(0) % SHARDS) if due and progress.pages >= due[0] else None

        progress = asyncio.run(together.run(lose_one))
    assert (progress.stopped, progress.pages, due) == (StopReason.FRONTIER_EMPTY, 120, [])
    assert sorted(good_pages(tmp_path)) == sorted(site.all_urls())


class Fragile(BestFirst):
    """Breaks when it has seen a few pages."""

    def observe(self, visit: Visit, fresh: Ints) -> None:
        if visit.step == 7:
            raise ArithmeticError("seven is too much")
        super().observe(visit, fresh)


def test_a_shard_that_fails_fails_the_crawl_and_says_why(tmp_path: Path) -> None:
    site = Site(pages=100, hosts=9)
    with (
        served(site) as port,
        pytest.raises(SalticidError, match=r"shard \d failed: ArithmeticError: seven is too much"),
    ):
        asyncio.run(Together(plans(tmp_path, site, port, Limits(max_pages=90), Fragile)).run())


def test_the_folder_of_shards_that_are_not_gathered_says_so(tmp_path: Path) -> None:
    shard_folder(tmp_path, 0).mkdir(parents=True)
    with pytest.raises(SalticidError, match="not gathered yet"):
        CrawlFolder(tmp_path)


def test_what_is_gathered_keeps_the_hours_of_the_day(tmp_path: Path) -> None:
    site = Site(pages=20, hosts=9)
    with served(site) as port:
        asyncio.run(Together(plans(tmp_path, site, port, Limits(max_pages=50))).run())
    asked = {each.url: each.at for each in site.asked}
    good_pages(tmp_path)
    with closing(CrawlFolder(tmp_path)) as crawled:
        late = [(visit.fetched or 0.0) - asked[visit.final_url] for visit in crawled.visits()]
    assert all(-0.5 < each < 5 for each in late), late
