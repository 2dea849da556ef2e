"""A connection to a server: it ends when we end it, and when it has brought more than an answer may."""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.streams import EMPTY_PAYLOAD, StreamReader

BEFORE_A_BODY = 1 << 17
"""Bytes that may come before a body: interim answers and the head."""
BEYOND_A_BODY = 1 << 20
"""Bytes that may come with the longest body, those before it included: what frames chunks, trailers."""


class TooMuch(aiohttp.ClientPayloadError):
    """A server sends on and on."""


class Connection(ResponseHandler):
    """What the socket delivers is counted from request to request, whatever it is and whoever reads it.

    Over TLS, the end of a connection would wait for the other side to say farewell; here it does not.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, max_bytes: int) -> None:
        super().__init__(loop)
        self._max_bytes, self._count = max_bytes, 0
        self.allow(max_bytes)

    def close(self) -> None:
        self.abort()

    def allow(self, max_bytes: int) -> None:
        """This body may be as long as that."""
        self._most = max_bytes + BEYOND_A_BODY

    def set_response_params(self, **params: Any) -> None:
        """A request is about to be sent: what comes now belongs to its answer."""
        self._count, self._payload = 0, None
        self.allow(self._max_bytes)
        super().set_response_params(**params)

    def data_received(self, data: bytes) -> None:
        self._count += len(data)
        body = self._body()
        if data and body is not None and body.is_eof():
            self.abort()  # no more was asked for
        elif self._count > self._most:
            self._refuse()
        else:
            super().data_received(data)
            if self._count > BEFORE_A_BODY and self._body() is None:
                self._refuse()

    def _body(self) -> StreamReader | None:
        """The body of the answer, once its head has come; None also for an answer without one."""
        return None if self._payload is EMPTY_PAYLOAD else self._payload

    def _refuse(self) -> None:
        """End it, with an error for those who wait for an answer or for the rest of one."""
        if self.transport is not None:
            body, error = self._body(), TooMuch(f"{self._count:,} bytes, and no end")
            self.abort()
            self.set_exception(error)
            if body is not None:
                body.set_exception(error)
