"""A crawl of another version of the program goes on when its past is taken as given, whatever would be chosen now."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from tests.support.killing import Site, check_calls, http, live, served
from tests.support.running import salticid
from tests.support.tampering import tampering

from salticid.errors import UserError
from salticid.registry import settings_of
from salticid.runs.lifecycle import run
from salticid.runs.live_settings import LiveSettings
from salticid.runs.order import Order, resolve
from salticid.runs.spec import CrawlSpec
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.schema import SNAPSHOT
from salticid.strategies import strategies
from salticid.topic import Limits
from salticid.truth import load_topic

SITE_PAGES, FIRST = 120, 50


def as_if_made_before(folder: Path, strategy: str) -> None:
    """Make a crawl one of an earlier version, in which a strategy of this name chose otherwise."""
    settings = {"name": strategy, **settings_of(strategies.make(strategy)), "a setting of then": 3}
    with tampering(folder) as db:
        for name, value in (("version", "0.0.7"), ("strategy", settings)):
            text = msgspec.json.encode(value).decode()
            db.execute("UPDATE about SET value = ? WHERE name = ?", (text, name))


def visits(folder: Path) -> list[tuple[str, str, float]]:
    with closing(CrawlFolder(folder)) as crawled:
        return [(visit.url, visit.outcome, visit.score) for visit in crawled.visits()]


def pages_of(site: Site, moved: int, to: int) -> set[int]:
    """The pages that can be reached, when one has moved to the place of another."""
    seen, waiting = {0}, [0]
    while waiting:
        number = waiting.pop()
        news = set(site.links(to if number == moved else number)) - seen
        seen |= news
        waiting += news
    return seen - {to}


@pytest.mark.parametrize("strategy", ["hunter", "best_n_first"])
def test_an_older_crawl_goes_on_with_its_past_as_given(tmp_path: Path, strategy: str) -> None:
    site, folder = Site(pages=SITE_PAGES), tmp_path / "crawl"
    moved, to = 4, 100
    site.first[site.url(moved)] = [http(301, Location=site.url(to))]
    pages = pages_of(site, moved, to)
    with served(site) as port:
        topic = site.write_topic(tmp_path / "t.toml")
        first = ("crawl", topic, "--strategy", "best_first", "--judge", "cosine", "--out", folder)
        assert salticid(*first, *live(port), "--max-pages", FIRST).status == 0
        before = visits(folder)
        assert site.url(moved) in {url for url, _, _ in before}
        as_if_made_before(folder, strategy)
        settings = LiveSettings(
            delay=0,
            concurrency=8,
            per_address=99,
            allow_net=("127.0.0.0/8",),
            resolve=(f"*=127.0.0.1:{port}",),
        )

        def order(as_given: bool, pages: int) -> Order:
            known, limits = load_topic(topic)[0], Limits(max_pages=pages)
            spec = CrawlSpec(topic=known, strategy=strategy, judge="cosine", limits=limits, live=settings)
            return replace(resolve(spec, folder), any_version=as_given)

        with pytest.raises(UserError, match=r"was made by salticid 0\.0\.7, this is .*salticid watch"):
            run(order(False, 80))
        assert run(order(True, 80)).pages == 80
        (folder / SNAPSHOT).unlink(missing_ok=True)
        assert run(order(False, 2 * SITE_PAGES)).pages == len(pages), "it is a crawl of this version now"
    assert visits(folder)[: len(before)] == before
    good = [url for url, outcome, _ in visits(folder) if outcome == "ok"]
    assert sorted(good) == sorted(map(site.url, pages))
    assert max(site.times_asked()[url] for url in site.all_urls()) == 1
    check_calls(folder)


def test_agents_that_walk_cannot_be_told_where_they_went(tmp_path: Path) -> None:
    site, folder = Site(pages=20), tmp_path / "crawl"
    with served(site) as port:
        topic = site.write_topic(tmp_path / "t.toml")
        options = (
            "--strategy",
            "random_walk",
            "--judge",
            "cosine",
            *live(port),
            "--max-pages",
            10,
            "--out",
            folder,
        )
        assert salticid("crawl", topic, *options).status == 0
    as_if_made_before(folder, "random_walk")
    known, limits = load_topic(topic)[0], Limits(max_pages=20)
    spec = CrawlSpec(topic=known, strategy="random_walk", judge="cosine", limits=limits)
    order = replace(resolve(spec, folder), any_version=True)
    with pytest.raises(UserError, match="agents that walk"):
        run(order)
