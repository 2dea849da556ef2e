"""The look before parsing: pages made to keep a parser busy are named, and no honest page is."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salticid.parse.precheck import MAX_ATTRIBUTES, MAX_OPEN, prescan

DEEP, WIDE, REOPENED = "nested too deep", "too many attributes", "formatting left open"
NAMES = [b"a%d" % n for n in range(200_000)]


@pytest.mark.parametrize(
    "element",
    [
        b"<div>", b"<DIV class='a b'>x", b"<span>", b"<b id=x>text", b"<ul><li>", b"<table><tr><td>", b"<x-y>",
        b"<section\n>", b"<div/>", b"<div></x>", b"<div></span></p>", b"<blockquote title='a>b'>", b"<object><p>",
        b"<div>&lt;/div>", b"<!--><div>", b"<h1><h2>",
    ],
)  # fmt: skip
def test_nesting(element: bytes) -> None:
    assert prescan(element * 50_000) == DEEP
    assert prescan(b"<p>before</p>" + element * 50_000 + b"</p>" * 10) == DEEP


def test_nesting_that_is_closed_again() -> None:
    assert prescan(b"<div>" * 50_000 + b"</div>" * 50_000) == DEEP
    assert prescan(b"<i><div>" * 25_000 + b"</div></i>" * 25_000) == DEEP
    assert prescan((b"<div>" * 100 + b"</div>" * 100) * 1000) is None


def test_nesting_by_many_names() -> None:
    names = [bytes((97 + n % 26, 97 + n // 26 % 26, 97 + n // 676)) for n in range(26**3)]
    assert prescan(b"".join(b"<q%s>" % name for name in names)) == DEEP


def test_nesting_in_sixteen_bits() -> None:
    assert prescan(("<div>" * 50_000).encode("utf-16")) == DEEP
    assert prescan(("<div>x</div>" * 50_000).encode("utf-16")) is None


@pytest.mark.parametrize(
    "html",
    [
        b"".join(b"<p><b id=%d>" % n for n in range(2_000)),
        b"".join(b"<P\n><FONT color=%d>x" % n for n in range(2_000)),
        b"<p>" + b"".join(b"<i class=c%d>" % n for n in range(1_000)) + b"</p><p>x</p>" * 1_000,
        b"".join(b"<b id=%d><div>" % n for n in range(2_400)) + b"</b>" * 2_400,
        "".join(f"<p><b id={n}>" for n in range(2_000)).encode("utf-16"),
    ],
)
def test_formatting_that_is_opened_again_and_again(html: bytes) -> None:
    assert prescan(html) == REOPENED


def test_formatting_that_its_author_forgot_to_close() -> None:
    assert prescan(b"<p><font size=2 color=red><b>text" * 2_400) is None
    assert prescan(b"".join(b"<p><b id=%d>x</b></p>" % n for n in range(20_000))) is None


def test_many_tags_far_down() -> None:
    assert prescan(b"<div>" * 4_900 + b"</p>" * 50_000) == DEEP
    assert prescan(b"<div>" * 300 + b"<p>text</p>" * 50_000) is None


def test_the_lines() -> None:
    assert prescan(b"<div>" * MAX_OPEN) is None
    assert prescan(b"<div>" * (MAX_OPEN + 1)) == DEEP
    assert prescan(b"<p %s>" % b" ".join(NAMES[:MAX_ATTRIBUTES])) is None
    assert prescan(b"<p %s>" % b" ".join(NAMES[: MAX_ATTRIBUTES + 1])) == WIDE


@pytest.mark.parametrize(
    ("between", "after"),
    [
        (b" ", b""), (b"\n", b"=1"), (b"/", b""), (b"", b"='x'"), (b"", b'="x y"'), (b" ", b" = '>'"), (b" ", b"='<'"),
        (b" ", b"<"), (b"\t", b'="a\'b>"'), (b" / ", b""),
    ],
)  # fmt: skip
def test_attributes(between: bytes, after: bytes) -> None:
    tag = b"<p " + between.join(name + after for name in NAMES)
    assert prescan(tag) == WIDE
    assert prescan(b"<h1>hello</h1> there" * 1000 + tag + b">text</p>") == WIDE


@pytest.mark.parametrize(
    "html",
    [
        b"", b"<", b"</", b"<a", b"x" * 1_000_000, b"<" * 1_000_000, b"<p" + b" " * 1_000_000, b"a < b " * 100_000,
        b"<br>" * 20_000, b"<p>x" * 10_000, b"<ul>" + b"<li>x" * 10_000, b"<table><tr>" + b"<td>x" * 10_000,
        b"<select>" + b"<option value=1>x" * 10_000, b"<img src=x />" * 10_000, b"<div>x</div>" * 10_000,
        b"<svg>" + b"<path d='M0 0'/>" * 10_000 + b"</svg>", b"<h1>x</h2>" * 10_000,
        b"<!--" + b"<div> a < b " * 90_000 + b"-->", b"<!--" + b"<div " * 200_000,
        b"<script>" + b"for(i=0;i<n;i++)x='<div>';" * 40_000 + b"</SCRIPT>", b"<script>" + b"if(i<n)" * 100_000,
        b"<script>i<n; " + b"12, " * 250_000 + b"</script>", b"<style>" + b"p b {x: y}\n" * 90_000 + b"</style>",
        b"<textarea>" + b"<div> " * 10_000 + b"</textarea>", b"<p>" + b"some words " * 100_000,
        b"<img src='data:image/png;base64," + b"A/+b" * 75_000 + b"'>", b"<img src=data:;base64," + b"A/+b" * 75_000,
        b"<p title='" + b"many words " * 30_000 + b"'>", b"<p class=x " * 2_000,
    ],
)  # fmt: skip
def test_honest_oddities(html: bytes) -> None:
    assert prescan(html) is None


def test_real_pages(schools_dir: Path) -> None:
    pages = sorted(schools_dir.glob("wp/*/*.htm"))[::8]
    assert len(pages) > 500
    assert [page.name for page in pages if prescan(page.read_bytes())] == []


@given(st.binary())
def test_any_bytes(html: bytes) -> None:
    assert prescan(html) is None


@given(st.lists(st.sampled_from([b"<", b">", b"/", b"'", b'"', b"=", b" ", b"\0", b"!--", b"script", b"div", b"x"])))
def test_any_bytes_many_times(parts: list[bytes]) -> None:
    assert prescan(b"".join(parts) * 1500) in (None, DEEP, WIDE, REOPENED)
