"""The page with the real server and a small real web: what a person does with it, from first words to the end."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from tests.support.page_browser import chromium, picture, text, watched, window
from tests.support.page_serving import Server, SmallWeb, page_server, small_web

FINDS, STATE = "#finds-title", ".head .pill"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallWeb]:
    with small_web(tmp_path_factory.mktemp("web")) as found:
        yield found


@pytest.fixture(scope="module")
def server(web: SmallWeb, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with page_server(tmp_path_factory.mktemp("data"), *web.options, "--delay", "0.4") as found:
        yield found


def begin(page: Page, web: SmallWeb, pages: int, strategy: str) -> None:
    """Fill in the form and send it."""
    page.get_by_label("Words that describe it").fill(web.query)
    page.get_by_label("Pages to read", exact=True).fill(str(pages))
    page.get_by_label("Addresses").fill("\n".join(web.seeds))
    picture(page, "start")
    page.get_by_text("How to hunt").click()
    page.locator(f"input[value={strategy}]").check()
    page.get_by_role("button", name="Start the hunt").click()


def show_all(page: Page, least: int) -> None:
    """Show pages of any score, and wait until so many are there."""
    page.get_by_label("Lowest score shown, as a number").fill("0")
    page.wait_for_function("least => parseInt(document.querySelector('#finds-title').textContent) >= least", arg=least)


def pages_read(page: Page) -> int:
    return int(text(page, ".figures dd").split()[0])


def never_leave(route: Route) -> None:
    """Crawled pages are opened for show only."""
    route.fulfill(body="<title>there</title>", content_type="text/html")


def test_a_hunt_asks_once_whether_this_is_meant(browser: Browser, web: SmallWeb, server: Server) -> None:
    with window(browser) as page:
        page.goto(server.address)
        begin(page, web, 120, "hunter")
        question = page.get_by_role("region", name="A question")
        expect(question).to_contain_text("Is this what you mean?", timeout=60_000)
        asked = question.get_by_role("link").get_attribute("href")
        question.get_by_role("button", name="Yes").click()
        expect(page.locator("article.liked").get_by_role("link").first).to_have_attribute("href", asked or "")
        expect(page.locator(".moved")).to_contain_text("of the list", timeout=30_000)
        for _ in range(4):
            expect(question).to_be_visible()
            question.get_by_role("button", name="Skip").click()
        expect(question).to_be_hidden()
        page.reload()
        expect(page.locator(STATE)).to_be_visible()
        expect(question).to_be_hidden()


def test_from_first_words_to_two_hunts_compared(browser: Browser, web: SmallWeb, server: Server) -> None:
    with window(browser) as page:
        page.context.route(re.compile(r"^http://(?!127\.0\.0\.1)"), never_leave)
        page.goto(server.address)
        begin(page, web, 1200, "myspiders")
        show_all(page, 10)

        with page.context.expect_page() as opened:
            page.locator(".find-link").first.click()
        assert opened.value.evaluate("window.opener") is None
        opened.value.close()

        page.locator("article").nth(1).get_by_role("button", name="Why").click()
        like = page.locator("article").first.get_by_role("button", name="More like this")
        like.click()
        expect(like).to_have_attribute("aria-pressed", "true")
        expect(page.locator(".moved")).to_contain_text("Your word moved")
        picture(page, "hunt")

        page.locator("article").first.get_by_role("button", name=re.compile("^Spider")).click()
        expect(page.locator(".who")).to_contain_text("found, whatever their score")
        expect(page.get_by_role("heading", name="Its path")).to_be_visible()
        expect(page.get_by_role("heading", name="Its energy")).to_be_visible()
        number = re.search(r"spider/(\d+)", page.url)
        assert number
        finders = set(page.locator("article .inline").all_inner_texts())
        assert finders == {f"Spider {number[1]}"}
        picture(page, "spider")
        page.keyboard.press("a")
        expect(page.locator(".who")).to_be_hidden()

        page.get_by_role("button", name="Pause").click()
        expect(page.locator(STATE)).to_have_text("paused")
        page.wait_for_timeout(1200)
        held = pages_read(page)
        page.wait_for_timeout(1000)
        assert pages_read(page) == held
        page.get_by_role("button", name="Go on").click()
        expect(page.locator(STATE)).to_have_text("hunting")
        page.wait_for_function("held => parseInt(document.querySelector('.figures dd').textContent) > held", arg=held)
        page.get_by_role("button", name="Stop").click()
        expect(page.locator(STATE)).to_have_text("ended")
        expect(page.locator(".ending")).to_contain_text("stopped")

        page.get_by_text("Export").first.click()
        page.get_by_label("Everything").check()
        with page.expect_download() as download:
            page.get_by_role("link", name="CSV").click()
        with Path(download.value.path()).open(newline="") as file:
            taken = [row["url"] for row in csv.DictReader(file)]
        assert len(set(taken)) == len(taken)
        assert 0.9 * pages_read(page) <= len(taken) <= pages_read(page), "of near-duplicates one is taken"
        page.get_by_text("Export").first.click()
        page.get_by_label("In pieces").check()
        page.get_by_label("Also pages that forbid copies").check()
        asked = re.compile("which=everything&noindex=1&chunks=300&ticket=")
        expect(page.get_by_role("link", name="JSON lines")).to_have_attribute("href", asked)
        expect(page.get_by_role("link", name="WARC")).to_have_attribute("href", re.compile("noindex=1&ticket="))
        with page.expect_download() as download:
            page.get_by_role("link", name="JSON lines").click()
        assert '"chunk":1' in Path(download.value.path()).read_text()

        page.get_by_role("link", name="Kept hunts").click()
        page.get_by_label("Search all pages of all hunts").fill("painting")
        expect(page.locator(".search .soft")).to_contain_text("found")
        expect(page.locator(".hits mark").first).to_have_text(re.compile("painting", re.IGNORECASE))
        picture(page, "kept")

        page.get_by_role("link", name="New hunt").click()
        page.get_by_label("Words that describe it").fill("painting")
        page.get_by_label("Pages to read", exact=True).fill("30")
        page.get_by_label("Start from mine").check()
        page.get_by_text("How to hunt").click()
        page.locator("input[value=best_first]").check()
        page.get_by_role("button", name="Start the hunt").click()
        expect(page.locator(STATE)).to_have_text("ended")
        expect(page.get_by_role("heading", name="Spiders")).to_be_hidden()

        page.get_by_role("link", name="Compare").click()
        expect(page.locator(".compared")).to_contain_text("myspiders")
        expect(page.locator(".compared")).to_contain_text("best-first")
        expect(page.locator("polyline")).to_have_count(2)
        picture(page, "compare")

        page.get_by_role("link", name="Kept hunts").click()
        page.get_by_role("button", name=re.compile("pages more")).first.click()
        expect(page.locator(STATE)).not_to_have_text("ended")


def test_two_windows_a_reload_and_a_killed_server_lose_nothing(browser: Browser, web: SmallWeb, server: Server) -> None:
    with window(browser, strict=False) as page:
        page.goto(server.address)
        begin(page, web, 1200, "infospiders")
        show_all(page, 10)
        second = page.locator("article").nth(1)
        step = second.get_attribute("data-key") or ""
        page.locator(f"article[data-key='{step}']").get_by_role("button", name="More like this").click()
        expect(page.locator(".moved")).to_contain_text("Your word moved")

        other = page.context.new_page()
        complaints = watched(other)
        other.goto(page.url)
        show_all(other, 10)
        expect(other.locator("article.liked")).to_have_attribute("data-key", step)
        other.get_by_role("button", name="Pause").click()
        expect(page.locator(STATE)).to_have_text("paused")
        assert complaints == []

        page.reload()
        expect(page.locator("article.liked")).to_have_attribute("data-key", step)
        expect(page.locator(STATE)).to_have_text("paused")
        before = pages_read(page)

        server.kill()
        expect(page.locator("#link")).to_contain_text("Connection lost")
        expect(page.locator("article").first).to_be_visible()
        server.start()
        expect(page.locator("#link")).to_contain_text("Open the address")
        other.goto(server.address)
        expect(page.locator("#link")).to_be_hidden()
        go_on = page.get_by_role("button", name="Go on").locator("visible=true")
        go_on.click()
        expect(page.locator(STATE)).to_have_text("hunting")
        page.wait_for_function("held => parseInt(document.querySelector('.figures dd').textContent) > held", arg=before)
        expect(page.locator("article.liked")).to_have_attribute("data-key", step)


def test_the_keyboard_alone_is_enough(browser: Browser, web: SmallWeb, server: Server) -> None:
    with window(browser) as page:
        page.context.route(re.compile(r"^http://(?!127\.0\.0\.1)"), never_leave)
        page.goto(server.address)
        expect(page.get_by_label("Words that describe it")).to_be_focused()
        page.keyboard.type(web.query)
        tab_to(page, "pages")
        page.keyboard.press("Control+a")
        page.keyboard.type("1200")
        tab_to(page, "urls")
        page.keyboard.insert_text("\n".join(web.seeds))
        tab_to(page, "", "summary")
        page.keyboard.press("Enter")
        tab_to(page, "", "input[type=radio]")
        page.keyboard.press("ArrowDown")
        tab_to(page, "", "button[type=submit]")
        page.keyboard.press("Enter")
        expect(page.locator(STATE)).to_be_visible()
        tab_to(page, "threshold")
        page.keyboard.press("Home")
        expect(page.locator("article").nth(3)).to_be_visible()

        page.keyboard.press("Tab")
        while not page.evaluate("document.activeElement.matches('article')"):
            page.keyboard.press("Tab")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("k")
        page.keyboard.press("End")
        page.keyboard.press("Home")
        with page.context.expect_page() as opened:
            page.keyboard.press("Enter")
        opened.value.close()
        page.bring_to_front()
        page.keyboard.press("+")
        expect(page.locator("article:focus .thumb.up")).to_have_attribute("aria-pressed", "true")
        expect(page.locator(".moved")).to_contain_text("Your word")
        step = page.evaluate("document.activeElement.dataset.key")
        page.keyboard.press("-")
        expect(page.locator(f"article[data-key='{step}']")).to_have_count(0)
        expect(page.locator("article:focus")).to_have_count(1)
        page.keyboard.press("w")
        expect(page.locator("article:focus .open")).to_be_visible()
        page.keyboard.press("p")
        expect(page.locator(STATE)).to_have_text("paused")
        page.keyboard.press("?")
        expect(page.get_by_role("dialog")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_be_hidden()
        page.keyboard.press("p")
        expect(page.locator(STATE)).to_have_text("hunting")


def tab_to(page: Page, name: str, selector: str = "") -> None:
    """Press Tab until the focus is there; fifty times must do."""
    wanted = f"#{name}" if name else selector
    for _ in range(50):
        if page.evaluate("wanted => document.activeElement.matches(wanted)", wanted):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"fifty times Tab, and no {wanted}")
