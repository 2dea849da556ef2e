"""A scheduler for Scrapy: the requests of a spider, in the order of a strategy.

The spider says what may be fetched, the strategy what is fetched next. A response goes to the spider first; when the
spider is done with it, its page is delivered to the crawl, with those of its links that the spider asked for. So all
that a page led to is known to the log as soon as the page is, and a kill loses nothing: what was not delivered is
fetched, and shown to the spider, again.
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from functools import partial
from heapq import heappop, heappush
from typing import Any, Self

from scrapy import Request, Spider, signals
from scrapy import __version__ as scrapy_version
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider
from scrapy.http import Response as ScrapyResponse
from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import Deferred

from salticid.errors import UserError
from salticid.model import NO_URL, Choice, Outcome, Response
from salticid.scrapy.flights import KEY, Flight, Flights, MadeUpUrls, read_pages, redirected
from salticid.scrapy.kept_requests import KeptRequests
from salticid.scrapy.spider_crawl import SpiderCrawl, SpiderWeb, in_words_of_settings, order_of
from salticid.store import IN_MEMORY
from salticid.urls import canonical

CONCURRENCY = 16
"""Requests under way where the project bounds them not at all."""
COMMIT_AFTER = 200
"""So many requests that pass by the strategy are done before they are written down without a visit."""

_logger = logging.getLogger(__name__)


class Scheduler(BaseScheduler):
    """Hands out what the strategy chooses; what is none of its business goes before, by priority.

    The strategy's are plain GET requests, each URL once. A link of a page is scored as such; a URL that the spider
    made up is offered when the page it came from is delivered. POST requests and the like, and those of `dont_filter`
    for a URL that the strategy has already, pass by it.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        settings = crawler.settings
        self._most = settings.getint("CONCURRENT_REQUESTS") or CONCURRENCY
        self._most_of_a_host = settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN") or self._most
        self._web = SpiderWeb()
        self._flights = Flights(self._is_busy)
        self._ready: deque[Flight] = deque()
        self._passing: list[tuple[int, int]] = []
        self._awaited: dict[int, Choice] = {}
        """Choices whose request has not come yet: a seed that the spider has not asked for so far."""
        self._vain: frozenset[int] | None = None
        """The hosts that were busy when the strategy had nothing to choose; None if it has not been asked since."""
        self._unwritten = 0
        self._has_begun = False
        """Whether the strategy has heard of anything: one that has not would think that all is over."""
        self._is_open = False
        self._spider_crawl: SpiderCrawl | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def open(self, spider: Spider) -> Deferred[None]:
        """Begin the crawl, or go on with the one in its folder."""
        return deferred_from_coro(self._open(spider))

    def close(self, reason: str) -> None:
        """Deliver what is done, and let go of the folder."""
        if self._spider_crawl is not None:
            try:
                if self._is_open:
                    self._land()
                    self._crawler.stats.set_value("salticid/pages", self._crawl.pages)
                    self._crawler.stats.set_value("salticid/on_topic", self._crawl.positive)
            finally:
                self._spider_crawl.close(finished=reason == "finished")

    def enqueue_request(self, request: Request) -> bool:
        """Keep a request; False if there was the same before, and it does not say `dont_filter`."""
        note = request.meta.get(KEY)
        if (flight := self._flights.of(request)) is not None:
            kept = self._goes_on(flight, request)
        else:
            if isinstance(note, dict):
                del request.meta[KEY]  # copied by the spider from another request
            url = NO_URL if note is False else self._url(request)
            kept = self._passes_by(request, url) if self._is_taken(url) else self._add(request, url)
        self._count("scheduler/enqueued" if kept else "dupefilter/filtered")
        return kept

    def next_request(self) -> Request | None:
        """The next request; None while there is nothing to ask for, or nothing can be written."""
        self._land()
        flight = None if self._is_in_trouble() else self._next_flight()
        if flight is None:
            return None
        flight.waits = False
        self._count("scheduler/dequeued")
        return flight.request

    def has_pending_requests(self) -> bool:
        self._land()
        if self._is_in_trouble() or self._ready or self._passing:
            return True
        self._line_up(self._choose())
        return bool(self._ready)

    async def _open(self, spider: Spider) -> None:
        if not is_asyncio_available():
            raise UserError("this scheduler needs asyncio; leave the setting TWISTED_REACTOR as it is")
        with in_words_of_settings():
            self._engine.pause()  # it has not started, and must not look for requests meanwhile
            order = order_of(self._crawler.settings, spider)
            self._kept = KeptRequests(spider, self._web.urls, order.folder != IN_MEMORY)
            self._kept.on_unwritable = self._warn_of_unwritable
            self._spider_crawl = run = SpiderCrawl(order, self._web, self._kept)
            read = partial(read_pages, self._engine, self._web)
            flying = await run.open(read, {"scrapy": scrapy_version, "concurrency": self._most})
        self._log, self._crawl, self._is_open = run.log, run.crawl, True
        self._made_up = MadeUpUrls(run.crawl, self._kept)
        self._listen()
        self._restore(flying)

    def _listen(self) -> None:
        connect = self._crawler.signals.connect
        connect(self._on_opened, signals.spider_opened)
        connect(self._on_sent, signals.request_reached_downloader)
        connect(self._on_response, signals.response_received)
        connect(self._on_idle, signals.spider_idle)

    def _restore(self, flying: list[Choice]) -> None:
        """Line up what was under way, or waited, when an earlier run ended."""
        for why, many in self._kept.lost.items():
            _logger.warning("%d requests of earlier runs are lost: %s", many, why)
            self._crawler.stats.inc_value("scheduler/lost", many)
        for choice in flying:
            self._line_up(self._launch(choice))
        self._has_begun = bool(len(self._crawl.brief.seeds)) or self._crawl.step > 0
        for number, kept in self._kept.waiting():
            if kept.url == NO_URL:
                heappush(self._passing, (-kept.priority, number))
            elif self._crawl.knows(kept.url):
                self._has_begun = True
            else:
                self._made_up.add(kept.url, self._flights.numbers())
        self._offer_made_up()

    def _on_opened(self) -> None:
        self._engine.unpause()

    def _on_sent(self, request: Request) -> None:
        self._flights.sent(request)

    def _on_response(self, response: ScrapyResponse, request: Request) -> None:
        self._flights.answered(request, response)

    def _on_idle(self) -> None:
        """Nothing is left but seeds that the spider has not asked for: they are asked for with its `parse`.

        A URL whose request is lost is left out: only the spider knows its callback, meta and arguments.
        """
        awaited = dict(self._awaited)
        for url, choice in awaited.items():
            if not self._kept.is_lost(url):
                self._engine.crawl(Request(self._web.urls[url]))
            if url in self._awaited:  # lost, or dropped by a middleware
                del self._awaited[url]
                self._crawl.deliver(choice, Response(url, url, Outcome.OUT_OF_SCOPE))
        if awaited:
            self._vain = None
            raise DontCloseSpider

    def _url(self, request: Request) -> int:
        """The URL under which the strategy knows a request; NO_URL if it is none of its."""
        url = canonical(request.url) if request.method == "GET" and not request.body else None
        return NO_URL if url is None else self._web.urls.intern(url)

    def _is_taken(self, url: int) -> bool:
        """Whether a request for this URL can be none of the strategy's, or no more."""
        if url == NO_URL or self._kept.has(url):
            return True
        return self._crawl.has_chosen(url) and url not in self._awaited

    def _add(self, request: Request, url: int) -> bool:
        """Keep a request of the strategy's."""
        self._kept.add(request, url)
        if url in self._awaited:
            self._line_up(self._launch(self._awaited.pop(url)))
        elif not self._crawl.knows(url):
            self._made_up.add(url, flights := self._flights.with_the_spider())
            if not flights:
                self._offer_made_up()
        return True

    def _passes_by(self, request: Request, url: int) -> bool:
        """Keep a request that is none of the strategy's, unless there was the same."""
        fingerprint = self._crawler.request_fingerprinter.fingerprint(request)
        if not request.dont_filter and (url != NO_URL or self._kept.has_fingerprint(fingerprint)):
            return False
        number = self._kept.add(request, NO_URL, fingerprint)
        heappush(self._passing, (-request.priority, number))
        return True

    def _goes_on(self, flight: Flight, request: Request) -> bool:
        """A retry or a redirect: asked for at once, unless it leads to a page that somebody has already.

        One that leads to a page which waits brings that page's own request forward.
        """
        url = self._url(request)
        its_own = flight.choice is None or url == flight.choice.link.url
        if not request.dont_filter and not its_own and url != NO_URL and self._is_taken(url):
            number = self._kept.number(url)
            if number is None or self._crawl.has_chosen(url):
                flight.duplicate_of = url
                return False
            request = redirected(request, self._kept.take(number))
            flight.kept.add(number)
        flight.request = request
        self._line_up(flight)
        return True

    def _line_up(self, flight: Flight | None) -> None:
        """It is the next that the engine gets, after those that are lined up already."""
        if flight is not None:
            flight.waits = True
            self._ready.append(flight)

    def _next_flight(self) -> Flight | None:
        if self._ready:
            return self._ready.popleft()
        if len(self._flights) >= self._most:
            return None
        if self._passing:
            _, number = heappop(self._passing)
            return self._flights.add(number, self._kept.take(number), None)
        return self._choose()

    def _choose(self) -> Flight | None:
        """What the strategy wants now. Nothing is asked twice of it when nothing has changed."""
        busy = self._busy_hosts()
        while busy != self._vain and len(self._awaited) < self._most and self._has_begun:
            choices = self._crawl.choices(1, busy)
            if not choices:
                self._vain = busy
            for choice in choices:
                if (flight := self._launch(choice)) is not None:
                    return flight
        return None

    def _launch(self, choice: Choice) -> Flight | None:
        """Begin the flight of a choice; None if its request has to come first."""
        number = self._kept.number(choice.link.url)
        if number is None:
            self._awaited[choice.link.url] = choice
            return None
        return self._flights.add(number, self._kept.take(number), choice)

    def _busy_hosts(self) -> frozenset[int]:
        """Hosts of which as many are under way as the project allows."""
        flying = Counter(self._web.urls.host(choice.link.url) for choice in self._flights.choices())
        return frozenset(host for host, many in flying.items() if many >= self._most_of_a_host)

    def _land(self) -> None:
        """Deliver what the spider is done with, in the order of arrival, as long as it can be written."""
        while self._log.trouble is None and (flight := self._flights.take_landed()) is not None:
            self._kept.done(flight.kept)
            if flight.choice is not None:
                self._crawl.deliver(flight.choice, self._answer(flight, flight.choice.link.url))
                self._vain, self._unwritten = None, 0
            else:
                self._unwritten += 1
                if self._unwritten % COMMIT_AFTER == 0:
                    self._log.retry()
            self._offer_made_up(flight.number)

    def _answer(self, flight: Flight, url: int) -> Response:
        if flight.response is not None:
            return self._web.answer(url, flight.request, flight.response, self._kept.has)
        if flight.duplicate_of != NO_URL:
            return Response(url, flight.duplicate_of, Outcome.DUPLICATE)
        return Response(url, url, flight.failure)

    def _offer_made_up(self, landed: int | None = None) -> None:
        if self._made_up.offer(landed):
            self._has_begun, self._vain = True, None

    def _is_in_trouble(self) -> bool:
        """Whether nothing can be written; the engine comes back every few seconds to ask again."""
        if self._log.trouble is not None:
            self._log.retry()
            if (trouble := self._log.trouble) is not None:
                _logger.warning("Waiting, for nothing can be written: %s", trouble)
        return self._log.trouble is not None

    def _warn_of_unwritable(self, request: Request, why: str) -> None:
        if not self._crawler.stats.get_value("scheduler/unserializable"):
            _logger.warning(
                "Unable to store %s: %s. It stays in memory and is lost when the crawl stops; "
                "scheduler/unserializable counts such requests",
                request,
                why,
            )
        self._count("scheduler/unserializable")

    def _is_busy(self, request: Request) -> bool:
        slot = self._engine.scraper.slot
        return request in self._engine.downloader.active or (slot is not None and request in slot.active)

    @property
    def _engine(self) -> Any:
        return self._crawler.engine

    def _count(self, name: str) -> None:
        self._crawler.stats.inc_value(name)
