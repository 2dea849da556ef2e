"""The crawl behind a spider: begun, or gone on with, and ended. Scrapy's engine runs it."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from salticid.crawl import Crawl
from salticid.model import Choice, Page, StopReason, Topic
from salticid.runs.brief import KnownPages, settle
from salticid.runs.live import Stopwatch
from salticid.runs.order import Order
from salticid.runs.past import Past, relive
from salticid.scrapy.kept_requests import KeptRequests
from salticid.scrapy.priorities import by_priority
from salticid.scrapy.spider_web import SpiderWeb
from salticid.store.log import CrawlLog

ReadPages = Callable[[tuple[str, ...]], Awaitable[tuple[Page, ...]]]
"""Reads the pages of some URLs, as far as they can be had."""

_logger = logging.getLogger(__name__)


class SpiderCrawl:
    """A crawl, its log and its clock. `crawl` is there once it was `open`ed."""

    crawl: Crawl

    def __init__(self, order: Order, web: SpiderWeb, requests: KeptRequests) -> None:
        self.order, self._web, self._requests = order, web, requests
        self.log = CrawlLog(order.folder, web.urls, web.words, own_tables=True)
        self.log.attach(requests.news)
        self._clock = Stopwatch()
        self._is_open = False

    async def open(self, read_pages: ReadPages, settings: Mapping[str, object]) -> list[Choice]:
        """Begin, or go on from the folder; the choices that were under way when an earlier run ended."""
        order, log, larger = self.order, self.log, None
        if (before := log.open()) is not None:
            order, larger = order.continuing(log, before)
            if (missing := log.go_on()) is not None:
                _logger.warning(missing)
            self._requests.recall(log.memory())
            self._clock = Stopwatch(log.record().seconds)
        facts = None if before is None else log.known_pages()
        past = None if facts is None else Past(log)
        if facts is None:
            pages = await _known_pages(order.topic, read_pages)
        else:
            pages = KnownPages(facts.get("examples", ()), facts.get("negatives", ()))
        recipe = order.recipe
        brief = settle(order.topic, pages, self._web, recipe.limits, recipe.seed)
        self._web.language = brief.language
        ordered = replace(recipe, strategy=by_priority(recipe.strategy, self._requests.priority))
        self.crawl = ordered.crawl(brief, log, self._clock, log.page, past=past)
        flying: list[Choice] = []
        if past is not None:
            _logger.info("Going on after %d visits", past.visits)
            flying = await relive(self.crawl, recipe.judge, past, lambda visit: None)
        elif before is None:
            log.begin(order.facts())
        if past is None:
            log.add_known_pages({"examples": pages.examples, "negatives": pages.negatives})
        log.session(self._clock(), settings)
        if larger is not None:
            self.crawl.extend(larger)
        self._is_open = True
        return flying

    def close(self, finished: bool) -> None:
        """Write down why it ends, and let go of the folder. One that was not `finished` is interrupted."""
        if self._is_open:
            crawl = self.crawl
            reason = (crawl.stopped or StopReason.FRONTIER_EMPTY) if finished else StopReason.INTERRUPTED
            self.log.about({"seconds": self._clock(), "line": crawl.judge.line, "stopped": reason.value})
        self.log.close()


async def _known_pages(topic: Topic, read: ReadPages) -> KnownPages:
    return KnownPages(await read(topic.examples), await read(topic.negatives))
