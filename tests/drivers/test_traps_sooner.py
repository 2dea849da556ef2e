"""Folders in ever new orders and pages that are not there are known soon; honest sites that look so are read on."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.support.endless import DULL, KEYWORDS, Sheet, Site, a_word, crawl, html, library
from tests.support.hostile import Answer, Asked, Server, page, serving
from tests.support.running import salticid

from salticid.model import Outcome, StopReason

GOOD = "http://good.example/article/0"
TRAP = "http://trap.example/"


def tangle(text: str, *names: str) -> Site:
    """Relative links on every page, to folders that are everywhere; nothing else is there."""

    def site(path: str, query: str) -> Sheet:
        if not {"", *(part for name in names for part in name.split("/"))}.issuperset(path.split("/")):
            raise LookupError(path)
        return text.format(a_word(path)), names

    return site


@pytest.mark.parametrize("text", [f"{DULL} {{}}", f"about spiders {DULL} {{}}", KEYWORDS], ids=["dull", "fair", "same"])
@pytest.mark.parametrize(
    "names",
    [("a/",), ("a/", "b/"), ("a/b/", "b/"), ("p1/", "p2/"), ("a/", "x.html"), ("a/", "b/", "c/", "d/")],
    ids=" ".join,
)
def test_relative_links_that_nest_are_known_within_sixty_requests(text: str, names: tuple[str, ...]) -> None:
    sites = {"trap.example": tangle(text, *names), "good.example": library(100)}
    done = crawl(sites, TRAP, GOOD, pages=2000)
    assert done.stopped is StopReason.FRONTIER_EMPTY
    assert 1 < done.web.asked["trap.example"] <= 60
    assert done.web.asked["good.example"] == 100
    assert any(visit.outcome is Outcome.TRAP for visit in done.visits)


def deep(path: str, query: str) -> Sheet:
    """A hundred chapters, each under /en/docs/ and again under /en/docs/en/, seven folders deep, none of them liked."""
    at = int(path.rpartition("-")[2] or 0) if "-" in path else 0
    below = "/".join("abcdefg"[: at % 7])
    further = [
        f"/en/docs/{second}{below + '/' if below else ''}chapter-{n}"
        for n in (2 * at + 1, 2 * at + 2)
        for second in ("", "en/")
        if n <= 100
    ]
    return f"{DULL} {a_word(path)}", further


def test_an_honest_deep_site_is_read_to_its_end() -> None:
    sites = {"deep.example": deep, "good.example": library(50)}
    done = crawl(sites, "http://deep.example/en/docs/", GOOD, pages=2000)
    assert done.stopped is StopReason.FRONTIER_EMPTY
    assert {visit.outcome for visit in done.visits} == {Outcome.OK}
    assert done.web.asked["deep.example"] == 1 + 2 * 100


def shop_without_404s(path: str, query: str) -> Sheet:
    """Thirty pages, dead links on each, and for all that is not there a page that says so and names it."""
    name = path.strip("/")
    if name in {"", *(f"item-{a_word(str(n))}" for n in range(30))}:
        at = next((n for n in range(30) if name.endswith(a_word(str(n)))), 0)
        further = [f"/item-{a_word(str(n))}" for n in (2 * at + 1, 2 * at + 2) if n < 30]
        return f"Spiders, {a_word(path)}", [*further, *(f"/gone-{a_word(f'{at} {n}')}" for n in range(2))]
    return f"Sorry, this was not found: {name}", [f"{name}-more/{a_word(path)}{n}" for n in range(5)]


def nothing_there(path: str, query: str) -> Sheet:
    """One page, and for all that is not there another with links to more of it."""
    if path == "/":
        return f"Welcome, {DULL}", [f"/{a_word(str(n))}" for n in range(300)]
    name = path.strip("/")
    return f"Sorry, this was not found: {name}", [f"/{a_word(path + str(n))}/{n}" for n in range(10)]


def test_a_site_that_never_says_404_is_known_within_fifty_requests() -> None:
    done = crawl({"trap.example": nothing_there, "good.example": library(100)}, TRAP, GOOD, pages=2000)
    assert done.stopped is StopReason.FRONTIER_EMPTY
    assert 20 < done.web.asked["trap.example"] <= 50
    assert done.web.asked["good.example"] == 100
    trapped = [visit for visit in done.visits if done.web.urls[visit.url].startswith(TRAP)]
    kinds = Counter((visit.outcome, visit.status) for visit in trapped)
    assert kinds[Outcome.DEAD, 200] >= 10, "not found, whatever the status says"
    assert kinds[Outcome.OK, 200] < 20


def test_the_pages_of_a_site_that_never_says_404_are_read_all_the_same() -> None:
    done = crawl({"shop.example": shop_without_404s}, "http://shop.example/", pages=2000)
    good = {f"http://shop.example/item-{a_word(str(n))}" for n in range(1, 30)}
    read = {done.web.urls[visit.url] for visit in done.visits if visit.outcome is Outcome.OK}
    assert done.stopped is StopReason.FRONTIER_EMPTY
    assert good <= read
    assert len(read) <= 1 + len(good) + 6 + 8, "those that were read before anybody knew"


def _answer(asked: Asked) -> Answer:
    if asked.path == "/robots.txt":
        return page(b"", status=404)
    if asked.host == "good.example":
        at = int(asked.path.strip("/") or 0)
        return page(html(f"Jumping spiders {a_word(asked.path)}", [f"/{at + 1}"] if at < 60 else []))
    return page(html(*nothing_there(asked.path, "")))


def test_a_crawl_that_goes_on_looks_again_and_knows_it_then(tmp_path: Path) -> None:
    topic = tmp_path / "topic.toml"
    topic.write_text(
        f'name = "t"\nkeywords = "{KEYWORDS}"\nseeds = ["{TRAP}", "http://good.example/0"]\nlanguage = "en"\n'
    )

    def run(server: Server, pages: int) -> dict[str, Any]:
        where = ("--resolve", f"*=127.0.0.1:{server.port}", "--allow-net", "127.0.0.0/8", "--delay", "0")
        said = salticid(
            "crawl",
            topic,
            *where,
            "--max-pages",
            pages,
            "--concurrency",
            4,
            "--out",
            tmp_path / "out",
            "--json",
        )
        assert said.status == 0, said.err
        result: dict[str, Any] = json.loads(said.out)
        return result

    async def both() -> tuple[dict[str, Any], dict[str, Any], Server]:
        async with serving(_answer) as server:
            return await asyncio.to_thread(run, server, 25), await asyncio.to_thread(run, server, 400), server

    first, second, server = asyncio.run(both())
    asked = [place for place in server.pages if place.startswith("trap.example")]
    assert (first["stopped"], second["stopped"]) == ("budget", "frontier empty")
    assert len(asked) <= 50 + 8
    assert sum(count > 1 for count in Counter(asked).values()) <= 1, "only what was made up is asked for again"
    assert second["outcomes"]["dead"] >= 10
