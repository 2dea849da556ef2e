"""The raw exchanges of a crawl as WARC files: other programs read them, and no mishap spoils them."""

import asyncio
import gzip
import json
import resource
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import brotli  # type: ignore[import-untyped]
import pytest
from fastwarc.warc import ArchiveIterator as FastIterator
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.hostile import Answer, Behaviour, Server, in_parts, moved, page, serving, then_reset
from tests.support.sources import answers, chunked, title, unread, world
from warcio.archiveiterator import ArchiveIterator

from salticid.model import Outcome
from salticid.store.archive.warc import Archive, copy, read
from salticid.version import __version__
from salticid.webs.live.client import Client, ClientSettings, Exchange
from salticid.webs.live.failures import Failure
from salticid.webs.live.guard import AddressGuard, GuardedSockets, Resolver, resolve_rule
from salticid.webs.live.names import Names
from salticid.worlds.warc_source import WarcFiles

A = "http://a.example/"
HTML = b"<title>Caf\xc3\xa9</title><p>" + b"jumping spiders " * 300
HEAD = b"HTTP/1.1 200 Fine\r\nContent-Type: text/html\r\n"
ODD = b'ETag: "\xff\xfe"\r\nX-cAsE:  two  words \r\nX-Twice: 1\r\nx-twice: 2\r\nX-Empty:\r\n'
MOST = 20_000
REQUEST = b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"

SITE: dict[str, tuple[Answer, bytes]] = {
    "plain": (page(HTML), HTML),
    "gzip": (page(gzip.compress(HTML), "Content-Encoding: gzip"), gzip.compress(HTML)),
    "br": (page(brotli.compress(HTML), "Content-Encoding: br"), brotli.compress(HTML)),
    "chunked": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunked(HTML, 999), HTML),
    "closed": (in_parts(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + HTML, close=True), HTML),
    "moved": (moved("/plain", 301), b""),
    "lost": (page(b"gone", status=404), b"gone"),
    "empty": (HEAD + b"Content-Length: 0\r\n\r\n", b""),
    "odd": (HEAD + ODD + b"Content-Length: 5\r\n\r\n\r\n\r\n!", b"\r\n\r\n!"),
    "picture": (page(bytes(range(256)), kind="image/png"), bytes(range(256))),
    "cap": (page(b"a" * MOST), b"a" * MOST),
    "long": (page(b"ab" * MOST), b"ab" * (MOST // 2)),
    "endless": (in_parts(HEAD + b"\r\n", b"b" * 999, pause=0.001, forever=True), b"b" * MOST),
}


def served(behaviour: Behaviour, *urls: str, **more: Any) -> tuple[list[Exchange | Failure], Server]:
    """What a real client got from a real server, one URL after the other; `more` are the client's settings."""
    archive, fields = more.pop("archive", None), more.pop("fields", None)

    async def run() -> tuple[list[Exchange | Failure], Server]:
        async with serving(behaviour) as server:
            rule = resolve_rule(f"*=127.0.0.1:{server.port}")
            guard = AddressGuard(("127.0.0.0/8",))
            if "proxy" in more:
                more["proxy"] = more["proxy"].format(server.port)
            asking = ClientSettings("Weaver/7 (+mailto:é@a.example)", 2.0, MOST, connections=4, **more)
            names = Names(Resolver([rule]), guard, time.monotonic)
            async with Client(asking, names, GuardedSockets(guard), archive) as client:
                return [await client.get(url, fields=fields) for url in urls], server

    return asyncio.run(run())


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Exchange], Server]:
    """The folder of a crawl that asked for all of the site, what the client got, what the server saw."""
    folder = tmp_path_factory.mktemp("crawl")
    archive = Archive(folder)
    got, server = served(
        {f"/{name}": answer for name, (answer, _) in SITE.items()}, *(A + n for n in SITE), archive=archive
    )
    archive.close()
    return folder, [each for each in got if isinstance(each, Exchange)], server


def files(folder: Path) -> list[Path]:
    return sorted((folder / "warc").iterdir())


def sent_head(answer: Answer) -> list[tuple[str, str]]:
    assert isinstance(answer, bytes)
    lines = answer.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")[1:]
    return [(name, value.strip()) for name, _, value in (line.partition(":") for line in lines)]


