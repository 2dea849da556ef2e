"""The story of a librarian, end to end: what is taken away is what was on the screen."""

from __future__ import annotations

import csv
import random
import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.support.dns_server import Refusal, name_server
from tests.support.http_stub import Answer, http_stub
from tests.support.page_browser import chromium, window
from tests.support.page_serving import Server, page_server

STATE = ".head .pill"
PAGES = 60
_TOPIC = ["orb", "weaver", "spiders", "spin", "silk", "threads", "into", "wheel", "webs"]
_OTHER = [
    "brass",
    "valves",
    "pump",
    "steam",
    "through",
    "pipes",
    "toward",
    "copper",
    "boilers",
    "beneath",
    "riveted",
    "iron",
    "decks",
]
_FILLER = ["morning", "garden", "hedge", "notes", "drawing", "season", "museum", "visitor", "shelf", "paper"]


def words(number: int) -> str:
    """Text of its own for every page; the higher the number, the less of it is on the topic."""
    rng = random.Random(number)
    share = 1 - number / PAGES
    some = (rng.choice(_TOPIC if rng.random() < share else _OTHER) for _ in range(90))
    return " ".join(f"{word} {rng.choice(_FILLER)}" for word in some)


def site(request: BaseHTTPRequestHandler) -> Answer:
    """A library's pages, the first of them under two addresses; links lead from each to some of the others."""
    path = request.path.replace("/index.html", "/0").strip("/") or "0"
    if not path.isdecimal() or int(path) >= PAGES:
        return Answer("there is none", 404, "text/plain")
    number, rng = int(path), random.Random(path)
    near = {*rng.sample(range(PAGES), 4), (number + 1) % PAGES, (2 * number + 1) % PAGES}
    links = "".join(f'<li><a href="/{each}">{words(each)[:30]}</a>' for each in sorted(near))
    extra = '<li><a href="/index.html">start</a>' if number % 7 == 1 else ""
    return Answer(f"<title>Page {number}</title><p>{words(number)}</p><ul>{links}{extra}</ul>")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[tuple[Server, str]]:
    """A server that may hunt on this machine, and the address of the site as a person types it."""
    with (
        http_stub(site) as port,
        name_server(lambda name: Refusal.NO_SUCH_NAME) as names,
        page_server(tmp_path, *names.options, "--delay", "0") as server,
    ):
        yield server, f"127.0.0.1:{port}/"


def begin(page: Page, query: str, starts: list[str], pages: int) -> None:
    page.get_by_label("Words that describe it").fill(query)
    page.get_by_label("Pages to read", exact=True).fill(str(pages))
    page.get_by_label("Addresses").fill("\n".join(starts))
    page.get_by_role("button", name="Start the hunt").click()


def on_screen(page: Page) -> list[str]:
    """The addresses of the list from top to bottom; the window is high enough for all of them.

    New finds, and a new order, wait until somebody asks for them.
    """
    page.wait_for_function(
        """() => {
          document.querySelector(".feed-news:not([hidden])")?.click();
          const told = parseInt(document.querySelector("#finds-title").textContent);
          return told === document.querySelectorAll("article").length;
        }"""
    )
    found = page.locator("article").evaluate_all(
        "rows => rows.map(row => [row.getBoundingClientRect().top, row.querySelector('.find-link').href])"
    )
    return [address for _, address in sorted(found)]


def taken(page: Page, name: str, which: str) -> Path:
    """The file that the menu gives."""
    page.locator("summary", has_text="Export").click()
    page.get_by_label(which).check()
    with page.expect_download() as download:
        page.get_by_role("link", name=name).click()
    return Path(download.value.path())


def rows_of(file: Path) -> list[dict[str, str]]:
    with file.open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_a_librarian_takes_away_what_was_on_the_screen(place: tuple[Server, str]) -> None:
    server, good = place
    with chromium() as browser, window(browser, height=9000, strict=False) as page:
        page.goto(server.address)
        begin(page, "what is it", [good], 20)
        expect(page.get_by_role("alert")).to_contain_text("only words that are on pages about anything")
        begin(page, "orb weaver silk webs", [good, "nonsense", "192.168.1.1"], 20)
        expect(page.locator(STATE)).to_have_text("ended")
        expect(page.locator(".figures dd").first).to_have_text("20 of 20")

        fates = page.get_by_role("region", name="Start points")
        expect(fates.get_by_role("heading")).to_have_text("2 of 3 start points could not be read")
        expect(fates).to_contain_text("nonsense: there is no host of that name; look whether it is spelt right.")
        expect(fates).to_contain_text(
            "192.168.1.1 is a private address; allow it by starting salticid serve with --allow-net 192.168.1.1/32."
        )
        failures = page.get_by_role("region", name="Could not be read")
        expect(failures.locator("li")).to_have_count(2)
        expect(failures).to_contain_text("192.168.1.1")
        expect(page.get_by_role("region", name="What is left to find")).to_contain_text("too early to say")

        liked, rejected = on_screen(page)[1], on_screen(page)[-1]
        page.locator("article").filter(has=page.locator(f'a[href="{liked}"]')).get_by_role(
            "button", name="More like this"
        ).click()
        expect(page.locator(".moved")).to_contain_text("Your word moved")
        page.locator("article").filter(has=page.locator(f'a[href="{rejected}"]')).get_by_role(
            "button", name="Not this"
        ).click()
        expect(page.locator(f'a.find-link[href="{rejected}"]')).to_have_count(0)
        expect(page.locator(".moved")).to_contain_text(re.compile("Your word moved.*Take it back", re.DOTALL))

        page.get_by_label("with", exact=True).fill("25")
        page.get_by_role("button", name="Go on").click()
        expect(page.locator(".figures dd").first).to_have_text("45 of 45")
        expect(page.locator(STATE)).to_have_text("ended")
        page.reload()
        expect(page.locator(STATE)).to_have_text("ended")
        expect(page.locator("article.liked")).to_have_count(1)
        expect(page.get_by_role("region", name="What is left to find")).to_contain_text("too early to say")
        on_topic = page.locator(".figures div", has_text="On topic in all").locator("dd").inner_text()
        expect(page.locator("#finds-title")).to_have_text(f"{on_topic} suggestions")

        shown = on_screen(page)
        rows = rows_of(taken(page, "CSV", f"What is shown: {len(shown)} pages"))
        assert [row["final_url"] for row in rows] == shown
        assert {row["final_url"]: row["word"] for row in rows if row["word"]} == {liked: "liked"}
        assert rejected not in shown
        scores = [float(row["current_score"]) for row in rows]
        assert scores == sorted(scores, reverse=True)
        assert 5 < len(shown) < 45

        page.get_by_label("Lowest score shown, as a number").fill(f"{scores[len(scores) // 2]:.2f}")
        fewer = on_screen(page)
        assert 0 < len(fewer) < len(shown)
        references = taken(page, "RIS", f"What is shown: {len(fewer)} page").read_text()
        assert re.findall(r"^UR  - (\S+)", references, re.MULTILINE) == fewer

        everything = rows_of(taken(page, "CSV", "Everything: 45 pages read"))
        assert {*shown, rejected} < {row["final_url"] for row in everything}
        assert [row["final_url"] for row in everything if row["word"] == "rejected"] == [rejected]
