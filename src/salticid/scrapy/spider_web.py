"""The web as a spider sees it: Scrapy's responses become answers to the choices of a crawl."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scrapy import Request
from scrapy.http import Response as ScrapyResponse

from salticid import model
from salticid.model import Outcome, Page
from salticid.parse.content import GOOD_STATUSES, content
from salticid.parse.html import Parser
from salticid.parse.prescan import prescan
from salticid.parse.robots_tags import AGENT, directives_for
from salticid.tables import Urls, Words
from salticid.urls import canonical

MAX_BYTES = 1 << 20
"""So much of a page is read."""


class SpiderWeb:
    """The two tables of a crawl, and the parser that fills them.

    Pages are read where Scrapy's own selectors read them, in its process; those that are made to keep a parser
    busy are left unread. `language` is that of the crawl.
    """

    def __init__(self) -> None:
        self.urls, self.words = Urls(), Words()
        self.language: str | None = None
        self._parser = Parser(self.urls, self.words)

    def page(self, response: ScrapyResponse) -> tuple[Outcome, Page | None]:
        """The page of a response, or why there is none."""
        if response.status not in GOOD_STATUSES:
            return Outcome.DEAD, None
        fields, at = _fields(response), canonical(response.url)
        document = content(fields, response.body, MAX_BYTES)
        if document.html is None or at is None:
            return Outcome.NOT_HTML, None
        if prescan(document.html):
            return Outcome.UNPARSABLE, None
        page = self._parser.parse(document.html, at, document.charset, self.language)
        directives = directives_for(AGENT, fields.get("x-robots-tag", ""))
        return Outcome.OK, replace(page, noindex=page.noindex or "noindex" in directives)

    def answer(
        self, url: int, request: Request, response: ScrapyResponse, asked: Callable[[int], bool]
    ) -> model.Response:
        """The answer to a choice. Its page lets us follow the links that the spider asked for, and no others."""
        outcome, page = self.page(response)
        at = canonical(response.url)
        fields = _fields(response)
        return model.Response(
            url=url,
            final=url if at is None else self.urls.intern(at),
            outcome=outcome,
            status=response.status,
            page=None if page is None else _followed(page, asked),
            seconds=float(request.meta.get("download_latency", 0.0)),
            size=len(response.body),
            modified=content(fields, b"", 0).modified,
            etag=fields.get("etag"),
        )


def _fields(response: ScrapyResponse) -> dict[str, str]:
    """The fields of a head, their names in lower case. How a body was sent, Scrapy has seen to."""
    fields = {
        name.decode("latin-1").lower(): b",".join(values).decode("latin-1")
        for name, values in response.headers.items()
    }
    fields.pop("transfer-encoding", None)
    return fields


def _followed(page: Page, asked: Callable[[int], bool]) -> Page:
    """The page as the spider follows it: what it did not ask for counts as nofollow, and nothing else does."""
    links = page.links
    ignored = np.fromiter((not asked(url) for url in links.url.tolist()), np.bool_, len(links))
    return replace(page, nofollow=False, links=replace(links, nofollow=ignored))
