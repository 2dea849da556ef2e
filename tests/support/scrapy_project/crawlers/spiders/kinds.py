"""A spider that asks in every way there is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import scrapy
from scrapy.http import Response

HERE = "http://a.example"


class Kinds(scrapy.Spider):
    """Links with and without priority, a form, an API, a page made up, the same page again."""

    name = "kinds"
    start_urls = [f"{HERE}/"]  # noqa: RUF012 - as Scrapy has it

    def parse(self, response: Response) -> Iterator[Any]:
        yield {"at": "start"}
        yield scrapy.Request(f"{HERE}/plain", self.leaf)
        yield scrapy.Request(f"{HERE}/plain#part", self.leaf)
        yield scrapy.Request(f"{HERE}/wanted", self.leaf, priority=5, cb_kwargs={"n": 7}, meta={"mark": "m"})
        yield scrapy.Request(f"{HERE}/made-up", self.leaf, meta=response.meta)
        yield scrapy.FormRequest(f"{HERE}/form", formdata={"q": "spiders"}, callback=self.leaf)
        yield scrapy.FormRequest(f"{HERE}/form", formdata={"q": "spiders"}, callback=self.leaf)
        yield scrapy.Request(f"{HERE}/api", self.leaf, priority=1, meta={"salticid": False})
        yield scrapy.Request(f"{HERE}/", self.leaf, dont_filter=True)
        yield scrapy.Request(f"{HERE}/moved", self.leaf)
        yield scrapy.Request(f"{HERE}/round", self.leaf, errback=self.lost)

    def leaf(self, response: Response, n: int | None = None) -> Iterator[Any]:
        told = response.meta["salticid"]
        yield {"at": response.url, "n": n, "mark": response.meta.get("mark"), "scored": "score" in told}

    def lost(self, failure: Any) -> Iterator[Any]:
        yield {"at": "errback", "lost": failure.request.url}
