"""The doors of the page's server: who is refused, and how; what every answer says to the browser."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.killing import Program
from tests.support.ui_serving import Client, serving

from salticid.errors import UserError
from salticid.runs.live_settings import LiveSettings
from salticid.service.crawls import Crawls
from salticid.service.local_server import ticket
from salticid.service.settings import Engines
from salticid.ui import requests, server
from salticid.ui.api import Api
from salticid.ui.requests import ANSWERS
from salticid.ui.views import Reports

REPORT = "<!doctype html><title>Trials</title><style>p{}</style><script>let a=1</script><p onclick='evil()'>x</p>"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A client of a server with one report and, beside its folder, a secret."""
    data = tmp_path_factory.mktemp("data")
    (data / "reports" / "trial").mkdir(parents=True)
    (data / "reports" / "trial" / "report.html").write_text(REPORT)
    (data / "settings.toml").write_text(
        '[[engine]]\nname = "home"\nkind = "searxng"\naddress = "http://127.0.0.1:9"\nkey = "hush"\n'
    )
    with serving(data) as (_, client):
        yield client


def test_only_our_own_host_is_answered(client: Client) -> None:
    for host in (
        "evil.example",
        f"evil.example:{client.port}",
        "127.0.0.1",
        f"127.0.0.1:{client.port + 1}",
        f"[::1]:{client.port}",
        f"127.0.0.1:{client.port}@evil.example",
        f"127.0.0.1:{client.port}.evil.example",
        f"0x7f000001:{client.port}",
        "",
    ):
        answer = client.ask("GET", "/api/session", fields={"Host": host})
        assert (answer.status, "error" in answer.json) == (421, True), host
    assert client.ask("GET", "/api/session", fields={"Host": f"localhost:{client.port}"}).status == 200


def test_a_request_from_another_site_is_refused_even_with_the_token(client: Client) -> None:
    for origin in ("http://evil.example", "null", f"http://127.0.0.1:{client.port + 1}", "https://localhost"):
        assert client.ask("GET", "/api/session", fields={"Origin": origin}).status == 403, origin
    own = {"Origin": f"http://127.0.0.1:{client.port}"}
    assert client.ask("GET", "/api/session", fields=own).status == 200


def test_without_the_token_nothing_is_said(client: Client) -> None:
    for path in (
        "/",
        "/api/session",
        "/api/crawls",
        "/reports/trial",
        "/api/openapi.json",
        "/metrics",
        "/nothing",
    ):
        answer = client.ask("GET", path, known=False)
        assert (answer.status, "salticid serve" in answer.error) == (401, True), path
        assert client.token.encode() not in answer.body
    for wrong in ("", "x", client.token[:-1], client.token + "x", "\xff"):
        fields = {"Authorization": f"Bearer {wrong}"}
        assert client.ask("GET", "/api/session", fields=fields, known=False).status == 401
    assert client.ask("GET", "/?token=wrong", known=False).status == 401


def test_a_browser_without_the_token_gets_a_page_that_says_how_to_get_it(client: Client) -> None:
    for path in ("/", "/?token=wrong", "/reports/trial", "/api/session"):
        answer = client.ask("GET", path, fields={"Accept": "text/html,*/*;q=0.8"}, known=False)
        assert (answer.status, answer.fields["content-type"].partition(";")[0]) == (401, "text/html"), path
        assert b"salticid serve" in answer.body
        assert client.token.encode() not in answer.body
        assert "default-src 'none'" in answer.fields["content-security-policy"]
        assert "set-cookie" not in answer.fields
    posted = client.ask("POST", "/api/crawls", {"query": "x"}, {"Accept": "text/html"}, known=False)
    assert (posted.status, "salticid serve" in posted.error) == (401, True)


