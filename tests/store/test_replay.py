"""What a crawl kept can be replayed by those who replay archives: every packed answer is told in a way they read."""

from __future__ import annotations

import gzip
import subprocess
import zlib
from pathlib import Path

import brotli  # type: ignore[import-untyped]
import pytest
import zstandard
from tests.store.test_archive import MOST, A, files, served
from tests.support.hostile import page
from tests.support.replaying import programs_of, replayed_at, replaying
from warcio.archiveiterator import ArchiveIterator

from salticid.store.archive.warc import Archive

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
    programs = programs_of("pywb")
    for command in (["init", "crawl"], ["add", "crawl", str(kept)]):
        subprocess.run([programs / "wb-manager", *command], cwd=tmp_path, check=True, capture_output=True)
    with replaying(programs, tmp_path) as port:
        names = [name for name in PACKED if name != "unknown"]
        replayed = {name: replayed_at(port, f"/crawl/2000id_/{A}{name}") for name in names}
        rewritten = {name: replayed_at(port, f"/crawl/2000mp_/{A}{name}") for name in names}
    assert replayed == dict.fromkeys(replayed, (200, HTML))
    assert [name for name, (_, body) in rewritten.items() if HTML[15:] in body] == names
