"""A site whose pages change, over real sockets; crawled and asked again by the real program."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tests.support.running import salticid

from salticid.store.crawl_folder import CrawlFolder

SITE = "http://site.example"
LONG_AGO = 1_600_000_000.0


@dataclass
class Site:
    """Pages by path, some with a tag, some with a date, some with neither; and what was asked.

    `moved` says where pages are that are elsewhere by now, `kinds` which files are no HTML; a page behind a
    gate is given when that is open.
    """

    pages: dict[str, str] = field(default_factory=dict)
    dated: dict[str, float] = field(default_factory=dict)
    status: dict[str, int] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    gates: dict[str, threading.Event] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        path = request.path
        self.asked.append((path, {name.lower(): value for name, value in request.headers.items()}))
        if path in self.gates:
            self.gates[path].wait()
        status = self.status.get(path, 200 if path in self.pages else 404)
        body = self.pages.get(path, "").encode() if status == 200 else b""
        fields = {"Content-Type": self.kinds.get(path, "text/html; charset=utf-8")}
        if path in self.moved:
            status, body, fields["Location"] = 301, b"", self.moved[path]
        if path.startswith("/tagged"):
            fields["ETag"] = f'"{hashlib.sha1(body).hexdigest()}"'
            if request.headers.get("If-None-Match") == fields["ETag"]:
                status, body = 304, b""
        if path in self.dated:
            fields["Last-Modified"] = formatdate(self.dated[path], usegmt=True)
            if request.headers.get("If-Modified-Since") == fields["Last-Modified"]:
                status, body = 304, b""
        request.send_response(status)
        for name, value in fields.items():
            request.send_header(name, value)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)


@contextmanager
def serving() -> Iterator[tuple[Site, int]]:
    """Such a site on loopback, and its port."""
    made = Site()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            made.answer(self)

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield made, server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def page(about: str, *links: str) -> str:
    """A page on topic, its title and text about something, that links to paths."""
    anchors = " ".join(f"<a href={link}>{link[1:]}</a>" for link in links)
    return f"<title>{title(about)}</title><p>jumping spiders and {about} {anchors}"


def title(about: str) -> str:
    """The title of such a page. It names the topic, because pages of a line are judged by their titles."""
    return f"{about} of jumping spiders"


def crawl(
    site: Site, port: int, folder: Path, more: Mapping[str, str] = MappingProxyType({}), *options: str
) -> tuple[str | Path, ...]:
    """Eight pages of a site, and more, crawled into a folder; by which command."""
    site.pages |= {
        "/": page("home", "/tagged", "/tagged2", "/dated", "/plain", "/plain2", "/leaving", "/flaky", *more),
        "/tagged": page("a tag"),
        "/tagged2": page("another tag"),
        "/dated": page("a date"),
        "/plain": page("nothing"),
        "/plain2": page("nothing either"),
        "/leaving": page("goodbye"),
        "/flaky": page("trouble"),
        **more,
    }
    site.dated["/dated"] = LONG_AGO
    topic = folder.parent / "topic.toml"
    topic.write_text(f'name = "t"\nkeywords = "jumping spiders"\nseeds = ["{SITE}/"]\n')
    order: tuple[str | Path, ...] = (
        "crawl", topic, "--resolve", f"*=127.0.0.1:{port}", "--allow-net", "127.0.0.0/8", "--delay", "0",
        "--out", folder, "--json", *options,
    )  # fmt: skip
    said = salticid(*order)
    assert json.loads(said.out)["pages"] >= 8 + len(more), said.err
    site.asked.clear()
    return order


def reach(folder: Path) -> tuple[str, ...]:
    """The options with which a crawl reached its site, which `watch` and `refresh` do not take from its folder."""
    with closing(CrawlFolder(folder)) as crawled:
        settings = crawled.settings() or {}
    return tuple(
        text
        for name in ("allow_net", "resolve")
        for value in settings.get(name, ())
        for text in (f"--{name.replace('_', '-')}", value)
    )


def refreshed(folder: Path, *options: str) -> dict[str, Any]:
    """What a refresh of a folder says."""
    said = salticid("crawl", "--refresh", folder, "--json", *reach(folder), *options)
    assert said.status == 0, said.err
    result: dict[str, Any] = json.loads(said.out)
    return result
