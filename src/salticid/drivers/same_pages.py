"""One page under many URLs of a host: "not found" with the status of a page that was, or a wall of an unknown kind.

Nobody can tell by one of them. But where several paths of a host bring the same words, the host is asked for a path
that somebody made up: what it brings is what "not found" looks like there, or a wall where the host has shown nothing
else. A host that says honestly what is not there is never asked again; a short page that still comes under ever more
URLs of it is a wall, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from urllib.parse import unquote

import numpy as np

from salticid.columns import grow
from salticid.model import Ints, Outcome, Page, Response, Visit, Wall
from salticid.native import at, lib
from salticid.protocols import Table, UrlTable
from salticid.snapshots import in_snapshot
from salticid.text import tokens_of

ALIKE = 6
"""So many paths of a host that bring the same words, and one is made up."""
SAME = 10
"""So many URLs of a host that bring the same short page, and it is a wall."""
SHORT, MOST_LINKS = 100, 20
"""Tokens and links of such a page; a page that leads on to others under each of its URLs is none."""
MOST_HOSTS = 5_000
"""Hosts, the last ones met."""
_MOST_LOOKS = 10
"""What so many kinds of pages of a host look like is remembered, and so many pages of each."""

_OF_A_REQUEST = re.compile(r"(?=\D*\d)(?=[^a-z]*[a-z])[0-9a-z]{8,}")
"""A word that numbers a request, as challenges write it at their foot."""
_FACTORS = np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9], np.uint64)
Look = int
"""What a page looks like: equal for those that say the same words, but for those of their own URLs."""


@in_snapshot()
@dataclass(slots=True)
class _Host:
    """The last looks of a host's pages, with the URLs that had them; and what "not found" looks like, once known.

    `kinds` counts the looks; `bare` counts short pages by their looks and links, those met last.
    """

    looks: dict[Look, list[int]] = field(default_factory=dict)
    has_probe: bool = False
    error_look: Look | None = None
    kinds: int = 0
    bare: dict[Look, int] = field(default_factory=dict)


@in_snapshot("_urls", "_words", _hosts=dict[int, _Host], _met=np.uint8, questions=list[int])
class SamePages:
    """What a crawl knows of hosts that bring one page for many: a function of the visits it was shown, in their order.

    `questions` are made-up URLs to be asked for; the answer goes to `take_probe`.
    """

    def __init__(self, urls: UrlTable, words: Table) -> None:
        self._urls, self._words = urls, words
        self._hosts: dict[int, _Host] = {}
        self._met = np.zeros(1024, np.uint8)
        self.questions: list[int] = []

    def seen_through(self, response: Response) -> Response:
        """The response, or what it is if it only pretends to be a page: "not found", or a wall."""
        host = self._hosts.get(self._urls.host(response.final))
        if response.page is None or host is None:
            return response
        if host.error_look is not None and self._look(response.page) == host.error_look:
            return replace(response, outcome=Outcome.DEAD, page=None)
        knows_walls = max(host.bare.values(), default=0) >= SAME
        bare = self._bare_look(response.page) if knows_walls else None
        is_wall = bare is not None and host.bare.get(bare, 0) >= SAME
        return response.kept_out(Wall.SAME_PAGE) if is_wall else response

    def observe(self, visit: Visit, page: Page) -> bool:
        """A page came: whether its host has shown nothing like it of late."""
        host = self._host(self._urls.host(visit.final))
        look = self._look(page)
        alike = host.looks.pop(look, [])
        host.kinds += not alike
        if len(host.looks) >= _MOST_LOOKS:
            del host.looks[next(iter(host.looks))]
        host.looks[look] = [*alike, visit.url][:_MOST_LOOKS]
        if len(alike) + 1 >= ALIKE and not host.has_probe:
            host.has_probe = True
            self.questions.append(self._urls.intern(made_up(self._urls[visit.final])))
        if (bare := self._bare_look(page)) is not None:
            self._count(host, bare)
        return not alike

    def take_probe(self, response: Response) -> list[int]:
        """What a made-up URL brought: the URLs that were no pages either."""
        host = self._host(self._urls.host(response.url))
        if response.page is None or response.final != response.url:
            return []
        look = self._look(response.page)
        if host.kinds == 1 and look in host.looks:  # it has shown no other page so far
            if (bare := self._bare_look(response.page)) is not None:
                self._count(host, bare, SAME)
        else:
            host.error_look = look
        return host.looks.pop(look, [])

    def ask_again(self, questions: Iterable[int]) -> None:
        """These were asked in vain: they stay open."""
        self.questions += questions

    def _look(self, page: Page) -> Look:
        own = [self._words.find(word) for word in tokens_of(unquote(self._urls[page.url]))]
        if len(page.tokens) <= SHORT:
            own += [word for word in page.tokens.tolist() if _OF_A_REQUEST.fullmatch(self._words[word])]
        if lib is None:
            words = np.unique(page.tokens)
            return _sum_of_mixed(words[~np.isin(words, own)])
        self._met = grow(self._met, len(self._words))
        mine, tokens = np.array(own, np.int32), page.tokens
        look: Look = lib.distinct_sum(at(tokens), len(tokens), at(mine), len(mine), at(self._met), len(self._met))
        return look

    def _bare_look(self, page: Page) -> Look | None:
        """What a short page looks like with its links, queries and those to itself left out; None for others."""
        if len(page.tokens) > SHORT or len(page.links) > MOST_LINKS:
            return None
        own, *links = (url.partition("?")[0] for url in self._urls.spell([page.url, *page.links.url.tolist()]))
        text = "\n".join(sorted({link for link in links if link != own}))
        return self._look(page) ^ int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")

    def _count(self, host: _Host, bare: Look, many: int = 1) -> None:
        count = host.bare.pop(bare, 0)
        if len(host.bare) >= _MOST_LOOKS:
            del host.bare[next(iter(host.bare))]
        host.bare[bare] = count + many

    def _host(self, host: int) -> _Host:
        """A host, which is now the last one met; the one met longest ago may be forgotten for it."""
        entry = self._hosts.pop(host, None) or _Host()
        if len(self._hosts) >= MOST_HOSTS:
            del self._hosts[next(iter(self._hosts))]
        self._hosts[host] = entry
        return entry


def _sum_of_mixed(words: Ints) -> Look:
    """A number for a set of words: each is mixed well, and all are added up."""
    mixed = words.astype(np.uint64) + np.uint64(1)
    for factor in _FACTORS:
        mixed = (mixed ^ (mixed >> np.uint64(30))) * factor
    return int((mixed ^ (mixed >> np.uint64(31))).sum(dtype=np.uint64))


def made_up(url: str) -> str:
    """A made-up URL in the same folder, always the same one.

    >>> made_up("http://a.example/news/today?p=1") == made_up("http://a.example/news/")
    True
    """
    folder = url.partition("?")[0].rpartition("/")[0]
    return f"{folder}/{blake2b(folder.encode(), digest_size=8).hexdigest()}"
