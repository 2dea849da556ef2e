"""Reading a crawl for a person."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from salticid.cli.console import err, safe

if TYPE_CHECKING:
    from salticid.store.crawl_folder import CrawlFolder


@contextmanager
def crawl_in(folder: Path) -> Iterator[CrawlFolder]:
    """The crawl in a folder; a warning when part of it was left behind."""
    from salticid.store.crawl_folder import CrawlFolder  # here: it takes its time to import

    with closing(CrawlFolder(folder)) as crawl:
        if crawl.missing is not None:
            err.print(safe(f"Beware: {crawl.missing}."), soft_wrap=True)
        yield crawl
