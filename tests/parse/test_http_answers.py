"""Answers as recordings keep them: heads, bodies, codings, dates."""

import gzip
import random
import zlib
from collections.abc import Callable

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from tests.support.sources import HTML, chunked, http, raw_deflate

from salticid.parse.answer import has_tag, is_binary, timestamp
from salticid.parse.decoding import undo
from salticid.worlds.writer import split, to_answer


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
        (b"Content-Type: application/json\r\n", b"<p>", None),
        (b"Content-Type: text/plain\r\n", b"<p>", b"<title>&lt;p&gt;</title><p>&lt;p&gt;"),
        (b"Content-Type: text/plain\r\n", b"\0\1", None),
        (b"Content-Type: text/plain\r\nContent-Encoding: gzip\r\n", b"\x1f\x8b\x08 broken", None),
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
def test_only_html_and_text_are_kept(head: bytes, body: bytes, html: bytes | None) -> None:
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
