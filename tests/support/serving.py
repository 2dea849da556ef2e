"""A world served by the real program, for as long as a test needs it."""

from __future__ import annotations

import http.client
import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from tests.support.killing import Program


@contextmanager
def served_world(world: Path, *options: str) -> Iterator[int]:
    """The port at which `salticid world serve` serves a world; it must neither complain nor fail until the end."""
    with Program("world", "serve", world, "--port", 0, "--json", *options) as program:
        assert program.until(lambda: "\n" in program.out, "a line that tells its port"), program.err
        yield json.loads(program.out)["port"]
        program.send(signal.SIGTERM)
        assert (program.ends(), program.err) == (0, "")


@dataclass(frozen=True)
class Got:
    """An answer as it came over the wire."""

    status: int
    headers: dict[str, str]
    body: bytes


def ask(port: int, url: str, method: str = "GET", **headers: str) -> Got:
    """Ask the server at `port` for a URL, by its Host header; `_` in the name of a header stands for `-`."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        return ask_on(connection, url, method, **headers)
    finally:
        connection.close()


def ask_on(connection: http.client.HTTPConnection, url: str, method: str = "GET", **headers: str) -> Got:
    """The same over a connection that is kept."""
    parts = urlsplit(url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in {"Host": parts.netloc, **headers}.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    answer = connection.getresponse()
    return Got(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
