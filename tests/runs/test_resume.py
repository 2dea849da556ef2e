"""A crawl that was ended goes on as if it had not been."""

from __future__ import annotations

import asyncio
import io
import json
import re
import shlex
import shutil
import signal
import tempfile
import time
from collections.abc import Callable
from contextlib import closing, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.support.generated_site import GeneratedSource
from tests.support.killing import STOPS, Program, Site, check_whole, http, live, served, stored_urls, visits_in
from tests.support.running import salticid
from tests.support.slow_web import SlowWeb
from tests.support.tampering import tampering
from tests.support.virtual_time import clock, run_virtual

from salticid.cli import program
from salticid.crawl import Crawl
from salticid.drivers.live import LiveDriver
from salticid.errors import UserError
from salticid.judges import judges
from salticid.judges.tfidf import Tfidf
from salticid.model import Choice, Feedback, Links, StopReason, Visit
from salticid.protocols import Judge
from salticid.runs.brief import prepare
from salticid.runs.order import Recipe
from salticid.runs.past import Past, RelivedClock, RelivedJudge, RelivedLog, relive
from salticid.runs.recorded import RecordedCrawl
from salticid.store import log as store_log
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.log import CrawlLog
from salticid.strategies import strategies
from salticid.strategies.hunter import evidence, page_records
from salticid.testing.small import SmallWeb
from salticid.topic import Limits
from salticid.truth import load_topic
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.building import build
from salticid.worlds.topics import TopicPlan, make_topics

ARRIVALS = ("one", "window:10", "roulette:100/50")
ORDERS = [
    *((strategy, "window:10") for strategy in strategies.names()),
    *((strategy, arrivals) for strategy in ("best_first", "infospiders") for arrivals in ARRIVALS[::2]),
]
"""Every strategy once; a queue and agents in each order of arrivals."""
LIMITS = Limits(max_pages=120, max_buffer=500)
CUTS = (5, 80)
"""After so many visits a crawl is cut off."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("resume") / "world"
    build(folder, GeneratedSource(400, seed=5))
    return folder


@pytest.fixture(scope="module")
def topic(world: Path) -> Path:
    return make_topics(world, world.parent / "topics", TopicPlan(min_pages=25)).files[0]


class _Cut(Exception):
    """Nobody expects it."""


class Folder:
    """Crawls of one world into one folder, by one recipe."""

    def __init__(self, world: Path, topic: Path, folder: Path, recipe: Callable[[], Recipe]) -> None:
        self._world, self._topic, self._recipe, self.folder = world, load_topic(topic)[0], recipe, folder

    def crawl(self, cut_at: int | None = None, killed: bool = False) -> str | None:
        """Crawl on: to the end, and the digest of it; or up to a visit, after which the crawl breaks off.

        A killed crawl leaves its files as they were at that moment.
        """
        web, recipe = RecordedWeb(self._world), self._recipe()
        log = CrawlLog(self.folder, web.urls, web.words)
        new = log.open() is None
        if new:
            log.begin({})
            run = RecordedCrawl(self._topic, web, recipe, log)
        else:
            log.go_on()
            past = Past(log)
            run = RecordedCrawl(self._topic, web, recipe, RelivedLog(past, log), past)

        def watch(visit: Visit) -> None:
            if cut_at is not None and visit.step >= cut_at:
                raise _Cut

        left = self.folder.with_name("left")
        with closing(log):
            try:
                run.run(watch)
            except _Cut:
                shutil.copytree(self.folder, left)
        if left.exists():
            if killed:
                shutil.rmtree(self.folder)
                left.rename(self.folder)
            shutil.rmtree(left, ignore_errors=True)
            return None
        with closing(CrawlFolder(self.folder)) as crawled:
            return crawled.digest()


def recipe(strategy: str, arrivals: str, judge: Callable[[], Judge]) -> Callable[[], Recipe]:
    return lambda: Recipe(strategies.make(strategy), judge(), LIMITS, arrivals, seed=3)


def goes_on_alike(world: Path, topic: Path, tmp_path: Path, recipe: Callable[[], Recipe]) -> None:
    """Cut off now in order, now by a kill, a crawl ends as one that nobody disturbed."""
    whole = Folder(world, topic, tmp_path / "whole", recipe).crawl()
    broken = Folder(world, topic, tmp_path / "broken", recipe)
    for at, cut in enumerate(CUTS):
        assert broken.crawl(cut, killed=at % 2 == 0) is None, "it was cut off"
    assert broken.crawl() == whole


@pytest.mark.parametrize(("strategy", "arrivals"), ORDERS)
def test_a_recorded_crawl_goes_on_alike(
    world: Path, topic: Path, tmp_path: Path, strategy: str, arrivals: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_log, "BATCH_VISITS", 7)
    goes_on_alike(world, topic, tmp_path, recipe(strategy, arrivals, lambda: judges.make("cosine")))


def test_a_hunter_that_has_forgotten_much_goes_on_alike(
    world: Path, topic: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_log, "BATCH_VISITS", 7)
    monkeypatch.setattr(evidence, "ROWS_ANYWAY", 60)
    monkeypatch.setattr(evidence, "ROWS_A_LINK", 0)
    monkeypatch.setattr(page_records, "WAYS", 10)
    goes_on_alike(world, topic, tmp_path, recipe("hunter", "window:10", lambda: judges.make("profile")))


RELEARNING = [
    ("naive_bayes", {"retrain": 10}),
    ("rocchio", {"retrain": 10}),
    ("svm", {"retrain": 20}),
    ("tfidf", {}),
]


@pytest.mark.parametrize(
    ("strategy", "judge", "told"),
    [
        *(("best_first", *judge) for judge in RELEARNING),
        ("random_walk", *RELEARNING[0]),
        ("infospiders", *RELEARNING[0]),
    ],
)
def test_judges_that_change_their_mind_do_so_again(
    world: Path,
    topic: Path,
    tmp_path: Path,
    strategy: str,
    judge: str,
    told: dict[str, int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(store_log, "BATCH_VISITS", 7)
    goes_on_alike(world, topic, tmp_path, recipe(strategy, "window:10", lambda: judges.make(judge, told)))


def order(*words: str | int | Path) -> dict[str, object]:
    """Type a crawl in this process; what it printed as JSON."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        program(["crawl"])(["crawl", *map(str, words), "--json"], standalone_mode=False)
    said: dict[str, object] = json.loads(printed.getvalue())
    return said


