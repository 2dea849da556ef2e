"""What a host's robots.txt asks of a crawler (RFC 9309).

`meaning` turns the answer to the request for it into a `RobotsFile`; that decides URL after URL. No file and
no URL raises, and none takes long: patterns are matched by successive find, never by a regular expression.

Where Google's parser, the one most files were written for, and the RFC part ways, the reading that fetches
less holds. `Disallow: /%7Eann` covers /~ann as the RFC has it; `Allow: /%7Eann` covers only what is spelt so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from salticid.urls import resolve

LONGEST_FILE = 500 * 1024
"""Octets of a file that are read; a line cut by this limit is not."""
LONGEST_LINE = 16_663
"""Octets of a line that are read: Google's limit."""
LONGEST_DELAY = 3_600.0
"""Seconds of the longest Crawl-delay that is heeded; more of it would not be more polite."""
MOST_WORK = 1 << 26
"""Octets of wildcard patterns times octets of the path (and a hundred) that are still compared: some ten
milliseconds. Only a file made to slow us down asks for more; what it is asked about, it forbids."""

_PATH = re.compile(r"(?:[^/?;#]*?://|//)?[^/?;#]*([^#]*)")
_TOKEN = re.compile(r"\*(?=\s|$)|[A-Za-z0-9_.-]+")
_SECONDS = re.compile(r"([0-9]+[.,]?[0-9]*|[.,][0-9]+)(?:[ \t]*s(?:ec(?:onds?|s)?)?)?\.?", re.IGNORECASE)
_SLIPS = {
    **dict.fromkeys(("dissallow", "dissalow", "disalow", "diasllow", "disallaw", "desallow"), "disallow"),
    **dict.fromkeys(("useragent", "user agent", "useg-agent"), "user-agent"),
    **dict.fromkeys(("crawldelay", "crawl delay"), "crawl-delay"),
}
"""Misspelt keys that mean what they look like: other crawlers forgive them, so that nobody ever mends them."""
_WORDS = re.compile(r"(\S+)[ \t]+(\S+)", re.ASCII)
# Everything a URI may hold stays, but for the two signs that mean more in a pattern than in a URL, and for the
# one that browsers escape in a query alone.
_ODD = re.compile(r"%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#\[\]@!&()+,;=%\x80-\xff]")
_HIGH = re.compile(r"[\x80-\xff]")
_UNRESERVED = re.compile(r"%(2[DE]|3[0-9]|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])")


class RobotsFile:
    """The rules of one host.

    `agent` is a bare product token, in any case: "Salticid", not "Salticid/1.0 (+https://…)". An agent that no
    group names is bound by the group of `*`; one that is named, only by the groups that name it.

    >>> file = RobotsFile.parse(b"User-agent: *\\nDisallow: /private\\nAllow: /private/map$\\nCrawl-delay: 2")
    >>> [file.allows(f"http://example.org/{path}", "Salticid") for path in ("private/a", "private/map")]
    [False, True]
    >>> file.crawl_delay("Salticid")
    2.0
    """

    def __init__(self, groups: Mapping[str, Sequence[_Membership]], sitemaps: Sequence[str] = ()) -> None:
        self._groups = groups
        self._rules: dict[str, _Rules] = {}
        self.sitemaps = tuple(sitemaps)

    @classmethod
    def parse(cls, data: bytes) -> RobotsFile:
        """Read a file, whatever it holds; an HTML page holds no rules."""
        if _is_html(data):
            return cls({})
        groups: dict[str, list[_Membership]] = {}
        sitemaps: dict[str, None] = {}
        block = _Block()
        for key, value in _directives(data):
            if key == "user-agent":
                if block.closed:
                    block = _Block()
                if token := _TOKEN.match(value):
                    blocks = groups.setdefault(token[0].lower(), [])
                    if not blocks or blocks[-1][0] is not block:
                        blocks.append((block, len(block.delays)))
            elif key in ("allow", "disallow"):
                block.closed = True
                (block.allow if key == "allow" else block.disallow).append(value)
            elif key == "crawl-delay" and (seconds := _SECONDS.fullmatch(value)):
                block.delays.append(min(float(seconds[1].replace(",", ".")), LONGEST_DELAY))
            elif key == "sitemap" and (url := _absolute(value)):
                sitemaps[url] = None
        return cls(groups, tuple(sitemaps))

    def allows(self, url: str, agent: str) -> bool:
        """Whether `agent` may fetch `url`, which should be canonical.

        The longest pattern that matches decides, and `Allow` between equals. /robots.txt is always allowed.
        """
        path = _path(url)
        return path == "/robots.txt" or self._rules_for(agent).allow_path(path)

    def crawl_delay(self, agent: str) -> float | None:
        """Seconds that `agent` is asked to leave between two requests, the most where it is asked twice."""
        return self._rules_for(agent).delay

    def _rules_for(self, agent: str) -> _Rules:
        name = agent.lower()
        if name not in self._groups:
            name = "*"
        rules = self._rules.get(name)
        if rules is None:
            rules = self._rules[name] = _Rules(self._groups.get(name, ()))
        return rules


