"""Memory a page: 100,000 responses, prerecorded, handed over in process to a crawl with its log.

Every page is visited under a URL never seen before and holds one more such URL; its other links lead to pages of
known sites, as in a crawl that knows the sites it is on. So the figure is what a crawl remembers of its visits,
with one new URL each. A URL that is only seen, and never visited, is measured by itself: a crawl of ever new sites
meets many of those a page.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from benchmarks._server import pages as collection
from benchmarks.material import ROOT
from benchmarks.report import figure
from salticid.crawl import Crawl
from salticid.judges import judges
from salticid.model import Outcome, Page, Response
from salticid.parse.html import Parser
from salticid.runs.brief import KnownPages, settle
from salticid.store.log import CrawlLog
from salticid.strategies import strategies
from salticid.tables.texts import Texts, Urls
from salticid.topic import Limits, Topic

PAGES = 100_000
SETTLED = 20_000
"""By now all words are known and all buffers full."""
RECORDED = 1_000
HOSTS = 64
_KEYWORDS = "spider web silk prey venom eyes insect animal species"


def run() -> None:
    """In a fresh process, so that the memory is its own."""
    command = [sys.executable, "-c", "from benchmarks.memory import crawl, seen; crawl(); seen()"]
    out = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    first, last, url = map(json.loads, out.splitlines())
    grown = (last - first) / (PAGES - SETTLED)
    figure(f"resident after {SETTLED:,} pages", first / 1e6, "MB")
    figure(f"resident after {PAGES:,} pages", last / 1e6, "MB")
    figure("growth a page visited, its URL included", grown, "bytes", target=1000, at_most=True)
    figure("growth a URL that is only seen", url, "bytes")


class _Responses:
    """The tables of a web whose pages are known beforehand, and its answers."""

    def __init__(self) -> None:
        self.urls, self.words = Urls(), Texts()
        parser = Parser(self.urls, self.words)
        self._pages = [
            parser.parse(html, f"http://h{at % HOSTS}.example/wp/s/{at}.htm")
            for at, html in enumerate(collection()[:RECORDED])
        ]

    def new_url(self, number: int) -> int:
        """A URL that nobody has seen: page `number` of all."""
        return self.urls.intern(f"http://h{number % HOSTS}.example/wp/{number % 26}/Page_number_{number}.htm")

    def page(self, number: int, url: int) -> Page:
        """A page at `url`, with one link to another URL that nobody has seen."""
        page = self._pages[number % RECORDED]
        links = page.links
        to = links.url.copy()
        if len(to):
            to[-1] = self.new_url(number)
        return replace(page, url=url, links=replace(links, url=to))


def crawl() -> None:
    """Print the resident bytes when the crawl has settled, and at its end."""
    web = _Responses()
    seeds = tuple(web.urls[web.new_url(-1 - number)] for number in range(HOSTS))
    topic = Topic("spiders", _KEYWORDS, seeds, language="en")
    limits = Limits(max_pages=PAGES, max_buffer=10_000)
    with tempfile.TemporaryDirectory() as folder:
        log = CrawlLog(Path(folder), web.urls, web.words)
        brief = settle(topic, KnownPages(), web, limits, 0)
        run = Crawl(brief, strategies.make("best_first"), judges.make("cosine"), log, time.monotonic, log.page)
        log.begin({})
        while run.pages < PAGES and (choices := run.choices(32)):
            for choice in choices:
                url = choice.link.url
                page = web.page(run.pages, url)
                run.deliver(choice, Response(url, url, Outcome.OK, 200, page))
                if run.pages in (SETTLED, PAGES):
                    print(resident())
        assert run.pages == PAGES, run.stopped
        log.close()


def seen(urls: int = 1_000_000) -> None:
    """Print the bytes of a URL in the table."""
    table = Urls()
    before = resident()
    for number in range(urls):
        table.intern(f"http://h{number % HOSTS}.example/wp/{number % 26}/Page_number_{number}.htm")
    print((resident() - before) / urls)


def resident() -> int:
    """Bytes of this process in memory now."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096
