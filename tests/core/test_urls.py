"""URLs: conformance with the WHATWG parser, and the rules and properties of the canonical form."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import TypedDict

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from salticid.urls import LONGEST, canonical, host, resolve, site

Shared = Callable[[str], Path]

BRISTOL = "http://schools-wikipedia.org/wp/b/Bristol.htm"

# Pieces that meet our rules far more often than random text would.
_WORDS = r"""
    http: https: ftp: // / /../ /./ . .. %2e %2F %7e %41 %25 % %% %4 %3 1 a Z é ? & = ; # @ : :80 :443 [::1]
    [ ] utm_source=1 gclid gclid=2 ;jsessionid=3 ;JSESSIONID= PHPSESSID=4 b=2 a=1 a= example.org EXAMPLE.org.
    127.1 1.. 0x7f000001 me:pw@ \
"""
_PIECES = st.sampled_from([*_WORDS.split(), " ", "\t", "\0", "\ud800", "\udc00", "\u00ad", "\uff0e"])
_WILD = st.one_of(st.lists(_PIECES, max_size=12).map("".join), st.text(st.characters(exclude_categories=())))
_LINKS = st.one_of(_WILD, _WILD.map("http://example.org/".__add__), _WILD.map("https://".__add__))


class Case(TypedDict, total=False):
    input: str
    base: str | None
    href: str


def _whatwg(shared: Shared) -> list[Case]:
    """The cases of the web platform tests; a case without `href` must be refused."""
    text = shared("conformance/url/wpt/urltestdata.json").read_text(encoding="utf-8")
    entries: list[Case | str] = json.loads(text)
    return [entry for entry in entries if not isinstance(entry, str)]


def _of_the_web(case: Case) -> bool:
    """Whether input, base or expected URL begins, but for case and outer space, with http: or https:."""
    texts = (case["input"], case["base"] or "", case.get("href", ""))
    return any(text.strip().lower().startswith(("http:", "https:")) for text in texts)


def _rows(path: Path) -> list[list[str]]:
    lines = path.read_text(encoding="utf-8").split("\n")
    kept = [line for line in lines if line.strip() and not line.startswith("#")]
    return [[field.strip(" ") for field in row] for row in csv.reader(kept, skipinitialspace=True)]


def test_resolve_agrees_with_the_web_platform_tests(shared: Shared) -> None:
    cases = _whatwg(shared)
    passed = [case for case in cases if resolve(case["input"], case["base"]) == case.get("href")]
    web = sum(map(_of_the_web, cases))
    assert len(cases) == 891
    assert web == 482
    assert sum(map(_of_the_web, passed)) >= 0.99 * web
    assert len(passed) >= 0.99 * len(cases)


def test_canonical_accepts_any_web_platform_case_and_is_idempotent(shared: Shared) -> None:
    urls = [canonical(case["input"], case["base"]) for case in _whatwg(shared)]
    found = [url for url in urls if url is not None]
    assert len(found) >= 200
    assert [canonical(url) for url in found] == found


def test_crawler_commons_normalizer(shared: Shared) -> None:
    """By design we differ: empty path segments, stray `%` and blank values stay, and only http(s) counts."""
    rows = _rows(shared("conformance/url/crawler-commons/normalizer/weirdToNormalizedUrls.csv"))
    urls = [canonical(weird) for weird, _ in rows]
    assert len(rows) == 112
    assert [url and canonical(url) for url in urls] == urls
    assert sum(url == expected for url, (_, expected) in zip(urls, rows, strict=True)) >= 84


def test_crawler_commons_invalid(shared: Shared) -> None:
    rows = _rows(shared("conformance/url/crawler-commons/normalizer/invalidUrls.csv"))
    assert [canonical(invalid) for (invalid,) in rows] == [None, None]


def test_crawler_commons_resolve(shared: Shared) -> None:
    rows = _rows(shared("conformance/url/crawler-commons/url-utils/url-resolve.csv"))
    assert len(rows) == 22
    assert [resolve(text, base or None) for text, base, _ in rows] == [expected for *_, expected in rows]
    urls = [canonical(text, base or None) for text, base, _ in rows]
    assert [url and canonical(url) for url in urls] == urls


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("../../wp/a/Art.htm", "http://schools-wikipedia.org/wp/a/Art.htm"),
        ("", BRISTOL),
        ("#top", BRISTOL),
        ("?", BRISTOL),
        ("http://a.com", "http://a.com/"),
        ("HTTPS://A.com:443/", "https://a.com/"),
        ("http://a.com:443/", "http://a.com:443/"),
        ("http://a.com./x", "http://a.com/x"),
        ("http://a.com.:8080/x", "http://a.com:8080/x"),
        ("http://a.com../", None),
        ("http://1../", None),  # without its dots it would become the address 0.0.0.1
        ("http://./", None),
        ("http://", None),
        ("http://me:pw@a.com/@b", "http://a.com/@b"),
        ("http://me@[::1]:8080/", "http://[::1]:8080/"),
        ("http://a.com/.:@/x", "http://a.com/.:@/x"),
        ("http://a.com/%7euser/%2f%C3%a9", "http://a.com/~user/%2F%C3%A9"),
        ("http://a.com/%2541", "http://a.com/%2541"),
        ("http://a.com/%%34%31", "http://a.com/%%341"),
        ("http://a.com/100%", "http://a.com/100%"),
        ("http://a.com/x%2e%2e/y%2Ehtml", "http://a.com/x../y.html"),
        ("http://a.com/?b=2&a=2&b=1&a=1", "http://a.com/?a=2&a=1&b=2&b=1"),
        ("http://a.com/?b=&a&=&c=x=y", "http://a.com/?=&a&b=&c=x=y"),
        ("http://a.com/?&&", "http://a.com/"),
        ("http://a.com/?q=a+b%20c", "http://a.com/?q=a+b%20c"),
        (
            "http://a.com/?UTM_Source=x&utm%5fid=1&fbclid=2&PHPSESSID=3&q=utm_source",
            "http://a.com/?q=utm_source",
        ),
        ("http://a.com/?gclid", "http://a.com/"),
        ("http://a.com/x;jsessionid=1F.node;v=2?q=;jsessionid=1", "http://a.com/x;v=2?q=;jsessionid=1"),
        ("http://a.com/a/..;JSESSIONID=1/b", "http://a.com/b"),
        ("http://a;jsessionid=1/", "http://a;jsessionid=1/"),  # a host may hold what a path must not
        ("mailto:ann@a.com", None),
        ("javascript:void(0)", None),
        ("ftp://a.com/", None),
        ("data:text/html,http://a.com/", None),
    ],
)
def test_canonical(text: str, expected: str | None) -> None:
    assert canonical(text, BRISTOL) == expected


def test_length_is_that_of_the_result() -> None:
    fits = "http://a.com/" + "x" * (LONGEST - 13)
    assert canonical(fits) == fits
    assert canonical(fits + "#" + "y" * LONGEST) == fits
    assert canonical(fits + "?utm_id=1") == fits
    assert canonical("http://a.com/" + "%78" * (LONGEST - 13)) == fits
    assert canonical(fits + "x") is None


@pytest.mark.parametrize("unit", ["x", "é", "%41", "b&", "../", ";jsessionid=", "\ud800", "\0x", "@", "1."])
def test_megabytes_are_no_trouble(unit: str) -> None:
    assert canonical("http://a.com/?" + unit * 1_000_000) is None
    assert canonical("http://" + unit * 1_000_000) is None
    assert canonical("#" + unit * 1_000_000, BRISTOL) == BRISTOL


def test_surrogates_read_as_the_standard_has_it() -> None:
    assert resolve("http://a.com/\ud800") == "http://a.com/%EF%BF%BD"
    assert resolve("\ud83d\ude00", "http://a.com/\udc00/") == "http://a.com/%EF%BF%BD/%F0%9F%98%80"
    assert resolve("\ud800") is None


@pytest.mark.parametrize("base", ["", "b.htm", "mailto:ann@a.com", "http://"])
def test_a_base_that_holds_no_page_gives_none(base: str) -> None:
    assert resolve("a.htm", base) is None
    assert canonical("a.htm", base) is None


@given(_LINKS, st.one_of(st.none(), st.just(BRISTOL), _LINKS))
@example("/%%34%31", BRISTOL)
@example("/a/..;jsessionid=1/b", BRISTOL)
@example("http://1../", None)
@example("http:;jsessionid=", None)
@example("http://me@[::1]./", None)
def test_canonical_is_a_fixed_point(text: str, base: str | None) -> None:
    url = canonical(text, base)
    if url is None:
        return
    assert canonical(url) == url
    assert canonical(url, BRISTOL) == url
    assert resolve(url) == url
    assert url.startswith(("http://", "https://"))
    assert url.isascii()
    assert len(url) <= LONGEST
    assert "#" not in url
    assert host(url)
    assert "@" not in host(url)
    assert url.partition("?")[1:] != ("?", "")


@given(_LINKS, _LINKS)
def test_fragment_and_credentials_tell_no_pages_apart(path: str, fragment: str) -> None:
    rest = f"a.com/{path.replace('#', '')}x"  # x: outer space would not count, inner does
    assert canonical(f"http://me:pw@{rest}#{fragment}") == canonical(f"http://{rest}")


@given(st.permutations(["a=1", "b=", "c", "utm_source=x", "gclid=1", "d=%2f"]))
def test_order_of_parameters_tells_no_pages_apart(pairs: list[str]) -> None:
    assert canonical("http://a.com/?" + "&".join(pairs)) == "http://a.com/?a=1&b=&c&d=%2F"


@pytest.mark.parametrize(
    ("url", "expected_host", "expected_site"),
    [
        ("http://www.example.co.uk/a", "www.example.co.uk", "example.co.uk"),
        ("https://example.org:8443/?u=http://b/", "example.org:8443", "example.org"),
        ("http://ann.github.io/", "ann.github.io", "ann.github.io"),
        ("http://co.uk/", "co.uk", "co.uk"),
        ("http://localhost:8000/", "localhost:8000", "localhost"),
        ("http://10.0.0.1:8000/", "10.0.0.1:8000", "10.0.0.1"),
        ("http://[2001:db8::1]/", "[2001:db8::1]", "[2001:db8::1]"),
        ("http://[2001:db8::1]:81/", "[2001:db8::1]:81", "[2001:db8::1]"),
        ("http://www.xn--90ax2c.xn--p1ai/", "www.xn--90ax2c.xn--p1ai", "xn--90ax2c.xn--p1ai"),
        ("http://a..b/", "a..b", "a..b"),
    ],
)
def test_host_and_site(url: str, expected_host: str, expected_site: str) -> None:
    assert canonical(url) == url
    assert host(url) == expected_host
    assert site(url) == expected_site


@given(_LINKS)
def test_every_canonical_url_has_a_site_within_its_host(text: str) -> None:
    url = canonical(text, BRISTOL)
    assert url is None or site(url) in host(url)