def test_warcio_reads_every_record_and_finds_every_digest_right(
    recorded: tuple[Path, list[Exchange], Server],
) -> None:
    (file,), _, server = files(recorded[0]), *recorded[1:]
    with file.open("rb") as opened:
        found = [
            (each.rec_type, each.rec_headers, each.http_headers, each.raw_stream.read(), each.digest_checker)
            for each in ArchiveIterator(opened, check_digests=True)
        ]
    assert [kind for kind, *_ in found] == ["warcinfo"] + ["response", "request"] * len(SITE)
    assert [checker.problems for *_, checker in found] == [[]] * len(found)
    assert [checker.passed for *_, checker in found] == [True] * len(found)
    assert found[0][3] == f"software: salticid/{__version__}\r\nformat: WARC File Format 1.1\r\n".encode()
    for (name, (answer, body)), asked, response, request in zip(
        SITE.items(), server.requests, found[1::2], found[2::2], strict=True
    ):
        _, about, head, payload, _ = response
        assert payload == body, name
        assert about["WARC-Target-URI"] == request[1]["WARC-Target-URI"] == A + name
        assert about["WARC-IP-Address"] == request[1]["WARC-IP-Address"] == "127.0.0.1"
        assert about["WARC-Truncated"] == ("length" if name in ("long", "endless") else None)
        assert about["Content-Type"] == "application/http;msgtype=response"
        assert request[1]["WARC-Concurrent-To"] == about["WARC-Record-ID"]
        assert about["WARC-Date"].endswith("Z")
        if isinstance(answer, bytes):
            headers = [(key.removeprefix("X-Salticid-"), value) for key, value in head.headers]
            assert headers == sent_head(answer), name
        assert head.get_header("Transfer-Encoding") is None
        assert request[2].protocol == "GET"
        assert request[2].statusline == f"/{name} HTTP/1.1"
        as_asked = {key.lower(): value for key, value in request[2].headers}
        assert as_asked == {key: value.encode("latin-1").decode() for key, value in asked.fields.items()}
    assert found[1 + 2 * list(SITE).index("lost")][2].statusline == "404 So"


def test_fastwarc_reads_every_record_and_finds_every_digest_right(
    recorded: tuple[Path, list[Exchange], Server],
) -> None:
    (file,) = files(recorded[0])
    bodies = []
    with file.open("rb") as opened:
        for each in FastIterator(opened, parse_http=False):
            assert each.verify_block_digest()
            each.parse_http()
            if each.headers["WARC-Type"] == "response":
                assert each.verify_payload_digest()
                bodies.append(each.reader.read())
    assert bodies == [body for _, body in SITE.values()]


def test_each_exchange_is_found_again_at_its_place(recorded: tuple[Path, list[Exchange], Server]) -> None:
    folder, got, _ = recorded
    assert [each.body for each in got] == [body for _, body in SITE.values()]
    assert all("x-salticid-transfer-encoding" not in each.fields for each in got)
    pieces = []
    for name, each in zip(SITE, got, strict=True):
        assert each.record is not None
        found = read(folder, each.record)
        assert found is not None
        assert found[0].startswith(f"GET /{name} HTTP/1.1\r\nHost: a.example\r\n".encode())
        assert found[1].startswith(b"HTTP/1.")
        assert found[1].partition(b"\r\n\r\n")[2] == each.body
        copied = copy(folder, each.record)
        assert copied is not None
        assert copied.field("WARC-Target-URI") == A + name
        pieces.append(copied.packed)
    whole = files(folder)[0].read_bytes()
    assert whole.endswith(b"".join(pieces))
    assert got[0].record == len(whole) - sum(map(len, pieces))


def test_places_where_nothing_stands_are_empty(recorded: tuple[Path, list[Exchange], Server]) -> None:
    folder, got, _ = recorded
    places = [each.record for each in got if each.record is not None]
    size = files(folder)[0].stat().st_size
    for place in [0, *(place + 1 for place in places), size, size + 999, places[0] + (1 << 40), -1]:
        assert read(folder, place) is None
        assert copy(folder, place) is None
    assert read(folder / "nowhere", places[0]) is None


def test_worlds_are_built_of_it(recorded: tuple[Path, list[Exchange], Server], tmp_path: Path) -> None:
    source = WarcFiles(files(recorded[0]))
    assert [answer.url for answer in answers(source)] == [A + name for name in SITE]
    assert unread(source) == []
    fetch = world(source, tmp_path / "world")
    for name in ("plain", "gzip", "br", "chunked", "closed", "moved"):
        response = fetch(A + name)
        assert (response.outcome, title(response)) == (Outcome.OK, "Café")
    assert response.final == fetch(A + "plain").url
    assert fetch(A + "lost").outcome is Outcome.DEAD
    assert fetch(A + "picture").outcome is Outcome.NOT_HTML


