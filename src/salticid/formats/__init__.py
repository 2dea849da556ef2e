"""Export formats: a file each, found by its name, or the entry point of another package.

`csv.py` holds the class `Csv`, and `csv` is its name everywhere. A format says all there is to know about it; what
several of them need to read a crawl is in `salticid.store.exports`.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar

from salticid.errors import not_installed
from salticid.registry import Registry

if TYPE_CHECKING:
    from salticid.store import CrawlFolder
    from salticid.store.exports import Criteria, Documents, Pages, Watch

__all__ = ["Export", "ExportResult", "FileFormat", "FolderFormat", "Format", "export", "formats"]


@dataclass(frozen=True, slots=True)
class Export:
    """What a format writes: the pages of a crawl that are wanted, in pieces of `chunk_words` if that is not None."""

    crawl: CrawlFolder
    pages: Pages
    chunk_words: int | None = None

    @property
    def title(self) -> str:
        """The name of the crawl's topic, else of its folder."""
        topic = self.crawl.about().get("topic") or {}
        return str(topic.get("name") or self.crawl.folder.absolute().name)

    def documents(self, markdown: bool = True) -> closing[Documents]:
        """The pages as documents, to be gone through once, as a context."""
        from salticid.store.exports import Documents  # here: it takes its time to import

        news = self.pages.criteria.since is not None
        return closing(Documents(self.crawl, self.pages, markdown, self.chunk_words, news))


class Format(ABC):
    """A format, either a `FileFormat` or a `FolderFormat`."""

    title: ClassVar[str]
    about: ClassVar[str]
    """What it is for, in a few words, for people who choose."""
    suffix: ClassVar[str]
    has_chunks: ClassVar[bool] = False
    """Whether pages can be cut into chunks: it writes `Export.documents`."""
    extra: ClassVar[str | None] = None
    """The extra of the installation that brings the packages it needs."""

    @abstractmethod
    def write(self, export: Export, out: Any) -> None: ...


class FileFormat(Format):
    """A format that is one file."""

    is_text: ClassVar[bool] = True
    """Whether it can be written to a terminal."""

    @abstractmethod
    def write(self, export: Export, out: BinaryIO) -> None:
        """Write the pages to a file."""


class FolderFormat(Format):
    """A format that is a folder; an index.md or README.md in it names `new_folder.GENERATOR` as its generator."""

    @abstractmethod
    def write(self, export: Export, out: Path) -> None:
        """Write the pages into an empty folder."""


formats: Registry[Format] = Registry("format", sys.modules[__name__], "write", takes_code=False)


@dataclass(frozen=True, slots=True)
class ExportResult:
    """How many pages were written, and how many visits gave nothing, by reason."""

    pages: int
    skipped: dict[str, int]


def export(
    crawl: CrawlFolder,
    name: str,
    criteria: Criteria,
    out: BinaryIO | Path,
    watch: Watch,
    chunk_words: int | None = None,
) -> ExportResult:
    """Write the pages of a crawl that meet the criteria, as it is now, though it may go on.

    `out` is a file, or for a `FolderFormat` an empty folder. With `chunk_words` each page is cut into pieces of about
    so many words, in formats that have chunks.
    """
    from salticid.store.exports import Pages

    with crawl.database.moment():
        pages = Pages(crawl, criteria, watch)
        try:
            formats.make(name).write(Export(crawl, pages, chunk_words), out)
        except ModuleNotFoundError as error:
            raise not_installed(error, name) or error from None
    return ExportResult(pages.taken, {why.value: number for why, number in pages.skipped.items()})
