"""The hunter's own cost a page: with a small frontier, and with a full one of 100,000 links."""

from __future__ import annotations

import numpy as np

from benchmarks.report import figure, peak_memory
from benchmarks.timed import seconds_a_page
from salticid.model import Choice, Floats, Ints, Links, Outcome, Page, Visit
from salticid.protocols import Brief
from salticid.strategies.hunter.hunter import Hunter
from salticid.tables.texts import Texts, Urls
from salticid.text.own_words import OwnWords
from salticid.topic import Limits, Topic

LINKS, WORDS, VOCABULARY = 60, 1200, 20_000
URLS, HOSTS = 1_000_000, 20_000
MEASURED = 300
BOUNDS = {256: 1.5, 100_000: 5.0}
"""Milliseconds a page, by the links that may wait."""


def run() -> None:
    """Crawl a random graph until the frontier has been full for a while, then measure."""
    for most, bound in BOUNDS.items():
        before = peak_memory()
        crawl = _Crawl(most)
        crawl.visit(200 + 2 * most // LINKS)
        seconds = crawl.visit(MEASURED)
        figure(f"{most:,} links wait, mean", float(seconds.mean()) * 1000, "ms a page", bound, True)
        figure("the dearest page", float(seconds.max()) * 1000, "ms")
        figure("memory, the benchmark's own included", peak_memory() - before, "MB")


class _Crawl:
    """A crawl of a random graph without a web, a judge or a log."""

    def __init__(self, most: int) -> None:
        self._rng = np.random.default_rng(0)
        self._urls, self._words = _Addresses(), Texts()
        self._words.intern_all([f"word{_letters(number)}".encode() for number in range(VOCABULARY)])
        self._chosen = np.zeros(URLS, np.bool_)
        self._step = 0
        self.strategy = Hunter()
        topic, limits = Topic("random", "worda wordb wordc", ()), Limits(max_buffer=most)
        seeds = Links.to(list(range(10)))
        urls, words = self._urls, self._words
        own_words = OwnWords(urls, words, "en")
        self.strategy.start(Brief(topic, "en", seeds, (), (), limits, urls, words, self._rng, own_words))

    def visit(self, pages: int) -> Floats:
        """Let the strategy choose and observe so many pages; the seconds that each of them took it."""
        return seconds_a_page(self.strategy, pages, self._arrival)

    def _arrival(self, choice: Choice) -> tuple[Visit, Ints]:
        self._chosen[choice.link.url] = True
        page = self._page(choice.link.url)
        score = float(self._rng.random())
        visit = Visit(self._step, choice, choice.link.url, Outcome.OK, page, score, score > 0.5, 0)
        self._step += 1
        return visit, np.flatnonzero(~self._chosen[page.links.url]).astype(np.int32)

    def _page(self, url: int) -> Page:
        tokens = (VOCABULARY * self._rng.random(WORDS) ** 3).astype(np.int32)
        start = np.sort(self._rng.integers(WORDS - 3, size=LINKS)).astype(np.int32)
        leads = self._rng.integers(URLS, size=LINKS).astype(np.int32)
        links = Links(leads, start, (start + 2).astype(np.int32), np.zeros(LINKS, np.bool_))
        return Page(url, "", tokens, start[:0], np.zeros(0, np.uint8), links, b"")


class _Addresses(Urls):
    """Any number of URLs on many hosts, none of them stored."""

    def __getitem__(self, at: int) -> str:
        return f"http://host{at % HOSTS}.example/{_letters(at % 5000)}/{_letters(at)}.html"

    def spell(self, ids: object) -> list[str]:
        return [self[at] for at in ids]  # type: ignore[attr-defined]

    def host(self, url: int) -> int:
        return url % HOSTS


def _letters(number: int) -> str:
    """A number written with the letters a to j."""
    return str(number).translate(str.maketrans("0123456789", "abcdefghij"))