def test_what_fails_leaves_nothing(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    half = then_reset(HEAD + b"Content-Length: 99\r\n\r\n<p>half")
    (got,), _ = served({"/": half}, A, archive=archive)
    assert got is Failure.BROKEN
    assert archive.flush() is None
    archive.close()
    assert list(tmp_path.iterdir()) == []


HOSTILE = {
    "a folded line": b"X-A: one\r\n two\r\n\tthree\r\n",
    "a lone line feed": b"X-A: one\nX-B: two\n",
    "a lone return": b"X-A: one\rX-B: two\r\n",
    "nothing but returns": b"X-A: \r\r\r\r\r\n",
    "a zero": b"X-A: one\0two\r\n",
    "another record": b"X-A: \r\r\n\r\r\nWARC/1.1\r\r\n",
    "bytes": b"X-A: " + bytes(range(128, 256)) + b"\r\n",
    "a name of bytes": b"X-\xff: one\r\n",
    "no colon": b"X-A\r\n",
}


@pytest.mark.parametrize("lines", HOSTILE)
def test_no_head_breaks_the_record(lines: str, tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    hostile = in_parts(HEAD + HOSTILE[lines] + b"Content-Length: 5\r\n\r\n<p>ab", close=True)
    (got, after), _ = served({"/": hostile, "/after": page(HTML)}, A, "http://b.example/after", archive=archive)
    archive.close()
    assert isinstance(after, Exchange)
    bodies = [each.body for each in (got, after) if isinstance(each, Exchange)]
    assert [body for _, body in http_of(tmp_path)] == bodies


def http_of(folder: Path) -> list[tuple[str, bytes]]:
    """URL and body of every response in a folder's files, all digests right."""
    found = []
    for file in files(folder):
        with file.open("rb") as opened:
            for each in ArchiveIterator(opened, check_digests="raise"):
                body = each.raw_stream.read()
                if each.rec_type == "response":
                    found.append((each.rec_headers["WARC-Target-URI"], body))
    return found


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(url=st.text(max_size=30), response=st.binary(max_size=50), address=st.none() | st.text(max_size=9))
def test_whatever_is_added_makes_records(tmp_path: Path, url: str, response: bytes, address: str | None) -> None:
    archive = Archive(tmp_path)
    archive.cut_back(None)
    place = archive.add(A + url + "\r\nContent-Length: 0\r\n\r\n", REQUEST, response, address, truncated=False)
    archive.close()
    assert read(tmp_path, place) == (REQUEST, response)
    with files(tmp_path)[0].open("rb") as opened:
        kinds = [each.rec_type for each in ArchiveIterator(opened, no_record_parse=True)]
    assert kinds == ["warcinfo", "response", "request"]


def test_a_refresh_asks_with_conditions_and_keeps_the_answer(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    asked = {"If-None-Match": '"v1"', "If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"}
    evil = {"If-None-Match": '"v1"\r\nCookie: a=b', "If-Modified-Since": "a\nb", "X-Y": "\udcff"}
    (got,), server = served({"/": page(b"", status=304)}, A, archive=archive, fields=asked)
    (other,), unharmed = served({"/": page(b"", status=304)}, A, fields=evil)
    archive.close()
    assert isinstance(got, Exchange)
    assert isinstance(other, Exchange)
    assert (got.status, got.body, other.status) == (304, b"", 304)
    assert asked.items() <= {k.title(): v for k, v in server.requests[0].fields.items()}.items()
    assert not {"if-none-match", "if-modified-since", "cookie", "x-y"} & unharmed.requests[0].fields.keys()
    assert got.record is not None
    assert other.record is None
    request, response = read(tmp_path, got.record) or (b"", b"")
    assert b'\r\nIf-None-Match: "v1"\r\n' in request
    assert response.startswith(b"HTTP/1.1 304 So\r\n")


def test_a_proxys_password_and_address_are_not_for_the_record(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    (got,), server = served(lambda asked: page(HTML), A, archive=archive, proxy="http://me:pw@127.0.0.1:{}")
    archive.close()
    assert "proxy-authorization" in server.requests[0].fields
    assert isinstance(got, Exchange)
    assert got.record is not None
    request, response = read(tmp_path, got.record) or (b"", b"")
    assert request.startswith(b"GET / HTTP/1.1\r\nHost: a.example\r\n")
    assert b"roxy" not in request
    assert response.endswith(HTML)
    plain = gzip.decompress(files(tmp_path)[0].read_bytes())
    assert b"WARC-IP-Address" not in plain


def response(n: int, size: int = 40) -> bytes:
    return b"HTTP/1.1 200 OK\r\n\r\n%d " % n + bytes(range(256)) * (size // 256) + b"." * (size % 256)


def fill(archive: Archive, numbers: range, size: int = 40) -> list[int]:
    return [archive.add(f"{A}{n}", REQUEST, response(n, size), "::1", truncated=False) for n in numbers]


def numbers_of(folder: Path) -> list[int]:
    """Which of the responses of `fill` are there, by all that other programs can read."""
    return [int(body.split()[0]) for _, body in http_of(folder)]


def test_a_crawl_goes_on_where_it_was(tmp_path: Path) -> None:
    first = Archive(tmp_path)
    assert first.flush() is None
    places = fill(first, range(3))
    assert list(tmp_path.iterdir()) == []
    assert read(tmp_path, places[0]) is None
    known = first.flush()
    assert known == (0, files(tmp_path)[0].stat().st_size)
    assert first.flush() == known
    fill(first, range(3, 6))
    first.flush()
    fill(first, range(6, 9))  # never flushed
    second = Archive(tmp_path)
    assert second.cut_back(known) is None
    assert second.flush() == known
    places += fill(second, range(10, 13))
    second.close()
    assert numbers_of(tmp_path) == [0, 1, 2, 10, 11, 12]
    assert [read(tmp_path, place) for place in places] == [(REQUEST, response(n)) for n in [0, 1, 2, 10, 11, 12]]
    second.cut_back(None)
    assert files(tmp_path) == []
    assert second.flush() is None


def test_an_archive_that_was_not_cut_back_overwrites_nothing(tmp_path: Path) -> None:
    for n in range(3):
        archive = Archive(tmp_path)
        fill(archive, range(n, n + 1))
        archive.close()
    assert numbers_of(tmp_path) == [0, 1, 2]


def test_a_file_cut_at_any_byte_keeps_its_whole_records(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    places = fill(archive, range(2))
    known = archive.flush()
    assert known is not None
    (file,) = files(tmp_path)
    whole = file.read_bytes()
    with file.open("rb") as opened:
        offsets = [each.stream_pos for each in FastIterator(opened)]
    ends = [0, *offsets[1:], known[1]]
    assert known[1] == len(whole)
    for length in range(len(whole) + 1):
        for path in files(tmp_path):
            path.unlink()
        file.write_bytes(whole[:length])
        again = Archive(tmp_path)
        lost = again.cut_back(known)
        kept = max(end for end in ends if end <= length)
        assert (file.stat().st_size if file.exists() else 0) == kept
        assert (lost is None) == (length == len(whole))
        assert lost is None or f"{len(whole) - kept:,} of {len(whole):,} bytes" in lost
        (place,) = fill(again, range(7, 8))
        reached = again.flush()
        assert place not in places
        assert read(tmp_path, place) == (REQUEST, response(7))
        was_there = [at < kept and ends.index(at) + 2 <= ends.index(kept) for at in places]
        assert [read(tmp_path, at) is not None for at in places] == was_there
        if length % 20 == 0 or length in ends:
            assert numbers_of(tmp_path) == [n for n in range(2) if offsets[1 + 2 * n] < kept] + [7]
        assert Archive(tmp_path).cut_back(reached) is None
        assert read(tmp_path, place) is not None


def test_damage_within_a_short_file_ends_what_is_kept(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    places = fill(archive, range(3))
    known = archive.flush()
    assert known is not None
    (file,) = files(tmp_path)
    data = bytearray(file.read_bytes()[:-1])
    data[places[2] - 9 : places[2]] = bytes(9)  # the end of the second request
    file.write_bytes(data)
    assert archive.cut_back(known) is not None
    assert numbers_of(tmp_path) == [0, 1]
    assert [read(tmp_path, place) is not None for place in places] == [True, False, False]


def test_a_full_file_is_followed_by_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Archive, "file_size", 5_000)
    archive = Archive(tmp_path)
    places = fill(archive, range(4), size=900)
    known = archive.flush()
    assert known is not None
    places += fill(archive, range(4, 30), size=900)  # several files wait at once
    archive.close()
    names = [path.name for path in files(tmp_path)]
    assert names == [f"crawl-{n:05}.warc.gz" for n in range(len(names))]
    assert len(names) > 4
    assert all(path.stat().st_size >= 5_000 for path in files(tmp_path)[:-1])
    assert all(path.stat().st_size < 7_000 for path in files(tmp_path))
    for path in files(tmp_path):
        with path.open("rb") as opened:
            assert next(iter(ArchiveIterator(opened))).rec_type == "warcinfo"
    assert numbers_of(tmp_path) == list(range(30))
    assert all(before < after for before, after in pairwise(places))
    assert [read(tmp_path, place) for place in places] == [(REQUEST, response(n, 900)) for n in range(30)]
    again = Archive(tmp_path)
    assert again.cut_back(known) is None
    assert len(files(tmp_path)) == known[0] + 1
    fill(again, range(50, 60), size=900)
    again.close()
    assert numbers_of(tmp_path) == [0, 1, 2, 3, *range(50, 60)]


def test_a_file_that_is_gone_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Archive, "file_size", 5_000)
    archive = Archive(tmp_path)
    fill(archive, range(10), size=900)
    known = archive.flush()
    assert known is not None
    before = numbers_of(tmp_path)
    files(tmp_path)[-1].unlink()
    left = numbers_of(tmp_path)
    assert left == before[: len(left)]
    assert f"{known[1]:,} bytes of {files(tmp_path)[0].parent}/crawl-0000" in (archive.cut_back(known) or "")
    fill(archive, range(50, 51))
    archive.close()
    assert numbers_of(tmp_path) == [*left, 50]


FULL_DISK = """
import json, resource, sys
from pathlib import Path
from salticid.store.archive.warc import Archive

archive, failures, places = Archive(Path(sys.argv[1])), 0, []
for n in range(60):
    limit = 1_000 * n if n % 3 else 1  # now and then not even a byte
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    answer = b"HTTP/1.1 200 OK\\r\\n\\r\\n%d " % n + bytes(range(256)) * 5
    places.append(archive.add(f"http://a.example/{n}", b"GET / HTTP/1.1\\r\\n\\r\\n", answer, None, truncated=False))
    try:
        archive.flush()
    except OSError:
        failures += 1
try:
    archive.close()
except OSError:
    failures += 1
print(json.dumps([failures, places]), flush=True)
sys.stdin.readline()
print(json.dumps(archive.flush()), flush=True)
"""


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    program = [sys.executable, "-c", FULL_DISK, str(tmp_path)]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdin is not None
        failures, places = json.loads(running.stdout.readline())
        unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        resource.prlimit(running.pid, resource.RLIMIT_FSIZE, unlimited)
        running.stdin.write("\n")
        running.stdin.flush()
        reached = json.loads(running.stdout.readline())
    assert failures > 30
    assert reached == [0, files(tmp_path)[0].stat().st_size]
    assert numbers_of(tmp_path) == list(range(60))
    assert all(read(tmp_path, place) for place in places)


@pytest.mark.parametrize("flushed", [False, True])
def test_what_a_browser_made_of_an_answer_refers_to_it(flushed: bool, tmp_path: Path) -> None:
    """Be the answer on the disk already or not; and it stands for itself, in whatever file it comes to be."""
    archive = Archive(tmp_path)
    places = []
    for number in range(2):
        answer = archive.add(f"http://a.example/{number}", b"GET", b"HTTP/1.1 200 OK\r\n\r\n<p>", None, False)
        if flushed:
            archive.flush()
        fields = {"x-robots-tag": "noarchive", "server": "x", "tdm-reservation": "1\r\nWARC-Type: request"}
        places.append((answer, archive.add_conversion("http://a.example/", answer, b"<p>\xc3\xa9", fields)))
        archive.file_size = 1  # type: ignore[misc]  # a new file for each of what follows
    archive.close()
    for answer, conversion in places:
        copies = copy(tmp_path, answer), copy(tmp_path, conversion)
        assert copies[0] is not None
        assert copies[1] is not None
        assert (copies[0].is_conversion, copies[1].is_conversion) == (False, True)
        assert copies[1].field("WARC-Refers-To") == copies[0].field("WARC-Record-ID")
        assert copies[1].field("WARC-Type") == "conversion"
        assert len(copies[1].packed) == copies[1].size
        assert read(tmp_path, conversion) == (
            b"",
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nx-robots-tag: noarchive\r\n"
            b"tdm-reservation: 1 WARC-Type: request\r\n\r\n<p>\xc3\xa9",
        )
    assert len({place >> 40 for pair in places for place in pair}) > 1
