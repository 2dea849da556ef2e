"""Sources of worlds: what each makes of good, odd and broken recordings, and that a world comes of it."""

import bz2
import gzip
import io
import os
import random
import tracemalloc
import zlib
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import accumulate
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from warcio.warcwriter import WARCWriter

from salticid.errors import UserError
from salticid.model import Outcome, Response
from salticid.parse.codings import undo
from salticid.parse.content import has_tag, is_binary, timestamp
from salticid.urls import canonical, host
from salticid.webs.recorded import RecordedWeb
from salticid.webs.synthetic import GeneratedWeb
from salticid.worlds.answers import Answer, Source, Unread
from salticid.worlds.folder import HtmlFolder, as_links_write
from salticid.worlds.generated import Generated
from salticid.worlds.http import split, to_answer
from salticid.worlds.warc import WarcFiles
from salticid.worlds.webkb import WebKB
from salticid.worlds.writer import MAX_HTML, WorldWriter

HTML = b"Content-Type: text/html\r\n"
HOME = b'<title>Home</title><a href="/old">old</a> <a href="/nowhere">gone</a>'
NEW = b"<title>New</title><p>moved here"


def answers(source: Source) -> list[Answer]:
    return [item for item in source if isinstance(item, Answer)]


def unread(source: Source) -> list[tuple[str, str]]:
    return [(item.why, item.what) for item in source if isinstance(item, Unread)]


def world(source: Source, folder: Path) -> Callable[[str], Response]:
    """Write the world of a source, open it, and give what fetches a URL of it."""
    writer = WorldWriter(folder)
    for answer in answers(source):
        writer.add(answer)
    writer.close(source.name)
    web = RecordedWeb(folder)
    return lambda url: web.fetch(web.urls.intern(url))


def title(response: Response) -> str | None:
    return response.page.title if response.page else None


# HTTP answers


def http(body: bytes, head: bytes = HTML, status: bytes = b"200 OK") -> bytes:
    return b"HTTP/1.1 %s\r\n%s\r\n%s" % (status, head, body)


def chunked(body: bytes, size: int = 7) -> bytes:
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x;note=1\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


