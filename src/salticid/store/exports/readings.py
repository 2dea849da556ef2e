"""Pages are read from records in processes of their own (`reading_process`)."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from threading import Thread
from typing import Self

import msgspec

from salticid.parse.process_pool import ProcessPool
from salticid.parse.reading import Reading
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
        self._pool = ProcessPool(program, lambda: _reading, self.workers, limit, subprocess.DEVNULL)

    def __enter__(self) -> Self:
        # One thread for all workers: it does nothing but wait for their answers.
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever)
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._pool.__aenter__(), self._loop).result()
        return self

    def __exit__(self, *_: object) -> None:
        try:
            asyncio.run_coroutine_threadsafe(self._pool.__aexit__(), self._loop).result()
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def ask(
        self, place: int, url: str, with_blocks: bool = False, repeated: Sequence[str] = ()
    ) -> Future[Reading | None]:
        """What a record says, once it is read, without edges of lines that are `repeated`.

        None if there is no page, it takes too long, or kills its worker.
        """
        message = msgspec.msgpack.encode(ReadingRequest(place, url, with_blocks, list(repeated)))
        return asyncio.run_coroutine_threadsafe(self._pool.ask(message), self._loop)


def _reading(answer: bytes) -> Reading | None:
    return msgspec.msgpack.decode(answer, type=Reading | None)
