"""One request over the network: capped, timed, guarded; nothing is repeated, nothing is raised."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType

import aiohttp
from yarl import URL

from salticid.webs.live.guard import AddressRefused, GuardedSockets
from salticid.webs.live.names import Names
from salticid.webs.live.retries import Failure

_BLOCK = 1 << 16
_HEADERS = {
    "Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1",
    "Accept-Encoding": "gzip, deflate, br, zstd",
    "Accept-Language": "*",
}
_LISTS = ("content-encoding", "x-robots-tag")


@dataclass(frozen=True, slots=True)
class Exchange:
    """What came back: the status, the head's fields in lower case, the body as sent, up to the cap."""

    status: int
    fields: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """How requests are made."""

    user_agent: str
    timeout: float = 10.0
    max_bytes: int = 1 << 20
    connections: int = 64
    proxy: str | None = None


class Client:
    """Asks servers. Use it as an async context.

    `timeout` bounds a request from first to last byte, and connecting may take half of it. No cookies, no
    credentials, no redirects, no second try. Through a proxy, the address of the target is checked as we
    resolve it; what the proxy makes of the name is up to the proxy.
    """

    def __init__(self, settings: ClientSettings, names: Names, sockets: GuardedSockets) -> None:
        self._settings, self._names, self._sockets = settings, names, sockets

    async def __aenter__(self) -> Client:
        timeout = self._settings.timeout
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                resolver=self._names,
                socket_factory=self._sockets,
                use_dns_cache=False,
                limit=self._settings.connections,
                enable_cleanup_closed=False,
            ),
            headers={**_HEADERS, "User-Agent": self._settings.user_agent},
            cookie_jar=aiohttp.DummyCookieJar(),
            # The whole request is timed by `get`, which bounds each wait for data too.
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=timeout / 2),
            auto_decompress=False,
            trust_env=False,
        )
        # aiohttp asks again by itself when a kept connection turns out closed; we want to know of it.
        self._session._retry_connection = False
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self._session.close()
        await self._names.close()

    @property
    def timeout(self) -> float:
        """Seconds a request may take."""
        return self._settings.timeout

    async def get(self, url: str, at_least: int = 0) -> Exchange | Failure:
        """Ask for a URL, once; its body is read up to `max_bytes`, or `at_least` so many if that is more."""
        try:
            async with asyncio.timeout(self._settings.timeout):
                return await self._get(url, max(at_least, self._settings.max_bytes))
        except TimeoutError:
            return Failure.TIMEOUT
        except AddressRefused:
            return Failure.REFUSED_ADDRESS
        except (aiohttp.ClientConnectorCertificateError, aiohttp.ClientSSLError, ssl.SSLError):
            return Failure.BAD_CERTIFICATE
        except aiohttp.ClientConnectorError as error:
            if isinstance(error.os_error, AddressRefused):
                return Failure.REFUSED_ADDRESS
            unknown = isinstance(error, aiohttp.ClientConnectorDNSError)
            return Failure.NO_SUCH_HOST if unknown else Failure.NO_CONNECTION
        except (aiohttp.ClientError, OSError, ValueError):
            return Failure.BROKEN

    async def _get(self, url: str, most: int) -> Exchange:
        where, proxy = URL(url, encoded=True), self._settings.proxy
        if proxy is not None:  # our sockets see only the proxy: whither it leads is checked here
            await self._names.admitted(where.raw_host or "", where.port or 0)
        request = self._session.get(where, allow_redirects=False, proxy=proxy)
        async with request as response:
            body = bytearray()
            while len(body) < most:
                block = await response.content.read(_BLOCK)
                if not block:
                    break
                body += block
            else:
                response.close()
            return Exchange(response.status, _fields(response), bytes(body[:most]))


def _fields(response: aiohttp.ClientResponse) -> dict[str, str]:
    """The head's fields; of one that stands there twice the first counts, where lists are meant all of it."""
    fields: dict[str, str] = {}
    for name, raw in response.headers.items():
        key, value = name.lower(), raw.encode("utf-8", "replace").decode()
        if key in fields and key in _LISTS:
            fields[key] += f", {value}"
        fields.setdefault(key, value)
    fields.pop("transfer-encoding", None)  # aiohttp has undone it
    return fields
