"""The figures of the page agree with each other, whatever was judged anew and whatever a person said."""

from __future__ import annotations

import json
import random
import re
import tomllib
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.support.page_browser import chromium, text, window
from tests.support.page_stub import MadeUpCrawl, stub_server
from tests.support.ui_serving import Client, serving

from salticid.messages import Revision
from salticid.service.tally import Standing
from salticid.store.record import VisitRow
from salticid.worlds.generating.building import WebEdition, build_generated
from salticid.worlds.topics import TopicPlan, make_topics


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


def arrival(step: int, score: float, twin: int | None) -> VisitRow:
    facts = dict.fromkeys(VisitRow._fields, 0)
    return VisitRow(**{**facts, "step": step, "score": score, "positive": score >= 0.5, "duplicate_of": twin})  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(5))
def test_what_is_kept_as_a_log_grows_is_what_one_would_count_at_its_end(seed: int) -> None:
    dice = random.Random(seed)
    standing, scores, groups, words, line = (
        Standing(),
        dict[int, float](),
        dict[int, int](),
        dict[int, int](),
        0.5,
    )
    for step in range(0, 300, 2):
        firsts = [one for one in scores if groups[one] == one]
        twin = dice.choice(firsts) if firsts and dice.random() < 0.2 else None
        scores[step], groups[step] = dice.random(), step if twin is None else twin
        standing.see(arrival(step, scores[step], twin))
        if dice.random() < 0.1:
            anew = {one: dice.random() for one in dice.sample(sorted(scores), min(9, len(scores)))}
            spoken = {dice.choice(sorted(scores)): dice.choice([1, -1, 0])}
            feedback = [(f"u{one}", liking) for one, liking in spoken.items()]
            standing.hear(Revision(list(anew.items()), feedback), {f"u{one}": one for one in spoken})
            scores |= anew
            words |= spoken
        if dice.random() < 0.05:
            standing.draw_line(line := dice.random())
    standing.draw_line(line)

    def is_on(step: int) -> bool:
        return words.get(step, 0) > 0 or (not words.get(step, 0) and scores[step] >= line)

    def found(steps: list[int]) -> int:
        rejected = {groups[step] for step, word in words.items() if word < 0}
        return len({groups[step] for step in steps if is_on(step)} - rejected)

    assert standing.on_topic == found(list(scores))
    assert standing.curve()[-1] == standing.on_topic
    assert standing.curve()[40] == found(list(scores)[:40])
    assert standing.share_of_last(20) == sum(map(is_on, list(scores)[-20:])) / 20


@pytest.fixture(scope="module")
def hunted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Client, list[str]]]:
    """A server with two hunts in a small recorded world that have ended."""
    data, topics = tmp_path_factory.mktemp("data"), tmp_path_factory.mktemp("topics")
    build_generated(data / "worlds" / "small", WebEdition(600, 3))
    make_topics(data / "worlds" / "small", topics, TopicPlan(task="neighbours"))
    topic = tomllib.loads(next(iter(sorted(topics.glob("*.toml")))).read_text())
    order = {"query": topic["keywords"], "urls": topic["seeds"], "world": "small"}
    nowhere = [*topic["seeds"], "http://nowhere.example/"]
    with serving(data) as (_, client):
        names = [
            client.post("/api/crawls", {**order, "max_pages": 120})["id"],
            client.post("/api/crawls", {**order, "max_pages": 60, "urls": nowhere})["id"],
        ]
        for name in names:
            client.until(name, lambda summary: summary["state"] == "ended")
        yield client, names


def figure(page: Page, name: str) -> int:
    """A number of the head."""
    return int(page.locator(".figures div", has_text=name).locator("dd").inner_text().split()[0])


def on_topic(client: Client, name: str) -> list[dict[str, Any]]:
    """The visits whose score reaches the line."""
    line = client.get(f"/api/crawls/{name}")["line"]
    body = client.ask("GET", f"/api/crawls/{name}/export?format=jsonl").body
    visits = [json.loads(row) for row in body.splitlines()]
    return [visit for visit in visits if visit["current_score"] >= line]


def suggestions(page: Page) -> int:
    return int(text(page, "#finds-title").split()[0])


def test_the_figures_of_a_hunt_are_one_number_before_and_after_a_word(
    browser: Browser, hunted: tuple[Client, list[str]]
) -> None:
    client, (name, _) = hunted
    at = f"http://127.0.0.1:{client.port}/"
    with window(browser) as page:
        page.goto(f"{at}?token={client.token}#/crawl/{name}")
        expect(page.locator("article").first).to_be_visible()
        found = figure(page, "On topic in all")
        assert found > 10
        assert suggestions(page) == found
        sites = {urlsplit(visit["final_url"]).hostname for visit in on_topic(client, name)}
        told = page.locator(".figures div", has_text="Sites on topic").locator("dd").inner_text()
        assert told.split()[0] == str(len(sites))
        assert int(told.split()[-1]) > len(sites) > 1
        expect(page.locator(".panel", has_text="Harvest")).to_contain_text(f"{found} of 120 pages are on topic")

        page.locator("article").nth(1).get_by_role("button", name="Not this").click()
        expect(page.locator(".moved")).to_contain_text("Your word moved")
        expect(page.locator(".moved")).to_contain_text("Of the links that wait")
        page.reload()
        expect(page.get_by_role("button", name="1 rejected")).to_be_visible()
        expect(page.locator(".panel", has_text="Harvest")).to_contain_text("of 120 pages are on topic")
        found = figure(page, "On topic in all")
        assert suggestions(page) == found
        expect(page.locator(".panel", has_text="Harvest")).to_contain_text(f"{found} of 120 pages are on topic")
        page.goto(f"{at}#/crawls")
        expect(page.locator(".card", has=page.locator(f"a[href$='{name}']"))).to_contain_text(f"{found} on topic")
        assert client.get(f"/api/crawls/{name}/curve")["points"][-1] == [120, found]
        shown = client.get(f"/api/crawls/{name}")
        assert (shown["positive"], shown["line"]) == (found, 0.5)


def test_two_hunts_are_told_apart_and_what_makes_them_unequal_is_said(
    browser: Browser, hunted: tuple[Client, list[str]]
) -> None:
    client, names = hunted
    with window(browser) as page:
        page.goto(f"http://127.0.0.1:{client.port}/?token={client.token}#/compare/{names[0]}/{names[1]}")
        expect(page.locator(".remarks")).to_contain_text(re.compile(r"1 of \d+ start points of B could not be read"))
        expect(page.locator(".remarks")).to_contain_text("A read 120 pages, B 60")
        expect(page.locator("figcaption")).to_contain_text("After 60 pages each")
        headings = page.locator(".compared thead th").all_inner_texts()
        options = page.locator("#compare-0 option").all_inner_texts()
        assert headings[0][2:] != headings[1][2:]
        assert len(set(options)) == len(options) == 2


def test_two_hunts_of_the_same_kind_are_not_said_to_be_unequal(browser: Browser) -> None:
    hunts = [MadeUpCrawl(number, 200, 200, spiders=False, seed=3) for number in (1, 2)]
    for hunt in hunts:
        hunt.state = "ended"
    with stub_server(*hunts) as at, window(browser) as page:
        page.goto(f"{at}/#/compare/crawl-1/crawl-2")
        expect(page.locator("figcaption")).to_contain_text("both had found as much")
        expect(page.locator(".remarks")).to_have_count(0)