@pytest.mark.parametrize("options", [(), ("--no-open",), ("--json",)], ids=str)
def test_the_browser_is_opened_where_there_is_one_and_its_arguments_tell_no_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    script, told, seen = tmp_path / "browser", tmp_path / "told", tmp_path / "seen"
    script.write_text(f'#!/bin/sh\ncp "${{1#file://}}" {seen}\necho "$1" > {told}\n')
    script.chmod(0o700)
    monkeypatch.setenv("BROWSER", str(script))
    with Program("serve", "--port", 0, "--data", tmp_path / "data", *options) as program:
        program.until(lambda: "\n" in program.out, "its address")
        opens = program.out.startswith("Your browser opens http://127.0.0.1:")
        assert opens is (options == ())
        if opens:
            program.until(lambda: told.exists() and told.read_text().endswith("\n"), "the browser")
            token = program.out.partition("?token=")[2].split()[0]
            assert f"?token={token}" in seen.read_text()
            file = Path(told.read_text().strip().removeprefix("file://"))
            assert token not in str(file)
            assert file.stat().st_mode & 0o077 == 0
        program.process.terminate()
        assert program.ends() == 0, program.err
    assert list((tmp_path / "data").glob(".open*")) == []
    assert told.exists() is opens


def test_the_token_in_the_address_opens_the_page_whose_cookie_opens_it_again_and_nothing_else(
    client: Client,
) -> None:
    answer = client.ask("GET", f"/?token={client.token}", known=False)
    assert (answer.status, answer.fields["content-type"].startswith("text/html")) == (200, True)
    cookie = answer.fields["set-cookie"]
    assert client.token not in cookie
    assert {"httponly", "samesite=strict", "path=/"} <= {part.strip().lower() for part in cookie.split(";")}
    with_cookie = {"Cookie": f"other=1; {cookie.partition(';')[0]}"}
    assert client.ask("GET", "/", fields=with_cookie, known=False).body == answer.body
    for method, path in (
        ("GET", "/api/session"),
        ("GET", "/reports/trial"),
        ("POST", "/api/crawls"),
        ("POST", "/"),
    ):
        assert client.ask(method, path, fields=with_cookie, known=False).status == 401, path


@pytest.mark.parametrize("field", ["Authorization", "X-Salticid-Token"])
def test_the_token_in_a_field_opens_everything(client: Client, field: str) -> None:
    fields = {field: f"Bearer {client.token}" if field == "Authorization" else client.token}
    told = client.ask("GET", "/api/session", fields=fields, known=False).json
    assert told["token"] == client.token
    assert [engine["name"] for engine in told["engines"]] == ["home"]
    assert "hush" not in str(told)
    assert [strategy["name"] for strategy in told["strategies"] if strategy["default"]] == ["hunter"]
    assert all(strategy["line"].endswith(".") for strategy in told["strategies"])
    assert client.ask("POST", "/api/crawls", {"query": ""}, fields, known=False).status == 422


def test_a_ticket_is_good_for_reading_one_path(client: Client) -> None:
    given = ticket(client.token, "/reports/trial")
    assert client.ask("GET", f"/reports/trial?ticket={given}", known=False).body == REPORT.encode()
    for method, path in (("GET", "/reports/other"), ("GET", "/api/session"), ("POST", "/reports/trial")):
        assert client.ask(method, f"{path}?ticket={given}", known=False).status == 401, path
    changing = ticket(client.token, "/api/crawls")
    assert client.ask("POST", f"/api/crawls?ticket={changing}", {"query": "x"}, known=False).status == 401


def test_every_answer_carries_what_keeps_a_browser_safe(client: Client) -> None:
    for path, known in (
        ("/", True),
        ("/api/session", True),
        ("/page/main.js", False),
        ("/api/session", False),
    ):
        fields = client.ask("GET", path, known=known).fields
        assert fields["content-security-policy"].startswith("default-src 'none'; script-src 'self'; style-src")
        assert "unsafe" not in fields["content-security-policy"]
        assert fields["x-content-type-options"] == "nosniff"
        assert fields["referrer-policy"] == "no-referrer"
        assert fields["cross-origin-opener-policy"] == "same-origin"
        assert "server" not in fields


