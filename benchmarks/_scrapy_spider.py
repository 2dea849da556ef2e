"""Scrapy as fast as it can be made to go, crawling the server of `_server`; meant for a process of its own."""
# Scrapy comes with the extras "scrapy" and "bench" only.
# mypy: disable-error-code="import-not-found,import-untyped,misc,unused-ignore"

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.exceptions import CloseSpider
from scrapy.resolver import CachingThreadedResolver
from selectolax.lexbor import LexborHTMLParser
from twisted.internet.defer import Deferred, succeed

from benchmarks._crawlers import CONCURRENCY, measured
from benchmarks._server import CRAWLER_CORE, seeds

SETTINGS = {
    "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
    "CONCURRENT_REQUESTS": CONCURRENCY,
    "CONCURRENT_REQUESTS_PER_DOMAIN": CONCURRENCY,
    "DOWNLOAD_DELAY": 0,
    "ROBOTSTXT_OBEY": True,
    "LOG_ENABLED": False,
    "STATS_DUMP": False,
    "COOKIES_ENABLED": False,
    "RETRY_ENABLED": False,
    "REDIRECT_ENABLED": False,
    "METAREFRESH_ENABLED": False,
    "REFERER_ENABLED": False,
    "HTTPCACHE_ENABLED": False,
    "HTTPPROXY_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "MEMUSAGE_ENABLED": False,
    "AUTOTHROTTLE_ENABLED": False,
    "EXTENSIONS": {
        "scrapy.extensions.corestats.CoreStats": None,
        "scrapy.extensions.logstats.LogStats": None,
    },
    "DOWNLOADER_STATS": False,
    "DNS_RESOLVER": "benchmarks._scrapy_spider.Here",
}


class Here(CachingThreadedResolver):
    """Every host is this machine."""

    def getHostByName(self, name: str, timeout: Sequence[int] = ()) -> Deferred[str]:  # noqa: N802
        return succeed("127.0.0.1")


class Pages(scrapy.Spider):
    """Links, text, and a line of JSON for every page; by Scrapy's own selectors."""

    name = "pages"

    def __init__(self, port: int, most: int, out: TextIO) -> None:
        super().__init__()
        self.port, self.most, self.out = port, most, out
        self.pages = self.size = 0

    async def start(self) -> AsyncIterator[Any]:
        for url in seeds(self.port):
            yield scrapy.Request(url)

    def parse(self, response: Any) -> Iterator[Any]:
        if self.pages == self.most:
            raise CloseSpider("enough")
        self.pages += 1
        self.size += len(response.body)
        links, text = self.read(response)
        self.out.write(json.dumps({"url": response.url, "links": links, "text": text}) + "\n")
        for link in links:
            if link.startswith("http"):
                yield scrapy.Request(link)

    def read(self, response: Any) -> tuple[list[str], str]:
        """The distinct links of a page, and its text."""
        found = dict.fromkeys(response.urljoin(href).partition("#")[0] for href in response.xpath("//a/@href").getall())
        return list(found), response.xpath("normalize-space(//body)").get()


class QuickPages(Pages):
    """The same with selectolax instead of Scrapy's selectors."""

    def read(self, response: Any) -> tuple[list[str], str]:
        tree = LexborHTMLParser(response.body)
        found = dict.fromkeys(
            response.urljoin(node.attributes["href"] or "").partition("#")[0] for node in tree.css("a[href]")
        )
        return list(found), tree.body.text(separator=" ") if tree.body else ""


def main() -> None:
    """scrapy|quick PORT PAGES [SETTINGS]: crawl on the crawlers' core and print what was done as JSON.

    SETTINGS is a JSON object, in which FOLDER stands for one that is there as long as the crawl.
    """
    kind, port, most = {"scrapy": Pages, "quick": QuickPages}[sys.argv[1]], int(sys.argv[2]), int(sys.argv[3])
    os.sched_setaffinity(0, {CRAWLER_CORE})

    def crawl() -> tuple[int, int]:
        with tempfile.TemporaryDirectory() as folder, (Path(folder) / "pages.jsonl").open("w") as out:
            more = json.loads("".join(sys.argv[4:]).replace("FOLDER", folder) or "{}")
            process = CrawlerProcess(SETTINGS | more)
            crawler = process.create_crawler(kind)
            process.crawl(crawler, port=port, most=most, out=out)
            process.start()
            spider: Any = crawler.spider
            return spider.pages, spider.size

    sys.stdout.write(json.dumps(asdict(measured(crawl))))


if __name__ == "__main__":
    main()
