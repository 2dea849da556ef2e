"""What a page in a browser asks for, asked on its behalf: with our manners, and within bounds of its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from salticid.parse.content import decode_body
from salticid.urls import canonical
from salticid.urls import host as host_of
from salticid.webs.live.access import Access
from salticid.webs.live.browser.messages import Part, Wish
from salticid.webs.live.client import Exchange
from salticid.webs.live.guard import AddressGuard
from salticid.webs.live.manners import Parked

TIMES_A_PAGE = 4
"""A part, once decoded, may be so many times as long as a page."""
TIMES_ALL = 16
"""And all parts of a page together."""
KEPT_SCRIPTS = 32 << 20
"""Bytes of scripts that are kept for further pages of their host."""

PASSED_ON = ("content-type", "content-security-policy")
_CORS = "access-control-"
_PUBLIC = AddressGuard()

Admits = Callable[[str], Awaitable[bool]]


class PartsWeb(Protocol):
    """A web that files can be had from."""

    @property
    def may_follow(self) -> Callable[[str], bool]:
        """Whether a URL is in scope."""
        ...

    async def file(self, at: str, url: int, admits: Admits) -> Exchange | None:
        """What is at a URL, asked for politely, on behalf of another, as far as each hop is admitted."""
        ...

    async def address(self, at: str) -> str | None:
        """The address a URL is asked at, None when that cannot be found out."""
        ...


class KeptScripts:
    """Scripts that pages of a host have in common, for as long as the crawl runs; the oldest go first."""

    def __init__(self, most: int = KEPT_SCRIPTS) -> None:
        self._most, self._size = most, 0
        self._parts: dict[tuple[str, str], Part] = {}

    def get(self, host: str, url: str) -> Part | None:
        return self._parts.get((host, url))

    def add(self, host: str, url: str, part: Part) -> None:
        if len(part.body) > self._most // 4 or (host, url) in self._parts:
            return
        self._parts[host, url] = part
        self._size += len(part.body)
        while self._size > self._most:
            self._size -= len(self._parts.pop(next(iter(self._parts))).body)


class PageParts:
    """Answers the wishes of one page.

    A part has to be in scope, and robots.txt, guard and manners hold for it. Nothing is told to a page that its own
    server could not find out as well: from a private address that the crawl may reach a page gets parts only if it is
    at that very address itself, and what a person has access to only if it is of that very host.
    """

    def __init__(
        self, web: PartsWeb, url: int, at: str, max_bytes: int, access: Access | None, kept: KeptScripts
    ) -> None:
        self._web, self._url, self._at, self._host = web, url, at, host_of(at)
        self._max_bytes, self._access, self._kept = max_bytes, access, kept
        self._left = TIMES_ALL * max_bytes

    async def ask(self, wish: Wish) -> Part:
        """The part that is wished for, of status 0 if it is not to be had."""
        url = canonical(wish.url)
        if url is None:
            return Part(wish.number)
        part = self._kept.get(self._host, url) if wish.is_script else None
        if part is None:
            part = await self._ask(wish, url)
        return Part(wish.number, part.status, part.fields, part.body)

    async def _ask(self, wish: Wish, url: str) -> Part:
        try:
            answer = await self._web.file(url, self._url, self._admits)
        except Parked:
            answer = None
        if answer is None or len(answer.body) >= self._max_bytes:
            return Part(wish.number)
        most = min(TIMES_A_PAGE * self._max_bytes, self._left)
        body = decode_body(answer.fields, answer.body, most + 1)
        if len(body) > most:
            return Part(wish.number)
        self._left -= len(body)
        part = Part(wish.number, answer.status, passed_on(answer.fields), body)
        if (
            wish.is_script
            and answer.status == 200
            and "no-store" not in answer.fields.get("cache-control", "")
        ):
            self._kept.add(self._host, url, part)
        return part

    async def _admits(self, at: str) -> bool:
        if not self._web.may_follow(at):
            return False
        if self._access is not None and host_of(at) != self._host and self._access.fields(at):
            return False
        address = await self._web.address(at)
        return address is not None and (
            _PUBLIC.admits(address) or address == await self._web.address(self._at)
        )


def passed_on(fields: Mapping[str, str]) -> dict[str, str]:
    """The fields of an answer that a page in a browser is shown."""
    return {name: value for name, value in fields.items() if name in PASSED_ON or name.startswith(_CORS)}