def digest(folder: Path) -> str:
    with closing(CrawlFolder(folder)) as crawled:
        return crawled.digest()


@pytest.mark.parametrize("arrivals", ARRIVALS)
def test_a_budget_grows_step_by_step(world: Path, topic: Path, tmp_path: Path, arrivals: str) -> None:
    def grown(name: str, *steps: int) -> str:
        words = (topic, "--web", world, "--arrivals", arrivals, "--out", tmp_path / name)
        for pages in steps:
            said = order(*words, "--max-pages", pages)
            assert (said["pages"], said["stopped"]) == (pages, "budget")
        return digest(tmp_path / name)

    assert grown("some", 40, 40, 90, 150, 150) == grown("others", 40, 90, 150)
    if arrivals == "one":
        assert grown("at once", 150) == grown("again", 40, 150), "nothing was in flight that a budget held back"
    assert (
        order(topic, "--web", world, "--arrivals", arrivals, "--out", tmp_path / "some", "--max-pages", 5000)["stopped"]
        == "frontier empty"
    )


CHANGES: dict[str, tuple[str | int, ...]] = {
    "strategy name": ("--strategy", "breadth_first"),
    "strategy admit": ("--set", "admit=always"),
    "judge name": ("--judge", "tfidf"),
    "judge similarity": ("--judge", "cosine:similarity=0.2"),
    "seed": ("--seed", 7),
    "max buffer": ("--max-buffer", 99),
    "topic scope exclude": ("--exclude", "*.pdf"),
    "topic scope same site": ("--same-site",),
    "topic scope max depth": ("--max-depth", 3),
    "arrivals": ("--arrivals", "window:3"),
    "max pages": ("--max-pages", 29),
    "max fetches": ("--max-fetches", 299),
    "max seconds": ("--max-time", "1h"),
    "min harvest": ("--stop-when", "harvest < 0.1"),
}


