"""A server of a few made-up pages, for as long as a test needs it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import NamedTuple


class Answer(NamedTuple):
    """What is sent back."""

    body: str | bytes = ""
    status: int = 200
    kind: str = "text/html; charset=utf-8"
    fields: Mapping[str, str] = MappingProxyType({})


@contextmanager
def http_stub(answer: Callable[[BaseHTTPRequestHandler], Answer], address: str = "127.0.0.1") -> Iterator[int]:
    """The port at which every GET and POST is answered so."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            told, status, kind, fields = answer(self)
            body = told.encode() if isinstance(told, str) else told
            self.send_response(status)
            for name, value in fields.items():
                self.send_header(name, value)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer((address, 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


def spider_page(about: str, *links: str) -> str:
    """A page about jumping spiders and something else, long enough to have near-duplicates."""
    anchors = " ".join(f"<a href={link}>{link[1:]}</a>" for link in links)
    words = " ".join(f"{about}{n} spider" for n in range(30))
    return f"<title>{about}</title><p>jumping spiders and {about} {words} {anchors}"
