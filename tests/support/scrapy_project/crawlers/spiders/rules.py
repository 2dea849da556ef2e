"""A CrawlSpider whose requests carry all that Scrapy's own scheduler stores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import scrapy
from scrapy.http import FormRequest, Request, Response
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule


@dataclass(frozen=True)
class Found:
    """What a page hands on to the request for its form."""

    number: int
    price: Decimal


class OwnRequest(FormRequest):
    """A request class of the project."""


class Rules(CrawlSpider):
    """Follows all links; asks a form about every page."""

    name = "rules"
    start_urls = ["http://a.example/0"]  # noqa: RUF012 - as Scrapy has it
    rules = (Rule(LinkExtractor(), callback="page", errback="lost", follow=True, process_request="with_priority"),)

    def with_priority(self, request: Request, response: Response) -> Request:
        return request.replace(priority=7, cb_kwargs={"source": response.url})

    def page(self, response: Response, source: str) -> Iterator[Any]:
        number = int(response.url.rpartition("/")[2])
        yield {
            "page": number,
            "text": response.meta["link_text"],
            "rule": response.meta["rule"],
            "source": source,
        }
        yield OwnRequest(
            response.urljoin("/form"), formdata={"n": str(number)}, callback=self.form, errback=self.lost,
            cb_kwargs={"found": Found(number, Decimal("1.5"))}, meta={"path": (number, {b"x"})},
        )  # fmt: skip
        if self.settings.getbool("UNSTORABLE"):
            yield scrapy.Request(f"http://a.example/later/{number}", callback=print)

    def form(self, response: Response, found: Found) -> Iterator[Any]:
        same = found == Found(int(response.text), Decimal("1.5"))
        own = type(response.request) is OwnRequest and response.meta["path"] == (found.number, {b"x"})
        yield {"form": found.number, "whole": same and own}

    def lost(self, failure: Any) -> Iterator[Any]:
        yield {"lost": failure.request.url, "text": failure.request.meta["link_text"]}