PLAIN = ("--strategy", "best_first")


@pytest.fixture(scope="module")
def thirty_pages(world: Path, topic: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("thirty") / "crawl"
    order(topic, *PLAIN, "--web", world, "--max-pages", 30, "--out", folder)
    return folder


@pytest.mark.parametrize("changed", CHANGES)
def test_another_order_is_refused_and_the_difference_named(
    world: Path, topic: Path, thirty_pages: Path, changed: str
) -> None:
    before = digest(thirty_pages)
    with pytest.raises(UserError, match=rf"{thirty_pages} holds another crawl: its {changed} is .+, not .+; .*--out"):
        order(topic, *PLAIN, "--web", world, "--max-pages", 30, "--out", thirty_pages, *CHANGES[changed])
    assert digest(thirty_pages) == before


def test_another_topic_or_world_is_another_crawl(world: Path, topic: Path, thirty_pages: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text(re.sub(r"(?m)^keywords = .*$", 'keywords = "something else"', topic.read_text()))
    with pytest.raises(UserError, match=r'its topic keywords is .*, not "something else"'):
        order(other, *PLAIN, "--web", world, "--max-pages", 30, "--out", thirty_pages)
    build(tmp_path / "world", GeneratedSource(400, seed=6))
    with pytest.raises(UserError, match=r"its web world is .*, not"):
        order(topic, *PLAIN, "--web", tmp_path / "world", "--max-pages", 30, "--out", thirty_pages)
    with pytest.raises(UserError, match="its web world is"):
        order(topic, *PLAIN, "--max-pages", 30, "--out", thirty_pages)


@pytest.mark.parametrize(
    ("damage", "named"),
    [
        ("PRAGMA user_version = 1", r"its format is 1, ours \d"),
        ("PRAGMA user_version = 99", r"its format is 99, ours \d"),
        (
            """UPDATE about SET value = '"0.0.7"' WHERE name = 'version'""",
            "was made by salticid 0.0.7, this is",
        ),
    ],
)
def test_a_crawl_of_another_version_is_refused_with_what_to_do(
    world: Path, topic: Path, thirty_pages: Path, tmp_path: Path, damage: str, named: str
) -> None:
    shutil.copytree(thirty_pages, tmp_path / "old")
    with tampering(tmp_path / "old") as db:
        db.execute(damage)
    with pytest.raises(UserError, match=rf"{named}.*go on with .*version.*--out"):
        order(topic, "--web", world, "--max-pages", 30, "--out", tmp_path / "old")


def test_of_two_programs_in_one_folder_the_second_is_refused(tmp_path: Path) -> None:
    site = Site(pages=500, seconds=1)
    with served(site) as port:
        words = ("crawl", site.write_topic(tmp_path / "t.toml"), *live(port), "--out", tmp_path / "crawl")
        with Program(*words) as first:
            first.until(lambda: len(site.asked) > 5, "5 requests")
            second = salticid(*words)
            assert (second.status, second.out) == (2, "")
            assert f"process {first.process.pid}" in second.err
            assert "--out" in second.err
            assert first.running


@pytest.fixture(scope="module")
def big_world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("big") / "world"
    build(folder, GeneratedSource(1500, seed=2))
    return folder


@pytest.mark.parametrize("number", STOPS)
def test_a_signal_ends_a_recorded_crawl_which_goes_on_alike(
    big_world: Path, tmp_path: Path, number: signal.Signals
) -> None:
    topic = make_topics(big_world, tmp_path / "topics", TopicPlan(min_pages=25)).files[0]
    words = (
        "crawl",
        topic,
        "--web",
        big_world,
        "--max-pages",
        1500,
        "--arrivals",
        "window:10",
        "--strategy",
        "pagerank",
    )
    broken, whole = tmp_path / "broken", tmp_path / "whole"
    with Program(*words, "--out", broken) as program:
        program.until(lambda: visits_in(broken) > 200, "a commit")
        program.send(number)
        assert program.ends() == 130
        assert "Stopped: interrupted" in program.out
        assert f"Go on with: salticid {shlex.join(map(str, words))} --out {broken}" in program.out
    stopped_at = visits_in(broken)
    assert salticid(*words, "--out", broken).status == salticid(*words, "--out", whole).status == 0
    assert 200 < stopped_at < visits_in(broken)
    assert digest(broken) == digest(whole)


@pytest.mark.parametrize("number", STOPS)
def test_a_signal_ends_a_live_crawl_and_those_in_flight_are_asked_for_again(
    tmp_path: Path, number: signal.Signals
) -> None:
    site, folder = Site(pages=150, seconds=0.1), tmp_path / "crawl"
    with served(site) as port:
        words = ("crawl", site.write_topic(tmp_path / "t.toml"), *live(port), "--out", folder)
        with Program(*words) as program:
            program.until(lambda: len(site.asked) > 50, "50 requests")
            program.send(number)
            assert program.ends() == 130, program.err
            assert "Go on with: salticid crawl" in program.out
        kept, asked = stored_urls(folder), site.times_asked()
        in_flight = [url for url in site.all_urls() if asked[url] and url not in kept]
        assert len(kept) > 20
        assert in_flight
        said = salticid(*words, "--json")
        assert said.status == 0, said.err
    assert {url: times for url, times in site.times_asked().items() if times > 1} == dict.fromkeys(in_flight, 2)
    check_whole(site, folder)


def test_a_second_ctrl_c_ends_it_at_once_and_it_still_goes_on(tmp_path: Path) -> None:
    site, folder = Site(pages=150, seconds=0.1), tmp_path / "crawl"
    with served(site) as port:
        words = ("crawl", site.write_topic(tmp_path / "t.toml"), *live(port), "--out", folder)
        with Program(*words) as program:
            program.until(lambda: len(site.asked) > 60, "60 requests")
            program.send(signal.SIGINT)
            program.send(signal.SIGINT)
            assert program.ends() in (130, -signal.SIGINT), program.err
            assert "Traceback" not in program.err
        said = salticid(*words, "--json")
        assert said.status == 0, said.err
    check_whole(site, folder)


def test_ctrl_c_while_the_log_is_played_again_leaves_it_as_it_was(tmp_path: Path) -> None:
    site, folder = Site(pages=300), tmp_path / "crawl"
    with served(site) as port:
        words = ("crawl", site.write_topic(tmp_path / "t.toml"), *live(port), "--out", folder)
        assert salticid(*words, "--max-pages", 200).status == 0
        with Program(*words) as program:
            program.until_said("Going on")
            program.send(signal.SIGINT)
            assert program.ends() == 130
            assert "Traceback" not in program.err
        assert salticid(*words).status == 0
    check_whole(site, folder)


def wait_for_a_commit(program: Program, folder: Path) -> None:
    before = visits_in(folder)
    program.until(lambda: visits_in(folder) > before, "a commit")


def test_robots_and_examples_are_read_once(tmp_path: Path) -> None:
    site, folder = Site(pages=60, hosts=4, seconds=0.08), tmp_path / "crawl"
    site.robots = {"h1.example": "User-agent: *\nDisallow: /nothing\n"}
    known = {"examples": ["http://known.example/7"], "negatives": ["http://known.example/8"]}
    with served(site) as port:
        topic = site.write_topic(tmp_path / "t.toml", **known)
        words = ("crawl", topic, *live(port), "--out", folder)
        for stop in (signal.SIGINT, signal.SIGKILL):
            with Program(*words) as program:
                wait_for_a_commit(program, folder)
                program.send(stop)
                program.ends()
        asked_before = site.times_asked()
        assert salticid(*words).status == 0
    asked = site.times_asked()
    assert [asked[f"http://known.example/{number}"] for number in (7, 8)] == [1, 1]
    for host in (*(f"h{number}.example" for number in range(4)), "known.example"):
        assert asked[f"http://{host}/robots.txt"] == asked_before[f"http://{host}/robots.txt"] == 1, host
    check_whole(site, folder)


DELAY = 3
"""Seconds: longer than the program takes to start."""


def gaps_around_a_kill(site: Site, tmp_path: Path, kill_after: float) -> dict[str, list[float]]:
    """The seconds between any two requests for pages of a host, in a crawl that is killed and ordered again.

    It is killed so many seconds after every host was asked for a page, and goes on until each was asked again.
    """

    def pages(host: str, since: int = 0) -> list[float]:
        mine = [asked for asked in site.asked[since:] if asked.url.startswith(f"http://{host}/")]
        return [asked.at for asked in mine if not asked.url.endswith("robots.txt")]

    hosts = [site.host(number) for number in range(site.hosts)]
    with served(site) as port:
        topic = site.write_topic(tmp_path / "t.toml", seeds=[site.url(number) for number in range(site.hosts)])
        words = ("crawl", topic, *live(port), "--out", tmp_path / "crawl")
        with Program(*words) as program:
            program.until(lambda: all(map(pages, hosts)), "a request to every host")
            time.sleep(kill_after)
            program.kill()
        before = len(site.asked)
        with Program(*words) as program:
            program.until(lambda: all(pages(host, before) for host in hosts), "another request to every host")
    return {host: np.diff(pages(host)).tolist() for host in hosts}


def test_a_crawl_delay_holds_across_a_kill(tmp_path: Path) -> None:
    site = Site(pages=10, hosts=2, slow={"h1.example": 1.0})
    site.robots = {site.host(number): f"User-agent: *\nCrawl-delay: {DELAY}\n" for number in range(2)}
    gaps = gaps_around_a_kill(site, tmp_path, 0.5)
    assert min(gaps["h0.example"]) >= DELAY - 0.1, "its page had arrived"
    assert min(gaps["h1.example"]) >= DELAY - 0.1, "its page was on its way"


def test_a_wish_to_be_left_alone_holds_across_a_kill(tmp_path: Path) -> None:
    site = Site(pages=5, hosts=1)
    site.first = {site.url(0): [http(503, Retry_After=str(DELAY + 1))]}
    gaps = gaps_around_a_kill(site, tmp_path, 1.5)
    assert min(gaps["h0.example"]) >= DELAY + 0.9


PLAYED = ("best_first", "breadth_first", "best_n_first", "shark_search", "opic", "random_walk", "infospiders")
SMALL = {
    **{f"h{n % 3}.example/p{n}": (f"jumping spiders {'legs ' * n}", []) for n in range(6, 14)},
    **{
        f"h{n % 3}.example/p{n}": (
            f"spiders {'moss ' * n}",
            [f"h{m % 3}.example/p{m}" for m in (2 * n + 1, 2 * n + 2, (n + 5) % 14)] + ["moved", "gone"],
        )
        for n in range(6)
    },
}
CALLS = st.lists(
    st.one_of(
        st.tuples(st.just("choose"), st.integers(1, 4), st.sets(st.integers(0, 2), max_size=2)),
        st.tuples(st.just("deliver"), st.integers(0, 9)),
        st.tuples(st.just("hear"), st.integers(0, 13), st.sampled_from([1, -1])),
        st.tuples(st.just("offer"), st.lists(st.integers(0, 13), max_size=3)),
        st.tuples(st.just("extend"), st.integers(1, 3)),
    ),
    max_size=30,
)


class Play:
    """A crawl of a small web whose driver does as it is told, call by call; or one relived from its folder."""

    def __init__(self, folder: Path, strategy: str) -> None:
        self.web = SmallWeb(SMALL, redirects={"moved": "h1.example/p1"}, dead=["gone"], seeds=["h0.example/p0"])
        self.log = CrawlLog(folder, self.web.urls, self.web.words)
        self._strategy, self._judge = strategies.make(strategy), Tfidf(refresh=1)
        self.flying: list[Choice] = []
        self._brief = prepare(self.web.topic, self.web, Limits(max_pages=5), seed=1)

    def begin(self) -> Play:
        self.log.begin({})
        self.crawl = Crawl(self._brief, self._strategy, self._judge, self.log, lambda: 0.0, self.web.page)
        return self

    def relive(self) -> Play:
        self.log.open()
        self.log.go_on()
        past = Past(self.log)
        judge, log = RelivedJudge(past, self._judge), RelivedLog(past, self.log)
        self.crawl = Crawl(self._brief, self._strategy, judge, log, RelivedClock(past, lambda: 0.0), self.web.page)
        self.flying = asyncio.run(relive(self.crawl, self._judge, past, lambda step: None))
        return self

    def call(self, name: str, *told: Any) -> None:
        """One call of the driver, or of a person; what makes no sense now is not made."""
        crawl, id_of = self.crawl, self.web.id
        if name == "choose":
            busy = frozenset(self.web.urls.host(id_of(f"h{host}.example/p{host}")) for host in told[1])
            self.flying += crawl.choices(told[0], busy)
        elif name == "deliver" and self.flying:
            choice = self.flying.pop(told[0] % len(self.flying))
            crawl.deliver(choice, self.web.fetch(choice.link.url))
        elif name == "hear":
            crawl.hear([Feedback(id_of(f"h{told[0] % 3}.example/p{told[0]}"), told[1])])
        elif name == "offer":
            crawl.offer(Links.to([id_of(f"h{number % 3}.example/p{number}") for number in told[0]]))
        elif name == "extend":
            crawl.extend(Limits(max_pages=crawl.limits.max_pages + told[0]))

    def rest(self) -> list[tuple[object, ...]]:
        """What the crawl does from here on, with a larger budget."""
        did: list[tuple[object, ...]] = [(self.crawl.step, self.crawl.pages, self.crawl.fetches)]
        did.append(tuple(choice.link.url for choice in self.flying))
        self.call("extend", 5)
        for _ in range(40):
            self.flying += (chosen := self.crawl.choices(3 - len(self.flying)))
            did.append(tuple((choice.link, choice.score, choice.agent) for choice in chosen))
            if not self.flying:
                break
            choice = self.flying.pop(0)
            visit = self.crawl.deliver(choice, self.web.fetch(choice.link.url))
            did.append((visit.step, visit.url, visit.outcome, visit.score, visit.revisit))
        return did


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(strategy=st.sampled_from(PLAYED), calls=CALLS, in_order=st.booleans())
def test_whatever_is_called_in_whatever_order_is_relived_from_any_commit(
    strategy: str, calls: list[tuple[Any, ...]], in_order: bool
) -> None:
    """Ended in order, a crawl is where it was; cut off, it is where its last visit left it."""
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as name:
        patch.setattr(store_log, "BATCH_VISITS", 1)
        out = Path(name)
        play, kept = Play(out / "crawl", strategy), 0
        with closing(play.log):
            play.begin()
            for at, call in enumerate(calls, 1):
                before = play.crawl.step
                play.call(*call)
                kept = at if in_order or play.crawl.step > before else kept
            # A walker may visit a known page while it is asked for choices; those it makes then are cut off.
            assume(in_order or not kept or calls[kept - 1][0] != "choose")
            if in_order:
                play.log.commit()
            shutil.copytree(out / "crawl", out / "left")
        alike = Play(out / "alike", strategy).begin()
        with closing(alike.log):
            for call in calls[:kept]:
                alike.call(*call)
            expected = alike.rest()
        again = Play(out / "left", strategy)
        with closing(again.log):
            assert again.relive().rest() == expected


def test_what_was_set_aside_when_the_budget_was_spent_does_not_overdraw_it(tmp_path: Path) -> None:
    play = Play(tmp_path / "crawl", "breadth_first")
    with closing(play.log):
        play.begin()
        while play.crawl.pages < 4:
            play.call("choose", 1, ())
            play.call("deliver", -1)
        while not play.flying or "/p" not in play.web.name(play.flying[-1].link.url):
            play.call("deliver", -1)
            play.call("choose", 1, ())
        play.crawl.set_aside()  # its host wants to be left alone
        while play.crawl.pages < 5:
            play.call("choose", 1, ())
            play.call("deliver", -1)
    again = Play(tmp_path / "crawl", "breadth_first")

    async def run() -> StopReason:
        driver = LiveDriver(again.crawl, SlowWeb(again.web), 2, clock)
        driver.take_up(again.flying)
        return await driver.run()

    with closing(again.log):
        again.relive()
        assert len(again.flying) == 1
        assert run_virtual(run()) is StopReason.BUDGET
        assert again.crawl.pages == 5
