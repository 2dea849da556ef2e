"""Main texts are taken in processes of their own (`main_text_process`)."""

from __future__ import annotations

import asyncio
import os
import subprocess
from concurrent.futures import Future
from pathlib import Path
from threading import Thread
from typing import Self

import msgspec

from salticid.parse.process_pool import ProcessPool
from salticid.store.exports import main_text_process

MAX_WORKERS = 4


class MainTexts:
    """The main texts of records in a crawl's WARC. Use it as a context.

    `limit` is in seconds of a worker's processor time, so that a busy machine loses no page.
    """

    def __init__(self, folder: Path, workers: int | None = None, limit: float = 5.0) -> None:
        self.workers = workers or min(len(os.sched_getaffinity(0)), MAX_WORKERS)
        program = f"from {main_text_process.__name__} import work; work({str(folder.absolute())!r})"
        self._pool = ProcessPool(program, lambda: _text, self.workers, limit, subprocess.DEVNULL)

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

    def ask(self, place: int) -> Future[str | None]:
        """The main text of a record, once it is there; None if it has none, takes too long, or kills its worker."""
        return asyncio.run_coroutine_threadsafe(self._pool.ask(msgspec.msgpack.encode(place)), self._loop)


def _text(answer: bytes) -> str | None:
    return msgspec.msgpack.decode(answer, type=str | None)