def test_a_report_runs_its_own_parts_and_no_others(client: Client) -> None:
    assert [each["title"] for each in client.get("/api/reports")["reports"]] == ["Trials"]
    policy = client.ask("GET", "/reports/trial").fields["content-security-policy"]
    assert policy.count("'sha256-") == 2
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert "sandbox allow-scripts" in policy.split("; ")


@pytest.mark.parametrize(
    "path",
    [
        "/api/crawls/unknown",
        "/api/crawls/..",
        "/api/crawls/..%2F..%2Fetc",
        "/api/crawls/%2e%2e/visits/0",
        "/api/crawls/unknown/stream",
        "/api/crawls/unknown/visits/" + "9" * 5000,
        "/api/crawls/%00/visits/1",
        "/api/crawls/unknown/agents/1",
        "/reports/..%2F..%2Fsettings.toml",
        "/reports/../settings.toml",
        "/page/../server.py",
        "/page/..%2Fserver.py",
        "/page/%2e%2e/server.py",
        "/page//etc/passwd",
        "/api/nothing",
    ],
)
def test_no_path_leads_anywhere_else(client: Client, path: str) -> None:
    answer = client.ask("GET", path)
    assert answer.status == 404
    assert answer.error
    assert b"import" not in answer.body


def test_a_request_that_is_too_large_or_no_order_is_refused(client: Client) -> None:
    large = b'{"query": "' + b"x" * requests.LARGEST + b'"}'
    assert client.ask("POST", "/api/crawls", large).status == 413
    announced = client.ask("POST", "/api/crawls", b"{}", {"Content-Length": "99999999"})
    assert announced.status == 413
    for body, status in (
        (b"{", 400),
        (b"[" * 100_000, 422),
        (b"\xff", 400),
        (b"[]", 422),
        (b'{"query": 7}', 422),
        (b'{"query": ""}', 422),
        (b'{"query": "spiders", "folder": "/etc"}', 422),
        (b'{"query": "spiders", "max_pages": 0}', 422),
        (b'{"query": "spiders"}', 422),
        (b'{"query": "spiders", "urls": ["file:///etc/passwd"]}', 422),
        (b'{"query": "spiders", "urls": ["http://a.example/"], "strategy": "best_frist"}', 422),
        (b'{"query": "spiders", "urls": ["http://a.example/"], "judge": "../x"}', 422),
        (b'{"query": "what is it", "urls": ["http://a.example/"]}', 422),
        (b'{"query": "spiders", "search": "nobody"}', 422),
        (b'{"query": "spiders", "search": "home"}', 422),
    ):
        answer = client.ask("POST", "/api/crawls", body)
        assert (answer.status, bool(answer.error)) == (status, True), body[:80]
    form = client.ask("POST", "/api/crawls", b"query=x", {"Content-Type": "text/plain"})
    assert form.status == 415, "a form of another site cannot pass for JSON"
    assert client.get("/api/crawls") == {"crawls": []}


def test_hostile_words_and_numbers_are_answered_with_a_sentence(client: Client) -> None:
    for words in (
        "%22",
        "%00",
        "NEAR(",
        "a%22%20OR%20%22b",
        "%F0%9F%95%B7",
        "x" * 30_000,
        "-a",
        "%E2%80%A8spider",
    ):
        answer = client.ask("GET", f"/api/search?q={words}")
        assert answer.status in (200, 422), words[:20]
        assert answer.status == 200 or answer.error
    for body in (b'{"step": 18446744073709551615, "liking": 1}', b'{"step": -1, "liking": 1}'):
        assert client.ask("POST", "/api/crawls/unknown/feedback", body).status == 404
    for query in ("line\u2028separator\u0000 spider", "\ud800 spider", "\u202espider"):
        order = {"query": query, "urls": ["javascript:void(0)"]}
        answer = client.ask("POST", "/api/crawls", json.dumps(order).encode())
        assert (answer.status in (400, 422), bool(answer.error)) == (True, True), query


