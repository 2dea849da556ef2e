"""A world served by the real program, for as long as a test needs it."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit


@contextmanager
def served_world(world: Path, *options: str) -> Iterator[int]:
    """The port at which `salticid world serve` serves a world; it must neither complain nor fail until the end."""
    command = [
        sys.executable,
        "-m",
        "salticid",
        "world",
        "serve",
        str(world),
        "--port",
        "0",
        "--json",
        *options,
    ]
    with (
        tempfile.TemporaryFile("w+") as said,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, text=True) as process,
    ):
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            if line:
                yield json.loads(line)["port"]
                process.terminate()
                process.wait(timeout=60)
        finally:
            process.kill()
        process.wait()
        said.seek(0)
        complaint = said.read()
    assert (process.returncode, complaint) == (0, ""), complaint


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
