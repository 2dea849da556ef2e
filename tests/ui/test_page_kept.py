"""The hunts kept: their list as it changes, what is removed, and where a hunt may start from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.support.http_stub import Answer, http_stub
from tests.support.killing import Site, served
from tests.support.page_browser import chromium, grave_findings, window
from tests.support.page_serving import Server, page_server
from tests.support.page_stub import MadeUpCrawl, stub_server

STATE = ".head .pill"
REPORT = "<!doctype html><html lang=en><title>Trials of spring</title><h1>Who won</h1></html>"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def site() -> Site:
    return Site(300, seconds=0.01)


@contextmanager
def searxng(*urls: str) -> Iterator[tuple[str, list[str]]]:
    """A server that plays SearXNG on this machine: its address, and what it was asked."""
    asked: list[str] = []

    def search(request: BaseHTTPRequestHandler) -> Answer:
        asked.append(request.path)
        return Answer(json.dumps({"results": [{"url": url, "title": "A hit"} for url in urls]}))

    with http_stub(search) as port:
        yield f"http://127.0.0.1:{port}", asked


@pytest.fixture(scope="module")
def served_page(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, list[str]]]:
    """A server with a search engine and a report, and what the engine was asked."""
    data = tmp_path_factory.mktemp("data")
    (data / "reports" / "trial").mkdir(parents=True)
    (data / "reports" / "trial" / "report.html").write_text(REPORT)
    with served(site) as port, searxng(site.url(1), "ftp://elsewhere.example/") as (address, asked):
        engine = f'[[engine]]\nname = "home"\nkind = "searxng"\naddress = "{address}"\n'
        (data / "settings.toml").write_text(engine)
        options = ("--allow-net", "127.0.0.0/8", "--resolve", f"*=127.0.0.1:{port}", "--delay", "0")
        with page_server(data, *options) as server:
            yield server, asked


def begin(page: Page, words: str, pages: int) -> None:
    """Fill in what is left of the form, and send it."""
    page.get_by_label("Words that describe it").fill(words)
    page.get_by_label("Pages to read", exact=True).fill(str(pages))
    page.get_by_text("How to hunt").click()
    page.locator("input[value=best_first]").check()
    page.get_by_role("button", name="Start the hunt").click()


def test_a_hunt_starts_from_bookmarks_and_a_search_engine_hears_a_word_after_its_end_and_is_removed(
    browser: Browser, site: Site, served_page: tuple[Server, list[str]], tmp_path: Path
) -> None:
    server, asked = served_page
    none, marks = tmp_path / "none.html", tmp_path / "marks.html"
    none.write_text("<p>nothing marked</p>")
    marks.write_text(f'<DL><DT><A HREF="{site.url(0)}">Jumping spiders</A><DT><A HREF="javascript:1">x</A></DL>')
    with window(browser) as page:
        page.goto(server.address)
        page.get_by_label("Bookmarks").set_input_files(none)
        expect(page.get_by_text("No bookmarks are in this file.")).to_be_visible()
        page.get_by_label("Bookmarks").set_input_files(marks)
        expect(page.get_by_text("2 bookmarks in it.")).to_be_visible()
        page.get_by_label("Search engine").select_option("home")
        begin(page, "jumping spider", 40)
        expect(page.locator(STATE)).to_have_text("ended")
        assert [path.partition("?")[0] for path in asked] == ["/search"]
        assert {seed["url"] for seed in kept_seeds(server)} == {site.url(0), site.url(1)}

        page.get_by_label("Lowest score shown, as a number").fill("0")
        expect(page.locator("article").first).to_have_attribute("aria-setsize", "40")
        step = page.locator("article").nth(2).get_attribute("data-key") or ""
        row = page.locator(f'article[data-key="{step}"]')
        row.get_by_role("button", name="More like this").click()
        expect(page.locator(".moved")).to_contain_text("Your word moved")
        expect(page.locator("article.liked")).to_have_attribute("data-key", step)
        expect(page.locator(STATE)).to_have_text("ended")
        page.reload()
        expect(page.locator("article.liked")).to_have_attribute("data-key", step)

        page.get_by_role("link", name="Kept hunts").click()
        page.get_by_label("Search all pages of all hunts").fill("spider")
        expect(page.locator(".hits li").first).to_be_visible()
        remove = page.get_by_role("button", name="Remove “jumping spider”")
        remove.click()
        dialog = page.get_by_role("dialog", name="Remove “jumping spider”?")
        expect(dialog).to_contain_text("cannot be undone")
        assert grave_findings(page) == []
        page.keyboard.press("Escape")
        expect(page.locator(".card")).to_have_count(1)
        remove.click()
        dialog.get_by_role("button", name="Remove it").click()
        expect(page.locator(".card")).to_have_count(0)
        expect(page.get_by_role("link", name="Start the first one")).to_be_visible()

        page.get_by_role("link", name="Trials of spring").click()
        expect(page.get_by_role("heading", name="Who won")).to_be_visible()


def test_a_search_engine_is_set_up_on_the_page_asked_and_forgotten(
    browser: Browser, site: Site, served_page: tuple[Server, list[str]]
) -> None:
    server, _ = served_page
    file = server.data / "engines.toml"
    with searxng(site.url(2)) as (address, asked), window(browser, strict=False) as page:
        page.goto(server.address)
        choice = page.get_by_label("Search engine", exact=True)
        page.get_by_role("button", name="Set one up").click()
        dialog = page.get_by_role("dialog", name="Set up a search engine")
        assert grave_findings(page) == []
        dialog.get_by_label("Its address").fill("127.0.0.1:9")
        dialog.get_by_role("button", name="Set it up").click()
        expect(dialog.get_by_role("alert")).to_contain_text("cannot be reached")
        assert not file.exists(), "one that does not answer is not kept"

        dialog.get_by_label("Its address").fill(address.removeprefix("http://"))
        dialog.get_by_role("button", name="Set it up").click()
        name = address.removeprefix("http://")
        expect(choice).to_have_value(name)
        assert file.stat().st_mode & 0o077 == 0
        page.reload()
        choice.select_option(name)
        begin(page, "jumping spider", 5)
        expect(page.locator(STATE)).to_have_text("ended")
        assert ["spider" in path for path in asked] == [True, True], "once to try it, once for the hunt"

        page.get_by_role("link", name="New hunt").click()
        choice.select_option("home")
        expect(page.get_by_role("button", name="Forget it")).to_be_hidden()
        choice.select_option(name)
        page.get_by_role("button", name="Forget it").click()
        expect(choice.locator("option")).to_have_text(["do not ask", "home (searxng)"])
        assert name not in file.read_text()


def kept_seeds(server: Server) -> list[dict[str, str]]:
    """Where the hunt on disk started from."""
    (file,) = (server.data / "crawls").glob("*/wish.json")
    told = json.loads(file.read_text())
    return [
        {"url": url, "from": origin}
        for url, origin in zip(told["spec"]["topic"]["seeds"], told["origins"], strict=True)
    ]


def test_the_list_of_hunts_follows_what_happens_to_them(browser: Browser) -> None:
    one, two = MadeUpCrawl(1, 400, 100), MadeUpCrawl(2, 300, 300, seed=5)
    two.state = "ended"
    with stub_server(one, two) as at, window(browser) as page:
        page.goto(f"{at}/#/crawls")
        pill = page.locator(".card .pill").first
        expect(pill).to_have_text("hunting")
        box = page.get_by_role("checkbox").first
        box.focus()
        one.told, one.state = 300, "ended"
        expect(pill).to_have_text("ended")
        pages = sum(visit["outcome"] == "ok" for visit in one.visits[:300])
        expect(page.locator(".card").first).to_contain_text(f"{pages} pages")
        expect(box).to_be_focused()
        expect(page.get_by_role("link", name="Trials of spring")).to_have_attribute("href", "/reports/trial")


def test_a_window_on_a_hunt_that_was_removed_says_so_and_asks_no_more(browser: Browser) -> None:
    one, two = MadeUpCrawl(1, 400, 100), MadeUpCrawl(2, 300, 300, seed=5)
    one.state = two.state = "ended"
    with stub_server(one, two) as at, window(browser, strict=False) as page:
        page.goto(f"{at}/#/crawl/crawl-1")
        expect(page.locator("article").first).to_be_visible()
        other = page.context.new_page()
        other.goto(f"{at}/#/crawls")
        other.get_by_role("button", name="Remove “orb weaver silk proteins”").first.click()
        other.get_by_role("button", name="Remove it").click()
        expect(other.locator(".card")).to_have_count(1)
        other.close()
        one.connections += 1
        expect(page.locator("#link")).to_contain_text("was removed")
        expect(page.locator("article").first).to_be_visible()


def test_an_address_that_nobody_can_decode_leads_nowhere_gently(browser: Browser) -> None:
    with stub_server(MadeUpCrawl(1, 10, 10)) as at, window(browser) as page:
        page.goto(f"{at}/#/100%/%E0%A4%A")
        expect(page.get_by_role("heading", name="Nothing is here")).to_be_visible()
