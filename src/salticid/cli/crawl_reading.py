"""Reading a crawl for a person."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from salticid.cli.console import err, safe
from salticid.store.crawl_folder import CrawlFolder


@contextmanager
def crawl_in(folder: Path, at: float | None = None) -> Iterator[CrawlFolder]:
    """The crawl in a folder; a warning when part of it was left behind, a mistake if it had not begun `at` a moment."""
    with closing(CrawlFolder(folder)) as crawl:
        if crawl.missing is not None:
            err.print(safe(f"Beware: {crawl.missing}."), soft_wrap=True)
        crawl.check_read_by(at)
        yield crawl
