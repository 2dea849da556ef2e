"""URLs that a spider asks for and no page links to: a search it fills in, the next page by its number."""

from __future__ import annotations

from salticid.crawl import Crawl
from salticid.model import Links
from salticid.scrapy.kept_requests import KeptRequests


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
