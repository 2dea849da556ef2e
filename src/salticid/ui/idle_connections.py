"""Connections that hold a place and make no use of it."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

MOST_CONNECTIONS = 200
"""With more, a request is refused with the advice to try again."""
MOST_QUIET = 100
"""Connections that may be open and neither ask for anything nor take what they asked for."""
FIRST_REQUEST = 10.0
"""Seconds in which a connection has to say what it wants."""


class ImpatientProtocol(H11Protocol):
    """Closes connections on which a request does not come, or comes too slowly, the first time or later.

    When too many are quiet at once, the one that has been so for longest is closed, so that there is always room
    for a request.
    """

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self._hanging_up: asyncio.TimerHandle | None = None
        self._quiet_since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._quiet_since = self.loop.time()
        self._watch()
        self._make_room()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def pause_writing(self) -> None:
        self._quiet_since = self.loop.time()
        super().pause_writing()

    def on_response_complete(self) -> None:
        self._quiet_since = self.loop.time()
        super().on_response_complete()
        if self.conn.trailing_data[0]:
            self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._unwatch()

    @property
    def _waits(self) -> bool:
        """Whether nothing is being answered: the head of a request has yet to come."""
        cycle: RequestResponseCycle | None = self.cycle
        return self.conn.their_state is h11.IDLE and (cycle is None or cycle.response_complete)

    @property
    def _is_quiet(self) -> bool:
        return not self.transport.is_closing() and (self._waits or self.flow.write_paused)

    def _make_room(self) -> None:
        quiet = [each for each in self.connections if isinstance(each, ImpatientProtocol) and each._is_quiet]
        if len(quiet) > MOST_QUIET:
            min(quiet, key=lambda each: each._quiet_since).transport.abort()

    def _watch(self) -> None:
        """Count the seconds from the first byte of a request until its head is there."""
        if not self._waits:
            self._unwatch()
        elif self._hanging_up is None:
            self._hanging_up = self.loop.call_later(FIRST_REQUEST, self.transport.close)

    def _unwatch(self) -> None:
        if self._hanging_up is not None:
            self._hanging_up.cancel()
            self._hanging_up = None
