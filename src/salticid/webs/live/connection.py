"""A connection to a server: it ends when we end it, and when it has brought more than an answer may."""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp
from aiohttp.client_proto import ResponseHandler

BEYOND_A_BODY = 1 << 20
"""Bytes that may come with the longest body: interim answers, the head, what frames chunks, trailers."""


class TooMuch(aiohttp.ClientPayloadError):
    """A server sends on and on."""


class Connection(ResponseHandler):
    """What the socket delivers is counted from request to request, whatever it is and whoever reads it.

    Over TLS, the end of a connection would wait for the other side to say farewell; here it does not.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, max_bytes: int) -> None:
        super().__init__(loop)
        self._most = max_bytes + BEYOND_A_BODY
        self._delivered = 0

    def close(self) -> None:
        self.abort()

    def set_response_params(self, **params: Any) -> None:
        """A request is about to be sent."""
        self._delivered = 0
        super().set_response_params(**params)

    def data_received(self, data: bytes) -> None:
        self._delivered += len(data)
        if self._delivered <= self._most:
            super().data_received(data)
        elif self.transport is not None:
            self._refuse(TooMuch(f"more than {self._most:,} bytes"))

    def _refuse(self, error: TooMuch) -> None:
        """End it, and tell those who wait for an answer or for the rest of one."""
        payload = self._payload
        self.abort()
        self.set_exception(error)
        if payload is not None:
            payload.set_exception(error)
