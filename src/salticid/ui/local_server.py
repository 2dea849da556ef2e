"""A server on this machine alone: how it treats those who connect."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from salticid.ui.idle_connections import MOST_CONNECTIONS, ImpatientProtocol

_LONGEST_HEAD = 64 << 10


class LocalServer(uvicorn.Server):
    """Serves an application until it is told that it `should_exit`; it leaves signals to us."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=ImpatientProtocol,
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                proxy_headers=False,
                server_header=False,
                limit_concurrency=MOST_CONNECTIONS,
                timeout_keep_alive=30,
                timeout_graceful_shutdown=2,
                h11_max_incomplete_event_size=_LONGEST_HEAD,
                loop="none",
            )
        )

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