def test_no_refusal_and_no_line_of_the_terminal_gives_the_token_away(tmp_path: Path) -> None:
    with serving(tmp_path) as (program, client):
        for path in (
            f"/nothing?token={client.token}",
            f"/api/search?token={client.token}",
            f"/%00{client.token}",
        ):
            answer = client.ask("GET", path, fields={"Host": "evil.example", "Upgrade": "websocket"})
            assert client.token.encode() not in answer.body
        with socket.create_connection(("127.0.0.1", client.port), timeout=60) as connection:
            connection.sendall(f"GET /?token={client.token} HTTP/9.9\r\n\r\n".encode())
            assert client.token.encode() not in connection.recv(4096)
        assert client.token not in program.err


def test_a_search_engine_that_cannot_be_one_is_refused_with_a_sentence(client: Client) -> None:
    for engine in (
        {"name": "home", "kind": "searxng", "address": "http://127.0.0.1:9"},
        {"name": "other", "kind": "searxng", "address": ""},
        {"name": "other", "kind": "searxng", "address": "file:///etc/passwd"},
        {"name": "other", "kind": "searxng", "address": "http://[::1"},
        {"name": "other", "kind": "searxng", "address": "http://a b:99999/\u0000"},
        {"name": "other", "kind": "searxng", "address": "http://127.0.0.1:9/%zz?x=\ud800"},
        {"name": "../other", "kind": "searxng", "address": "http://127.0.0.1:9"},
        {"name": "other", "kind": "brave", "key": "a\r\nb: c"},
        {"name": "other", "kind": "brave"},
        {"name": "other", "kind": "google", "key": "x"},
    ):
        answer = client.ask("POST", "/api/engines", json.dumps(engine).encode())
        assert (answer.status in (400, 422, 502), bool(answer.error)) == (True, True), engine
    for name in ("home", "nobody", "%2e%2e"):
        answer = client.ask("DELETE", f"/api/engines/{name}")
        assert (answer.status in (404, 422), bool(answer.error)) == (True, True), name
    assert [engine["name"] for engine in client.get("/api/session")["engines"]] == ["home"]


def test_other_methods_are_refused(client: Client) -> None:
    assert client.ask("DELETE", "/api/crawls").status == 405
    assert client.ask("POST", "/page/main.js").status == 405
    assert client.ask("PUT", "/api/session").status == 405


def test_openapi_says_what_there_is_and_nothing_else(client: Client, tmp_path: Path) -> None:
    live = LiveSettings()
    api = Api(Crawls(tmp_path, live), Engines(tmp_path), Reports(tmp_path), live, "t", lambda: False)
    answered = {(method, route.path) for route in api.routes() for method in (route.methods or set()) - {"HEAD"}}
    assert set(ANSWERS) == answered
    told = client.get("/api/openapi.json")
    assert told["openapi"] == "3.1.0"
    assert {"NewCrawl", "Summary", "ShownVisit", "Error"} <= set(told["components"]["schemas"])


def test_a_port_that_is_taken_is_an_error_with_the_next_step(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with Program("serve", "--port", port, "--data", tmp_path) as program:
            assert program.ends() == 2
            assert program.err == f"salticid: port {port} is in use; give another as --port, or 0 for any free one\n"


def test_settings_that_cannot_be_are_an_error_with_the_next_step(tmp_path: Path) -> None:
    for text in ("[[engine]]\nname = 1", '[[engine]]\nname = "a"\nkind = "x"', "engine = 3", "\xff"):
        (tmp_path / "settings.toml").write_text(text, encoding="latin-1")
        with pytest.raises(UserError, match=r"settings\.toml"):
            server.Serving(tmp_path, 0, LiveSettings())
    (tmp_path / "settings.toml").write_text('[[engine]]\nname = "b"\nkind = "brave"')
    with pytest.raises(UserError, match="needs a key"):
        server.Serving(tmp_path, 0, LiveSettings())
    (tmp_path / "settings.toml").unlink()
    with pytest.raises(UserError, match="--allow-net"):
        server.Serving(tmp_path, 0, LiveSettings(allow_net=("10.0.0.0/99",)))
