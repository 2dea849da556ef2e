"""A crawl's pages written to a file, in one of several formats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from typing import BinaryIO

from salticid.store.crawl_folder import CrawlFolder
from salticid.store.exports import comma_separated, exchanges, json_lines, parquet
from salticid.store.exports.documents import Document, documents
from salticid.store.exports.selection import Pages, Skipped, Wanted


class Format(StrEnum):
    """What pages can be written as."""

    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"
    WARC = "warc"


_WRITERS: dict[Format, Callable[[Iterable[Document], BinaryIO], None]] = {
    Format.JSONL: json_lines.write,
    Format.CSV: comma_separated.write,
    Format.PARQUET: parquet.write,
}

Progress = Callable[[int, int], None]
"""Told, again and again, how many visits were looked at and how many pages written."""


@dataclass(frozen=True, slots=True)
class Exported:
    """How many pages were written, and how many visits gave nothing, by reason."""

    pages: int
    skipped: dict[str, int]


def export(crawl: CrawlFolder, form: Format, wanted: Wanted, out: BinaryIO, progress: Progress) -> Exported:
    """Write the wanted pages of a crawl as it is now, though it may go on."""
    if form is Format.WARC:
        exchanges.check(crawl.folder)
    with crawl.database.moment():
        pages = Pages(crawl, wanted)
        count = 0

        def counted() -> Iterator[Document]:
            nonlocal count
            for document in made:
                yield document
                count += 1
                progress(pages.done, count)

        if form is Format.WARC:
            for written in exchanges.write(crawl.folder, pages, out):
                count += written
                pages.skipped[Skipped.NO_EXCHANGE] += not written
                progress(pages.done, count)
        else:
            with closing(documents(crawl, pages)) as made:
                _WRITERS[form](counted(), out)
        return Exported(count, {why.value: number for why, number in pages.skipped.items()})
