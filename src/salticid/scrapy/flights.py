"""Requests under way in Scrapy's engine."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count

from scrapy import Request
from scrapy.core.engine import ExecutionEngine
from scrapy.http import Response

from salticid.crawl import Crawl
from salticid.model import NO_URL, Choice, Links, Outcome, Page
from salticid.scrapy.kept_requests import KeptRequests
from salticid.scrapy.spider_crawl import SpiderWeb

KEY = "salticid"
"""The key of a request's meta under which its score stands, the reasons for it, and the number of its flight."""


@dataclass(slots=True, eq=False)
class Flight:
    """A request that was taken out to be fetched, with those that retries and redirects made of it.

    `kept` are the numbers of the kept requests that it answers, `choice` is the strategy's, if it is one of its. It
    `waits` until it is handed to the engine, and is `sent` when it has reached the downloader. `duplicate_of` is
    where a redirect led that need not be followed, for somebody has that URL already.
    """

    number: int
    kept: set[int]
    request: Request
    choice: Choice | None
    waits: bool = False
    sent: bool = False
    response: Response | None = None
    arrival: int = 0
    duplicate_of: int = NO_URL

    @property
    def failure(self) -> Outcome:
        """What became of it without a response.

        Middleware refuses what robots.txt forbids before it is sent; what was sent in vain found nobody.
        """
        if self.request.meta.get("redirect_ttl") == 0:
            return Outcome.REDIRECT_LOOP
        return Outcome.UNREACHABLE if self.sent else Outcome.ROBOTS


class Flights:
    """All flights, by number. `is_busy` says whether the engine has a request still, in downloader or spider."""

    def __init__(self, is_busy: Callable[[Request], bool]) -> None:
        self._is_busy = is_busy
        self._all: dict[int, Flight] = {}
        self._numbers, self._arrivals = count(), count()

    def __len__(self) -> int:
        return len(self._all)

    def add(self, kept: int, request: Request, choice: Choice | None) -> Flight:
        """A flight begins; its request tells why it was chosen."""
        flight = Flight(next(self._numbers), {kept}, request, choice)
        note: dict[str, object] = {"flight": flight.number}
        if choice is not None:
            note |= {"score": float(choice.score), "why": dict(choice.why)}
        request.meta[KEY] = note
        self._all[flight.number] = flight
        return flight

    def of(self, request: Request) -> Flight | None:
        """The flight that a request belongs to, unless that was answered: what comes then is the spider's own."""
        note = request.meta.get(KEY)
        flight = self._all.get(note.get("flight", -1)) if isinstance(note, dict) else None
        return None if flight is None or flight.response is not None else flight

    def sent(self, request: Request) -> None:
        """A request has reached the downloader."""
        if (flight := self.of(request)) is not None:
            flight.sent = True

    def answered(self, request: Request, response: Response) -> None:
        """A response has come; the spider gets it now."""
        if (flight := self.of(request)) is not None:
            flight.response, flight.arrival = response, next(self._arrivals)

    def numbers(self) -> set[int]:
        return set(self._all)

    def with_the_spider(self) -> set[int]:
        """The numbers of those that were answered, and whose response the spider is at."""
        return {number for number, flight in self._all.items() if flight.response is not None}

    def take_landed(self) -> Flight | None:
        """The first to arrive of those with which engine and spider are done; it is a flight no more."""
        landed = [flight for flight in self._all.values() if not flight.waits and not self._is_busy(flight.request)]
        if not landed:
            return None
        first = min(landed, key=lambda flight: (flight.response is None, flight.arrival, flight.number))
        return self._all.pop(first.number)

    def choices(self) -> Iterator[Choice]:
        """The choices of a strategy under way."""
        return (flight.choice for flight in self._all.values() if flight.choice is not None)


def redirected(to: Request, own: Request) -> Request:
    """The request for a page's own sake that another was redirected to, which counts its redirects on."""
    told = (KEY, "redirect_times", "redirect_ttl", "redirect_urls", "redirect_reasons")
    own.meta.update({name: to.meta[name] for name in told if name in to.meta})
    return own


# The known pages of a topic, fetched by Scrapy.

_logger = logging.getLogger(__name__)


async def read_pages(engine: ExecutionEngine, web: SpiderWeb, urls: tuple[str, ...]) -> tuple[Page, ...]:
    """The pages of some URLs, as far as they can be had."""
    pages = []
    for url in urls:
        try:
            response = await engine.download_async(Request(url, meta={KEY: False}))
        except Exception as error:  # noqa: BLE001 - middleware may raise anything
            _logger.warning("No page at %s, which the topic names: %s", url, error)
            continue
        outcome, page = web.page(response)
        if page is None:
            _logger.warning("No page at %s, which the topic names: %s", url, outcome)
        else:
            pages.append(page)
    return tuple(pages)


# URLs that a spider asks for and no page links to: a search it fills in, the next page by its number.


class MadeUpUrls:
    """URLs of which the crawl has not heard so far: links of a page that is still with the spider, or made up.

    Which of both shows when the pages that were with the spider are delivered. What is made up is then offered.
    """

    def __init__(self, crawl: Crawl, requests: KeptRequests) -> None:
        self._crawl, self._requests = crawl, requests
        self._unplaced: dict[int, set[int]] = {}

    def add(self, url: int, flights: set[int]) -> None:
        """The spider asked for a URL while it had the responses of these flights."""
        self._unplaced[url] = flights

    def offer(self, landed: int | None = None) -> bool:
        """Offer what can be no link any more, after a flight has landed; whether there was anything."""
        made_up = []
        for url, flights in list(self._unplaced.items()):
            flights.discard(-1 if landed is None else landed)
            known = self._crawl.knows(url)
            if known or not flights:
                del self._unplaced[url]
                if not known:
                    made_up.append(url)
        by_depth: dict[int, list[int]] = {}
        for url in sorted(made_up, key=self._requests.priority, reverse=True):
            by_depth.setdefault(self._requests.depth(url), []).append(url)
        for depth, urls in by_depth.items():
            self._crawl.offer(Links.to(urls), depth)
        return bool(made_up)
