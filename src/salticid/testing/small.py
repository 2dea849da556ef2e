"""Webs small enough to hold in the head, parsed by the real parser."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from html import escape

import numpy as np

from salticid.judges.cosine import Cosine
from salticid.model import Outcome, Page, Response
from salticid.parse import Parser
from salticid.protocols import Strategy
from salticid.runs import MemoryLog, Recipe, RecordedCrawl
from salticid.tables import Texts, Urls
from salticid.topic import Limits, Topic
from salticid.webs import MAX_REDIRECTS

HOME = "small.example"
KEYWORDS = "jumping spiders"
SECONDS = 0.5
"""What every answer takes, and every redirect on the way to it."""

Sheet = str | tuple[str, Sequence[str]]
"""A page: its HTML, or its text and the names it links to."""


class SmallWeb:
    """A web in memory.

    The page `x` is at http://small.example/x, the page `big.example/x` at http://big.example/x. Of a
    page given as text and links, the text is all there is to read: its links have no anchor, so that
    scores can be worked out by hand. A name in none of `pages`, `redirects` and `dead` answers "not
    recorded". `topic` starts at `seeds`, by default the first page. URLs get their ids in the order of
    `numbering`, the others as they appear. Set `lifetime`, and after so many answers everything is dead.

    >>> web = SmallWeb({"a": ("jumping spiders", ["b", "c"])}, redirects={"b": "a"}, dead=["d"])
    >>> [web.fetch(web.id(name)).outcome.value for name in "abcd"], web.asked
    (['ok', 'ok', 'not recorded', 'dead'], ['a', 'b', 'c', 'd'])
    >>> web.name(web.fetch(web.id("b")).final)
    'a'
    """

    def __init__(
        self,
        pages: Mapping[str, Sheet],
        *,
        redirects: Mapping[str, str] | None = None,
        dead: Collection[str] = (),
        seeds: Sequence[str] = (),
        numbering: Sequence[str] = (),
    ) -> None:
        self.urls, self.words = Urls(), Texts()
        self.asked: list[str] = []
        self.lifetime: int | None = None
        self._made_of = pages, redirects or {}, dead, seeds or list(pages)[:1]
        for name in numbering:
            self.id(name)
        parser = Parser(self.urls, self.words)
        sheets = [parser.parse(_html(sheet).encode(), address(name)) for name, sheet in pages.items()]
        self._pages = {page.url: page for page in sheets}
        self._redirects = {self.id(old): self.id(new) for old, new in (redirects or {}).items()}
        self._dead = {self.id(name) for name in dead}
        self.topic = Topic("small", KEYWORDS, tuple(map(address, self._made_of[3])), language="en")

    def id(self, name: str) -> int:
        """The id of the URL of a name."""
        return self.urls.intern(address(name))

    def name(self, url: int) -> str:
        """The name a URL's id stands for."""
        return self.urls[url].removeprefix("http://").removeprefix(f"{HOME}/")

    def names(self) -> list[str]:
        """The names of all URLs that anything here is, links or redirects to, by id."""
        return [self.name(url) for url in range(len(self.urls))]

    def fetch(self, url: int) -> Response:
        """The answer to one URL, redirects followed; `asked` keeps its name."""
        self.asked.append(self.name(url))
        at, seconds = url, SECONDS
        for _ in range(MAX_REDIRECTS):
            if at not in self._redirects:
                break
            at, seconds = self._redirects[at], seconds + SECONDS
        if at in self._redirects:
            return Response(url, at, Outcome.REDIRECT_LOOP, seconds=seconds)
        if at in self._dead or (self.lifetime is not None and len(self.asked) > self.lifetime):
            return Response(url, at, Outcome.DEAD, 404, seconds=seconds)
        if at not in self._pages:
            return Response(url, at, Outcome.NOT_RECORDED, seconds=seconds)
        return Response(url, at, Outcome.OK, 200, self._pages[at], seconds)

    def page(self, url: int) -> Page:
        """The page at this very URL, without asking for it."""
        return self._pages[url]

    def page_at(self, url: int) -> Page | None:
        """The page at this very URL if there is one, without asking for it."""
        return self._pages.get(url)

    def renumbered(self, seed: int) -> SmallWeb:
        """The same web with other ids, shuffled by `seed`."""
        pages, redirects, dead, seeds = self._made_of
        names = self.names()
        random.Random(seed).shuffle(names)
        return SmallWeb(pages, redirects=redirects, dead=dead, seeds=seeds, numbering=names)


def address(name: str) -> str:
    """The URL of a name.

    >>> address("x"), address("big.example/x")
    ('http://small.example/x', 'http://big.example/x')
    """
    return f"http://{name}" if "/" in name else f"http://{HOME}/{name}"


