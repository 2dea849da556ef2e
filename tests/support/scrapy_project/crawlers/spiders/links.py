"""A spider that follows what a crawler follows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import scrapy
from scrapy.http import HtmlResponse, Response


class Links(scrapy.Spider):
    """All links but those that say nofollow. It begins where the topic does."""

    name = "links"

    def parse(self, response: Response, source: str | None = None) -> Iterator[Any]:
        yield {"url": response.url, "source": source, "told": response.meta.get("salticid")}
        if isinstance(response, HtmlResponse) and response.status == 200:
            yield from response.follow_all(
                css="a[href]:not([rel~=nofollow])", callback=self.parse, cb_kwargs={"source": response.url}
            )
