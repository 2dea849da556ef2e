"""What a page costs a hunt when it has read a thousand, and when it has read a hundred thousand: judge, hunter, log."""

from __future__ import annotations

import os
import tempfile
import time
from contextlib import closing
from pathlib import Path

import numpy as np

from benchmarks.report import figure, peak_memory
from salticid.crawl import Crawl
from salticid.judges import judges
from salticid.model import Choice, Links, Outcome, Page, Response
from salticid.runs.brief import KnownPages, settle
from salticid.store.log import CrawlLog
from salticid.strategies import strategies
from salticid.tables.texts import Texts, Urls
from salticid.topic import Limits, Topic

PAGES = int(os.environ.get("SALTICID_BENCH_GROWTH", "100000"))
WINDOW, EARLY = 1000, 1000
LINKS, WORDS, VOCABULARY, NEAR, HOSTS = 30, 400, 50_000, 2_000, 1_000
ON_TOPIC = ("jumping", "spider", "spiders", "salticid", "web")


def run() -> None:
    """Read pages of a random graph until there are PAGES; the processor time of a thousand, early and at the end."""
    with tempfile.TemporaryDirectory() as folder:
        graph = _Graph()
        with closing(CrawlLog(Path(folder), graph.urls, graph.words, own_tables=True)) as log:
            log.begin({})
            topic = Topic("spiders", "jumping spiders", ("http://h0.example/0",), language="en")
            brief = settle(topic, KnownPages(), graph, Limits(max_pages=PAGES), 0)
            strategy, judge = strategies.make("hunter"), judges.make("profile")
            crawl = Crawl(brief, strategy, judge, log, time.monotonic, log.page)
            ends = {EARLY, EARLY + WINDOW, PAGES - WINDOW, PAGES}
            spent, seconds = dict[int, float](), 0.0
            for at in range(PAGES):
                begin = time.process_time()
                (choice,) = crawl.choices(1)
                chosen = time.process_time()
                answer = graph.answer(choice)
                answered = time.process_time()
                crawl.deliver(choice, answer)
                seconds += time.process_time() - answered + chosen - begin
                if at + 1 in ends:
                    spent[at + 1] = seconds
    early = 1000 * (spent[EARLY + WINDOW] - spent[EARLY]) / WINDOW
    late = 1000 * (spent[PAGES] - spent[PAGES - WINDOW]) / WINDOW
    figure(f"a page after {EARLY:,}", early, "ms")
    figure(f"a page after {PAGES - WINDOW:,}", late, "ms")
    figure("all of them, the mean", 1000 * spent[PAGES] / PAGES, "ms")
    figure("grown", late / early, "x", 1.3, at_most=True)
    figure("memory at the peak", peak_memory(), "MB")


class _Graph:
    """Pages that link to some near them and some anywhere; a tenth speaks of the topic, as do the links to these."""

    def __init__(self) -> None:
        self._dice = np.random.default_rng(0)
        self.urls, self.words = Urls(), Texts()
        usual = [f"word{_letters(number)}".encode() for number in range(VOCABULARY)]
        self._usual = np.array(self.words.intern_all(usual), np.int32)
        self._telling = np.array(self.words.intern_all([word.encode() for word in ON_TOPIC]), np.int32)
        self._number_of = {self._url(0): 0}

    def answer(self, choice: Choice) -> Response:
        url = choice.link.url
        return Response(url, url, Outcome.OK, 200, self._page(url, self._number_of.pop(url)))

    def _url(self, number: int) -> int:
        return self.urls.intern(f"http://h{number % HOSTS}.example/{number}")

    def _page(self, url: int, number: int) -> Page:
        dice = self._dice
        tokens = self._usual[(VOCABULARY * dice.random(WORDS) ** 3).astype(np.int32)]
        start = np.sort(dice.integers(20, WORDS - 3, LINKS)).astype(np.int32)
        numbers = number + 1 + dice.integers(0, NEAR, LINKS)
        numbers[::6] = dice.integers(0, 1_000_000, len(numbers[::6]))
        for at, leads_to in zip(start.tolist(), numbers.tolist(), strict=True):
            if leads_to % 10 == 0:
                tokens[at] = dice.choice(self._telling)
        if number % 10 == 0:
            tokens[: len(self._telling)] = self._telling
        urls = [self._url(each) for each in numbers.tolist()]
        self._number_of |= dict(zip(urls, numbers.tolist(), strict=True))
        links = Links(np.array(urls, np.int32), start, start + np.int32(2), np.zeros(LINKS, np.bool_))
        areas = np.array([0, 8], np.int32), np.array([1, 2], np.uint8)
        return Page(url, f"page {number}", tokens, *areas, links, b"")


def _letters(number: int) -> str:
    """A number written with the letters a to j."""
    return str(number).translate(str.maketrans("0123456789", "abcdefghij"))
