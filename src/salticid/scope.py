"""Scope: which URLs a crawl may fetch at all, before any strategy ranks them."""

from collections.abc import Iterable

from salticid.topic import Scope
from salticid.urls import host, site, typed


class Pattern:
    """A set of canonical URLs, written as one of them with `*` for any run of characters.

    Without `*` it holds every URL that starts with it, so end a host with `/`: `http://a.org` also starts
    `http://a.org.example/`. With `*` it describes the URL to its end. Without `://` it is compared with
    what follows the scheme. Matching takes the leftmost place for each part and never goes back, which
    for `*` alone is exact, and linear.

    >>> Pattern("example.org/wiki/").matches("https://example.org/wiki/Spider")
    True
    >>> Pattern("http://*.org/*.pdf").matches("http://example.org/a.pdf?page=2")
    False
    """

    def __init__(self, text: str) -> None:
        self.text = text
        first, *others = text.split("*")
        self._first = first
        self._last = others.pop() if others else None
        self._middle = [part for part in others if part]
        self._with_scheme = "://" in text

    def matches(self, url: str) -> bool:
        """Whether the canonical `url` is in the set."""
        start = 0 if self._with_scheme else url.index("://") + 3
        if not url.startswith(self._first, start):
            return False
        if self._last is None:
            return True
        start += len(self._first)
        end = len(url) - len(self._last)
        if end < start or not url.endswith(self._last):
            return False
        for part in self._middle:
            place = url.find(part, start, end)
            if place < 0:
                return False
            start = place + len(part)
        return True


class Boundary:
    """Says of each URL whether this crawl may fetch it, by the rules of `scope`; seeds are not exempt.

    `exclude` wins over `include`, and no `include` means every URL. `same_site` keeps to the registered
    domains of `seeds`. `max_depth` is the most links there may be between a seed and the page. With `hosts` only
    these may be asked, and those whose names end with a dot and one of these, at any port.

    >>> boundary = Boundary(Scope(exclude=("*/login*",), same_site=True), ["http://www.example.org/"])
    >>> boundary.admits("http://blog.example.org/", depth=1)
    True
    >>> boundary.admits("http://blog.example.org/login?a=b", depth=1)
    False
    >>> boundary.admits("http://example.com/", depth=1)
    False
    """

    def __init__(self, scope: Scope, seeds: Iterable[str]) -> None:
        self.scope = scope
        self._open = scope == Scope()
        self._include = [Pattern(text) for text in scope.include]
        self._exclude = [Pattern(text) for text in scope.exclude]
        urls = (url for seed in seeds for url in typed(seed))
        self._sites = frozenset(map(site, urls)) if scope.same_site else None
        self._hosts = None if scope.hosts is None else frozenset(map(host_named, scope.hosts))

    @property
    def open(self) -> bool:
        """Whether every URL is admitted because the scope sets no rule.

        >>> Boundary(Scope(), []).open, Boundary(Scope(max_depth=3), []).open
        (True, False)
        """
        return self._open

    def admits(self, url: str, depth: int) -> bool:
        """Whether the canonical `url`, found `depth` links from a seed (a seed: 0), may be fetched.

        >>> Boundary(Scope(max_depth=2), []).admits("http://example.org/", depth=3)
        False
        """
        if self._open:
            return True
        if self.scope.max_depth is not None and depth > self.scope.max_depth:
            return False
        if self._sites is not None and site(url) not in self._sites:
            return False
        if self._hosts is not None and self._hosts.isdisjoint(_names_above(_without_port(host(url)))):
            return False
        if any(pattern.matches(url) for pattern in self._exclude):
            return False
        return not self._include or any(pattern.matches(url) for pattern in self._include)


def host_named(text: str) -> str | None:
    """A host as canonical URLs name it, without a port; None if a text names none.

    >>> host_named("Bücher.Example"), host_named("*.example.org"), host_named("a.org/b")
    ('xn--bcher-kva.example', None, None)
    """
    urls = typed(f"http://{text}/") if text and not set(text) & set("/?#@*\\") else ()
    return _without_port(host(urls[0])) if urls else None


def _without_port(name: str) -> str:
    before, _, port = name.rpartition(":")
    return before if before and port.isdigit() else name


def _names_above(name: str) -> list[str]:
    """A name, and what is left of it after each of its dots.

    >>> _names_above("a.b.org")
    ['a.b.org', 'b.org', 'org']
    """
    labels = name.split(".")
    return [".".join(labels[at:]) for at in range(len(labels))]
