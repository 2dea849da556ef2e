"""Scrapy's engine, spiders and middleware, with a strategy of ours in the place of its queue."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scrapy as scrapy_package
from scrapy.http import Response
from scrapy.settings import Settings
from tests.support.generated_site import GeneratedSource
from tests.support.http_stub import Answer, http_stub
from tests.support.killing import Site, check_calls, served, stored_urls, survey, visits_in
from tests.support.running import crawl_in_memory, salticid
from tests.support.scrapy_runs import crawled, scrapy
from tests.support.serving import served_world
from tests.support.walking import ROOT, blocks

from salticid.errors import UserError
from salticid.metrics.parts.graph import Oracle
from salticid.metrics.parts.measure import hits
from salticid.metrics.targets import share_of_area
from salticid.model import Outcome, Page
from salticid.runs.brief import url_ids
from salticid.scrapy.kept_requests import KeptRequests
from salticid.scrapy.spider_crawl import NAMES, PREFIX, SpiderCrawl, SpiderWeb, in_words_of_settings, order_of
from salticid.topic import Limits
from salticid.truth import load_topic
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.building import build
from salticid.worlds.topics import TopicPlan, make_topics

DOCS = ROOT / "docs" / "scrapy.md"
PAGES = 120


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scrapy") / "world"
    build(folder, GeneratedSource(400, seed=5))
    return folder


@pytest.fixture(scope="module")
def topic(world: Path) -> Path:
    return make_topics(world, world.parent / "topics", TopicPlan(min_pages=25)).files[0]


@pytest.fixture(scope="module")
def port(world: Path) -> Iterator[int]:
    with served_world(world) as port:
        yield port


def visits(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in salticid("visits", folder, "--json").out.splitlines()]


def share(world: Path, topic_file: Path, pages: list[str]) -> float:
    """The share of the oracle that a crawl of these pages has."""
    web, (topic, truth) = RecordedWeb(world), load_topic(topic_file)
    ids = url_ids(truth.targets, web.urls)
    seeds, known = url_ids(topic.seeds, web.urls), url_ids(topic.examples, web.urls)
    targets = np.array([url for url in ids if url not in {*seeds, *known}], np.int32)
    best = Oracle(web).crawl(np.array(seeds, np.int32), targets, PAGES)
    found = share_of_area(hits(pages, topic, truth), best, PAGES)
    assert found
    return found


def good(folder: Path) -> list[str]:
    return [visit["final_url"] for visit in visits(folder) if visit["outcome"] == "ok"]


@pytest.mark.parametrize("strategy", ["best_first", "hunter"])
def test_a_spider_finds_what_our_own_driver_finds(
    world: Path, topic: Path, port: int, tmp_path: Path, strategy: str
) -> None:
    ordered: dict[str, Any] = {
        "SALTICID_TOPIC": topic,
        "SALTICID_STRATEGY": strategy,
        "SALTICID_MAX_PAGES": PAGES,
    }
    items = crawled(
        "links", port, tmp_path / "items", **ordered, SALTICID_DIR=tmp_path / "spider", CONCURRENT_REQUESTS=1
    )
    options = ("--strategy", strategy, "--max-pages", PAGES)
    assert salticid("crawl", topic, "--web", world, *options, "--out", tmp_path / "replay").status == 0
    same = ("url", "final_url", "score", "title", "source")
    ours, theirs = visits(tmp_path / "replay"), visits(tmp_path / "spider")
    assert [[visit[key] for key in same] for visit in theirs] == [[visit[key] for key in same] for visit in ours]
    shares = [share(world, topic, good(tmp_path / name)) for name in ("replay", "spider")]
    assert shares[0] == shares[1] > 0.2

    asked = [visit for visit in theirs if visit["outcome"] != "duplicate"]
    assert [item["url"] for item in items] == [visit["final_url"] for visit in asked], "the spider saw all"
    tolds = [item["told"] for item in items]
    assert all(isinstance(told["score"], float) for told in tolds)
    assert any(told["why"] for told in tolds) == (strategy == "hunter"), "best_first has no more to say"


def test_the_spider_of_the_docs_finds_as_much_with_many_requests_at_once(
    world: Path, topic: Path, port: int, tmp_path: Path
) -> None:
    spider = tmp_path / "hunt.py"
    spider.write_text(blocks(DOCS)[0].text)
    ordered: dict[str, Any] = {
        "SALTICID_TOPIC": topic,
        "SALTICID_STRATEGY": "best_first",
        "SALTICID_MAX_PAGES": PAGES,
    }
    items = crawled(spider, port, tmp_path / "items", **ordered, JOBDIR=tmp_path / "job", CONCURRENT_REQUESTS=8)
    read, _ = load_topic(topic)
    web, own = crawl_in_memory(world, read, "best_first", Limits(max_pages=PAGES), "window:8")
    urls = [web.urls[visit.final] for visit in own if visit.outcome is Outcome.OK]
    folder = tmp_path / "job" / "salticid"
    found = good(folder)
    assert abs(share(world, topic, found) / share(world, topic, urls) - 1) < 0.05
    assert set(found) <= {item["url"] for item in items}

    assert "fetched by another program, scrapy" in salticid("refresh", folder).err
    assert salticid("export", folder, "--to", "dataset", "--out", tmp_path / "set").status == 0
    assert "Others fetched the pages (`scrapy`)" in (tmp_path / "set" / "README.md").read_text()


class Proxied(Site):
    """A site whose URLs are asked for in full, as one asks a proxy."""

    def answer(self, host: str, path: str) -> bytes:
        return super().answer(host, path.removeprefix(f"http://{host}"))


def _has_visits(folder: Path, many: int) -> bool:
    return visits_in(folder) >= many


def test_a_kill_loses_nothing(tmp_path: Path) -> None:
    site, folder, items = Proxied(150), tmp_path / "crawl", tmp_path / "items"
    topic = site.write_topic(tmp_path / "topic.toml")
    ordered: dict[str, Any] = {"SALTICID_TOPIC": topic, "SALTICID_DIR": folder, "CONCURRENT_REQUESTS": 8}
    kept: set[str] = set()
    with served(site) as port:
        for many in (15, 60):
            site.seconds, enough = 0.03, partial(_has_visits, folder, many)
            with scrapy("links", port, items, **ordered) as program:
                assert program.until(enough, f"{many} visits"), program.err
                program.kill()
            asked_before, kept = site.times_asked(), stored_urls(folder)
            assert len(kept) < site.pages
        site.seconds = 0
        told = crawled("links", port, items, **ordered)
    assert {url for url in kept if site.times_asked()[url] > asked_before[url]} == set(), "kept is kept"
    found = survey(site, folder)
    assert (found.stored, found.lost, found.twice, found.torn) == (site.pages, [], [], [])
    check_calls(folder)
    assert {item["url"] for item in told} == set(site.all_urls()), "the spider saw every page, too"
    sources = {item["url"]: item["source"] for item in told if item["source"]}
    numbers = site.all_urls()
    assert all(numbers[url] in site.links(numbers[source]) for url, source in sources.items())
    assert len(sources) == site.pages - 1, "what a callback is given came back with its request"


def test_each_kind_of_request_in_its_turn(tmp_path: Path) -> None:
    asked, lock = [], threading.Lock()
    links = " ".join(f"<a href=/{name}>spiders</a>" for name in ("plain", "wanted", "moved", "round", "unasked"))

    def answer(request: BaseHTTPRequestHandler) -> Answer:
        path = request.path.removeprefix("http://a.example")
        with lock:
            asked.append(f"{request.command} {path}")
        if (to := {"/moved": "/plain", "/round": "/round"}.get(path)) is not None:
            return Answer(status=302, fields={"Location": f"http://a.example{to}"})
        return (
            Answer("{}", kind="application/json")
            if path == "/api"
            else Answer(f"<title>spiders and mites</title>{links}")
        )

    with http_stub(answer) as port:
        items = crawled(
            "kinds", port, tmp_path / "items", SALTICID_KEYWORDS="spiders", SALTICID_STRATEGY="best_first",
            SALTICID_DIR=tmp_path / "crawl", CONCURRENT_REQUESTS=1, REDIRECT_MAX_TIMES=2, LOG_LEVEL="ERROR",
        )  # fmt: skip
    assert asked == [
        "GET /",
        "GET /api", "POST /form", "GET /",  # they pass by the strategy, the highest priority first
        "GET /made-up",  # no link of a page: a start point
        "GET /wanted",  # as good as the others of its page, and preferred
        "GET /plain",
        "GET /moved",  # leads to a page that is there
        "GET /round", "GET /round", "GET /round",
    ]  # fmt: skip
    by_place = {item["at"].removeprefix("http://a.example"): item for item in items}
    assert by_place["/wanted"] | {"at": ""} == {"at": "", "n": 7, "mark": "m", "scored": True}
    assert not by_place["/form"]["scored"]
    assert by_place["errback"]["lost"] == "http://a.example/round"
    outcomes = {visit["url"].removeprefix("http://a.example"): visit["outcome"] for visit in visits(tmp_path / "crawl")}
    assert outcomes == {
        "/": "ok", "/made-up": "ok", "/wanted": "ok", "/plain": "ok", "/moved": "duplicate", "/round": "redirect loop",
    }  # fmt: skip


class Plain(scrapy_package.Spider):
    """Something with a method."""

    name = "plain"

    def found(self, response: Response) -> None: ...


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "SALTICID_TOPIC"),
        ({"SALTICID_KEYWORDS": "x", "SALTICID_STRATGY": "hunter"}, "did you mean 'SALTICID_STRATEGY'"),
        ({"SALTICID_KEYWORDS": "x", "SALTICID_STRATEGY": "best_frist"}, "did you mean 'best_first'"),
        ({"SALTICID_KEYWORDS": "x", "SALTICID_MAX_PAGES": "many"}, "SALTICID_MAX_PAGES is 'many'"),
    ],
)
def test_a_wrong_setting_is_named(settings: dict[str, str], words: str) -> None:
    with pytest.raises(UserError, match=words):
        order_of(Settings(settings), Plain())


def test_every_setting_is_in_the_docs() -> None:
    assert set(re.findall(r"^\| `(SALTICID_\w+)` \|", DOCS.read_text(), re.MULTILINE)) == {
        f"{PREFIX}{name}" for name in NAMES
    }


def test_a_folder_of_another_crawl_is_left_alone(world: Path, topic: Path, tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    assert salticid("crawl", topic, "--web", world, "--max-pages", 3, "--out", folder).status == 0
    before = visits(folder)
    order = order_of(Settings({"SALTICID_TOPIC": topic, "SALTICID_DIR": folder, "SALTICID_MAX_PAGES": 3}), Plain())
    web = SpiderWeb()
    run = SpiderCrawl(order, web, KeptRequests(Plain(), web.urls, written=True))
    another = pytest.raises(UserError, match=r"holds another crawl: its web world is .* with SALTICID_DIR")
    with closing(run.log), another, in_words_of_settings():
        asyncio.run(run.open(_no_pages, {}))
    assert visits(folder) == before


async def _no_pages(urls: tuple[str, ...]) -> tuple[Page, ...]:
    return ()
