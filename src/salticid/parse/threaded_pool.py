"""A process pool for those who have no event loop: it is run by a thread, and answers are futures."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from threading import Thread
from typing import Generic, Self, TypeVar

from salticid.parse.process_pool import ProcessPool

Answer = TypeVar("Answer")


class ThreadedPool(Generic[Answer]):
    """Asks a pool from any thread. Use it as a context."""

    def __init__(self, pool: ProcessPool[Answer]) -> None:
        self._pool = pool

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

    def ask(self, message: bytes) -> Future[Answer | None]:
        """The answer to a message, once it is there. None: it took too long, or its worker died of it."""
        return asyncio.run_coroutine_threadsafe(self._pool.ask(message), self._loop)
