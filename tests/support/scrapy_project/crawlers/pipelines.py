"""Where items go: to the file that ITEMS names, each before the next is made."""

from __future__ import annotations

import json
from typing import Any

from scrapy.crawler import Crawler


class Lines:
    """A line of JSON an item; a kill loses none that was written."""

    def __init__(self, file: str) -> None:
        self._file = file

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Lines:
        return cls(crawler.settings["ITEMS"])

    def process_item(self, item: dict[str, Any]) -> dict[str, Any]:
        with open(self._file, "a") as lines:  # noqa: PTH123 - a name, as settings have it
            lines.write(json.dumps(item) + "\n")
        return item