@pytest.mark.parametrize(
    ("codings", "pack"),
    [
        (["gzip"], gzip.compress),
        (["x-gzip"], lambda body: gzip.compress(body[:50]) + gzip.compress(body[50:])),
        (["deflate"], zlib.compress),
        (["deflate"], raw_deflate),
        (["zstd"], zstandard.compress),
        (["chunked"], chunked),
        (["gzip", "chunked"], lambda body: chunked(gzip.compress(body))),
        ([], bytes),
    ],
)
def test_codings_are_undone_up_to_the_limit(codings: list[str], pack: Callable[[bytes], bytes]) -> None:
    body = random.Random(1).randbytes(3000).hex().encode()
    packed = pack(body)
    assert undo(packed, codings, 10**6) == body
    assert undo(packed, codings, 1000) == body[:1000]
    cut = undo(packed[: len(packed) * 3 // 4], codings, 10**6) or b""
    assert body.startswith(cut)
    assert len(cut) < len(body)


def test_padding_and_trailers_are_no_content() -> None:
    assert undo(gzip.compress(b"a") + bytes(9) + gzip.compress(b"b") + bytes(9), ["gzip"], 100) == b"ab"
    assert undo(chunked(b"body") + b"5\r\nafter\r\n", ["chunked"], 100) == b"body"


def test_brotli_is_undone() -> None:
    packed = bytes.fromhex("8b0f0000c46d6c5df941e3886fd5e849962842055369c537fb29605b03")
    assert undo(packed, ["br"], 100) == b"<p>spiders, spiders, spiders</p>"
    assert undo(packed, ["br"], 4) == b"<p>s"


@given(st.binary(max_size=300), st.lists(st.sampled_from(["gzip", "deflate", "br", "zstd", "chunked", "x"])))
def test_no_body_is_too_odd_to_be_undone(body: bytes, codings: list[str]) -> None:
    plain = undo(body, codings, 50)
    assert plain is None or len(plain) <= 50


@pytest.mark.parametrize(
    ("head", "body", "html"),
    [
        (b"Content-Type: text/html\r\n", b"no tag", b"no tag"),
        (b"content-type:TEXT/HTML;charset=x\r\n", b"<p>", b"<p>"),
        (b"Content-Type: application/xhtml+xml\r\n", b"<p>", b"<p>"),
        (b"Content-Type: text/plain\r\n", b"<p>", None),
        (b"", b"\n <!doctype html>", b"\n <!doctype html>"),
        (b"", b"no tag", None),
        (b"", b"<p>\0", None),
        (HTML + b"Content-Encoding: gzip\r\n", b"<p>never packed", b"<p>never packed"),
        (HTML + b"Content-Encoding: gzip\r\n", b"\x1f\x8b\x08 broken", None),
        (HTML + b"Content-Encoding: gzip\r\n", b"", b""),
        (HTML + b"Content-Encoding: rot13\r\n", b"uvqqra", None),
        (HTML + b"Transfer-Encoding: chunked\r\n", b"<p>never in chunks", b"<p>never in chunks"),
    ],
)
def test_only_html_is_kept(head: bytes, body: bytes, html: bytes | None) -> None:
    parts = split(http(body, head))
    assert parts is not None
    assert to_answer("http://a.example/", *parts).html == html


def test_interim_answers_are_passed_over() -> None:
    last = http(b"<p>", HTML, b"201 Made")
    assert split(b"HTTP/1.1 100 Continue\r\n\r\n" * 2 + last) == split(last)
    parts = split(last)
    assert parts is not None
    assert parts[0].status == 201


@pytest.mark.parametrize("block", [b"", b"hello", b"<p>a: b", b"Note: a\n\nb", b"Date: " + b"x" * 70_000])
def test_what_has_no_head_is_not_given_one(block: bytes) -> None:
    assert split(block) is None


@given(st.binary(max_size=200))
def test_no_block_is_too_odd_to_be_read(block: bytes) -> None:
    parts = split(b"HTTP/1.0 200 OK\r\n" + block)
    assert parts is not None
    assert to_answer("http://a.example/", *parts).status in (200, *range(100, 1000))
    assert has_tag(block) <= (not is_binary(block))


@given(st.text(alphabet="MonJaGMT0123456789 ,:-+()", max_size=40))
def test_no_date_is_too_odd_to_be_read(date: str) -> None:
    assert isinstance(timestamp(date), float | None)


@pytest.mark.parametrize(
    "date",
    ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
     "Sun, 06 Nov 1994 09:49:37 +0100"],
)  # fmt: skip
def test_dates_of_all_forms(date: str) -> None:
    assert timestamp(date) == 784_111_777.0


def test_a_day_that_never_was_is_no_date() -> None:
    assert timestamp("Sat, 31 Feb 1998 00:00:00 GMT") is None


def test_a_character_cut_in_two_makes_no_text_binary() -> None:
    assert not is_binary(b"a" + "é".encode() * 600)
    assert is_binary(b"a" + b"\xe9" * 600)


# WARC


def record(
    kind: str, url: str, block: bytes, content_type: str = "application/http; msgtype=response"
) -> bytes:
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
        Answer("http://a.example/", 200, HOME, "latin-1", modified=784_111_777.0),
        Answer("http://a.example/new", 200, NEW),
        Answer("http://a.example/old", 301, location="/new"),
        Answer("http://a.example/lost", 404, b"<title>404</title>"),
        Answer("http://a.example/x.png", 200),
        Answer("http://a.example/res", 200, b"<title>Resource</title>"),
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
        record(
            "response", "http://a.example/raw", http(b"<p>" * MAX_HTML, HTML + b"Content-Encoding: gzip\r\n")
        ),
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


# Folders


def test_folder_becomes_a_world(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    (pages / "a b").mkdir(parents=True)
    links = (
        '<a href="a%20b/50%25C3.HTM">x</a> <a href="a b/Z%C3%BC(1),2.html">y</a> <a href="../up.htm">z</a>'
    )
    (pages / "Home.xhtml").write_text(f"<title>Home</title>{links}")
    (pages / "a b" / "50%C3.HTM").write_text("<title>Percent</title>")
    (pages / "a b" / "Zü(1),2.html").write_text("<title>Umlaut</title>")
    source = HtmlFolder(pages, "http://a.example/deep")
    assert [answer.url for answer in answers(source)] == [
        "http://a.example/deep/Home.xhtml",
        "http://a.example/deep/a%20b/50%25C3.HTM",
        "http://a.example/deep/a%20b/Z%C3%BC(1),2.html",
    ]
    assert (source.size, source.done, unread(source)) == (3, 3, [])
    fetch = world(source, tmp_path / "world")
    home = fetch("http://a.example/deep/Home.xhtml")
    assert (home.outcome, title(home)) == (Outcome.OK, "Home")
    web = RecordedWeb(tmp_path / "world")
    assert home.page is not None
    targets = [web.fetch(url) for url in home.page.links.url.tolist()]
    assert [(target.outcome, title(target)) for target in targets] == [
        (Outcome.OK, "Percent"),
        (Outcome.OK, "Umlaut"),
        (Outcome.NOT_RECORDED, None),
    ]


def test_a_folder_with_odd_things_in_it(tmp_path: Path) -> None:
    outside, pages = tmp_path / "outside", tmp_path / "pages"
    outside.mkdir()
    (outside / "secret.html").write_text("<p>secret")
    (pages / "x.html").mkdir(parents=True)
    (pages / "x.html" / "in.html").write_text("<p>a folder may be called so")
    (pages / "long.html").write_bytes(b"a" * (MAX_HTML + 1))
    (pages / "good.html").write_text("plain words are a page")
    (pages / "empty.html").touch()
    (pages / "utf16.html").write_bytes("<p>wide".encode("utf-16"))
    (pages / "latin.html").write_bytes(b"<p>caf\xe9")
    (pages / "image.html").write_bytes(b"GIF89a\0\0<p>")
    (pages / "noise.html").write_bytes(b"\xff\xe9 no tag")
    (pages / "style.css").write_text("p {}")
    (pages / "dangling.html").symlink_to("nothing.html")
    (pages / "circle.html").symlink_to("circle.html")
    (pages / "secret.html").symlink_to(outside / "secret.html")
    (pages / "alias.html").symlink_to("good.html")
    (pages / "loop").symlink_to(".")
    (pages / "out").symlink_to(outside)
    os.mkfifo(pages / "pipe.html")
    (pages / os.fsdecode(b"caf\xe9.html")).write_text("<p>name in Latin-1")
    (pages / os.fsdecode(b"caf\xe9.png")).touch()
    source = HtmlFolder(pages, "http://a.example/")
    names = [answer.url.removeprefix("http://a.example/") for answer in answers(source)]
    assert names == ["alias.html", "caf%E9.html", "empty.html", "good.html", "latin.html", "long.html", "utf16.html",
                     "x.html/in.html"]  # fmt: skip
    assert unread(source) == [
        ("not HTML", "caf\\xe9.png"),
        ("unreadable", "circle.html"),
        ("unreadable", "dangling.html"),
        ("not HTML", "image.html"),
        ("linked folder", "loop"),
        ("not HTML", "noise.html"),
        ("linked folder", "out"),
        ("not HTML", "pipe.html"),
        ("leads outside the folder", "secret.html"),
        ("not HTML", "style.css"),
    ]
    assert source.size == source.done == len(names) + 10
    assert max(len(answer.html or b"") for answer in answers(source)) == MAX_HTML


def test_a_folder_that_cannot_be_listed_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "closed").mkdir()
    (tmp_path / "open.html").write_text("<p>")
    listed = Path.iterdir

    def refuse(folder: Path) -> Iterable[Path]:
        if folder.name == "closed":  # as for anybody but root behind chmod 000
            raise PermissionError(13, "Permission denied")
        return listed(folder)

    monkeypatch.setattr(Path, "iterdir", refuse)
    source = HtmlFolder(tmp_path, "http://a.example/")
    assert len(answers(source)) == 1
    assert unread(source) == [("unreadable", "closed")]


@pytest.mark.parametrize("url", ["ftp://a.example/", "a.example", "", "http://", "file:///tmp"])
def test_a_base_url_is_http(url: str, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>")
    with pytest.raises(UserError, match="is no http or https URL; give one"):
        HtmlFolder(tmp_path, url)


def test_a_base_url_has_no_query(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>")
    with pytest.raises(UserError, match="query or a fragment"):
        HtmlFolder(tmp_path, "http://a.example/?a=1")


def test_a_folder_holds_pages(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"cannot read the folder .*none: No such file"):
        HtmlFolder(tmp_path / "none", "http://a.example/")
    (tmp_path / "a.txt").write_text("<p>")
    (tmp_path / "b.html").write_bytes(b"\0\0")
    with pytest.raises(UserError, match="holds no readable page"):
        HtmlFolder(tmp_path, "http://a.example/")
    with pytest.raises(UserError, match=r"a\.txt: Not a directory"):
        HtmlFolder(tmp_path / "a.txt", "http://a.example/")


@given(st.text(st.characters(codec="utf-8", exclude_characters="/\0"), max_size=20))
def test_a_careful_link_leads_to_the_file(name: str) -> None:
    """Careful is who escapes what a link cannot hold, "%" first of all."""
    must = {char: f"%{ord(char):02X}" for char in "%?#\\\t\r\n"}
    href = "".join(must.get(char, char) for char in name)
    link = canonical(f"./{href}x.html", "http://a.example/")
    assert link is not None
    assert canonical("http://a.example/" + as_links_write(Path(f"{name}x.html"))) == link


def test_schools_wikipedia(schools_dir: Path) -> None:
    source = HtmlFolder(schools_dir, "http://schools-wikipedia.org")
    items = list(source)
    assert Counter(type(item) for item in items) == {Answer: 5232}
    urls = {canonical(item.url) for item in items if isinstance(item, Answer)}
    assert len(urls) == 5232
    assert "http://schools-wikipedia.org/wp/b/Bristol.htm" in urls


# WebKB


def webkb_tree(root: Path) -> Path:
    head = "Date: Friday, 10-Jan-97 10:00:00 GMT\nServer: NCSA/1.4\n{}Content-type: text/html\n\n"
    dated = head.format("Last-modified: Thursday, 09-Jan-97 10:00:00 GMT\n")
    files = {
        "course/cornell/http:^^a.example^cs1^": dated.encode() + b"<title>Caf\xe9</title><a href=/2>2</a>",
        "course/misc/http:^^a.example^bare.html": b"<html><title>Bare</title>\n\nDate: none",
        "course/misc/http:^^a.example^moved": b"WWW Alert:  Redirection response\n"
        + head.format("Location: http://a.example/cs1/\n").encode()
        + b"<title>301</title>",
        "faculty/cornell/http:^^a.example^cs1^": head.format("").encode() + b"<title>Other copy</title>",
        "faculty/cornell/http:^^a.example^new%20?a=b": b"HTTP/1.0 404 Gone\r\nServer: x\r\n\r\n<p>",
        "student/texas/http:^^a.example^old.txt": b"Content-type: text/plain\n\n<p>",
        "student/http:^^a.example^shallow": b"<p>",
        "student/texas/README": b"",
    }
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    (root / "student/texas/http:^^a.example^dangling").symlink_to("nothing")
    os.mkfifo(root / "student/texas/http:^^a.example^pipe")
    return root


@pytest.mark.parametrize("inside", ["", "raw", "webkb"])
def test_webkb_files_become_answers(inside: str, tmp_path: Path) -> None:
    webkb_tree(tmp_path / inside)
    source = WebKB(tmp_path)
    found = [(a.url.removeprefix("http://a.example/"), a.status, a.labels) for a in answers(source)]
    assert found == [
        ("cs1/", 200, ("course.cornell",)),
        ("bare.html", 200, ("course.misc",)),
        ("moved", 302, ("course.misc",)),
        ("cs1/", 200, ("faculty.cornell",)),
        ("new%20?a=b", 404, ("faculty.cornell",)),
        ("old.txt", 200, ("student.texas",)),
    ]
    assert unread(source) == [
        ("no URL for a name", "student/http:^^a.example^shallow"),
        ("no URL for a name", "student/texas/README"),
        ("unreadable", "student/texas/http:^^a.example^dangling"),
        ("unreadable", "student/texas/http:^^a.example^pipe"),
    ]
    assert source.size == source.done == 10
    first, bare, *_, plain = answers(source)
    assert first.modified == timestamp("Thu, 09 Jan 1997 10:00:00 GMT")
    assert bare.html == b"<html><title>Bare</title>\n\nDate: none"
    assert plain.html is None


def test_webkb_becomes_a_world(tmp_path: Path) -> None:
    fetch = world(WebKB(webkb_tree(tmp_path / "tree")), tmp_path / "world")
    page = fetch("http://a.example/cs1/")
    assert (page.outcome, title(page)) == (Outcome.OK, "Café")
    assert title(fetch("http://a.example/moved")) == "Café"
    assert fetch("http://a.example/new%20?a=b").outcome == Outcome.DEAD
    assert fetch("http://a.example/old.txt").outcome == Outcome.NOT_HTML
    assert fetch("http://a.example/2").outcome == Outcome.NOT_RECORDED


def test_a_tree_without_classes_is_no_webkb(tmp_path: Path) -> None:
    (tmp_path / "raw" / "courses").mkdir(parents=True)
    with pytest.raises(UserError, match=r"is no WebKB tree: it has no folder course, .*; name the folder"):
        WebKB(tmp_path)
    with pytest.raises(UserError, match="there is no such folder"):
        WebKB(tmp_path / "none")


def test_webkb(webkb_dir: Path) -> None:
    items = list(WebKB(webkb_dir))
    found = [item for item in items if isinstance(item, Answer)]
    assert len(found) == len(items) == 8281
    assert len({answer.url for answer in found}) == 8274
    assert len({answer.url.split("/")[2] for answer in found}) == 631
    urls = {url for answer in found if (url := canonical(answer.url))}
    # Ports and capitals make one host of several, and what was on ftp: and file: is no page of a crawl.
    assert (len(urls), len({host(url) for url in urls})) == (8213, 589)
    assert Counter(answer.status for answer in found) == {200: 8202, 302: 79}
    assert sum(answer.html is None for answer in found) == 22
    assert sum(answer.modified is not None for answer in found) > 6900
    assert len({label for answer in found for label in answer.labels}) == 35


# Generated webs


def test_generated_web_becomes_a_world(tmp_path: Path) -> None:
    web = GeneratedWeb(60, seed=3)
    source = Generated(60, seed=3)
    given_answers = answers(source)
    assert [(a.url, a.html, a.labels) for a in given_answers[:60]] == [
        (p.url, p.html, (p.label,)) for p in web
    ]
    assert [(a.url, a.status, a.location) for a in given_answers[60:]] == [
        (a, 301, b) for a, b in web.redirects
    ]
    assert source.done == source.size == 60 + len(web.redirects) > 60
    fetch = world(source, tmp_path / "world")
    home = fetch(given_answers[0].url)
    assert (home.outcome, title(home)) == (Outcome.OK, "Shipwrecks Notes")
    old, new = web.redirects[0]
    assert title(fetch(old)) == title(fetch(new)) is not None
    assert fetch("http://gone-1.example/lost/1").outcome == Outcome.NOT_RECORDED


@pytest.mark.parametrize(("pages", "seed"), [(0, 0), (-3, 0), (5, -1)])
def test_no_web_is_generated_from_nothing(pages: int, seed: int) -> None:
    with pytest.raises(UserError, match=r"; (ask for|give)"):
        Generated(pages, seed)
