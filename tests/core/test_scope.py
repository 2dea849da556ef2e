"""Scope: the rules of patterns, sites and depth, and that no pattern takes forever."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salticid.scope import Boundary, Pattern
from salticid.topic import Scope

SEEDS = ["http://www.example.org/start", "HTTP://News.example.co.uk", "no url at all"]
_SHORT = st.text("ab", max_size=8)
_STARRED = st.text("ab*", max_size=8).filter(lambda text: "*" in text)


@pytest.mark.parametrize(
    ("pattern", "url", "expected"),
    [
        ("http://a.org/", "http://a.org/x", True),
        ("http://a.org/", "https://a.org/x", False),
        ("http://a.org/x", "http://a.org/", False),
        ("a.org/", "https://a.org/x", True),
        ("a.org/", "https://www.a.org/", False),
        ("a.org/", "http://b.org/?u=a.org/", False),
        ("https", "https://a.org/", False),  # the scheme plays no part
        ("*.a.org/*", "https://www.a.org/x", True),
        ("*.a.org/*", "https://a.org/x", False),
        ("*.pdf", "http://a.org/x.pdf", True),
        ("*.pdf", "http://a.org/x.pdf?page=2", False),
        ("*.pdf*", "http://a.org/x.pdf?page=2", True),
        ("*://a.org/*", "https://a.org/x", True),
        ("http*://a.org/x", "https://a.org/x", True),
        ("http*://a.org/x", "https://a.org/xy", False),
        ("*", "http://a.org/", True),
        ("***", "http://a.org/", True),
        ("", "http://a.org/", True),
        ("http://a.org/ab*ba", "http://a.org/aba", False),  # one letter cannot serve twice
        ("http://a.org/ab*ba", "http://a.org/abba", True),
        ("a.org/*x*y*x", "http://a.org/xyx", True),
        ("a.org/*x*y*x", "http://a.org/xxy", False),
        ("a.org/[ab]?.(c|d)+$", "http://a.org/b", False),
        ("a.org/.", "http://a.org/x", False),
        ("A.org/", "http://a.org/", False),
    ],
)
def test_pattern(pattern: str, url: str, expected: bool) -> None:
    assert Pattern(pattern).matches(url) is expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://a.org/x", True),
        ("https://www.a.org:8443/x", True),
        ("http://ba.org/", False),
        ("http://a.org.example/", False),
        ("http://b.example/http://a.org/", False),
        ("http://b.example/.a.org/", False),
        ("http://[::1]/", True),
        ("http://xn--bcher-kva.example/", True),
        ("http://1.127.0.0.1.example/", False),
    ],
)
def test_hosts(url: str, expected: bool) -> None:
    scope = Scope(hosts=("A.org", "[::1]", "bücher.example", "127.0.0.1", "*", "b.example/x", ""))
    assert Boundary(scope, []).admits(url, depth=0) is expected
    assert not Boundary(Scope(hosts=()), []).admits(url, depth=0)


@given(_STARRED, _SHORT)
def test_a_starred_pattern_is_its_regular_expression(pattern: str, tail: str) -> None:
    meant = ".*".join(re.escape(part) for part in pattern.split("*"))
    assert Pattern(pattern).matches(f"http://{tail}") is (re.fullmatch(meant, tail) is not None)
    whole = f"http://{pattern}"
    assert Pattern(whole).matches(f"http://{tail}") is (re.fullmatch(f"http://{meant}", f"http://{tail}") is not None)


@given(_SHORT, _SHORT)
def test_a_plain_pattern_is_a_beginning(pattern: str, tail: str) -> None:
    assert Pattern(pattern).matches(f"https://{tail}") is tail.startswith(pattern)


@pytest.mark.parametrize(
    "pattern", ["*a" * 1_000 + "*b*", "*" * 10_000 + "b*", "*" + "a" * 1_000 + "b" + "a" * 500 + "*"]
)
def test_hostile_patterns_come_to_an_end(pattern: str) -> None:
    """A matcher that goes back would try more ways than there are atoms."""
    assert not Pattern(pattern).matches("http://" + "a" * 2_041)
    assert Pattern(pattern.replace("b", "a")).matches("http://" + "a" * 2_041)


def test_an_empty_scope_is_open() -> None:
    boundary = Boundary(Scope(), SEEDS)
    assert boundary.open
    assert boundary.admits("http://elsewhere.example/", depth=1_000)


@pytest.mark.parametrize(
    "scope", [Scope(include=("*",)), Scope(exclude=("x",)), Scope(same_site=True), Scope(max_depth=0)]
)
def test_any_rule_closes_a_scope(scope: Scope) -> None:
    assert not Boundary(scope, SEEDS).open


def test_include_is_one_of_several() -> None:
    boundary = Boundary(Scope(include=("http://a.org/", "b.org/wiki/")), SEEDS)
    assert boundary.admits("http://a.org/x", depth=0)
    assert boundary.admits("https://b.org/wiki/x", depth=9)
    assert not boundary.admits("https://b.org/talk/x", depth=0)


def test_exclude_wins_over_include() -> None:
    boundary = Boundary(Scope(include=("a.org/",), exclude=("a.org/private/", "*?print=*")), SEEDS)
    assert boundary.admits("http://a.org/public", depth=0)
    assert not boundary.admits("http://a.org/private/x", depth=0)
    assert not boundary.admits("http://a.org/public?print=1", depth=0)


def test_exclude_alone_leaves_the_rest() -> None:
    boundary = Boundary(Scope(exclude=("a.org/",)), SEEDS)
    assert not boundary.admits("http://a.org/", depth=0)
    assert boundary.admits("http://b.org/", depth=0)


def test_same_site_is_the_registered_domain_of_any_seed() -> None:
    boundary = Boundary(Scope(same_site=True), SEEDS)
    assert boundary.admits("https://example.org:8080/", depth=3)
    assert boundary.admits("http://blog.example.co.uk/", depth=3)
    assert not boundary.admits("http://other.co.uk/", depth=3)
    assert not boundary.admits("http://example.org.evil.com/", depth=3)


def test_same_site_without_a_seed_admits_nothing() -> None:
    assert not Boundary(Scope(same_site=True), ["no url"]).admits("http://example.org/", depth=0)


@given(st.integers(0, 5), st.integers(0, 10))
def test_max_depth_counts_links_from_a_seed(most: int, depth: int) -> None:
    assert Boundary(Scope(max_depth=most), SEEDS).admits("http://a.org/", depth) is (depth <= most)


def test_rules_add_up() -> None:
    boundary = Boundary(Scope(include=("*/wiki/*",), same_site=True, max_depth=2), iter(SEEDS))
    assert boundary.admits("http://example.org/wiki/x", depth=2)
    assert not boundary.admits("http://example.org/wiki/x", depth=3)
    assert not boundary.admits("http://example.org/talk/x", depth=2)
    assert not boundary.admits("http://other.org/wiki/x", depth=2)
