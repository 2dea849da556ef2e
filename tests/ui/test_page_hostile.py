"""Crawled pages that try to run script in the page, to break its layout or to lead a click astray."""

from __future__ import annotations

from html import escape
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from playwright.sync_api import Page, expect
from tests.support.http_stub import Answer, http_stub
from tests.support.page_browser import chromium, window
from tests.support.page_serving import page_server

ATTACKS = [
    "<img src=x onerror=window.pwned=1>",
    "<script>window.pwned=1</script>",
    "\"'><svg onload=window.pwned=1>",
    "</title><iframe srcdoc='<script>parent.pwned=1</script>'>",
    "{{constructor.constructor('window.pwned=1')()}}",
    "\u202egnp.exe\u202c " + "W" * 3000,
    'silk\n\nevent: state\ndata: {"state": "ended", "query": "pwned"}\n\n\u2028\u0085\r\x0b=1+1',
]
WORDS = "silk spider weaver"


def hostile(request: BaseHTTPRequestHandler) -> Answer:
    """Page n has attack n as its title, in its text and in the addresses of its links."""
    if request.path == "/robots.txt":
        return Answer(status=404)
    links = "".join(
        f'<a href="/{n}/%3Cimg%20src=x%20onerror=pwned=1%3E?q=%22%3E{escape(attack[:80])}">{WORDS} {n}</a>'
        for n, attack in enumerate(ATTACKS)
    )
    links += '<a href="javascript:window.pwned=1">silk</a><a href="data:text/html,<script>1</script>">silk</a>'
    place = request.path.split("/")[1]
    attack = ATTACKS[int(place)] if place.isdecimal() else "start"
    return Answer(f"<title>{escape(attack)}</title><p>{WORDS} {escape(attack)} {WORDS}</p>{links}")


def unharmed(page: Page) -> None:
    """Nothing crawled has run, become an element or become an address other than of the web."""
    assert page.evaluate("window.pwned") is None
    assert page.locator("script").count() == 2
    assert page.locator("iframe, object, embed, main img").count() == 0
    schemes = page.locator("main a").evaluate_all("all => [...new Set(all.map((one) => one.protocol))]")
    assert set(schemes) <= {"http:", "https:"}
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_attacks_stay_text_on_every_view(tmp_path: Path) -> None:
    with (
        http_stub(hostile) as port,
        page_server(
            tmp_path, "--delay", "0", "--allow-net", "127.0.0.0/8", "--resolve", f"*=127.0.0.1:{port}"
        ) as server,
        chromium() as browser,
        window(browser, 700, 1800) as page,
    ):
        page.goto(server.address)
        page.get_by_label("Words that describe it").fill(f"{WORDS} {ATTACKS[0]}")
        page.get_by_label("Addresses").fill("javascript:window.pwned=1")
        page.get_by_role("button", name="Start the hunt").click()
        expect(page.locator("#from-missing")).to_contain_text("is no web address")
        page.get_by_label("Addresses").fill("http://evil.example/")
        page.get_by_role("button", name="Start the hunt").click()
        expect(page.locator(".head .pill")).to_have_text("ended")
        page.get_by_label("Lowest score shown, as a number").fill("0")
        titles = page.locator(".find-link")
        expect(titles).to_have_count(len(ATTACKS) + 1)
        shown = titles.all_inner_texts()
        assert set(ATTACKS[:2]) <= set(shown)
        expect(page.locator(".find-snippet mark").first).to_be_visible()
        page.get_by_role("button", name="Why").first.click()
        expect(page.locator(".open")).to_be_visible()
        unharmed(page)

        page.get_by_role("link", name="Kept hunts").click()
        page.get_by_label("Search all pages of all hunts").fill("silk")
        expect(page.locator(".hits li").first).to_be_visible()
        unharmed(page)
        page.goto(f"{server.page}#/crawls/{ATTACKS[0].replace('/', '%2F')}")
        expect(page.get_by_label("Search all pages of all hunts")).to_have_value(ATTACKS[0])
        unharmed(page)
