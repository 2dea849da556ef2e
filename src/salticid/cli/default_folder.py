"""The folder of a crawl for which none was named: the one in which the same command began."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from itertools import takewhile
from pathlib import Path

from salticid.errors import UserError
from salticid.runs.order import Order
from salticid.store.continuing import check_same
from salticid.store.crawl_folder import CrawlFolder, NoCrawlYet
from salticid.store.damage import UNREADABLE, Damaged
from salticid.store.folder_lock import SHARDS

CRAWLS = Path("crawls")


def default_folder(order: Order, new: bool, shards: int | None) -> Path:
    """The first folder of that name that holds the crawl that is ordered; else, or if it shall be `new`, a free one."""
    folders = _folders(order.topic.name, order.spec.strategy)
    return next(
        folder for folder in folders if not folder.exists() or (not new and _holds(folder, order, shards))
    )


def folders_there(topic: str, strategy: str) -> list[Path]:
    """The folders of that name that there are."""
    return list(takewhile(Path.exists, _folders(topic, strategy)))


def _folders(topic: str, strategy: str) -> Iterator[Path]:
    """crawls/TOPIC-STRATEGY, numbered from the second on."""
    stem = re.sub(r"[^\w-]+", "-", f"{topic}-{strategy}").strip("-").lower()
    return (CRAWLS / (stem if n == 1 else f"{stem}-{n}") for n in range(1, 1_000_000))


def _holds(folder: Path, order: Order, shards: int | None) -> bool:
    """Whether a folder holds the crawl that is ordered, whatever its limits, or one that had no time to begin."""
    if shards is not None and (folder / SHARDS).is_dir():
        return True
    try:
        with closing(CrawlFolder(folder)) as crawl:
            before = crawl.about()
            check_same(folder, before, order.facts(shards))
    except NoCrawlYet:
        return True
    except (UserError, Damaged, *UNREADABLE):
        return False
    return True
