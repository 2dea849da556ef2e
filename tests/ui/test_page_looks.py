"""What the page looks like to those who see it, hear it, or have it on a telephone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.support.page_browser import chromium, grave_findings, picture, window
from tests.support.page_stub import MadeUpCrawl, stub_server

VIEWS = {
    "start": ("#/", "h1"),
    "hunt": ("#/crawl/crawl-1", "article"),
    "spider": ("#/crawl/crawl-1/spider/3", ".trail"),
    "ended": ("#/crawl/crawl-2", ".ending"),
    "crawls": ("#/crawls", ".card"),
    "compare": ("#/compare/crawl-1/crawl-2", ".compared"),
    "nowhere": ("#/no/such/place", "h1"),
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    running, ended = MadeUpCrawl(1, 400, 180), MadeUpCrawl(2, 300, 300, spiders=False, seed=5)
    ended.state = "ended"
    with stub_server(running, ended) as at:
        yield at


def views(page: Page, address: str) -> Iterator[str]:
    """Every view of the page, one after the other."""
    for name, (place, sign) in VIEWS.items():
        page.goto(f"{address}/{place}")
        expect(page.locator(sign).first).to_be_attached()
        page.wait_for_timeout(150)
        yield name


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_view_has_grave_faults_for_those_who_cannot_see_it(browser: Browser, address: str, theme: str) -> None:
    with window(browser, color_scheme=theme, reduced_motion="reduce") as page:
        found = {}
        for view in views(page, address):
            if (view, theme) == ("hunt", "dark"):
                picture(page, "hunt-dark")
            if view == "hunt":
                page.get_by_role("button", name="Why").first.click()
                expect(page.locator(".bars")).to_be_visible()
            found[view] = grave_findings(page)
        page.get_by_role("button", name="Keys").click()
        found["keys"] = grave_findings(page)
        assert found == {view: [] for view in [*VIEWS, "keys"]}


def test_nothing_scrolls_sideways_on_a_telephone(browser: Browser, address: str) -> None:
    with window(browser, 360, 740, has_touch=True) as page:
        wide = {}
        for view in views(page, address):
            wide[view] = page.evaluate("document.documentElement.scrollWidth")
            if view == "ended":
                picture(page, "phone")
        page.goto(f"{address}/#/crawl/crawl-1")
        page.get_by_role("button", name="The hunt").click()
        expect(page.get_by_role("heading", name="Harvest")).to_be_visible()
        expect(page.locator("article").first).to_be_hidden()
        wide["panels"] = page.evaluate("document.documentElement.scrollWidth")
        assert wide == dict.fromkeys([*VIEWS, "panels"], 360)


def test_the_theme_follows_the_system_until_the_person_chooses(browser: Browser, address: str) -> None:
    paper = "getComputedStyle(document.documentElement).backgroundColor"
    with window(browser, color_scheme="dark") as page:
        page.goto(address)
        dark = page.evaluate(paper)
        page.emulate_media(color_scheme="light")
        light = page.evaluate(paper)
        assert dark != light
        page.get_by_role("button", name="Theme: system").click()
        page.get_by_role("button", name="Theme: light").click()
        assert page.evaluate(paper) == dark
        page.reload()
        expect(page.get_by_role("button", name="Theme: dark")).to_be_visible()
        assert page.evaluate(paper) == dark


def test_what_is_missing_is_said_beside_its_field(browser: Browser, address: str) -> None:
    with window(browser) as page:
        page.goto(address)
        page.get_by_label("Pages to read", exact=True).fill("0")
        page.get_by_role("button", name="Start the hunt").click()
        expect(page.get_by_label("Words that describe it")).to_have_accessible_description("Say what to look for.")
        expect(page.get_by_label("Words that describe it")).to_be_focused()
        expect(page.locator("#from-missing")).to_contain_text("Name at least one place")
        expect(page.locator("#pages-missing")).to_contain_text("at least 1")
        page.get_by_label("Pages to read", exact=True).fill("9999999")
        page.get_by_role("button", name="Start the hunt").click()
        expect(page.locator("#pages-missing")).to_contain_text("At most 1,000,000 pages in one go")


def test_a_hint_opens_for_the_keyboard_and_goes_with_escape(browser: Browser, address: str) -> None:
    with window(browser) as page:
        page.goto(address)
        mark = page.get_by_role("button", name="What is pages to read?")
        mark.press("Enter")
        expect(page.get_by_text("You can stop earlier")).to_be_visible()
        expect(mark).to_have_attribute("aria-expanded", "true")
        mark.press("Escape")
        expect(page.get_by_text("You can stop earlier")).to_be_hidden()


def test_the_status_speaks_of_states_and_not_of_every_page(browser: Browser) -> None:
    crawl = MadeUpCrawl(1, 400, 100)
    with stub_server(crawl) as at, window(browser) as page:
        page.goto(f"{at}/#/crawl/crawl-1")
        expect(page.locator("article").first).to_be_visible()
        page.evaluate(
            "window.said = []; new MutationObserver(() => said.push(document.querySelector('#status').textContent))"
            ".observe(document.querySelector('#status'), { childList: true })"
        )
        crawl.told = 300
        pages = sum(visit["outcome"] == "ok" for visit in crawl.visits[:300])
        expect(page.locator(".panel", has_text="Harvest")).to_contain_text(f"of {pages} pages")
        page.get_by_role("button", name="Pause").click()
        expect(page.locator("#status")).to_have_text("The hunt is paused.")
        assert page.evaluate("said") == ["The hunt is paused."]
