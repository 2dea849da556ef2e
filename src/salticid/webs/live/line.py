"""Requests in their places: not too many at once, and few at one address."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from salticid.webs.live.client import Client, Exchange
from salticid.webs.live.manners import Manners
from salticid.webs.live.names import Names
from salticid.webs.live.retries import Failure

_PORTS = {"http": 80, "https": 443}


class Line:
    """The one way to a server, for pages, robots.txt and sitemaps alike.

    Time spent waiting for a place does not count against a request's timeout. While it is closed nobody is
    asked; what is under way goes on.
    """

    def __init__(
        self, client: Client, names: Names, manners: Manners, requests: int, clock: Callable[[], float]
    ) -> None:
        self._client, self._names, self._manners, self._clock = client, names, manners, clock
        self._places = asyncio.Semaphore(requests)
        self._open = asyncio.Event()
        self._open.set()

    async def get(
        self, url: str, at_least: int = 0, fields: Mapping[str, str] | None = None
    ) -> tuple[Exchange | Failure, float]:
        """Ask once, reading at least so many bytes if there are as many; and the seconds it took.

        `fields` are added to the request.
        """
        parts = urlsplit(url)
        port = parts.port or _PORTS[parts.scheme]
        address = await self._names.address(parts.hostname or "", port, self._client.timeout)
        async with self._manners.at(address), self._places:
            await self._open.wait()
            began = self._clock()
            return await self._client.get(url, at_least, fields), self._clock() - began

    def close(self) -> None:
        """Ask nobody until it is opened again."""
        self._open.clear()

    def open(self) -> None:
        """Let those go on who wait."""
        self._open.set()
