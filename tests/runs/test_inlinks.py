"""Backlinks out of a world and out of an earlier crawl."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from salticid.errors import UserError
from salticid.judges import judges
from salticid.protocols import Backlinks
from salticid.runs.order import Recipe
from salticid.runs.recorded import MemoryLog, RecordedCrawl
from salticid.store.log import CrawlLog
from salticid.strategies import strategies
from salticid.tables.texts import Texts, Urls
from salticid.topic import Limits, Topic
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.backlinks import backlinks_from
from salticid.worlds.building import build
from salticid.worlds.sources import HtmlFolder

AT = "http://web.example/"
PAGES = {
    "home": '<title>Home</title><p>Jumping spiders: <a href="hub.html">a hub</a> <a href="home.html">here</a>',
    "hub": '<p>Hub of <a href="goal.html">goals</a> and <a href="goal.html">goals</a> <a href="lost.html">lost</a>',
    "side": '<p>Aside, <a href="goal.html">a goal</a> and the <a href="hub.html">hub</a>',
    "goal": '<p>The goal itself <a href="goal.html">again</a> <a href="side.html">aside</a>',
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inlinks")
    (folder / "html").mkdir()
    for name, html in PAGES.items():
        (folder / "html" / f"{name}.html").write_text(html)
    build(folder / "world", HtmlFolder(folder / "html", AT))
    return folder / "world"


@pytest.fixture(scope="module")
def crawl(world: Path) -> Path:
    """A crawl that started at home and saw all four pages."""
    web, out = RecordedWeb(world), world.parent / "crawl"
    log = CrawlLog(out, web.urls, web.words)
    recipe = Recipe(strategies.make("breadth_first"), judges.make("cosine"), Limits(max_pages=9))
    run = RecordedCrawl(Topic("t", "spiders", (f"{AT}home.html",), language="en"), web, recipe, log)
    log.begin({})
    run.run()
    log.close()
    return out


@pytest.fixture(params=["world", "crawl"])
def source(request: pytest.FixtureRequest, world: Path, crawl: Path) -> Path:
    return {"world": world, "crawl": crawl}[request.param]


def linking(backlinks: Backlinks, urls: Urls, name: str, most: int = 9) -> list[str]:
    sources = backlinks.sources(urls.intern(f"{AT}{name}.html"), most)
    return [urls[page.url].removeprefix(AT).removesuffix(".html") for page in sources]


def test_each_source_comes_once_and_never_the_page_itself(source: Path) -> None:
    urls = Urls()
    backlinks = backlinks_from(source, urls, Texts())
    assert sorted(linking(backlinks, urls, "goal")) == ["hub", "side"]
    assert sorted(linking(backlinks, urls, "hub")) == ["home", "side"]
    assert linking(backlinks, urls, "lost") == ["hub"]
    assert linking(backlinks, urls, "home") == []
    assert linking(backlinks, urls, "never-heard-of") == []


def test_pages_come_in_the_tables_of_the_crawl_that_asks(source: Path, world: Path) -> None:
    urls, words = Urls(), Texts()
    for number in range(50):
        urls.intern(f"http://elsewhere.example/{number}")
        words.intern(f"word{number}")
    (hub,) = backlinks_from(source, urls, words).sources(urls.intern(f"{AT}lost.html"), 9)
    web = RecordedWeb(world)
    recorded = web.page_at(web.urls.find(f"{AT}hub.html"))
    assert recorded is not None
    assert words.spell(hub.tokens.tolist()) == web.words.spell(recorded.tokens.tolist())
    assert words.spell(hub.anchor(2).tolist()) == ["lost"]
    assert urls[hub.url] == f"{AT}hub.html"
    assert [urls[url] for url in hub.links.url.tolist()] == [f"{AT}{name}.html" for name in ("goal", "goal", "lost")]
    assert (hub.text, hub.title) == (recorded.text, recorded.title)


def test_the_same_ones_in_the_same_order_whoever_asks(world: Path, crawl: Path) -> None:
    """Neither the order of recording nor the ids of the asking crawl decide who is left out."""
    orders: list[list[str]] = []
    for folder in (world, crawl, world):
        urls = Urls()
        for number in range(len(orders)):
            urls.intern(f"{AT}{['side', 'hub'][number]}.html")
        backlinks = backlinks_from(folder, urls, Texts())
        both = linking(backlinks, urls, "goal")
        assert linking(backlinks, urls, "goal", most=1) == both[:1]
        orders.append(both)
    assert orders[0] == orders[1] == orders[2]


def test_a_world_gives_its_own_crawls_its_own_ids(world: Path) -> None:
    web = RecordedWeb(world)
    known = len(web.urls), len(web.words)
    page, *_ = backlinks_from(world, web.urls, web.words).sources(web.urls.find(f"{AT}goal.html"), 1)
    recorded = web.page_at(page.url)
    assert recorded is not None
    assert np.array_equal(page.tokens, recorded.tokens)
    assert (len(web.urls), len(web.words)) == known


def test_context_graph_learns_from_them(source: Path, world: Path) -> None:
    topic = Topic("t", "spiders", (f"{AT}home.html",), examples=(f"{AT}goal.html",), language="en")
    web = RecordedWeb(world)
    recipe = Recipe(strategies.make("context_graph"), judges.make("cosine"), Limits())
    brief = replace(
        RecordedCrawl(topic, web, recipe, MemoryLog()).brief,
        backlinks=backlinks_from(source, web.urls, web.words),
    )
    strategy = strategies.make("context_graph")
    strategy.start(brief)
    (layers,) = strategy.events()
    assert layers.values == (("0", 1), ("1", 2), ("2", 1))


def test_a_folder_that_is_neither_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"neither a world .* nor a crawl .*--backlinks"):
        backlinks_from(tmp_path, Urls(), Texts())
    with pytest.raises(UserError, match="neither"):
        backlinks_from(tmp_path / "nowhere", Urls(), Texts())
