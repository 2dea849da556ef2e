"""Servers that other machines reach: `--bind` with real sockets, tokens and host names."""

from __future__ import annotations

import http.client
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support.killing import Program, Site, live, served
from tests.support.running import salticid

from salticid.errors import UserError
from salticid.runs.metrics_server import Binding, own_token

TOKEN = "a-token-of-the-environment"


def asked(address: str, port: int, path: str, host: str, token: str | None = None, **fields: str) -> int:
    """The status of an answer."""
    sent = {"Host": host, **fields} | ({} if token is None else {"Authorization": f"Bearer {token}"})
    connection = http.client.HTTPConnection(address, port, timeout=60)
    try:
        connection.request("GET", path, headers=sent)
        return connection.getresponse().status
    finally:
        connection.close()


@contextmanager
def printed(*args: str | int | Path) -> Iterator[dict[str, str]]:
    """What a server prints as JSON, while it runs."""
    with Program(*args, "--json") as program:
        assert program.until(lambda: "\n" in program.out, "its address"), program.err
        yield json.loads(program.out)


def check_doors(address: str, port: int, token: str, path: str, good: int = 200) -> None:
    """Token missing, wrong, right; then host names and origins of others."""
    own = f"{address}:{port}"
    assert asked(address, port, path, own) == 401
    assert asked(address, port, path, own, "x" * len(token)) == 401
    assert asked(address, port, path, own, token) == good
    assert asked(address, port, path, f"crawler.example:{port}", token) == good
    assert asked(address, port, path, "CRAWLER.example", token) == good, "a published port may be another"
    for host in ("evil.example", f"evil.example:{port}", "crawler.example.evil.example", "10.0.0.1", ""):
        assert asked(address, port, path, host, token) == 421, host


def test_the_page_is_reached_at_an_address_that_was_named(tmp_path: Path) -> None:
    with printed(
        "serve", "--port", 0, "--data", tmp_path, "--bind", "127.0.0.2", "--host-name", "crawler.example"
    ) as told:
        port, token = int(told["port"]), told["token"]
        assert told["address"] == f"http://crawler.example:{port}/?token={token}"
        check_doors("127.0.0.2", port, token, "/api/crawls")
        own = f"127.0.0.2:{port}"
        for origin, status in (
            (f"http://{own}", 200),
            (f"https://{own}", 200),
            ("http://evil.example", 403),
            ("http://127.0.0.2:1", 403),
        ):
            assert asked("127.0.0.2", port, "/api/crawls", own, token, Origin=origin) == status
        with pytest.raises(ConnectionRefusedError):
            asked("127.0.0.1", port, "/api/crawls", f"127.0.0.1:{port}", token)


def test_agents_reach_it_at_an_address_that_was_named(tmp_path: Path) -> None:
    named = ("--bind", "0.0.0.0", "--host-name", "crawler.example")
    with printed("mcp", "--http", 0, "--data", tmp_path, *named) as told:
        # A GET is no call of the protocol: what passes our doors gets the protocol's own refusal.
        check_doors("127.0.0.1", int(told["port"]), told["token"], "/mcp", good=406)


def test_the_numbers_of_a_crawl_need_the_token_at_an_address_that_was_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SALTICID_TOKEN", TOKEN)
    site = Site(400, seconds=0.05)
    topic = site.write_topic(tmp_path / "topic.toml")
    named = ("--metrics-port", 0, "--bind", "127.0.0.2", "--host-name", "crawler.example")
    with (
        served(site) as web,
        Program("crawl", topic, "--out", tmp_path / "out", *named, *live(web)) as program,
    ):
        assert program.until(lambda: len(site.asked) > 20, "some pages"), program.err
        port = int(re.findall(r"crawler\.example:(\d+)/metrics with the token", program.err)[0])
        assert TOKEN in program.err
        check_doors("127.0.0.2", port, TOKEN, "/metrics")
        assert asked("127.0.0.2", port, "/", f"127.0.0.2:{port}", TOKEN) == 404
        program.kill()


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("serve", "--bind", "example.org"), "--bind 'example.org' is not an IP address"),
        (("serve", "--bind", "192.0.2.1"), "does not have the address 192.0.2.1; use --bind 0.0.0.0"),
        (("serve", "--host-name", "a.example"), "--host-name a.example needs --bind"),
        (("mcp", "--bind", "127.0.0.2"), "--bind needs --http PORT"),
        (("crawl", "topic.toml", "--bind", "127.0.0.2"), "add --metrics-port N"),
    ],
)
def test_a_wrong_address_is_named(args: tuple[str, ...], says: str, tmp_path: Path) -> None:
    if args[0] == "crawl":
        args = (
            "crawl",
            str(Site(1).write_topic(tmp_path / "topic.toml")),
            *args[2:],
            "--out",
            str(tmp_path / "o"),
        )
    else:
        args = (*args, "--data", str(tmp_path / "data"))
    said = salticid(*args)
    assert (said.status, said.err.count("\n")) == (2, 1), said.err
    assert says in said.err


def test_host_names_of_each_binding() -> None:
    default, wide = Binding(), Binding.of("0.0.0.0", ["Crawler.example", "192.0.2.7"])
    six = Binding.of("::1", None)
    assert [default.answers(host, 80) for host in ("127.0.0.1:80", "localhost:80", "localhost:81", "localhost")] == [
        True, True, False, False,
    ]  # fmt: skip
    for host in (
        "crawler.example",
        "crawler.example:9000",
        "192.0.2.7:1",
        "localhost:9",
        "127.0.0.1",
        "[::1]:80",
    ):
        assert wide.answers(host, 80), host
    for host in ("0.0.0.0:80", "192.0.2.8", "evil.example:80", "crawler.example.", "", ":80", "[::2]"):
        assert not wide.answers(host, 80), host
    assert (six.place(80), six.answers("[::1]:80", 80), six.answers("[::2]:80", 80)) == (
        "[::1]:80",
        True,
        False,
    )


def test_a_token_that_is_easily_guessed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SALTICID_TOKEN", "short")
    with pytest.raises(UserError, match="SALTICID_TOKEN is not a safe token"):
        own_token()
