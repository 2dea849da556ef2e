"""Programs of others that read archives. They are no dependencies of ours, for their licences do not fit."""

from __future__ import annotations

import gzip
import http.client
import os
import socket
import subprocess
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import brotli  # type: ignore[import-untyped]
import pytest

PATIENCE = 60.0


def programs_of(name: str) -> Path:
    """The programs of a package, from the environment whose folder SALTICID_ and its name, a variable, says."""
    variable = f"SALTICID_{name.upper()}"
    environment = os.environ.get(variable)
    if not environment:
        pytest.skip(f"program absent: {name}, in the environment that {variable} names")
    return Path(environment) / "bin"


@contextmanager
def replaying(programs: Path, folder: Path) -> Iterator[int]:
    """The port at which pywb serves a folder."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(programs / "pywb"), "-b", "127.0.0.1", "-p", str(port)]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            until = monotonic() + PATIENCE
            while not _answers(port):
                assert process.poll() is None
                assert monotonic() < until
                sleep(0.1)
            yield port
        finally:
            process.terminate()


def _answers(port: int) -> bool:
    with socket.socket() as trying:
        return trying.connect_ex(("127.0.0.1", port)) == 0


def replayed_at(port: int, path: str) -> tuple[int, bytes]:
    """Status and body, redirects within pywb followed; a browser of our day takes gzip, deflate and br."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        for _ in range(5):
            connection.request("GET", path, headers={"Accept-Encoding": "gzip, deflate, br"})
            answer = connection.getresponse()
            body = answer.read()
            where = answer.getheader("Location")
            if where is None:
                return answer.status, _plain(body, answer.getheader("Content-Encoding"))
            path = where.removeprefix(f"http://127.0.0.1:{port}")
        return answer.status, body
    finally:
        connection.close()


def _plain(body: bytes, coding: str | None) -> bytes:
    match coding:
        case "gzip":
            return gzip.decompress(body)
        case "deflate":
            return zlib.decompress(body)
        case "br":
            return bytes(brotli.decompress(body))
        case _:
            return body
