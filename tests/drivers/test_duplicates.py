"""A page is one page, whatever it is called."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from tests.support.running import salticid
from tests.support.scripted import WalkingScript

from salticid.crawl import Crawl
from salticid.drivers.replay import VirtualClock, Window, replay
from salticid.judges.cosine import Cosine
from salticid.model import Outcome, Visit
from salticid.protocols import Strategy
from salticid.runs.brief import prepare
from salticid.runs.recorded import MemoryLog
from salticid.strategies import strategies
from salticid.testing.small import SmallWeb
from salticid.topic import Limits


def canonical(name: str, links: str = "") -> str:
    anchors = "".join(f"<a href='{link}'>x</a>" for link in links.split())
    return f"<title>t</title><link rel=canonical href='{name}'>jumping spiders {anchors}"


def crawled(web: SmallWeb, strategy: Strategy | None = None) -> tuple[Crawl, list[tuple[str, str]]]:
    """The crawl, and its visits: what was asked for, and what became of it."""
    log, clock = MemoryLog(), VirtualClock()
    brief = prepare(web.topic, web, Limits(max_pages=50), seed=0)
    chosen = strategy or strategies.make("breadth_first")
    crawl = Crawl(brief, chosen, Cosine(), log, clock, web.page)
    replay(crawl, web, Window(), clock)
    return crawl, [(web.name(visit.url), visit.outcome.value) for visit in log.visits]


def test_a_canonical_link_counts_as_the_url_of_the_page() -> None:
    web = SmallWeb({"seed": canonical("seed", "a?v=1 a a?v=2"), "a?v=1": canonical("a"), "a": canonical("a"),
                    "a?v=2": canonical("a")})  # fmt: skip
    crawl, visits = crawled(web)
    # a?v=1 comes first and says it is a; so a need not be asked for, and a?v=2 turns out to be it again.
    assert visits == [("seed", "ok"), ("a?v=1", "ok"), ("a", "duplicate"), ("a?v=2", "duplicate")]
    assert web.asked == ["seed", "a?v=1", "a?v=2"]
    assert (crawl.pages, crawl.fetches) == (2, 3), "a duplicate is no page; one that was asked for is a fetch"


def test_a_duplicate_says_of_what() -> None:
    web = SmallWeb({"seed": canonical("seed", "a b"), "a": canonical("a"), "b": canonical("a")})
    log, clock = MemoryLog(), VirtualClock()
    brief = prepare(web.topic, web, Limits(max_pages=50), seed=0)
    replay(Crawl(brief, strategies.make("breadth_first"), Cosine(), log, clock, web.page), web, Window(), clock)
    last: Visit = log.visits[-1]
    assert (last.outcome, web.name(last.final), last.page) == (Outcome.DUPLICATE, "a", None)


def test_a_canonical_link_to_another_site_is_not_believed() -> None:
    web = SmallWeb(
        {
            "seed": canonical("seed", "a http://thief.org/x"),
            "a": canonical("http://thief.org/x"),
            "thief.org/x": canonical("http://thief.org/x"),
        }
    )
    _, visits = crawled(web)
    assert visits == [("seed", "ok"), ("a", "ok"), ("thief.org/x", "ok")]


def test_another_host_of_the_same_registered_domain_is_believed() -> None:
    web = SmallWeb(
        {
            "www.shop.co.uk/": canonical("https://shop.co.uk/", "https://shop.co.uk/ http://other.co.uk/"),
            "other.co.uk/": canonical("http://www.shop.co.uk/"),
        }
    )
    _, visits = crawled(web)
    assert visits == [("www.shop.co.uk/", "ok"), ("other.co.uk/", "ok")], "it need not even be offered"


def test_a_page_that_calls_itself_by_a_url_that_failed_is_kept() -> None:
    web = SmallWeb({"seed": canonical("seed", "gone b"), "b": canonical("gone")}, dead=["gone"])
    _, visits = crawled(web)
    assert visits == [("seed", "ok"), ("gone", "dead"), ("b", "ok")]


def test_a_walker_led_to_a_page_it_has_seen_is_shown_it_again() -> None:
    web = SmallWeb({"seed": ("jumping spiders", ["a", "moved"]), "a": ("spiders", [])}, redirects={"moved": "a"})
    crawl, visits = crawled(web, WalkingScript(web, "seed", "a", "moved", "moved"))
    assert visits == [("seed", "ok"), ("a", "ok"), ("moved", "ok"), ("moved", "ok")]
    assert (crawl.pages, crawl.fetches) == (2, 3), "shown again, not charged; the way there was asked for once"
    assert isinstance(crawl.log, MemoryLog)
    assert [visit.revisit for visit in crawl.log.visits] == [False, False, True, True]


def test_near_duplicates_are_marked_and_change_no_visit(tmp_path: Path) -> None:
    words = " ".join(f"{a}{b} spiders jumping" for a in "abcdefghij" for b in "klmnopqrst")
    site = tmp_path / "site"
    site.mkdir()
    for name, more in (("a", "monday"), ("b", "tuesday"), ("c", words[::-1])):
        (site / f"{name}.html").write_text(f"<title>{name}</title><p>{words} {more}")
    (site / "index.html").write_text("".join(f"<a href={name}.html>jumping spiders</a>" for name in "abc"))
    world = tmp_path / "world"
    assert salticid("world", "build", world, "--html", site, "--base-url", "http://s.example/").status == 0
    topic = tmp_path / "t.toml"
    topic.write_text('name = "t"\nkeywords = "jumping spiders"\nseeds = ["http://s.example/index.html"]\n')
    plain = ("--strategy", "breadth_first")
    assert salticid("crawl", topic, *plain, "--web", world, "--out", tmp_path / "c").status == 0
    visits = [json.loads(line) for line in salticid("visits", tmp_path / "c", "--json").out.splitlines()]
    assert [visit["outcome"] for visit in visits] == ["ok"] * 4
    twins = {visit["final_url"][-6:]: visit["duplicate_of"] for visit in visits if visit["duplicate_of"]}
    assert twins == {"b.html": "http://s.example/a.html"}
    found = [json.loads(line) for line in salticid("search", tmp_path / "c", "spiders", "--json").out.splitlines()]
    everything = salticid("search", tmp_path / "c", "spiders", "--all", "--json").out.splitlines()
    assert len(found) == len(everything) - 1
    db = sqlite3.connect(tmp_path / "c" / "crawl.db")
    assert db.execute("SELECT count(*) FROM visit WHERE duplicate_of IS NOT NULL").fetchone() == (1,)
    db.close()
