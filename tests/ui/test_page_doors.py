"""What a browser gives away: to a report that lies in the folder of data, and to another server of this machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, expect
from tests.support.http_stub import Answer, http_stub
from tests.support.page_browser import chromium, window
from tests.support.page_serving import Server, page_server
from tests.support.ui_serving import Client

THIEF = """<!doctype html><html lang="en"><title>Trials</title><style>h1 { color: rgb(1, 2, 3) }</style>
<h1>Who won</h1><button>Sort</button><p id="told"></p>
<script>
const order = JSON.stringify({ query: "stolen", urls: ["http://a.example/"] });
const theft = {
  window: async () => {
    const other = window.open("/");
    while (other.document.readyState !== "complete" || other.location.pathname !== "/")
      await new Promise((later) => setTimeout(later, 50));
    const key = other.localStorage.getItem("key") ?? (await (await other.fetch("/api/session")).json()).token;
    const headers = { "Content-Type": "application/json", "X-Salticid-Token": key };
    return (await other.fetch("/api/crawls", { method: "POST", headers, body: order })).status;
  },
  storage: async () => localStorage.getItem("key"),
  cookie: async () => document.cookie,
  request: async () => (await fetch("/api/session")).status,
};
document.querySelector("button").addEventListener("click", async () => {
  const told = {};
  for (const [name, steal] of Object.entries(theft))
    told[name] = await steal().catch((refusal) => `refused: ${refusal.name}`);
  document.getElementById("told").textContent = JSON.stringify(told);
});
</script></html>
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with a report that somebody dropped into its folder."""
    data = tmp_path_factory.mktemp("data")
    (data / "dropped").mkdir()
    (data / "dropped" / "report.html").write_text(THIEF)
    with page_server(data) as server:
        yield server


def client_of(server: Server) -> Client:
    return Client(server.port, parse_qs(urlsplit(server.address).query)["token"][0])


@contextmanager
def listening() -> Iterator[tuple[str, list[str]]]:
    """Another server on another port of this machine: its address, and the cookies that browsers send it."""
    cookies: list[str] = []

    def listen(request: BaseHTTPRequestHandler) -> Answer:
        cookies.append(request.headers.get("Cookie", ""))
        return Answer()

    with http_stub(listen) as port:
        yield f"http://127.0.0.1:{port}/", cookies


def test_a_report_works_and_gets_at_nothing(browser: Browser, server: Server) -> None:
    with window(browser, strict=False) as page:
        page.goto(server.address)
        page.get_by_role("link", name="Kept hunts").click()
        page.get_by_role("link", name="Trials").click()
        expect(page.get_by_role("heading", name="Who won")).to_have_css("color", "rgb(1, 2, 3)")
        page.get_by_role("button", name="Sort").click()
        expect(page.locator("#told")).not_to_be_empty()
        told = json.loads(page.locator("#told").inner_text())
        assert set(told) == {"window", "storage", "cookie", "request"}
        assert all(str(what).startswith("refused: ") for what in told.values()), told
        page.reload()
        expect(page.get_by_role("heading", name="Who won")).to_be_visible()
    assert client_of(server).get("/api/crawls") == {"crawls": []}


def test_a_cookie_that_another_server_is_sent_opens_nothing_there_is_to_know(browser: Browser, server: Server) -> None:
    with listening() as (elsewhere, cookies), window(browser, strict=False) as page:
        page.goto(server.address)
        expect(page.get_by_label("Words that describe it")).to_be_visible()
        assert page.url == server.page
        page.goto(elsewhere)
    assert any(f"salticid-{server.port}=" in cookie for cookie in cookies), "browsers ignore ports"
    client = client_of(server)
    stolen = {
        "Cookie": cookies[0],
        "Origin": f"http://127.0.0.1:{server.port}",
        "Sec-Fetch-Site": "same-origin",
    }
    assert client.token not in cookies[0]
    value = cookies[0].rpartition("=")[2]
    for fields in (
        stolen,
        {**stolen, "X-Salticid-Token": value},
        {**stolen, "Authorization": f"Bearer {value}"},
    ):
        for method, path in (
            ("GET", "/api/session"),
            ("GET", "/api/crawls"),
            ("GET", "/api/search?q=spider"),
            ("GET", "/api/reports"),
            ("GET", "/reports/dropped"),
            ("GET", f"/reports/dropped?ticket={value}"),
            ("GET", f"/api/session?ticket={value}"),
            ("GET", f"/api/session?token={value}"),
            ("GET", "/api/crawls/any/stream"),
            ("GET", "/api/crawls/any/export?format=csv"),
            ("POST", "/api/crawls/any/stop"),
        ):
            assert client.ask(method, path, fields=fields, known=False).status == 401, (method, path)
        begun = client.ask("POST", "/api/crawls", {"query": "x", "urls": ["http://a.example/"]}, fields, known=False)
        assert begun.status == 401
    assert client.get("/api/crawls") == {"crawls": []}
