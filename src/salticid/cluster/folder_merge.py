"""One crawl folder made of the folders of its shards: what people search, export and build worlds from."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack, closing
from heapq import merge
from pathlib import Path
from typing import Any

from salticid.store import index
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.files import remove_in
from salticid.store.folder_lock import SHARDS
from salticid.store.log import CrawlLog
from salticid.store.merging import FILES_A_PART, Part, Whole
from salticid.store.schema import FILE
from salticid.tables import Texts, Urls

_PARTIAL = "gathering"


def shard_folder(folder: Path, number: int) -> Path:
    """Where a shard keeps what it has."""
    return folder / SHARDS / f"{number:03}"


def gather(folder: Path, shards: int, facts: Mapping[str, Any], ending: Mapping[str, Any]) -> None:
    """Write the visits of all shards, in the order they were made, into the folder as one crawl.

    What an earlier gathering wrote is replaced, all at once: whoever reads the folder sees the old crawl or the new
    one. Archives are not copied: their files get a second name. What is added to them later goes into files that
    no shard has.
    """
    partial = folder / SHARDS / _PARTIAL
    remove_in(folder, f"{SHARDS}/{_PARTIAL}")
    urls, words = Urls(), Texts()
    with ExitStack() as stack:
        parts = []
        for number in range(shards):
            part = Part(number, stack.enter_context(closing(CrawlFolder(shard_folder(folder, number)))))
            part.link_archives(folder)
            parts.append(part)
        log = stack.enter_context(closing(CrawlLog(partial, urls, words, own_tables=True)))
        log.begin(facts)
        whole = Whole(parts, log, urls, words, shards=parts)
        visits = merge(*(part.visits() for part in parts), key=lambda each: each[:2])
        for step, (_, number, visit) in enumerate(visits):
            whole.add(parts[number], visit, step)
        log.about({**ending, "warc": (FILES_A_PART * shards, 0)})
    for name in (f"{FILE}-wal", f"{FILE}-shm", index.FILE):
        (folder / name).unlink(missing_ok=True)
    (partial / FILE).replace(folder / FILE)
    remove_in(folder, f"{SHARDS}/{_PARTIAL}")
