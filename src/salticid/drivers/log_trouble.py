"""Waiting for a log that cannot write: the disk is full, or the crawl has all the room it may have."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from salticid.protocols import Log

RETRY_SECONDS = 1.0
"""How long after a failed try to write the next one is made."""


async def wait_for_the_log(
    log: Log, interrupted: Callable[[], bool], on_trouble: Callable[[str], None] | None = None
) -> None:
    """Wait until the log is out of trouble, or the crawl is interrupted; `on_trouble` is called with the trouble."""
    if log.trouble is not None and on_trouble is not None:
        on_trouble(log.trouble)
    while log.trouble is not None and not interrupted():
        await asyncio.sleep(RETRY_SECONDS)
        log.retry()
