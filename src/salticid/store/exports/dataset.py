"""A data set: a folder with the pages as parquet, a card as hubs of data sets read it, and the topic to do it again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tomli_w

from salticid.store.crawl_folder import CrawlFolder
from salticid.store.exports import parquet
from salticid.store.exports.dataset_card import DATA, card
from salticid.store.exports.documents import DocumentStream
from salticid.store.exports.selection import Pages
from salticid.store.exports.tally import Tally

CARD, TOPIC = "README.md", "topic.toml"


def write(documents: DocumentStream, folder: Path, crawl: CrawlFolder, pages: Pages) -> None:
    """Write documents, which are those of the pages, into an empty folder."""
    tally, about = Tally(documents), crawl.about()
    (folder / DATA).parent.mkdir()
    with (folder / DATA).open("wb") as file:
        parquet.write(tally, file)
    (folder / TOPIC).write_text(tomli_w.dumps(_filled(about.get("topic") or {})), encoding="utf-8")
    (folder / CARD).write_text(card(crawl, about, pages, tally), encoding="utf-8")


def _filled(table: dict[str, Any]) -> dict[str, Any]:
    """A table without what is empty, as a topic file has it."""
    tables = {name: _filled(value) if isinstance(value, dict) else value for name, value in table.items()}
    return {name: value for name, value in tables.items() if value not in (None, [], {}, False)}
