"""Search engines that a person has set up: asked for where to start, believed in nothing else.

The address of an engine is the person's own word, so that it may be on a private network; asked is that address
and no other, redirects are not followed. What an engine answers comes from the web: it is read up to a bound,
unpacked by nobody, and its URLs are links like any other, which a crawl checks as it checks all.
"""

from __future__ import annotations

import asyncio
import os
from typing import Any, Literal

import aiohttp
import msgspec
from yarl import URL

from salticid.errors import SalticidError, UserError
from salticid.urls import canonical

BRAVE = "https://api.search.brave.com/res/v1/web/search"
BRAVE_KEY = "SALTICID_BRAVE_KEY"
"""The variable of the environment that holds a key for Brave."""
SECONDS = 15.0
LARGEST = 4 << 20
"""Bytes read of an answer."""
MOST = 20
"""URLs taken from an answer; Brave gives no more."""
_LONGEST_QUERY = 400


class SearchFailed(SalticidError):
    """An engine gave no answer that can be used; says why, and what to do about it."""


class Engine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A search engine: its name for people, its kind, where it is, and the key it wants, if any."""

    name: str
    kind: Literal["searxng", "brave"]
    address: str = ""
    key: str = ""


def engine_of(spec: str) -> Engine:
    """The engine that `searxng:URL`, `brave` or `brave:URL` means; Brave's key is in the environment.

    >>> engine_of("searxng:http://127.0.0.1:8888/").address
    'http://127.0.0.1:8888/'
    """
    kind, _, address = spec.partition(":")
    if kind == "searxng" and address:
        return check(Engine("searxng", "searxng", address))
    if kind == "brave":
        return check(Engine("brave", "brave", address, os.environ.get(BRAVE_KEY, "")))
    raise UserError(f"no search engine {spec!r}; write it as in searxng:http://127.0.0.1:8888, or brave")


def check(engine: Engine) -> Engine:
    """The engine itself, if it can be asked; else a UserError."""
    if engine.kind == "brave" and not engine.key:
        raise UserError(f"the search engine {engine.name!r} needs a key; put yours into {BRAVE_KEY}")
    if (engine.address or engine.kind == "searxng") and canonical(engine.address) is None:
        raise UserError(
            f"the search engine {engine.name!r} has no address {engine.address!r}; "
            "write it in full, as in http://127.0.0.1:8888"
        )
    return engine


async def ask(engine: Engine, query: str, user_agent: str) -> list[str]:
    """The first URLs that an engine has for a query, canonical, each once; SearchFailed if it has no answer."""
    where, headers = _request(engine, query[:_LONGEST_QUERY])
    try:
        async with (
            asyncio.timeout(SECONDS),
            aiohttp.ClientSession(
                headers={
                    "User-Agent": user_agent,
                    "Accept": "application/json",
                    "Accept-Encoding": "identity",
                    **headers,
                },
                auto_decompress=False,
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=False,
            ) as session,
            session.get(where, allow_redirects=False) as response,
        ):
            body = await _body(response)
            status = response.status
    except (aiohttp.ClientError, OSError, ValueError) as error:
        why = f"no answer within {SECONDS:.0f} s" if isinstance(error, TimeoutError) else str(error)
        raise SearchFailed(
            f"the search engine {engine.name!r} cannot be reached ({why}); is it running at {where.origin()}?"
        ) from None
    if status != 200:
        raise SearchFailed(_why_not(engine, status))
    return _urls(engine, body)


def _request(engine: Engine, query: str) -> tuple[URL, dict[str, str]]:
    if engine.kind == "brave":
        url = URL(engine.address or BRAVE).with_query(q=query, count=str(MOST))
        return url, {"X-Subscription-Token": engine.key}
    base = URL(engine.address)
    path = base.path.rstrip("/")
    return base.with_path(path if path.endswith("/search") else f"{path}/search").with_query(q=query, format="json"), {}


async def _body(response: aiohttp.ClientResponse) -> bytes:
    body = bytearray()
    async for block in response.content.iter_chunked(1 << 16):
        body += block
        if len(body) > LARGEST:
            break
    return bytes(body[: LARGEST + 1])


def _why_not(engine: Engine, status: int) -> str:
    """What a status means, and what to do about it."""
    name = f"the search engine {engine.name!r}"
    if status == 429:
        return f"{name} says that it was asked too often (429); try again later"
    if engine.kind == "searxng" and status == 403:
        return (
            f"{name} refuses to answer in JSON (403); add json to the list formats under search in its "
            "settings.yml, as in: formats: [html, json], and start it again"
        )
    if engine.kind == "brave" and status in (401, 403, 422):
        return f"{name} does not accept the key ({status}); check {BRAVE_KEY}, or the key in settings.toml"
    if 300 <= status < 400:
        return f"{name} sends us elsewhere ({status}); give its own address, in full"
    return f"{name} answered with status {status}; open its address in a browser to see why"


def _urls(engine: Engine, body: bytes) -> list[str]:
    """The URLs in an answer, whatever else it holds."""
    try:
        answer: Any = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        answer = None
    if engine.kind == "brave":
        answer = answer.get("web", {"results": []}) if isinstance(answer, dict) else None
    results = answer.get("results") if isinstance(answer, dict) else None
    if not isinstance(results, list):
        raise SearchFailed(
            f"the search engine {engine.name!r} answered something that is no list of results; check its address"
        )
    urls: dict[str, None] = {}
    for result in results:
        url = result.get("url") if isinstance(result, dict) else None
        form = canonical(url) if isinstance(url, str) else None
        if form is not None:
            urls[form] = None
        if len(urls) == MOST:
            break
    return list(urls)
