"""PageRank at a full buffer: the strategy's own cost a page on a random graph, fed straight to it."""

from __future__ import annotations

import numpy as np

from benchmarks.report import figure, peak_memory
from benchmarks.timed import seconds_a_page
from salticid.model import Choice, Floats, Ints, Links, Outcome, Page, Visit
from salticid.protocols import Brief
from salticid.strategies.pagerank import Pagerank
from salticid.tables.texts import Texts, Urls
from salticid.text.own_words import OwnWords
from salticid.topic import Limits, Topic

BUFFER = 100_000
LINKS = 10
URLS = 1_000_000
HOSTS = 20_000
MEASURED = 500
NEVER = 10**9


def run() -> None:
    """Fill buffer and frontier without computing a rank, then measure pages at the usual rhythm."""
    before = peak_memory()
    crawl = _Crawl()
    crawl.strategy.every = NEVER
    crawl.visit(BUFFER)
    crawl.strategy.every = 25
    seconds = crawl.visit(MEASURED)
    figure(
        f"{BUFFER:,} pages of {LINKS} links buffered, mean",
        float(seconds.mean()) * 1000,
        "ms a page",
        20,
        True,
    )
    figure("the page after which ranks are computed, at worst", float(seconds.max()) * 1000, "ms")
    figure("memory, graph and links of the benchmark included", peak_memory() - before, "MB")


class _Hosts(Urls):
    """Any number of URLs on many hosts, none of them stored."""

    def __getitem__(self, at: int) -> str:
        return f"http://host{at % HOSTS}.example/{at}"

    def host(self, url: int) -> int:
        return url % HOSTS


class _Crawl:
    """A crawl of a random graph without a web, a judge or a log."""

    def __init__(self) -> None:
        self.strategy, self._rng = Pagerank(), np.random.default_rng(0)
        self._chosen = np.zeros(URLS, np.bool_)
        self._step = 0
        seeds = Links.to(list(range(10)))
        topic, limits = Topic("random", "graph", ()), Limits(max_buffer=BUFFER)
        urls, words = _Hosts(), Texts()
        own_words = OwnWords(urls, words, "en")
        self.strategy.start(Brief(topic, "en", seeds, (), (), limits, urls, words, self._rng, own_words))

    def visit(self, pages: int) -> Floats:
        """Let the strategy choose and observe so many pages; the seconds that each of them took it."""
        return seconds_a_page(self.strategy, pages, self._arrival)

    def _arrival(self, choice: Choice) -> tuple[Visit, Ints]:
        url = choice.link.url
        self._chosen[url] = True
        links = Links.to(self._rng.integers(URLS, size=LINKS).tolist())
        visit = Visit(self._step, choice, url, Outcome.OK, _page(url, links), self._rng.random(), False, 0)
        self._step += 1
        return visit, np.flatnonzero(~self._chosen[links.url]).astype(np.int32)


def _page(url: int, links: Links) -> Page:
    """A page of links alone."""
    return Page(url, "", links.start[:0], links.start[:0], np.zeros(0, np.uint8), links, b"")
