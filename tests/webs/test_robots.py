"""Robots: conformance with Google's and crawler-commons' files, the RFC's examples, and hostile input."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from salticid.webs.live import robots
from salticid.webs.live.robots import ALLOW_ALL, DISALLOW_ALL, LONGEST_DELAY, LONGEST_FILE, RobotsFile, meaning

Shared = Callable[[str], Path]
GOOGLE = "conformance/robots-google"
COMMONS = "conformance/robots-crawlercommons"
KNOWN = {"user-agent", "allow", "disallow", "sitemap"}


def allowed(text: str, path: str, agent: str = "Salticid") -> bool:
    return RobotsFile.parse(text.encode()).allows(f"http://example.org{path}", agent)


def _group(*rules: str) -> str:
    return "\n".join(("User-agent: *", *rules))


def _facts(shared: Shared, name: str) -> Any:
    return json.loads(shared(f"{GOOGLE}/{name}").read_text(encoding="utf-8"))


def test_every_case_of_google_holds(shared: Shared) -> None:
    cases = _facts(shared, "cases.json")["cases"]
    failed = [
        case["id"]
        for case in cases
        if RobotsFile.parse(case["robots_txt"].encode()).allows(case["url"], case["agent"]) != case["allowed"]
    ]
    assert len(cases) == 145
    assert sum(not case["google_only"] for case in cases) == 72
    assert failed == []


def test_every_path_of_google_holds(shared: Shared) -> None:
    cases = _facts(shared, "path_cases.json")
    assert len(cases) == 19
    assert [robots._path(case["url"]) for case in cases] == [case["path"] for case in cases]


def test_every_fact_of_google_about_bytes_holds(shared: Shared) -> None:
    facts = _facts(shared, "parse_facts.json")
    assert len(facts) == 10
    for fact in facts:
        data = bytes.fromhex(fact["bytes_hex"])
        keys = [key for key, _ in robots._directives(data)]
        assert sum(key in KNOWN for key in keys) == fact["valid_directives"]
        assert sum(key not in KNOWN for key in keys) == fact["unknown"]
        if "last_line" in fact:
            assert len(b"\n".join(robots._lines(data)).rstrip().split(b"\n")) == fact["last_line"]


def _commons(shared: Shared, name: str) -> RobotsFile:
    return RobotsFile.parse(shared(f"{COMMONS}/{name}").read_bytes())


def test_every_file_of_crawler_commons_is_read(shared: Shared) -> None:
    names = sorted(path.name for path in shared(COMMONS).glob("*.txt"))
    assert len(names) == 24
    closed = [name for name in names if not _commons(shared, name).allows("http://example.org/", "Salticid")]
    assert closed == ["extensions-group-merging.txt"]


_OF_THE_RFC = [
    ("longest-match-robots", "foobot", "/ /example/page/other.gif", "/example/page/disallowed.gif"),
    ("rule-group-merging", "ExampleBot", "/ /ba", "/foo /bar/x /baz"),
    ("rule-group-merging", "BazBot", "/foo /bar", "/baz"),
    ("rule-group-merging", "OtherBot", "/baz", "/foo /bar"),
    ("simple-robots", "anybot", "/ /publications/ /a/b.gif?c", "/a/b.gif /example/"),
    ("simple-robots", "foobot", "/example/page.html /example/allowed.gif", "/ /example/ /publications/"),
    ("simple-robots", "barbot", "/ /a.gif /example/", "/example/page.html"),
    ("simple-robots", "bazbot", "/ /a.gif /example/", "/example/page.html"),
    ("simple-robots", "quxbot", "/ /a.gif /example/ /example/page.html", ""),
]


@pytest.mark.parametrize(("name", "agent", "open_", "closed"), _OF_THE_RFC)
def test_the_examples_of_the_rfc(shared: Shared, name: str, agent: str, open_: str, closed: str) -> None:
    file = _commons(shared, f"rfc9309-example-{name}.txt")
    for path in open_.split():
        assert file.allows(f"http://example.org{path}", agent)
    for path in closed.split():
        assert not file.allows(f"http://example.org{path}", agent)


def test_encodings_say_the_same(shared: Shared) -> None:
    names = ("robots-with-utf8-bom.txt", "robots-with-utf16le-bom.txt", "robots-with-utf16be-bom.txt")
    texts = {tuple(robots._directives(shared(f"{COMMONS}/{name}").read_bytes())) for name in names}
    assert len(texts) == 1
    assert next(iter(texts))[0] == ("user-agent", "*")


@pytest.mark.parametrize("key", ["Dissallow", "Dissalow", "Disalow", "Diasllow", "Disallaw", "DISALLOW", "Disallow "])
@pytest.mark.parametrize("agent", ["User-agent", "Useragent", "User agent", "user agent "])
def test_what_is_misspelt_forbids_all_the_same(key: str, agent: str) -> None:
    text = f"{agent}: other\nDisallow:\n{agent}: *\n{key}: /private\n"
    assert not allowed(text, "/private/a")
    assert allowed(text, "/a")
    assert allowed(text, "/private/a", "other")


def test_the_misspellings_that_crawler_commons_forgives(shared: Shared) -> None:
    file = _commons(shared, "directive-typos-robots.txt")
    closed = {
        "bot1": ["desallow", "dissalow"],
        "bot2": ["useragent"],
        "bot3": ["useg-agent"],
        "bot4": ["useragent-no-colon"],
    }
    folders = [folder for own in closed.values() for folder in own]
    for agent, own in closed.items():
        assert [each for each in folders if not file.allows(f"http://a.example/{each}/", agent)] == own


def test_a_delay_is_for_those_named_before_it_and_does_not_end_the_group(shared: Shared) -> None:
    file = _commons(shared, "crawl-delay-group-merging.txt")
    assert [file.crawl_delay(agent) for agent in ("mybot", "yourbot", "other")] == [10, None, 30]
    assert not file.allows("http://example.org/private/", "mybot")


@pytest.mark.parametrize(
    ("value", "delay"),
    [("0", 0), ("1.5 # s", 1.5), (".5", 0.5), ("7.", 7), ("9" * 999, LONGEST_DELAY), ("4000", LONGEST_DELAY)]
    + [
        ("10s", 10),
        ("10 s", 10),
        ("2,5", 2.5),
        (",5", 0.5),
        ("3 Sec.", 3),
        ("1.5seconds", 1.5),
        ("1 second", 1),
    ]
    + [(value, None) for value in ("", "-1", "+1", "soon", "s", "1e3", "nan", "inf", "1,5,0", "１", "1 2", "1 m")],
)
def test_a_delay_is_a_plain_number_of_seconds(value: str, delay: float | None) -> None:
    assert RobotsFile.parse(_group(f"crawl-delay: {value}").encode()).crawl_delay("a") == delay


def test_of_two_delays_the_longer_holds() -> None:
    assert RobotsFile.parse(_group("Crawl-delay: 9", "Crawl-delay: 2").encode()).crawl_delay("a") == 9


def test_sitemaps_are_absolute_and_named_once(shared: Shared) -> None:
    assert _commons(shared, "sitemap-robots-dedup.txt").sitemaps == ("http://example.org/sitemap.xml",)
    assert _commons(shared, "relative-sitemap-robots.txt").sitemaps == ()
    of_two = _commons(shared, "sitemap-robots.txt").sitemaps
    assert of_two == ("http://domain.com/sitemap.xml", "http://domain.com/dir/MixedCased-sitemap.xml")
    assert RobotsFile.parse(b"Sitemap: ftp://a.org/s.xml\nSitemap: javascript:1").sitemaps == ()


_SAME = """
    /~ann /%7Eann | /%7eann /~ann | /%62%61%7A /baz | /ツ /%E3%83%84 | /%e3%83%84 /ツ | /?q=' /?q=%27
    /a%2fb /a%2Fb | /a%2Ab /a*b | /a%24 /a$ | /a$b /a$b | /{a} /%7Ba%7D | /%zz% /%zz%
    *a /bca | /*$ / | /a*a$ /aa | /**a /xa | /a* /a | /a*b*$ /ab
"""
_DIFFERENT = """
    /a/b /a%2Fb | /a%2fb /a/b | /a%2Ab /axb | /a$b /a | /%zz%$ /%zz%25
    a /a | $ / | /a*a$ /a | /a$ /ab | /A /a | /a*b /ba
"""


def _pairs(text: str) -> list[list[str]]:
    return [pair.split() for line in text.strip().splitlines() for pair in line.split("|")]


@pytest.mark.parametrize(("pattern", "path"), _pairs(_SAME))
def test_a_pattern_covers_a_path_however_either_is_escaped(pattern: str, path: str) -> None:
    assert not allowed(_group(f"Disallow: {pattern}"), path)


@pytest.mark.parametrize(("pattern", "path"), _pairs(_DIFFERENT))
def test_a_pattern_covers_no_other_path(pattern: str, path: str) -> None:
    assert allowed(_group(f"Disallow: {pattern}"), path)


def test_an_empty_pattern_covers_nothing_and_a_space_may_be_part_of_one() -> None:
    assert allowed(_group("Disallow:"), "/")
    assert not allowed(_group("Disallow: /a b"), "/a%20b")


def test_an_allow_covers_only_what_is_spelt_like_it() -> None:
    rules = _group("Disallow: /", "Allow: /%7Eann")
    assert allowed(rules, "/%7eann")
    assert not allowed(rules, "/~ann")


@pytest.mark.parametrize("agent", ["Salticid", "salticid", "SALTICID"])
@pytest.mark.parametrize("line", ["Salticid", "salticid/1.0", "Salticid bot", "SALTICID;x", "Salticid, a"])
def test_an_agent_is_known_by_its_product_token(line: str, agent: str) -> None:
    text = f"User-agent: *\nDisallow:\n\nUser-agent: {line}\nDisallow: /a"
    assert not allowed(text, "/a", agent)
    assert allowed(text, "/a", "Salt")
    assert allowed(text, "/a", "Salticids")


@pytest.mark.parametrize("page", [b"<!DOCTYPE html>\n", b"\xef\xbb\xbf \n<HTML lang=en>", b"<html>"])
def test_a_web_page_holds_no_rules(page: bytes) -> None:
    data = page + b"\nUser-agent: *\nDisallow: /\nSitemap: http://a.org/"
    file = RobotsFile.parse(data)
    assert file.allows("http://example.org/a", "a")
    assert file.sitemaps == ()


def test_nul_octets_and_utf16_without_a_mark() -> None:
    assert not allowed(_group("Dis\0allow: /a"), "/a")
    data = _group("Disallow: /a").encode("utf-16-le")
    assert not RobotsFile.parse(data).allows("http://example.org/a", "a")


def test_what_is_beyond_the_limit_is_not_read_nor_a_line_cut_by_it() -> None:
    head = _group("Disallow: /a", "")
    room = "#" * (LONGEST_FILE - len(head) - len("\nDisallow: /b"))
    file = RobotsFile.parse(f"{head}{room}\nDisallow: /b\n".encode())
    assert [file.allows(f"http://a.org/{path}", "a") for path in "abc"] == [False, True, True]
    file = RobotsFile.parse(f"{head}{room[1:]}\nDisallow: /b\nDisallow: /c".encode())
    assert [file.allows(f"http://a.org/{path}", "a") for path in "abc"] == [False, False, True]


@pytest.mark.parametrize("status", [None, 100, 199, 500, 503, 599])
def test_a_host_in_trouble_is_left_alone(status: int | None) -> None:
    file = meaning(status, b"User-agent: *\nAllow: /")
    assert file is DISALLOW_ALL
    assert not file.allows("http://example.org/", "a")
    assert file.allows("http://example.org/robots.txt", "a")


@pytest.mark.parametrize("status", [301, 310, 400, 401, 403, 404, 410, 499])
def test_a_host_without_the_file_has_no_rules(status: int) -> None:
    file = meaning(status, b"User-agent: *\nDisallow: /")
    assert file is ALLOW_ALL
    assert file.allows("http://example.org/a", "a")


@pytest.mark.parametrize("status", [200, 203, 206])
def test_a_file_that_came_is_read(status: int) -> None:
    assert not meaning(status, b"User-agent: *\nDisallow: /").allows("http://example.org/", "a")


_TOKENS = (
    b"User-agent: |disallow|:| |/|*|$|%|%2|%41|#|\n|\r\n|allow: /|Crawl-delay: |9|sitemap: http://a|\0|\xff\xfe|\xe9"
)
_FILES = st.one_of(st.binary(), st.lists(st.sampled_from(_TOKENS.split(b"|")), max_size=40).map(b"".join))


@given(_FILES, st.text(st.characters(exclude_categories=())), st.text(st.characters(exclude_categories=())))
@example(b"User-agent: *\nDisallow: /\xed\xa0\x80", "http://a/\ud800", "\ud800")
def test_any_file_any_url_and_any_agent_get_an_answer(data: bytes, url: str, agent: str) -> None:
    file = RobotsFile.parse(data)
    assert file.allows(url, agent) in (True, False)
    assert file.allows("http://a.org/robots.txt", agent)
    delay = file.crawl_delay(agent)
    assert delay is None or 0 <= delay <= LONGEST_DELAY
    assert all(sitemap.startswith(("http://", "https://")) for sitemap in file.sitemaps)


_PATTERNS = st.text("/ab*$", max_size=7).map(lambda rest: "/" + rest)


def _naive(rules: list[tuple[str, str]], path: str) -> bool:
    """The RFC's definition by regular expressions: the longest of the patterns that match, allow first."""
    lengths = {"Allow": 0, "Disallow": 0}
    for kind, pattern in rules:
        body = pattern.removesuffix("$")
        size = len(pattern) + 2 * body.count("$")  # a dollar that is no end counts as written in full, %24
        ends = "" if body == pattern else r"\Z"
        if re.match(re.escape(body).replace(r"\*", ".*") + ends, path):
            lengths[kind] = max(lengths[kind], size)
    return lengths["Allow"] >= lengths["Disallow"]


@given(
    st.lists(st.tuples(st.sampled_from(["Allow", "Disallow"]), _PATTERNS), max_size=8),
    st.text("/ab$", max_size=9).map(lambda rest: "/" + rest),
)
def test_the_longest_match_is_that_of_the_definition(rules: list[tuple[str, str]], path: str) -> None:
    text = _group(*(f"{kind}: {pattern}" for kind, pattern in rules))
    assert allowed(text, path) is _naive(rules, path)


_HOSTILE: dict[str, Callable[[int], str]] = {
    "one pattern": lambda n: "Disallow: /*a*a*a*a*b",
    "many tails": lambda n: f"Disallow: /*a*a*a*a*{n}",
    "long pieces": lambda n: f"Disallow: /*{'a' * 45}{n}{'a' * 45}",
    "many stars": lambda n: f"Disallow: /{'*a' * 8000}{n}",
    "many lengths": lambda n: f"Disallow: /{'a' * n}b",
    "many agents": lambda n: f"User-agent: a{n}\nCrawl-delay: 1",
    "one agent": lambda n: "User-agent: *\nCrawl-delay: 1",
}


@pytest.mark.parametrize("kind", _HOSTILE)
def test_a_hostile_file_cannot_hold_the_crawl_up(kind: str) -> None:
    """With backtracking, or a square of lines and agents, this would not end."""
    lines = [_HOSTILE[kind](n) for n in range(1_000)]
    lines += [_HOSTILE[kind](n) for n in range(1_000, LONGEST_FILE // (1 + len(lines[-1])))]
    file = RobotsFile.parse(_group("Disallow: /aaa", *lines).encode())
    file.crawl_delay("a")
    for size in (100, 2_035):
        assert not any(file.allows("http://example.org/" + "a" * size, "a") for _ in range(100))


def test_a_file_that_asks_for_too_much_work_forbids_what_it_is_asked_about() -> None:
    file = RobotsFile.parse(_group(*map(_HOSTILE["long pieces"], range(4_000))).encode())
    assert file.allows("http://example.org/" + "a" * 40, "a")
    assert not file.allows("http://example.org/" + "a" * 2_000, "a")
