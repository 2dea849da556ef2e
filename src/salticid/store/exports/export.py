"""A crawl's pages written to a file or a folder, in one of several formats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from salticid.store.crawl_folder import CrawlFolder
from salticid.store.exports import (
    bibtex,
    comma_separated,
    dataset,
    exchanges,
    json_lines,
    markdown_folder,
    parquet,
    ris,
    sqlite_file,
    wacz,
)
from salticid.store.exports.choices import Format as Format
from salticid.store.exports.documents import Documents, DocumentStream
from salticid.store.exports.selection import Criteria, ExportPage, Pages, Watch

_WRITERS: dict[Format, Callable[[DocumentStream, BinaryIO], None]] = {
    Format.JSONL: json_lines.write,
    Format.CSV: comma_separated.write,
    Format.PARQUET: parquet.write,
}
_EXCHANGES: dict[Format, Callable[[CrawlFolder, Pages, BinaryIO], None]] = {
    Format.WARC: exchanges.write,
    Format.WACZ: wacz.write,
}
_REFERENCES: dict[Format, Callable[[Iterable[ExportPage], BinaryIO], None]] = {
    Format.RIS: ris.write,
    Format.BIBTEX: bibtex.write,
}


@dataclass(frozen=True, slots=True)
class ExportResult:
    """How many pages were written, and how many visits gave nothing, by reason."""

    pages: int
    skipped: dict[str, int]

    @classmethod
    def of(cls, pages: Pages) -> ExportResult:
        return cls(pages.taken, {why.value: number for why, number in pages.skipped.items()})


def export(
    crawl: CrawlFolder,
    form: Format,
    criteria: Criteria,
    out: BinaryIO,
    watch: Watch,
    chunk_words: int | None = None,
) -> ExportResult:
    """Write the pages of a crawl that meet the criteria to a file, as it is now, though it may go on.

    With `chunk_words` each is cut into pieces of about so many words, in formats that can tell of them.
    """
    with _pages(crawl, criteria, watch) as pages:
        if form in _EXCHANGES:
            exchanges.check(crawl.folder)
            _EXCHANGES[form](crawl, pages, out)
        elif form is Format.SQLITE:
            sqlite_file.write(crawl, pages, out)
        elif form in _REFERENCES:
            _REFERENCES[form](pages, out)
        else:
            news = criteria.since is not None
            with closing(Documents(crawl, pages, form is not Format.CSV, chunk_words, news)) as documents:
                _WRITERS[form](documents, out)
        return ExportResult.of(pages)


def export_folder(
    crawl: CrawlFolder,
    form: Format,
    criteria: Criteria,
    folder: Path,
    watch: Watch,
    chunk_words: int | None = None,
) -> ExportResult:
    """As `export`, into an empty folder."""
    with (
        _pages(crawl, criteria, watch) as pages,
        closing(Documents(crawl, pages, True, chunk_words, criteria.since is not None)) as documents,
    ):
        if form is Format.DATASET:
            dataset.write(documents, folder, crawl, pages)
        else:
            topic = crawl.about().get("topic") or {}
            markdown_folder.write(documents, folder, str(topic.get("name") or crawl.folder.absolute().name))
        return ExportResult.of(pages)


@contextmanager
def _pages(crawl: CrawlFolder, criteria: Criteria, watch: Watch) -> Iterator[Pages]:
    with crawl.database.moment():
        yield Pages(crawl, criteria, watch)
