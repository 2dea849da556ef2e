"""A server on this machine alone: its socket, and how it treats those who connect."""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from salticid.errors import UserError
from salticid.ui.idle_connections import MOST_CONNECTIONS, ImpatientProtocol

ADDRESS = "127.0.0.1"
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


def listener(port: int, option: str = "--port") -> socket.socket:
    """A socket at a port of this machine; UserError, which names the option, if it cannot be had."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((ADDRESS, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        cause = "in use" if error.errno == errno.EADDRINUSE else f"not to be had ({error.strerror})"
        raise UserError(f"port {port} is {cause}; give another as {option}, or 0 for any free one") from None
    listener.setblocking(False)
    return listener