@dataclass(slots=True)
class _Block:
    """Lines that follow user-agent lines, up to the next user-agent line after a rule."""

    allow: list[str] = field(default_factory=list)
    disallow: list[str] = field(default_factory=list)
    delays: list[float] = field(default_factory=list)
    closed: bool = False


_Membership = tuple[_Block, int]
"""A block that names an agent, and how many of its delays came before the name and are none of the agent's.

In "User-agent: a, Crawl-delay: 9, User-agent: b, Disallow: /" the rule binds both: a delay must not end a
group (RFC 9309, 2.2.4). But nobody who writes this asks b to wait.
"""


class _Rules:
    """All that binds one agent. Made when it is first asked for: a file may name thousands."""

    def __init__(self, memberships: Sequence[_Membership]) -> None:
        allow = dict.fromkeys(p for block, _ in memberships for p in _with_indexes(block.allow))
        disallow = dict.fromkeys(p for block, _ in memberships for p in block.disallow)
        self._allow = _Patterns(allow, _in_uri_characters)
        self._disallow = _Patterns(disallow, _normal_form)
        self._most_octets = MOST_WORK // max(self._allow.work + self._disallow.work, 1) - 100
        self.delay = max((d for block, past in memberships for d in block.delays[past:]), default=None)

    def allow_path(self, path: str) -> bool:
        if not path.isascii():
            path = path.encode("utf-8", "surrogatepass").decode("latin-1")
        path = _ODD.sub(_escape, path)
        if len(path) > self._most_octets:
            return False
        against = self._disallow.longest(_plain(path))
        return not against or self._allow.longest(path) >= against


class _Patterns:
    """Patterns of one kind, ready to be asked which is the longest that matches."""

    def __init__(self, patterns: Iterable[str], normal: Callable[[str], str]) -> None:
        whole: set[str] = set()
        prefixes: set[str] = set()
        wild: set[tuple[int, str, str, tuple[str, ...], str | None]] = set()
        normal = cache(normal)  # a hostile pattern repeats a piece thousands of times
        for pattern in patterns:
            if not pattern.startswith(("/", "*")):  # matches no path
                continue
            ends = pattern.endswith("$")
            first, *rest = map(normal, pattern[:-1].split("*") if ends else pattern.split("*"))
            if rest:
                length = len(first) + sum(map(len, rest)) + len(rest) + ends
                telling = max(rest, key=len)
                last = rest.pop() if ends else None
                wild.add((length, first, telling, tuple(filter(None, rest)), last))
            else:
                (whole if ends else prefixes).add(first)
        self._whole = whole
        self._prefixes = prefixes
        self._lengths = sorted({len(prefix) for prefix in prefixes}, reverse=True)
        self._wild = sorted(wild, key=lambda rule: -rule[0])
        self.work = sum(rule[0] for rule in wild)

    def longest(self, path: str) -> int:
        """The length of the longest pattern that matches `path`, or 0."""
        size = len(path)
        if path in self._whole:
            best = size + 1
        else:
            fits = (n for n in self._lengths if n <= size and path[:n] in self._prefixes)
            best = next(fits, 0)
        for length, first, telling, middle, last in self._wild:
            if length <= best:
                break
            if path.startswith(first) and telling in path and _follow(path, len(first), middle, last):
                return length
        return best


def _follow(path: str, at: int, middle: tuple[str, ...], last: str | None) -> bool:
    """Whether the pieces occur in `path` from `at` on, in order and apart, with `last` at its very end."""
    for piece in middle:
        at = path.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return last is None or (path.endswith(last) and len(path) - len(last) >= at)


