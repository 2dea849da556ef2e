"""Traps: sites without end are left again, honest ones are not, and nobody is cut short without need."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.endless import (
    DULL,
    KEYWORDS,
    Site,
    calendar,
    crawl,
    facets,
    html,
    library,
    many,
    rounds,
    sessions,
    shop,
)
from tests.support.hostile import Answer, Asked, Server, page, serving
from tests.support.running import salticid

from salticid.drivers import traps as module
from salticid.drivers.traps import (
    MOST_UNPARSABLE,
    PAGES_A_CALENDAR,
    PAGES_A_PATTERN,
    SESSIONS,
    Traps,
    goes_round,
    shape,
    without_session,
)
from salticid.model import Choice, Link, Outcome, StopReason, Visit
from salticid.parse.html import Parser
from salticid.tables.texts import Texts, Urls
from salticid.urls import canonical

GOOD = "http://good.example/article/0"
UNDER_WAY = 8
"""Pages that were chosen before anybody knew."""


@pytest.mark.parametrize(
    ("site", "start", "most"),
    [
        (calendar, "/calendar/2026/1", PAGES_A_CALENDAR),
        (facets, "/search", 3 + 60),
        (shop, "/shop/", 120),
        (rounds, "/", 120),
    ],
)
def test_a_trap_is_left(site: Site, start: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAGES_A_PATTERN", 60)
    monkeypatch.setattr(module, "PAGES_A_SECTION", 120)
    sites = {"trap.example": site, "good.example": library(300)}
    done = crawl(sites, f"http://trap.example{start}", GOOD, pages=2000)
    assert done.stopped is StopReason.FRONTIER_EMPTY
    assert done.web.asked["good.example"] == 300
    assert 1 < done.web.asked["trap.example"] <= most + UNDER_WAY
    left_out = [visit for visit in done.visits if visit.outcome is Outcome.TRAP]
    assert left_out
    assert all(visit.page is None and visit.status == 0 for visit in left_out)


def test_without_traps_the_same_crawl_goes_on_to_the_end_of_its_budget() -> None:
    sites = {"trap.example": calendar, "good.example": library(200)}
    done = crawl(sites, "http://trap.example/", GOOD, pages=500, share=None)
    assert done.stopped is StopReason.BUDGET
    assert done.web.asked["trap.example"] == 300
    assert not any(visit.outcome is Outcome.TRAP for visit in done.visits)


def test_a_page_is_asked_for_under_few_session_ids_though_it_is_good() -> None:
    done = crawl({"trap.example": sessions}, "http://trap.example/page1", pages=2000)
    assert done.stopped is StopReason.FRONTIER_EMPTY
    assert 10 <= done.web.asked["trap.example"] <= 1 + 10 * SESSIONS + UNDER_WAY


def test_a_large_honest_site_of_one_pattern_is_read_to_its_end() -> None:
    done = crawl({"good.example": library(2000)}, GOOD, pages=5000)
    assert (done.stopped, done.web.asked["good.example"]) == (StopReason.FRONTIER_EMPTY, 2000)
    assert {visit.outcome for visit in done.visits} == {Outcome.OK}


def test_a_host_waits_for_others_once_it_has_had_its_share() -> None:
    others: dict[str, Site] = {f"h{n}.example": library(30) for n in range(20)}
    sites = {"hub.example": many(20), "good.example": library(5000), **others}
    done = crawl(sites, "http://hub.example/", GOOD, pages=1000)
    assert done.stopped is StopReason.BUDGET
    while_others_wait = done.hosts[: 250 + 20 * 30]
    assert while_others_wait.count("good.example") <= 250 + UNDER_WAY
    assert done.hosts.count("good.example") == 1000 - 1 - 20 * 30, "then it may have what is left"


def test_a_host_alone_is_not_bound_by_its_share() -> None:
    done = crawl({"good.example": library(5000)}, GOOD, pages=600, share=0.1)
    assert (done.stopped, done.web.asked["good.example"]) == (StopReason.BUDGET, 600)


def test_a_seed_is_asked_for_whatever_it_looks_like() -> None:
    seed = "http://trap.example/en/en/en/en/en/"
    done = crawl({"trap.example": rounds}, seed)
    assert done.visits[0].outcome is Outcome.OK
    assert {visit.outcome for visit in done.visits[1:]} == {Outcome.TRAP}


def test_a_small_budget_has_no_shares() -> None:
    others: dict[str, Site] = {f"h{n}.example": library(30) for n in range(9)}
    sites = {"hub.example": many(9), "good.example": library(5000), **others}
    plain, bound = (crawl(sites, "http://hub.example/", GOOD, pages=200, share=share) for share in (None, 0.01))
    assert plain.hosts == bound.hosts


def visits_to(urls: Urls, words: Texts, *pages: tuple[str, float]) -> list[Visit]:
    parser = Parser(urls, words)
    parsed = [parser.parse(b"<p>words", url) for url, _ in pages]
    return [
        Visit(step, Choice(Link(read.url)), read.url, Outcome.OK, read, score, score > 0.5, 0)
        for step, (read, (_, score)) in enumerate(zip(parsed, pages, strict=True))
    ]


def test_a_pattern_is_judged_by_its_best_page() -> None:
    urls, words = Urls(), Texts()
    usual = [(f"http://usual.example/w{'x' * n}", 0.3) for n in range(PAGES_A_PATTERN + 10)]
    dull = [(f"http://dull.example/p{n}", 0.2) for n in range(PAGES_A_PATTERN)]
    lucky = [(f"http://lucky.example/p{n}", 0.31 if n == 7 else 0.1) for n in range(PAGES_A_PATTERN)]
    liked = [(f"http://liked.example/p{n}", 0.51 if n == 7 else 0.1) for n in range(PAGES_A_PATTERN)]
    for kind, held in ((dull, True), (lucky, False), (liked, False), (dull[:-1], False)):
        traps = Traps(urls, words)
        for visit in visits_to(urls, words, *usual, *kind):
            traps.observe(visit)
        host = kind[0][0].split("/")[2]
        assert traps.hold(urls.intern(f"http://{host}/p99999")) is held
        assert not traps.hold(urls.intern(f"http://{host}/other"))


def test_a_host_that_wears_parsers_out_is_left() -> None:
    urls, words = Urls(), Texts()
    traps = Traps(urls, words)
    for visit in visits_to(urls, words, *((f"http://bad.example/{'z' * n}", 0.0) for n in range(MOST_UNPARSABLE + 1))):
        assert not traps.hold(visit.url)
        traps.observe(replace(visit, outcome=Outcome.UNPARSABLE, page=None))
    assert traps.hold(urls.intern("http://bad.example/more"))
    assert not traps.hold(urls.intern("http://good.example/more"))


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_PATTERNS", 50)
    urls, words = Urls(), Texts()
    traps = Traps(urls, words)
    for visit in visits_to(urls, words, *((f"http://h{n}.example/{'y' * (n % 60)}?sid={n}", 0.1) for n in range(500))):
        traps.observe(visit)
    assert len(traps._patterns) == 50


def test_two_who_saw_the_same_visits_hold_the_same() -> None:
    done = crawl({"trap.example": calendar, "good.example": library(80)}, "http://trap.example/calendar/2026/1", GOOD)
    again = Traps(done.web.urls, done.web.words)
    for visit in done.visits:
        assert again.hold(visit.url) or visit.outcome is not Outcome.TRAP
        again.observe(visit)


@given(st.text(alphabet="/aS(0)9?&=-%sid.", max_size=60))
def test_any_url_has_a_shape(path: str) -> None:
    url = canonical(f"http://a.example/{path}")
    assert url is not None
    assert shape(url).startswith("a.example/")
    assert goes_round(url) in (True, False)
    assert without_session(url) != url


@pytest.mark.parametrize(
    ("url", "round_"),
    [
        ("a/b/a/b/a/b/a/b/", True), ("en/en/en/en/", True), ("x/y/x/z/x/w/x/v/x/u/x/t/x/", True),
        ("?a=1" + "&a=1" * 7, True),
        ("/".join("abcdefghij" * 5), True), ("a/b/a/b/a/b/", False), ("en/en/en/", False), ("0/0/0/0/0/0/7.htm", False),
        ("2024/05/05/05/", False), ("wiki/Duran_Duran", False),
        ("?tag=a&tag=b&tag=c&tag=d&tag=e&tag=f&tag=g&tag=h", False),
    ],
)  # fmt: skip
def test_what_goes_round(url: str, round_: bool) -> None:
    assert goes_round(f"http://a.example/{url}") is round_


def _trapped(asked: Asked) -> Answer:
    """A calendar, and good pages beside it."""
    if not re.fullmatch(r"/(calendar/\d+/\d+|\d*)", asked.path):
        return page(b"", status=404)
    if asked.host == "good.example":
        at = int(asked.path.strip("/") or 0)
        return page(html(f"Jumping spiders have eyes and silk {at}", [f"/{at + 1}", f"/{at + 2}"] if at < 150 else []))
    text, links = calendar(asked.path, "") if asked.path.startswith("/calendar/") else (DULL, ["/calendar/2026/1"])
    return page(html(text, links))


def test_a_crawl_that_goes_on_knows_its_traps(tmp_path: Path) -> None:
    topic = tmp_path / "topic.toml"
    seeds = ["http://trap.example/", "http://good.example/0"]
    topic.write_text(f'name = "t"\nkeywords = "{KEYWORDS}"\nseeds = {seeds}\nlanguage = "en"\n')

    async def both() -> tuple[dict[str, Any], int, dict[str, Any], Server]:
        async with serving(_trapped) as server:
            first = await asyncio.to_thread(_crawl, topic, server.port, tmp_path / "out", 140)
            asked = len(server.pages)
            return (
                first,
                asked,
                await asyncio.to_thread(_crawl, topic, server.port, tmp_path / "out", 400),
                server,
            )

    first, asked, second, server = asyncio.run(both())
    months = [place for place in server.pages if re.search(r"/calendar/\d+/\d+$", place)]
    assert first["stopped"] == "budget"
    assert second["stopped"] == "frontier empty"
    assert PAGES_A_CALENDAR <= len(months) <= PAGES_A_CALENDAR + UNDER_WAY
    assert not set(months).intersection(server.pages[asked:])
    assert second["outcomes"]["trap"] > 0
    made_up = [place for place in server.pages if re.search("/[0-9a-f]{16}$", place)]
    assert len(set(made_up)) == 2, "months look all alike, and so do the good pages"
    assert second["fetches"] == len(server.pages) - len(made_up), "what was left out, or made up, is not charged"


def _crawl(topic: Path, port: int, out: Path, pages: int) -> dict[str, Any]:
    where = (
        "--resolve",
        f"*=127.0.0.1:{port}",
        "--allow-net",
        "127.0.0.0/8",
        "--delay",
        "0",
        "--no-warc",
        "--timeout",
        "60",
    )
    said = salticid("crawl", topic, *where, "--max-pages", pages, "--concurrency", 4, "--out", out, "--json")
    assert said.status == 0, said.err
    result: dict[str, Any] = json.loads(said.out)
    return result
