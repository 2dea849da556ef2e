"""A crawl in parts: who owns what, what travels, how the budget is dealt out."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from benchmarks._shard_rehearsal import Rehearsal
from tests.support.scripted import Crawled

from salticid.cluster.post import BUCKETS, Owners, bucket_of, glimpses, owner_of
from salticid.cluster.shard import ShardReport, leases
from salticid.crawl import Crawl
from salticid.drivers.replay import VirtualClock
from salticid.judges.cosine import Cosine
from salticid.judges.rocchio import Rocchio
from salticid.lab.experiment import topic_of, truth_of
from salticid.model import Choice, Glimpse, Link, Outcome, StopReason, Visit
from salticid.runs.brief import prepare
from salticid.runs.order import Recipe
from salticid.runs.recorded import MemoryLog, RecordedCrawl
from salticid.strategies.best_first import BestFirst
from salticid.tables.translation import AROUND
from salticid.testing.small import SmallWeb
from salticid.topic import Limits
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.generating.building import WebEdition, build_generated
from salticid.worlds.topics import TopicPlan, make_topics


def test_every_host_has_one_owner_and_every_shard_its_share() -> None:
    buckets = [bucket_of(f"host{n}.example") for n in range(20_000)]
    assert set(buckets) == set(range(BUCKETS))
    for shards in (1, 3, 4, 100):
        owned = Counter(owner_of(bucket, shards) for bucket in range(BUCKETS))
        assert set(owned) == set(range(shards))
        assert max(owned.values()) - min(owned.values()) <= 1


def word(number: int) -> str:
    """A word for each number; digits would be no part of one."""
    return "n" + "".join(chr(ord("a") + int(digit)) for digit in f"{number:03}")


def shown(places: list[int], words: int = 300) -> tuple[SmallWeb, Visit]:
    """A visit of a page of numbered words, with links to other hosts at these places, two words each."""
    parts = [word(n) for n in range(words)]
    for at in places:
        parts[at] = f'<a href="http://other{at}.example/">{parts[at]}'
        parts[at + 1] += "</a>"
    web = SmallWeb({"seed": " ".join(["<title>Title</title>", *parts])})
    page = web.fetch(web.id("seed")).page
    assert page is not None
    return web, Visit(7, Choice(Link(page.url)), page.url, Outcome.OK, page, 0.4, True, 2)


@pytest.mark.parametrize("places", [[0], [100], [298], [100, 103], [100, 130, 200], [0, 20, 41, 63, 298]])
def test_the_words_around_a_link_travel_with_it(places: list[int]) -> None:
    web, visit = shown(places)
    everyone = Owners(web.urls, 1)
    everyone.of = lambda url: 0 if web.urls.host_name(web.urls.host(url)) == "small.example" else 1  # type: ignore[method-assign]
    [(owner, glimpse)] = glimpses(visit, web, everyone, 0).items()
    assert owner == 1
    assert (glimpse.step, glimpse.score, glimpse.positive, glimpse.depth) == (7, 0.4, True, 2)
    assert [url for url, _, _ in glimpse.links] == [f"http://other{at}.example/" for at in places]
    page_words = [word(n) for n in range(300)]
    for at, (_, start, end) in zip(places, glimpse.links, strict=True):
        assert list(glimpse.words[start:end]) == [word(at), word(at + 1)]
        before = page_words[max(0, at - AROUND) : at]
        after = page_words[at + 2 : at + 2 + AROUND]
        assert list(glimpse.words[:start][-len(before) :] if before else []) == before
        assert list(glimpse.words[end : end + len(after)]) == after
    wanted = {n for at in places for n in range(max(0, at - AROUND), min(300, at + 2 + AROUND))}
    assert set(glimpse.words) - {"title"} == {word(n) for n in wanted}
    assert len(glimpse.words) == len(set(glimpse.words)), "no word travels twice"


def test_the_best_links_of_all_are_allowed_next() -> None:
    reports = {
        0: ShardReport(10, 10, [0.9, 0.5]),
        1: ShardReport(10, 10, [0.8, 0.7]),
        2: ShardReport(10, 10, []),
    }
    assert leases(reports, budget=100, most=3) == {0: 1, 1: 2}
    assert leases(reports, budget=31, most=3) == {0: 1}
    assert leases(reports, budget=30, most=3) == {}
    assert leases(reports, budget=100, most=50) == {0: 2, 1: 2}


def test_what_is_allowed_already_is_not_allowed_again() -> None:
    assert leases({0: ShardReport(12, 10, [0.9, 0.8, 0.7]), 1: ShardReport(10, 10, [0.6])}, 100, 2) == {
        0: 1,
        1: 1,
    }


def part(web: SmallWeb, owns: Callable[[int], bool], log: MemoryLog) -> Crawl:
    brief = prepare(web.topic, web, Limits(max_pages=10), seed=0)
    return Crawl(brief, BestFirst(), Cosine(), log, VirtualClock(), web.page, owns)


def test_a_shard_follows_its_own_links_and_is_shown_the_others() -> None:
    web = SmallWeb(
        {
            "seed": ("jumping spiders", ["a", "far.example/b"]),
            "a": ("rain", []),
            "far.example/b": ("rain", []),
        }
    )
    home, far = web.urls.host(web.id("a")), web.urls.host(web.id("far.example/b"))
    near_one = part(web, lambda url: web.urls.host(url) == home, MemoryLog())
    [choice] = near_one.choices(5)
    visit = near_one.deliver(choice, web.fetch(choice.link.url))
    assert [web.name(each.link.url) for each in near_one.choices(5)] == ["a"]

    log = MemoryLog()
    far_one = part(web, lambda url: web.urls.host(url) == far, log)
    glimpse = Glimpse(0, visit.step, "http://small.example/seed", "", ("jumping",),
                      (("http://far.example/b", 0, 1), ("http://small.example/a", 0, 1)), 0.7, True, 3)  # fmt: skip
    far_one.glimpse(glimpse)
    found = [choice for choice in far_one.choices(5) if web.name(choice.link.url) != "seed"]
    assert [(web.name(each.link.url), each.score) for each in found] == [("far.example/b", 0.7)]
    assert far_one.deliver(found[0], web.fetch(found[0].link.url)).depth == 4
    assert (far_one.pages, far_one.fetches) == (1, 1), "what was only shown is not charged"


def test_what_a_hostile_shard_shows_stays_within_bounds() -> None:
    web = SmallWeb({"seed": ("jumping spiders", ["a"]), "a": ("rain", [])})
    crawl = part(web, lambda url: True, MemoryLog())
    spans = [(-5_000_000, 2**40), (2**40, -1), (7, 3), (0, 2**62)]
    links = tuple((f"http://small.example/{n}", first, last) for n, (first, last) in enumerate(spans))
    crawl.glimpse(Glimpse(0, 0, "http://small.example/x", "", ("jumping", "legs"), links, 0.7, True, 3))
    assert len(crawl.choices(9)) == 1 + len(spans)


def test_a_crawl_with_nothing_left_wakes_up_when_it_is_shown_something() -> None:
    web = SmallWeb({"seed": ("jumping spiders", []), "late": ("jumping spiders", [])})
    done = Crawled(web, BestFirst())
    assert done.to_the_end() is StopReason.FRONTIER_EMPTY
    done.crawl.glimpse(
        Glimpse(1, 0, "http://far.example/", "", (), (("http://small.example/late", 0, 0),), 0.5, False, 0)
    )
    assert done.to_the_end() is StopReason.FRONTIER_EMPTY
    assert done.visits() == [("seed", "ok"), ("late", "ok")]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shards") / "world"
    build_generated(folder, WebEdition(4000, seed=5))
    return folder


def test_four_shards_find_nearly_what_one_crawl_finds(world: Path, tmp_path: Path) -> None:
    files = sorted(make_topics(world, tmp_path / "topics", TopicPlan(task="neighbours", min_pages=30)).files)
    web = RecordedWeb(world)
    one, four = [], []
    for file in files[::4]:
        topic, targets = topic_of(str(file)), {web.urls.find(url) for url in truth_of(str(file)).targets}

        def recipe() -> Recipe:
            return Recipe(BestFirst(), Rocchio(), Limits(max_pages=200))

        def area(visits: list[Visit], targets: set[int] = targets) -> float:
            good = [visit for visit in visits if visit.outcome is Outcome.OK]
            assert len({visit.final for visit in good}) == len(good) == 200
            return float(np.cumsum([visit.final in targets for visit in good]).sum())

        log = MemoryLog()
        RecordedCrawl(topic, web, recipe(), log).run()
        one.append(area(log.visits))
        four.append(area(Rehearsal(topic, web, recipe, shards=4).run()))
    assert sum(four) >= 0.9 * sum(one), (one, four)
