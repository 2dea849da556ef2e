"""The known pages of a topic, fetched by Scrapy."""

from __future__ import annotations

import logging

from scrapy import Request
from scrapy.core.engine import ExecutionEngine

from salticid.model import Page
from salticid.scrapy.flights import KEY
from salticid.scrapy.spider_web import SpiderWeb

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
