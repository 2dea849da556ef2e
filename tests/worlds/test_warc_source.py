"""WARC files as a source of worlds, whatever state they are in."""

import bz2
import gzip
import io
import lzma
import random
import re
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from itertools import accumulate
from pathlib import Path

import pytest
import zstandard
from tests.support.running import salticid
from tests.support.sources import HOME, HTML, NEW, answers, chunked, http, title, unread, world
from warcio.warcwriter import WARCWriter

from salticid.errors import UserError
from salticid.model import Outcome
from salticid.worlds.answers import Answer, Unread
from salticid.worlds.warc_source import WarcFiles
from salticid.worlds.writer import MAX_BLOCK, MAX_HTML


def record(kind: str, url: str, block: bytes, content_type: str = "application/http; msgtype=response") -> bytes:
    head = (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Record-ID: <urn:uuid:0>\r\n"
        f"WARC-Date: 2020-01-01T00:00:00Z\r\nContent-Type: {content_type}\r\n"
        f"Content-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


DATED = HTML + b"Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
RECORDS = [
    record("response", "http://a.example/", http(HOME, DATED.replace(b"html", b"html; charset=latin-1"))),
    record("response", "<http://a.example/new>", http(chunked(gzip.compress(NEW)), HTML + (
        b"Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n"))),
    record("request", "http://a.example/", b"GET / HTTP/1.1\r\n\r\n", "application/http; msgtype=request"),
    record("response", "http://a.example/old", http(b"", b"Location: /new\r\n", b"301 Moved")),
    record("response", "http://a.example/lost", http(b"<title>404</title>", HTML, b"404 Not Found")),
    record("response", "http://a.example/x.png", http(b"\x89PNG", b"Content-Type: image/png\r\n")),
    record("revisit", "http://a.example/again", http(b"", HTML)),
    record("resource", "http://a.example/res", b"<title>Resource</title>", "text/html"),
]  # fmt: skip
UNREAD = [("revisit record", "http://a.example/again")]
FORMS: dict[str, Callable[[bytes], bytes]] = {
    "warc": bytes,
    "warc.gz": gzip.compress,
    "warc.zst": zstandard.compress,
    "warc.xz": lambda data: lzma.compress(data, preset=1),  # others take their memory for it
}


def write_warc(path: Path, records: Iterable[bytes], form: str = "warc") -> Path:
    path.write_bytes(b"".join(map(FORMS[form], records)))
    return path


def write_with_warcio(path: Path) -> Path:
    """The same records as another program writes them."""
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        for block in RECORDS:
            head, _, content = block[:-4].partition(b"\r\n\r\n")
            fields = dict(line.split(": ", 1) for line in head.decode().splitlines()[1:])
            answer = writer.create_warc_record(
                fields["WARC-Target-URI"],
                fields["WARC-Type"],
                payload=io.BytesIO(content),
                length=len(content),
                warc_content_type=fields["Content-Type"],
            )
            writer.write_record(answer)
    return path


answered = partial(Answer, may_be_wall=True)
"""An answer of a server, as it came."""


@pytest.fixture(params=[*FORMS, "warcio"])
def warc(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    form: str = request.param
    if form == "warcio":
        return write_with_warcio(tmp_path / "a.warc.gz")
    return write_warc(tmp_path / f"a.{form}", RECORDS, form)


def test_warc_records_become_answers(warc: Path) -> None:
    source = WarcFiles([warc])
    assert source.size == warc.stat().st_size
    assert answers(source) == [
        answered("http://a.example/", 200, HOME, "latin-1", modified=784_111_777.0),
        answered("http://a.example/new", 200, NEW),
        answered("http://a.example/old", 301, location="/new"),
        answered("http://a.example/lost", 404, b"<title>404</title>"),
        answered("http://a.example/x.png", 200),
        answered("http://a.example/res", 200, b"<title>Resource</title>"),
    ]
    assert source.done == source.size
    assert unread(source) == UNREAD


def test_warc_becomes_a_world(warc: Path, tmp_path: Path) -> None:
    fetch = world(WarcFiles([warc]), tmp_path / "world")
    home = fetch("http://a.example/")
    assert (home.outcome, title(home), home.modified) == (Outcome.OK, "Home", 784_111_777.0)
    moved = fetch("http://a.example/old")
    assert (moved.outcome, title(moved), moved.final) == (
        Outcome.OK,
        "New",
        fetch("http://a.example/new").url,
    )
    assert fetch("http://a.example/nowhere").outcome == Outcome.NOT_RECORDED
    assert fetch("http://a.example/lost").outcome == Outcome.DEAD
    assert fetch("http://a.example/x.png").outcome == Outcome.NOT_HTML
    assert title(fetch("http://a.example/res")) == "Resource"


@pytest.mark.parametrize("form", FORMS)
def test_a_cut_warc_keeps_the_records_before_the_cut(form: str, tmp_path: Path) -> None:
    path = write_warc(tmp_path / f"cut.{form}", RECORDS, form)
    whole, expected = path.read_bytes(), answers(WarcFiles([path]))
    ends = list(accumulate(len(FORMS[form](block)) for block in RECORDS))
    has_answer = [b"WARC-Type: res" in block for block in RECORDS]
    for length in sorted({*range(0, len(whole), 7), *ends}):
        path.write_bytes(whole[:length])
        source = WarcFiles([path])
        kept = answers(source)
        complete = sum(good for good, end in zip(has_answer, ends, strict=True) if end <= length)
        assert kept == expected[: len(kept)]
        # A record may be whole although the compressed data or the line ends behind it are not.
        assert len(kept) in (complete, complete + 1)
        damaged = [what for why, what in unread(source) if why == "damaged WARC"]
        assert len(damaged) <= 1
        if length in ends:
            assert (len(kept), damaged) == (complete, [])
        elif len(kept) == complete and not is_in_request(length, ends):
            assert damaged, length
            assert damaged[0].startswith(f"{path}: ")


def is_in_request(length: int, ends: list[int]) -> bool:
    """Whether a cut may be behind the block of a record that is no answer, where nothing is lost."""
    return any(end - 12 <= length < end for end in ends)


def test_garbage_is_no_warc(tmp_path: Path) -> None:
    rng = random.Random(7)
    plain = [
        b"",
        b"\n" * 99,
        b"<p>page",
        b"WARC/1.0\r\n\r\n",
        b"\x1f\x8b",
        b"\x28\xb5\x2f\xfd",
        gzip.compress(b"x"),
    ]
    for data in [*plain, bz2.compress(b"x"), *map(rng.randbytes, range(1, 3000, 97))]:
        path = tmp_path / "x.warc"
        path.write_bytes(data)
        items = list(WarcFiles([path]))
        assert [type(item) for item in items] == [Unread], data
        assert isinstance(items[0], Unread)
        assert items[0].why == "damaged WARC"
        assert items[0].what.startswith(f"{path}: ")


@pytest.mark.parametrize("form", FORMS)
def test_damage_ends_one_file_only(form: str, tmp_path: Path) -> None:
    good = [FORMS[form](RECORDS[0]), FORMS[form](RECORDS[1])]
    bad = tmp_path / f"bad.{form}"
    bad.write_bytes(good[0] + b"garbage, and more of it" * 9 + good[1])
    other = write_warc(tmp_path / f"other.{form}", RECORDS[-1:], form)
    source = WarcFiles([bad, other])
    assert [answer.url for answer in answers(source)] == ["http://a.example/", "http://a.example/res"]
    assert [why for why, _ in unread(source)] == ["damaged WARC"]
    assert source.done == source.size


PACKED: dict[str, Callable[[bytes], bytes]] = {**FORMS, "one member": bytes}
LONG = 3 * MAX_BLOCK


@pytest.mark.parametrize("form", PACKED)
@pytest.mark.parametrize("error", [-5, -1, 5, 300, 10**6, LONG, 10**12, 10**30, "none", "many"])
def test_a_record_that_lies_about_its_length_costs_itself(form: str, error: int | str, tmp_path: Path) -> None:
    pages = [record("response", f"http://a.example/{n}", http(b"<p>page %d" % n)) for n in range(4)]
    pages.append(record("response", "http://a.example/long", http(b"<p>" + b"a" * LONG)))
    size = re.search(rb"Content-Length: (\d+)", pages[1])
    assert size is not None
    said = str(int(size[1]) + error).encode() if isinstance(error, int) else error.encode()
    pages[1] = pages[1].replace(size[0], b"Content-Length: " + said)
    data = b"".join(map(PACKED[form], pages))
    path = tmp_path / "lying.warc"
    path.write_bytes(gzip.compress(data) if form == "one member" else data)
    source = WarcFiles([path])
    assert [answer.url[17:] for answer in answers(source)] == ["0", "2", "3", "long"]
    assert [why for why, _ in unread(source)] == ["damaged WARC"]


def test_records_that_lie_at_length_are_not_looked_through_for_ever(tmp_path: Path) -> None:
    lies = [
        record("response", f"http://a.example/{n}", http(b"<p>")).replace(b"-Length: ", b"-Length: 99999999")
        for n in range(100)
    ]
    long = record("response", "http://a.example/long", http(b"<p>" + b"a" * LONG))
    source = WarcFiles([write_warc(tmp_path / "x.warc", [*lies, long])])
    assert answers(source) == []
    assert 1 < len(unread(source)) < 50


def test_a_page_about_warc_is_a_page(tmp_path: Path) -> None:
    about = record("response", "http://a.example/about", http(b"<pre>\r\n\r\n" + RECORDS[1]))
    source = WarcFiles([write_warc(tmp_path / "x.warc", [about, RECORDS[0]])])
    assert [answer.url for answer in answers(source)] == ["http://a.example/about", "http://a.example/"]
    assert unread(source) == []


@pytest.mark.parametrize("form", FORMS)
def test_changed_bytes_never_raise(form: str, tmp_path: Path) -> None:
    rng = random.Random(form)
    whole = write_warc(tmp_path / "whole", RECORDS, form).read_bytes()
    path = tmp_path / f"x.{form}"
    seen: Counter[str] = Counter()
    for _ in range(400):
        data = bytearray(whole)
        for _ in range(rng.randrange(1, 4)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data)
        for item in WarcFiles([path]):
            seen["answer" if isinstance(item, Answer) else item.why] += 1
    assert seen["answer"] > 400
    assert seen["damaged WARC"] > 0


@pytest.mark.parametrize("form", FORMS)
def test_of_a_huge_body_only_the_start_is_kept(form: str, tmp_path: Path) -> None:
    bomb = gzip.compress(b"<p>" + bytes(30 * MAX_HTML))
    long = [
        record("response", "http://a.example/bomb", http(bomb, HTML + b"Content-Encoding: gzip\r\n")),
        record("response", "http://a.example/long", http(b"<p>" + b"a" * (30 * MAX_HTML))),
        record("response", "http://a.example/raw", http(b"<p>" * MAX_HTML, HTML + b"Content-Encoding: gzip\r\n")),
    ]
    path = write_warc(tmp_path / f"x.{form}", [*long, RECORDS[-1]], form)
    del bomb, long
    tracemalloc.start()
    try:
        sizes = [(answer.url[17:], len(answer.html or b"")) for answer in answers(WarcFiles([path]))]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert sizes == [("bomb", MAX_HTML), ("long", MAX_HTML), ("raw", MAX_HTML), ("res", 23)]
    assert peak < 10 * MAX_HTML


def test_records_that_hold_no_http_answer(tmp_path: Path) -> None:
    odd = [
        record("response", "dns:a.example", b"20200101\na.example. IN A 127.0.0.1", "text/dns"),
        record("response", "http://a.example/", b"Content-Type: text/html\r\n\r\n<p>"),
        record("conversion", "http://a.example/", b"text", "text/plain"),
        record("metadata", "http://a.example/", b"a: b", "application/warc-fields"),
    ]
    source = WarcFiles([write_warc(tmp_path / "x.warc", odd)])
    assert list(source) == [
        Unread("no HTTP answer", "dns:a.example"),
        Unread("no HTTP answer", "http://a.example/"),
        Unread("conversion record", "http://a.example/"),
    ]


def _named(block: bytes, *fields: str) -> bytes:
    """The same record with more fields, which replace those that it has."""
    for field in fields:
        name = field.partition(":")[0].encode()
        block = re.sub(rb"%b: [^\r]*\r\n" % name, b"", block, count=1)
        block = block.replace(b"WARC-Type", field.encode() + b"\r\nWARC-Type", 1)
    return block


FIRST = record("response", "http://a.example/first", http(HOME))
DATE = "2021-05-05T05:05:05Z"
REFERENCES: dict[str, tuple[str, tuple[str, ...]]] = {
    "by id": ("WARC-Record-ID: <urn:uuid:7>", ("WARC-Refers-To: <urn:uuid:7>",)),
    "by digest": ("WARC-Payload-Digest: sha1:ABC", ("WARC-Payload-Digest: sha1:ABC",)),
    "by date": (
        f"WARC-Date: {DATE}",
        ("WARC-Refers-To-Target-URI: http://a.example/first", f"WARC-Refers-To-Date: {DATE}"),
    ),
}


@pytest.mark.parametrize("how", REFERENCES)
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_revisit_is_the_answer_it_refers_to_in_whatever_file(
    how: str, order: tuple[int, int], tmp_path: Path
) -> None:
    named, refers = REFERENCES[how]
    again = _named(record("revisit", "http://a.example/again", http(b"", HTML)), *refers)
    same = _named(record("revisit", "http://a.example/same", http(b"", b"", b"304 Not Modified")), *refers)
    moved = _named(record("revisit", "http://a.example/moved", http(b"", b"Location: /x\r\n", b"302 Found")), *refers)
    bare = _named(record("revisit", "http://a.example/bare", b""), *refers)
    files = [
        write_warc(tmp_path / "one.warc.gz", [_named(FIRST, named)], "warc.gz"),
        write_warc(tmp_path / "two.warc.gz", [again, same, moved, bare], "warc.gz"),
    ]
    source = WarcFiles([files[at] for at in order])
    assert answers(source) == [
        answered("http://a.example/first", 200, HOME),
        answered("http://a.example/again", 200, HOME),
        answered("http://a.example/same", 200, HOME),
        answered("http://a.example/moved", 302, HOME, location="/x"),
        answered("http://a.example/bare", 200, HOME),
    ]
    assert unread(source) == []
    alone = WarcFiles([files[1]])
    assert answers(alone) == []
    assert len(unread(alone)) == 4


def test_a_packed_answer_that_is_revisited_is_unpacked(tmp_path: Path) -> None:
    packed = http(chunked(gzip.compress(NEW)), HTML + b"Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n")
    digest = "WARC-Payload-Digest: sha1:ABC"
    first = _named(record("response", "http://a.example/first", packed), digest)
    again = _named(record("revisit", "http://a.example/again", http(b"", HTML)), digest)
    source = WarcFiles([write_warc(tmp_path / "x.warc", [again, first])])
    assert [answer.html for answer in answers(source)] == [NEW, NEW]


@pytest.mark.parametrize("packed", [False, True])
def test_an_arc_is_told_to_be_one(packed: bool, tmp_path: Path) -> None:
    about = b"1 0 salticid\nURL IP-address Archive-date Content-type Archive-length\n"
    arc = b"filedesc://a.arc 0.0.0.0 20010101000000 text/plain %d\n%b\n" % (len(about), about)
    path = tmp_path / "a.arc.gz"
    path.write_bytes(gzip.compress(arc) if packed else arc)
    (item,) = WarcFiles([path])
    assert isinstance(item, Unread)
    assert item.why.startswith("ARC file")
    told = salticid("world", "build", tmp_path / "world", "--warc", path)
    assert told.status != 0
    assert "ARC file, the form before WARC (warcio recompress" in " ".join(told.err.split())


def test_warc_files_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no file .*/none\.warc; check the name"):
        WarcFiles([tmp_path / "none.warc"])
    with pytest.raises(UserError, match=r"is a folder; name the WARC files in it"):
        WarcFiles([tmp_path])
    with pytest.raises(UserError, match=r"name at least one"):
        WarcFiles([])
    path = write_warc(tmp_path / "x.warc", RECORDS)
    source = WarcFiles([path])
    path.unlink()
    assert [item.why for item in source if isinstance(item, Unread)] == ["damaged WARC"]
