"""A crawl's pages written to a file, in one of several formats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import BinaryIO, TypeVar

from salticid.store.crawl_folder import CrawlFolder
from salticid.store.exports import bibtex, comma_separated, exchanges, json_lines, parquet, ris
from salticid.store.exports.choices import Format as Format
from salticid.store.exports.documents import Document, documents
from salticid.store.exports.selection import Criteria, ExportPage, Pages, SkipReason

T = TypeVar("T")


_WRITERS: dict[Format, Callable[[Iterable[Document], BinaryIO], None]] = {
    Format.JSONL: json_lines.write,
    Format.CSV: comma_separated.write,
    Format.PARQUET: parquet.write,
}
_REFERENCES: dict[Format, Callable[[Iterable[ExportPage], BinaryIO], None]] = {
    Format.RIS: ris.write,
    Format.BIBTEX: bibtex.write,
}

Watch = Callable[[int, int], None]
"""Called again and again with the number of visits looked at and of pages written."""


@dataclass(frozen=True, slots=True)
class ExportResult:
    """How many pages were written, and how many visits gave nothing, by reason."""

    pages: int
    skipped: dict[str, int]


def export(crawl: CrawlFolder, form: Format, criteria: Criteria, out: BinaryIO, watch: Watch) -> ExportResult:
    """Write the pages of a crawl that meet the criteria, as it is now, though it may go on."""
    if form is Format.WARC:
        exchanges.check(crawl.folder)
    with crawl.database.moment():
        pages = Pages(crawl, criteria)
        count = 0

        def counted(each: Iterable[T]) -> Iterator[T]:
            nonlocal count
            for one in each:
                yield one
                count += 1
                watch(pages.visits, count)

        if form is Format.WARC:
            for had_exchange in exchanges.write(crawl.folder, pages, out):
                count += had_exchange
                pages.skipped[SkipReason.NO_EXCHANGE] += not had_exchange
                watch(pages.visits, count)
        elif form in _REFERENCES:
            _REFERENCES[form](counted(pages), out)
        else:
            with closing(documents(crawl, pages)) as all_documents:
                _WRITERS[form](counted(all_documents), out)
        return ExportResult(count, {why.value: number for why, number in pages.skipped.items()})