def spider_web() -> SmallWeb:
    """The fixed web of `walk_through`: `b` and what it leads to is about jumping spiders, `a` is not."""
    return SmallWeb(
        {
            "seed": "<title>Garden animals</title><p>Of spiders and birds in the garden:"
            " <a href=a>birds at the feeder</a>, <a href=b>spiders on the wall</a>.",
            "a": "<title>Birds</title><p>Robins, wrens and finches, and one spider they missed: "
            "<a href=a1>robins</a>, <a href=a2>wrens</a>, <a href=gone>finches</a>.",
            "b": "<title>Jumping spiders</title><p>Jumping spiders hunt by sight: <a href=b1>their eyes</a>,"
            " <a href=b2>how spiders jump</a>, <a href=seed>back to the garden</a>.",
            "a1": "<title>Robins</title><p>A robin sings in winter. <a href=a11>More birds</a>",
            "a2": "<title>Wrens</title><p>Wrens nest in walls. <a href=a>All birds</a> <a href=a21>Nests</a>",
            "b1": "<title>Eyes</title><p>A jumping spider has eight eyes. <a href=b11>Colour vision</a>",
            "b2": "<title>The jump</title><p>Spiders jump by blood pressure. <a href=b21>Draglines</a>"
            " <a href=old-b1>Eyes</a>",
            "a11": "<title>More birds</title><p>Sparrows and starlings.",
            "a21": "<title>Nests</title><p>Moss, hair and spider silk. <a href=b21>Silk</a>",
            "b11": "<title>Colour vision</title><p>Jumping spiders see red and green. <a href=b>Back</a>",
            "b21": "<title>Draglines</title><p>No spider jumps without a line of silk. <a href=a2>Wrens</a>",
        },
        redirects={"old-b1": "b1"},
        dead=["gone"],
    )


def walk_through(strategy: Strategy, max_pages: int) -> list[str]:
    """Crawl a fixed small web by the cosine judge; the names of its pages in the order they were found.

    >>> from salticid.strategies.breadth_first import BreadthFirst
    >>> walk_through(BreadthFirst(), max_pages=3)
    ['seed', 'a', 'b']
    """
    web, log = spider_web(), MemoryLog()
    RecordedCrawl(web.topic, web, Recipe(strategy, Cosine(), Limits(max_pages=max_pages)), log).run()
    return [web.name(visit.final) for visit in log.visits if visit.good]


def random_web(pages: int, hosts: int, seed: int) -> SmallWeb:
    """A web of many hosts with all that goes wrong on one, the same for the same arguments.

    Every page can be reached, some through a redirect only. Links lead forth, back, to the page itself,
    to the dead and the unrecorded, and through redirects, chains and a loop of them. Two seeds.

    >>> web = random_web(pages=9, hosts=2, seed=1)
    >>> sorted({web.fetch(url).outcome.value for url in range(len(web.urls))})
    ['dead', 'not recorded', 'ok', 'redirect loop']
    """
    dice = np.random.default_rng(seed)
    names = [f"h{dice.integers(hosts)}.example/p{n}" for n in range(pages)]
    redirects = {f"{name}-old": name for name in names[2::4]}
    chains = {f"{old}er": old for old in list(redirects)[::2]}
    circle = {"h0.example/round": "h0.example/and-round", "h0.example/and-round": "h0.example/round"}
    dead_ends = {"h0.example/to-dead": "h0.example/dead1", "h0.example/to-nowhere": "h0.example/never1"}
    dead = [f"h0.example/dead{n}" for n in range(3)]
    astray = [*dead, *dead_ends, *circle, "h0.example/never0"]
    ways: dict[str, list[str]] = {name: [name] for name in names}
    for new, old in [*redirects.items(), *chains.items()]:
        ways[names[names.index(redirects.get(old, old))]].append(new)
    targets: list[list[str]] = [[] for _ in names]
    for n in range(1, pages):
        targets[dice.integers(n)].append(ways[names[n]][-1])
    for links in targets:
        near = [way for n in dice.integers(pages, size=4) for way in ways[names[n]]]
        links += [str(way) for way in dice.permutation([*near, *dice.choice(astray, 1)])]
    targets[0] += [names[0], *astray]
    sheets = {name: _random_html(links, dice) for name, links in zip(names, targets, strict=True)}
    return SmallWeb(sheets, redirects=redirects | chains | circle | dead_ends, dead=dead, seeds=names[:2])


_ON_TOPIC = ["jumping", "spider", "spiders", "jumps"]
_OFF_TOPIC = ["rain", "garden", "bread", "river", "music"]


def _random_html(links: list[str], dice: np.random.Generator) -> str:
    """A page of one mood, silent on the topic or full of it; few moods, so that scores are often equal."""
    mood = dice.integers(5)
    words = [*dice.choice(_ON_TOPIC, 2 * mood), *dice.choice(_OFF_TOPIC, 10 - 2 * mood)]
    anchors = [f'<a href="{address(link)}">{" ".join(dice.choice(words, 2))}</a>' for link in links]
    return f"<title>{words[-1]}</title><p>{' '.join(words)}</p>{' '.join(anchors)}"


def _html(sheet: Sheet) -> str:
    if isinstance(sheet, str):
        return sheet
    text, links = sheet
    return f"<p>{escape(text)}</p>" + "".join(f'<a href="{address(link)}"></a>' for link in links)
