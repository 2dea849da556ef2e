"""Keep watching, as a person does it on the page: a round over a site that changed, and what is new since last time."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.support.changing_site import SITE, Site, serving
from tests.support.page_browser import chromium, grave_findings, window
from tests.support.page_serving import page_server

STATE = ".head .pill"
HOSTILE = "&lt;script>alert(1)&lt;/script>"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


def text(title: str, says: str, *links: str) -> str:
    anchors = " ".join(f"<a href={link}>The part on {link[1:]}</a>" for link in links)
    return f"<title>{title}</title><p>Jumping spiders and their eyes. {says}</p><p>{anchors}</p>"


def fill(site: Site) -> None:
    """A site of four pages."""
    site.pages |= {
        "/": text("Home", "A page on all jumping spiders.", "/eyes", "/dance", "/leaving"),
        "/eyes": text("Eyes", "Jumping spiders have eight. The front pair sees best."),
        "/dance": text("Dance", "Male jumping spiders dance before the females."),
        "/leaving": text("Leaving", "This page on jumping spiders will be gone."),
    }


def change(site: Site) -> None:
    """One page changes, one goes, one comes."""
    site.pages["/"] = text("Home", "A page on all jumping spiders.", "/eyes", "/dance", "/leaving", "/silk")
    site.pages["/eyes"] = text("Eyes", f"Jumping spiders have eight. Some see red {HOSTILE} light.")
    site.pages["/silk"] = text("Silk", "Jumping spiders trail a thread of silk behind them.")
    del site.pages["/leaving"]


def hunt(page: Page) -> None:
    page.get_by_label("Words that describe it").fill("jumping spiders")
    page.get_by_label("Pages to read", exact=True).fill("20")
    page.get_by_label("Addresses").fill(f"{SITE}/")
    page.get_by_text("How to hunt").click()
    page.locator("input[value=best_first]").check()
    page.get_by_role("button", name="Start the hunt").click()
    expect(page.locator(STATE)).to_have_text("ended")


def test_a_hunt_is_watched_and_the_page_tells_what_is_new_since_last_time(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    data = tmp_path_factory.mktemp("data")
    with serving() as (site, port), window(browser) as page:
        fill(site)
        options = ("--allow-net", "127.0.0.0/8", "--resolve", f"*=127.0.0.1:{port}", "--delay", "0")
        with page_server(data, *options) as server:
            page.goto(server.address)
            hunt(page)
            news = page.get_by_role("region", name="Since last time")
            expect(news).to_be_hidden()
            change(site)
            page.get_by_role("button", name="Keep watching").click()
            expect(news).to_contain_text("1 new, 1 changed, 1 gone, 0 back again; 2 the same.")
            expect(page.locator(STATE)).to_have_text("ended")
            expect(news.locator(".news-new li")).to_contain_text("Silk")
            assert news.locator("ins").all_inner_texts() == ["Some see red <script>alert(1)</script> light."]
            assert news.locator("del").all_inner_texts() == ["The front pair sees best."]
            expect(news.locator(".news-gone li")).to_contain_text("Leaving")
            assert grave_findings(page) == []
            with page.context.expect_page() as opened:
                news.get_by_role("link", name="the last copy").click()
            expect(opened.value.locator("body")).to_contain_text("will be gone")
            opened.value.close()

            site.pages["/leaving"] = text("Leaving", "This page on jumping spiders will be gone.")
            page.get_by_label("How often").select_option("day")
            page.get_by_role("button", name="Keep watching").click()
            expect(news).to_contain_text("0 new, 0 changed, 0 gone, 1 back again; 4 the same.")
            expect(page.locator(STATE)).to_have_text("ended")
            page.get_by_text("Export").first.click()
            page.get_by_label("What is new since round 2 began").check()
            with page.expect_download() as taken:
                page.get_by_role("link", name="JSON lines").click()
            (row,) = map(json.loads, taken.value.path().read_text().splitlines())
            assert (row["title"], row["news"]) == ("Leaving", "back")
            page.reload()
            expect(news).to_contain_text("1 back again")
            expect(page.get_by_label("How often")).to_have_value("day")
            news.get_by_label("Round", exact=True).select_option("1")
            expect(news).to_contain_text("1 new, 1 changed, 1 gone")
    (wish,) = (data / "crawls").glob("*/wish.json")
    assert json.loads(wish.read_text())["every"] == 86_400
    assert (wish.parent / "rounds" / "002" / "digest.html").is_file()