def _directives(data: bytes) -> Iterator[tuple[str, str]]:
    """Each line's key, as it should be spelt, and its value, one character an octet; a line without both is left out.

    >>> list(_directives(b"USER-AGENT : a # who\\rdisallow /b\\r\\nthis is no directive"))
    [('user-agent', 'a'), ('disallow', '/b')]
    """
    for line in _lines(data):
        text = line[:LONGEST_LINE].decode("latin-1").partition("#")[0].strip(" \t\v\f")
        key, colon, value = text.partition(":")
        if not colon:  # forgotten, and forgiven where only one reading is left
            words = _WORDS.fullmatch(text)
            if words is None:
                continue
            key, value = words.groups()
        if key := key.rstrip(" \t").lower():
            yield _SLIPS.get(key, key), value.lstrip(" \t")


def _lines(data: bytes) -> list[bytes]:
    """The lines of a file as UTF-8, without what is beyond the limit and without the mark of its encoding."""
    text = _utf8(data[:LONGEST_FILE]).replace(b"\0", b"")
    if len(data) > LONGEST_FILE:
        text = text[: max(text.rfind(b"\n"), text.rfind(b"\r")) + 1]
    return text.splitlines()


def _utf8(data: bytes) -> bytes:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace").encode()
    for mark in (b"\xef\xbb\xbf", b"\xef\xbb", b"\xef"):  # Google forgives half a mark
        if data.startswith(mark):
            return data[len(mark) :]
    return data


def _is_html(data: bytes) -> bool:
    start = _utf8(data[:4096]).replace(b"\0", b"").lstrip()[:16].lower()
    return start.startswith((b"<!doctype html", b"<html"))


def _absolute(octets: str) -> str | None:
    url = resolve(octets.encode("latin-1").decode("utf-8", "replace"))
    return url if url is not None and url.startswith(("http://", "https://")) else None


def _path(url: str) -> str:
    """The part of `url` that rules are about.

    >>> _path("http://example.org/a/b?c=http://d.e/#f"), _path("http://example.org?a"), _path("")
    ('/a/b?c=http://d.e/', '/?a', '/')
    """
    match = _PATH.match(url)
    path = match[1] if match else ""
    return path if path.startswith("/") else "/" + path


def _with_indexes(patterns: Iterable[str]) -> Iterator[str]:
    """`patterns`, and for each index.html its folder, which is the same page (Google's addition)."""
    for pattern in patterns:
        yield pattern
        folder, _, name = pattern.rpartition("/")
        if name.startswith("index.htm"):
            yield folder + "/$"


def _in_uri_characters(octets: str) -> str:
    """Part of a pattern in URI characters, its escapes in upper case."""
    return _ODD.sub(_escape, _HIGH.sub(_escape, octets))


def _normal_form(octets: str) -> str:
    """The same without needless escapes, so that all spellings of a path are one. %2F stays: it is no slash.

    >>> _normal_form("/%7eann/a%2fb c") == _normal_form("/~ann/a%2Fb%20c")
    True
    """
    return _plain(_ODD.sub(_escape, octets))


def _plain(path: str) -> str:
    if not path.isascii():
        path = _HIGH.sub(_escape, path)
    return _UNRESERVED.sub(lambda match: chr(int(match[1], 16)), path) if "%" in path else path


def _escape(match: re.Match[str]) -> str:
    text = match[0]
    return text.upper() if len(text) == 3 else f"%{ord(text):02X}"


ALLOW_ALL = RobotsFile.parse(b"")
DISALLOW_ALL = RobotsFile.parse(b"User-agent: *\nDisallow: /")


def meaning(status: int | None, body: bytes) -> RobotsFile:
    """What the answer to a request for /robots.txt says; status None is a network error or a timeout.

    Redirects are the caller's: a 3xx here is one that led nowhere (more than five in a row, say), which the
    RFC counts, like 4xx, as a host without rules. A host in trouble is left alone (RFC 9309, 2.3.1).

    >>> meaning(404, b"Not found") is ALLOW_ALL, meaning(503, b"") is meaning(None, b"") is DISALLOW_ALL
    (True, True)
    """
    if status is not None and 200 <= status < 300:
        return RobotsFile.parse(body)
    return ALLOW_ALL if status is not None and 300 <= status < 500 else DISALLOW_ALL
