"""What a crawl kept can be replayed by those who replay archives: every packed answer is told in a way they read."""

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
import zstandard
from tests.hostile import page
from tests.test_archive import MOST, A, files, served
from warcio.archiveiterator import ArchiveIterator

from salticid.store.warc import Archive

HTML = b"<!doctype html><title>Caf\xc3\xa9</title><p>" + b"jumping spiders " * 300
LONG = b"<p>" + b"jumping spiders " * MOST
PACKED: dict[str, tuple[str, bytes]] = {
    "gzip": ("gzip", gzip.compress(HTML)),
    "deflate": ("deflate", zlib.compress(HTML)),
    "br": ("br", brotli.compress(HTML)),
    "x-gzip": ("x-gzip", gzip.compress(HTML)),
    "zstd": ("zstd", zstandard.compress(HTML)),
    "twice": ("gzip, br", brotli.compress(gzip.compress(HTML))),
    "two-fields": ("gzip\r\nContent-Encoding: zstd", zstandard.compress(gzip.compress(HTML))),
    "unknown": ("snappy", HTML),
}
AS_SENT = ("gzip", "deflate", "br", "unknown")
PATIENCE = 60.0


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A WARC file with an answer of every kind, and with a long one."""
    folder: Path = tmp_path_factory.mktemp("crawl")
    archive = Archive(folder)
    site = {f"/{name}": page(body, f"Content-Encoding: {coding}") for name, (coding, body) in PACKED.items()}
    site["/long"] = page(zstandard.compress(LONG), "Content-Encoding: zstd")
    served(site, *(A + path[1:] for path in site), archive=archive)
    archive.close()
    (file,) = files(folder)
    return file


def test_what_replay_cannot_unpack_is_kept_unpacked_and_says_so(kept: Path) -> None:
    told: dict[str, tuple[bytes, dict[str, str]]] = {}
    truncated: dict[str, str | None] = {}
    with kept.open("rb") as file:
        for each in ArchiveIterator(file, check_digests="raise"):
            if each.rec_type == "response":
                name = each.rec_headers["WARC-Target-URI"].removeprefix(A)
                truncated[name] = each.rec_headers.get_header("WARC-Truncated")
                told[name] = each.raw_stream.read(), dict(each.http_headers.headers)
    long, fields = told.pop("long")
    assert (long, truncated.pop("long"), fields["Content-Length"]) == (LONG[:MOST], "length", str(MOST))
    assert set(truncated.values()) == {None}
    for name, (body, fields) in told.items():
        coding, sent = PACKED[name]
        assert body == (sent if name in AS_SENT else HTML)
        assert fields["Content-Length"] == str(len(body))
        if name in AS_SENT:
            assert fields["Content-Encoding"] == coding
        else:
            assert "Content-Encoding" not in fields
            assert fields["X-Salticid-Content-Encoding"] == coding.rpartition(": ")[2]
            assert fields["X-Salticid-Content-Length"] == str(len(sent))


def test_pywb_replays_every_answer(kept: Path, tmp_path: Path) -> None:
    """Runs where SALTICID_PYWB names the folder of an environment with pywb, which is no dependency of ours."""
    environment = os.environ.get("SALTICID_PYWB")
    if not environment:
        pytest.skip("program absent: pywb, in the environment that SALTICID_PYWB names")
    programs = Path(environment) / "bin"
    for command in (["init", "crawl"], ["add", "crawl", str(kept)]):
        subprocess.run([programs / "wb-manager", *command], cwd=tmp_path, check=True, capture_output=True)
    with _replaying(programs, tmp_path) as port:
        names = [name for name in PACKED if name != "unknown"]
        replayed = {name: _get(port, f"/crawl/2000id_/{A}{name}") for name in names}
        rewritten = {name: _get(port, f"/crawl/2000mp_/{A}{name}") for name in names}
    assert replayed == dict.fromkeys(replayed, (200, HTML))
    assert [name for name, (_, body) in rewritten.items() if HTML[15:] in body] == names


@contextmanager
def _replaying(programs: Path, folder: Path) -> Iterator[int]:
    """The port at which pywb serves a folder."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(programs / "pywb"), "-b", "127.0.0.1", "-p", str(port)]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
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


def _get(port: int, path: str) -> tuple[int, bytes]:
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
