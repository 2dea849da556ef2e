"""Webs without end, made while they are crawled: traps of the known kinds, and honest sites beside them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from urllib.parse import urlsplit
from zlib import crc32

from tests.support.virtual_time import clock, run_virtual

from salticid.crawl import Crawl
from salticid.drivers.live import LiveDriver
from salticid.drivers.traps import Traps
from salticid.judges.cosine import Cosine
from salticid.model import Outcome, Response, StopReason, Visit
from salticid.parse.html import Parser
from salticid.runs.brief import KnownPages, settle
from salticid.runs.recorded import MemoryLog
from salticid.strategies.best_first import BestFirst
from salticid.tables.texts import Texts, Urls
from salticid.topic import Limits, Topic
from salticid.webs.live.politeness import MayAsk

KEYWORDS = "jumping spiders eyes silk"
DULL = "opening hours of the office and how to find us by bus and tram in the city"

Sheet = tuple[str, Sequence[str]]
"""A page: its words, and what it links to."""
Site = Callable[[str, str], Sheet]
"""A site: the page at a path with this query."""


class EndlessWeb:
    """Sites by host. Every answer takes a second, and what a site cannot make is not there; it counts the others."""

    def __init__(self, sites: dict[str, Site]) -> None:
        self.urls, self.words = Urls(), Texts()
        self._sites = sites
        self._parser = Parser(self.urls, self.words)
        self.asked: Counter[str] = Counter()

    async def fetch(self, url: int, may_ask: MayAsk | None = None) -> Response:
        await asyncio.sleep(1.0)
        parts = urlsplit(self.urls[url])
        try:
            text, links = self._sites[parts.netloc](parts.path, parts.query)
        except (LookupError, ValueError):
            return Response(url, url, Outcome.DEAD, 404)
        self.asked[parts.netloc] += 1
        page = self._parser.parse(html(text, links), self.urls[url])
        return Response(url, url, Outcome.OK, 200, page)

    def forgive(self) -> None: ...

    async def sitemap(self, url: int) -> list[int]:
        return []

    async def feed(self, url: str) -> None: ...


@dataclass(frozen=True)
class Crawled:
    """A crawl that has ended."""

    web: EndlessWeb
    visits: list[Visit]
    stopped: StopReason

    @property
    def hosts(self) -> list[str]:
        """The hosts of its pages, in the order of the visits."""
        urls = self.web.urls
        return [urls.host_name(urls.host(visit.url)) for visit in self.visits if visit.outcome is Outcome.OK]


def html(text: str, links: Sequence[str]) -> bytes:
    anchors = "".join(f'<a href="{escape(link)}">on</a> ' for link in links)
    return f"<title>{text[:20]}</title><p>{text}</p>{anchors}".encode()


def crawl(sites: dict[str, Site], *seeds: str, pages: int = 1000, share: float | None = 0.25) -> Crawled:
    """A crawl of these sites by the live driver, in virtual time; no share, no traps."""
    web, log = EndlessWeb(sites), MemoryLog()

    async def main() -> StopReason:
        limits = Limits(max_pages=pages, max_fetches=10 * pages)
        topic = Topic("spiders", KEYWORDS, seeds, language="en")
        brief = settle(topic, KnownPages(), web, limits, 0)
        traps = None if share is None else Traps(web.urls, web.words, share)
        run = Crawl(brief, BestFirst(), Cosine(), log, clock)
        return await LiveDriver(run, web, 4, clock, traps=traps).run()

    stopped = run_virtual(main())
    return Crawled(web, log.visits, stopped)


def a_word(path: str) -> str:
    """A word that no other page has."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(crc32(path.encode())))


def calendar(path: str, query: str) -> Sheet:
    """A calendar that goes on for ever in both directions."""
    year, month = map(int, path.split("/")[2:]) if path != "/" else (2026, 1)
    at = 12 * year + month - 1
    near = [f"/calendar/{n // 12}/{n % 12 + 1}" for n in (at - 12, at - 1, at + 1, at + 12)]
    return f"Events in month {month} {DULL}", near


def sessions(path: str, query: str) -> Sheet:
    """Ten pages, good ones, whose links hold a session id that is new on every page."""
    mark = crc32(f"{path}?{query}".encode())
    return f"spiders jump {path}", [f"/page{n}?sid={mark}{n}" for n in range(10)]


def rounds(path: str, query: str) -> Sheet:
    """A site whose relative links lack their slash; no two pages say the same."""
    if not {"", "en", "shop", "news"}.issuperset(path.split("/")):
        raise LookupError(path)
    return f"about spiders {DULL} {a_word(path)}", ["en/shop/", "en/news/"]


def facets(path: str, query: str) -> Sheet:
    """A search that adds one more facet with every link."""
    chosen = query.split("&") if query else []
    more = [f"f{n}={n}" for n in range(40) if f"f{n}={n}" not in chosen]
    return f"Results {DULL}", [f"/search?{'&'.join([*chosen, one])}" for one in more[:12]]


def shop(path: str, query: str) -> Sheet:
    """The same with words in the path."""
    names = ("red", "blue", "small", "large", "cheap", "new", "old", "soft")
    return f"Products {DULL}", [f"{path.rstrip('/')}/{name}" for name in names if path.count("/") < 9]


def library(pages: int) -> Site:
    """An honest site: so many good pages of one pattern, and a list of them."""

    def site(path: str, query: str) -> Sheet:
        at = int(path.rpartition("/")[2] or 0)
        further = [f"/article/{n}" for n in range(at * 4 + 1, at * 4 + 5) if n < pages]
        return f"Jumping spiders have eyes, number {at}: {a_word(path)}", further

    return site


def many(hosts: int) -> Site:
    """A page that leads to many small hosts."""
    return lambda path, query: ("spiders everywhere", [f"http://h{n}.example/" for n in range(hosts)])
