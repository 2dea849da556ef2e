"""The live driver on virtual time: who is sent when, who waits for whom, and who is left alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from zlib import crc32

import pytest
from tests.support.slow_web import PLENTY, Hunt, Log, SlowWeb, chains, hosts, hunt
from tests.support.virtual_time import Answer, clock, html, live_web, run_virtual

from salticid.crawl import Crawl
from salticid.drivers.live import LINKS_A_HOST, LiveDriver
from salticid.drivers.replay import VirtualClock, Window, replay
from salticid.errors import ContractBroken
from salticid.judges.cosine import Cosine
from salticid.model import Outcome, Page, Response, StopReason
from salticid.runs.brief import KnownPages, prepare, settle
from salticid.strategies.best_first import BestFirst
from salticid.testing.small import Sheet, SmallWeb, random_web
from salticid.topic import Limits, Topic
from salticid.webs.live.client import Exchange
from salticid.webs.live.failures import Failure
from salticid.webs.live.politeness import Manners, MayAsk, Parked


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("limits", [PLENTY, Limits(max_pages=20), Limits(max_seconds=31.3)])
def test_one_request_at_a_time_makes_the_choices_of_a_replay(seed: int, limits: Limits) -> None:
    small, log, now = random_web(80, 6, seed), Log(), VirtualClock()
    crawl = Crawl(prepare(small.topic, small, limits, 0), BestFirst(), Cosine(), log, now, small.page)
    stopped = replay(crawl, small, Window(1), now)
    live_stopped, live = hunt(SlowWeb(random_web(80, 6, seed)), 1, limits)
    if limits.max_seconds is None:
        assert live_stopped is stopped
        assert live.log.chosen == log.chosen
        assert [visit.at for visit in live.log.visits] == pytest.approx([visit.at for visit in log.visits])
    else:  # a replay lets the last one arrive
        assert live_stopped is stopped is StopReason.TIME
        assert live.visited() == [small.name(visit.url) for visit in log.visits][:-1]


def test_a_big_host_starves_nobody() -> None:
    names = [f"big.example/p{n}" for n in range(300)] + [f"h{n}.example/x" for n in range(50)]
    small = SmallWeb({"seed": ("spiders", names), **{name: ("spiders", []) for name in names}})
    web = SlowWeb(small, lambda name: 10.0)
    assert hunt(web, 16)[0] is StopReason.FRONTIER_EMPTY
    assert web.most_here["big.example"] == LINKS_A_HOST
    others = [when for name, when in web.came.items() if name.startswith("h")]
    assert len(others) == 50
    assert max(others) <= 10 + 10 * 3 + 1e-3  # the seed, then 29 places for 50 hosts
    assert len(web.came) == 351


def test_a_thousand_hosts_at_once() -> None:
    web = SlowWeb(hosts(1000), lambda name: 10.0)
    stopped, done = hunt(web, 1000)
    assert stopped is StopReason.FRONTIER_EMPTY
    assert web.most_here["all"] == 1000
    assert max(web.came.values()) == pytest.approx(20)
    assert sorted(done.visited()) == sorted(done.web.sent)
    assert len(done.visited()) == 1001


def test_no_more_wait_than_there_is_room_for() -> None:
    web = SlowWeb(hosts(100), lambda name: 10.0)
    hunt(web, 8)
    assert web.most_here["all"] == 15


def test_a_parked_host_is_asked_again_when_its_time_has_come() -> None:
    web = SlowWeb(chains(a=3, b=100), lambda name: 20.0)
    web.parked["a.example"] = 1000.0
    stopped, done = hunt(web, 4)
    assert stopped is StopReason.FRONTIER_EMPTY
    assert web.came["a.example/p0"] == pytest.approx(1020)
    assert web.came["b.example/p99"] == pytest.approx(20 + 100 * 20)
    assert web.sent.count("a.example/p0") == 2
    assert done.driver.parking.until is None


def test_only_parked_hosts_are_left() -> None:
    web = SlowWeb(chains(a=3, b=10, c=3), lambda name: 20.0)
    web.parked |= {"a.example": 5000.0, "c.example": 4000.0}

    async def main() -> None:
        done = Hunt(web, 4)
        assert await done.run() is StopReason.WAITING
        assert clock() == pytest.approx(220)
        assert done.driver.parking.until == 4000
        assert done.visited()[-1] == "b.example/p9"

    run_virtual(main())


def test_a_resting_host_is_asked_for_nothing() -> None:
    names = [f"a.example/p{n}" for n in range(20)]
    pages: dict[str, Sheet] = {name: ("spiders", []) for name in [*names, "b.example/x"]}
    web = SlowWeb(SmallWeb({"seed": ("spiders", [*names, "b.example/x"]), **pages}), lambda name: 20.0)
    web.parked["a.example"] = 1000.0
    assert hunt(web, 8)[0] is StopReason.WAITING
    assert sum(name.startswith("a.") for name in web.sent) == LINKS_A_HOST


def test_parked_choices_leave_the_budget_to_others() -> None:
    names = [f"h{n}.example/x" for n in range(20)]
    web = SlowWeb(hosts(20), lambda name: 20.0)
    web.parked |= {f"h{n}.example": 1e6 for n in range(10)}
    stopped, done = hunt(web, 16, Limits(max_pages=8))
    assert stopped is StopReason.BUDGET
    assert set(done.visited()) <= {"seed", *names[10:]}
    assert done.crawl.pages == 8


def test_a_parked_choice_whose_time_has_come_waits_for_the_budget() -> None:
    web = SlowWeb(hosts(5), lambda name: 1.0 if name == "seed" else 100.0)
    web.parked["h0.example"] = 30.0
    stopped, done = hunt(web, 8, Limits(max_pages=4))
    assert (stopped, done.crawl.pages) == (StopReason.BUDGET, 4)
    assert len(set(web.sent)) <= 5


def test_who_is_sent_on_to_a_parked_host_does_not_make_his_own_rest() -> None:
    class Shortener(SlowWeb):
        async def fetch(self, url: int, may_ask: MayAsk | None = None) -> Response:
            if self.small.name(url) == "a.example/away":
                self.sent.append("a.example/away")
                raise Parked("other.example", 1e6)
            return await super().fetch(url, may_ask)

    names = ["a.example/away", *(f"a.example/p{n}" for n in range(20))]
    small = SmallWeb({"seed": ("spiders", names), **{name: ("spiders", []) for name in names}})
    stopped, done = hunt(Shortener(small, lambda name: 20.0), 4)
    assert stopped is StopReason.WAITING
    assert set(done.visited()) == {"seed", *names[1:]}


def crawl_live(get: Callable[[str], Answer], seeds: list[str]) -> tuple[StopReason, float, float | None, list[str]]:
    """Why a crawl of such a web ended, when, until when it would have to wait, and the pages it found."""

    async def main() -> tuple[StopReason, float, float | None, list[str]]:
        async def answer(url: str) -> Answer:
            await asyncio.sleep(1.0)
            return get(url)

        web = live_web(answer, Manners(1.0, 8, clock), 4)
        brief = settle(Topic("t", "spiders", tuple(seeds), language="en"), KnownPages(), web, PLENTY, 0)
        log = Log()
        driver = LiveDriver(Crawl(brief, BestFirst(), Cosine(), log, clock), web, 4, clock)
        stopped = await driver.run()
        found = [web.urls[visit.final] for visit in log.visits if visit.outcome is Outcome.OK]
        return stopped, clock(), driver.parking.until, found

    return run_virtual(main())


def test_a_host_that_asks_for_more_than_ten_minutes_is_parked() -> None:
    def get(url: str) -> Answer:
        if url.startswith("http://a."):
            return Exchange(429, {"retry-after": "3600"}, b"") if url.endswith("/x") else Exchange(404, {}, b"")
        return html("spiders", [])

    stopped, ended, waits_until, found = crawl_live(get, ["http://a.example/x", "http://b.example/x"])
    assert (stopped, found) == (StopReason.WAITING, ["http://b.example/x"])
    assert ended == pytest.approx(3)  # the seconds of robots.txt, a pause, and a page
    assert waits_until == pytest.approx(3603)


@pytest.mark.parametrize("robots", [Exchange(500, {}, b""), Failure.TIMEOUT])
def test_a_host_whose_robots_txt_cannot_be_had_is_parked(robots: Answer) -> None:
    def get(url: str) -> Answer:
        return robots if url == "http://a.example/robots.txt" else html("spiders", [])

    stopped, ended, waits_until, found = crawl_live(get, ["http://a.example/x", "http://b.example/x"])
    assert (stopped, found) == (StopReason.WAITING, ["http://b.example/x"])
    was_it_the_network = 1 if robots is Failure.TIMEOUT else 0  # the other host is asked once
    assert ended == pytest.approx(1 + 30 + 1 + was_it_the_network + 150 + 1)
    assert waits_until == pytest.approx(ended + 750)


@pytest.mark.parametrize("requests", [1, 3, 30])
def test_every_choice_is_delivered_once(requests: int) -> None:
    web = SlowWeb(random_web(150, 12, seed=5), lambda name: crc32(name.encode()) % 90)
    web.parked |= {"h3.example": 700.0, "h5.example": 50.0}
    stopped, done = hunt(web, requests)
    chosen = [url for _, _, choices in done.log.chosen for url in choices]
    visited = [visit.url for visit in done.log.visits]
    assert len(chosen) == len(set(chosen))
    assert len(visited) == len(set(visited)) > 100
    left_behind = {web.small.name(url)[:3] for url in set(chosen) - set(visited)}
    assert left_behind == ({"h3."} if stopped is StopReason.WAITING else set())
    assert set(visited) <= set(chosen)


class InBatches(Cosine):
    """A judge that takes its time, however many pages it is given."""

    seconds = 0.3

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[int] = []

    async def score_many(self, pages: Sequence[Page]) -> list[float]:
        self.batches.append(len(pages))
        await asyncio.sleep(self.seconds)
        return [self.score(page) for page in pages]


class AtOnce(Cosine):
    def score_many(self, pages: Sequence[Page]) -> list[float]:
        return [self.score(page) for page in pages]


@pytest.mark.parametrize("judge", [InBatches(), AtOnce()])
def test_a_judge_of_batches_gives_the_same_scores_to_the_same_pages(judge: Cosine) -> None:
    web = SlowWeb(random_web(80, 6, seed=1))
    _, alone = hunt(SlowWeb(random_web(80, 6, seed=1)), 8)
    stopped, done = hunt(web, 8, judge=judge)
    assert stopped is StopReason.FRONTIER_EMPTY

    def found(crawled: Hunt) -> dict[str, float]:
        return {crawled.web.small.name(visit.final): visit.score for visit in crawled.log.visits if visit.good}

    assert found(done) == found(alone)


def test_a_slow_judge_does_not_hold_up_the_fetches() -> None:
    judge = InBatches()
    web = SlowWeb(hosts(60), lambda name: 0.1)
    _, done = hunt(web, 16, judge=judge)
    assert sum(judge.batches) == 61
    assert max(judge.batches) > 5
    one_by_one = 61 * judge.seconds
    assert done.log.visits[-1].at < one_by_one / 5


def test_a_budget_holds_while_pages_wait_for_their_scores() -> None:
    judge = InBatches()
    stopped, done = hunt(SlowWeb(hosts(60), lambda name: 0.1), 16, Limits(max_pages=20), judge=judge)
    assert stopped is StopReason.BUDGET
    assert sum(visit.good for visit in done.log.visits) == 20
    assert sum(judge.batches) == 20


class Forgetful(Cosine):
    def score_many(self, pages: Sequence[Page]) -> list[float]:
        return []


def test_a_judge_that_loses_pages_is_told() -> None:
    with pytest.raises(ContractBroken, match="gave 0 scores for 1 pages"):
        hunt(SlowWeb(hosts(3)), 2, judge=Forgetful())
