"""A small web on one server, and the real program crawling it: for networks that fail."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.support import killing

PATIENCE = 120.0
HOSTS = [f"www.h{n}.example" for n in range(12)]
LOST, NAMELESS = "nobody can be reached", "No name server answers"
"""What the program says when nobody answers, and when hosts do."""
HURRIED = (
    sys.executable,
    "-c",
    "from dataclasses import replace\n"
    "from salticid.cli import main\n"
    "from salticid.webs.live.failures import REMEDIES\n"
    "REMEDIES.update({each: replace(remedy, wait=remedy.wait / 50) for each, remedy in REMEDIES.items()})\n"
    "main()",
)
"""The program with short pauses between tries."""


class Site(ThreadingHTTPServer):
    """Every host of a small web: a seed that names all, and three pages of each, after so many seconds.

    It keeps no connection, so that it is gone when it is closed.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int = 0, seconds: float = 0.0) -> None:
        super().__init__(("127.0.0.1", port), _Pages)
        self.port: int = self.server_address[1]
        self.seconds = seconds
        self.asked: Counter[str] = Counter()
        self.at_once = self.most_at_once = 0
        self.counting = threading.Lock()

    @property
    def seed(self) -> str:
        return f"http://seed.example:{self.port}/"

    @contextmanager
    def count(self, asked: str) -> Iterator[None]:
        with self.counting:
            self.asked[asked] += 1
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            yield
        finally:
            with self.counting:
                self.at_once -= 1

    def links(self, host: str, path: str) -> list[str]:
        if host.startswith("seed"):
            return [f"http://{each}:{self.port}/" for each in HOSTS]
        return ["/a", "/b"] if path == "/" else []


class _Pages(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        host = self.headers["Host"].partition(":")[0]
        with self.server.count(host + self.path):
            time.sleep(self.server.seconds)
        there = self.path in ("/", "/a", "/b") or self.path[1:].isdecimal()
        links = self.server.links(host, self.path) if there else []
        anchors = "".join(f'<a href="{link}">spiders</a>' for link in links)
        body = f"<title>{host}</title><p>Spiders of {host} {anchors}".encode() if there else b""
        self.send_response(200 if there else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None: ...


@contextmanager
def serving(port: int = 0, seconds: float = 0.0) -> Iterator[Site]:
    """The small web, until the end or until somebody shuts it down."""
    with Site(port, seconds) as site:
        thread = threading.Thread(target=site.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield site
        finally:
            site.shutdown()
            thread.join()


class Program(killing.Program):
    """The real program at work, and what it says."""

    def __init__(self, folder: Path, *options: str, by: Sequence[str] = ()) -> None:
        crawl = ("crawl", "--query", "spiders", "--strategy", "breadth_first", "--delay", "0", "--json")
        super().__init__(*crawl, "--out", folder, *options, by=by)
        self.said = ""

    def until_it_says(self, words: str) -> None:
        assert self.until_said(words), self.err

    def result(self) -> dict[str, Any]:
        status, self.said = self.ends(), self.err
        told: dict[str, Any] = json.loads(self.out)
        assert status == (0 if told["pages"] else 1), self.said
        return told


def everything(told: dict[str, Any]) -> bool:
    """Whether every page of the small web was read, and the crawl says that there are no more."""
    return (told["stopped"], told["outcomes"]) == ("frontier empty", {"ok": 1 + 3 * len(HOSTS)})


def wait_until(holds: Callable[[], bool]) -> None:
    """Wait for something that must come true."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)
