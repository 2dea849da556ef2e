"""Pages are read from records in processes of their own (`reading_process`)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Self

import msgspec

from salticid.parse.process_pool import ProcessPool
from salticid.parse.reading import Reading
from salticid.parse.threaded_pool import ThreadedPool
from salticid.store.exports import reading_process
from salticid.store.exports.reading_process import ReadingRequest

MAX_WORKERS = 4


class Readings:
    """What records in a crawl's WARC say. Use it as a context.

    `limit` is in seconds of a worker's processor time, so that a busy machine loses no page.
    """

    def __init__(self, folder: Path, workers: int | None = None, limit: float = 5.0) -> None:
        self.workers = workers or min(len(os.sched_getaffinity(0)), MAX_WORKERS)
        program = f"from {reading_process.__name__} import work; work({str(folder.absolute())!r})"
        pool = ProcessPool(program, lambda: _reading, self.workers, limit, subprocess.DEVNULL)
        self._pool = ThreadedPool(pool)

    def __enter__(self) -> Self:
        self._pool.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.__exit__()

    def ask(
        self, place: int, url: str, with_blocks: bool = False, repeated: Sequence[str] = ()
    ) -> Future[Reading | None]:
        """What a record says, once it is read, without edges of lines that are `repeated`.

        None if there is no page, it takes too long, or kills its worker.
        """
        message = msgspec.msgpack.encode(ReadingRequest(place, url, with_blocks, list(repeated)))
        return self._pool.ask(message)


def _reading(answer: bytes) -> Reading | None:
    return msgspec.msgpack.decode(answer, type=Reading | None)
