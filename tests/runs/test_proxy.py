"""A proxy that wants a password: nobody finds it in the crawl's folder, nor in what the program says."""

from __future__ import annotations

import base64
import gzip
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.support.changing_site import reach
from tests.support.killing import Site
from tests.support.running import Said, salticid

from salticid.errors import UserError
from salticid.runs.live_settings import LiveSettings

PASSWORD = "s3cret"
CREDENTIALS = base64.b64encode(f"me:{PASSWORD}".encode()).decode()
SITE = Site(pages=30, hosts=3)


@pytest.fixture(scope="module")
def proxy() -> Iterator[str]:
    """The address of a proxy behind which the site is, for those who know the password."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            host, _, path = self.path.removeprefix("http://").partition("/")
            known = self.headers["Proxy-Authorization"] == f"Basic {CREDENTIALS}"
            answer = SITE.answer(host, f"/{path}") if known else b"HTTP/1.1 407 X\r\nContent-Length: 0\r\n\r\n"
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}).start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def crawl(tmp_path: Path, proxy: str, pages: int = 2) -> Said:
    where = ("--resolve", "*=127.0.0.1", "--allow-net", "127.0.0.0/8", "--delay", 0, "--proxy", proxy)
    topic = SITE.write_topic(tmp_path / "topic.toml")
    options = ("--strategy", "best_first", "--max-pages", pages, "--out", tmp_path / "c")
    return salticid("crawl", topic, *options, *where)


def secrets_in(folder: Path) -> list[str]:
    """The files in which the password stands, in any form in which it could."""
    found = []
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        data = file.read_bytes()
        plain = data + (gzip.decompress(data) if file.suffix == ".gz" else b"")
        if any(secret.encode() in plain for secret in (PASSWORD, CREDENTIALS)):
            found.append(file.name)
    return found


def test_a_password_is_neither_kept_nor_said(proxy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    address = f"http://me:{PASSWORD}@{proxy}"
    said = crawl(tmp_path, address)
    assert said.status == 0, said.err
    assert "Go on with:" in said.out
    assert f"http://***@{proxy}" in said.out
    assert PASSWORD not in said.out + said.err
    assert secrets_in(tmp_path) == []

    assert crawl(tmp_path, address, pages=4).status == 0, "it goes on, the password given again"
    refused = salticid("crawl", "--refresh", tmp_path / "c")
    assert (refused.status, "give it again with --proxy" in refused.err) == (2, True)
    monkeypatch.setenv("SALTICID_PROXY", address)
    refreshed = salticid("crawl", "--refresh", tmp_path / "c", *reach(tmp_path / "c"))
    assert (refreshed.status, "4 same" in refreshed.out) == (0, True), refreshed.out + refreshed.err
    assert secrets_in(tmp_path) == []


@pytest.mark.parametrize(
    "address",
    [
        f"me:{PASSWORD}@127.0.0.1:3128",
        f"http://me:{PASSWORD}@127.0.0.1:port",
        f"http://me:{PASSWORD}/2@127.0.0.1:3128",
        f"http://me:{PASSWORD}@:3128",
        f"http://[me:{PASSWORD}@127.0.0.1",
        f"ftp://me:{PASSWORD}@127.0.0.1",
    ],
)
def test_an_address_that_is_none_is_told_without_its_password(address: str) -> None:
    with pytest.raises(UserError, match="no proxy") as told:
        assert LiveSettings(proxy=address).proxy_host is None
    assert PASSWORD not in str(told.value) + repr(LiveSettings(proxy=address))


def test_a_person_is_told_so_in_one_line(tmp_path: Path) -> None:
    said = crawl(tmp_path, f"me:{PASSWORD}@127.0.0.1:3128")
    assert (said.status, said.err.count("\n")) == (2, 1), said.err
    assert "no proxy '***@127.0.0.1:3128'" in said.err
