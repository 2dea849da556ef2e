"""Sitemaps: the pages a site itself names."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator
from html import unescape
from itertools import islice
from urllib.parse import urlsplit

from salticid.parse import decode_body, undo
from salticid.urls import canonical
from salticid.urls import host as host_of
from salticid.webs.live.client import Exchange
from salticid.webs.live.failures import Failure
from salticid.webs.live.robots import RobotsFile

MAX_FILES = 10
"""Sitemaps read of one host; a large site has hundreds."""
MAX_LINKS = 50_000
"""Links taken of one host, as many as the protocol allows in one file."""
LONGEST_SITEMAP = 50 << 20
"""Bytes of a sitemap after all decoding, as the protocol has it."""
_ROOT = re.compile(rb"<((?:\w+:)?)(urlset|sitemapindex)[\s>]", re.IGNORECASE)
_LOC = re.compile(rb"<((?:\w+:)?)loc\s*>\s*(?:<!\[CDATA\[([^<]{1,4096}?)\]\]>|([^<]{1,4096}))\s*</", re.IGNORECASE)
_LONGEST_LOC = 8_192
_WINDOW = 1 << 16
"""Bytes looked through at a time: others have to wait while a regular expression is at work."""
_REFERENCE = re.compile(r"&(?:lt|gt|quot|apos|amp|#[0-9]{1,7}|#x[0-9a-fA-F]{1,6});")


class Sitemaps:
    """Reads the sitemaps of a host: those its robots.txt names, else /sitemap.xml.

    Only links to the same host count. The files are scanned for their `loc` elements rather than parsed
    as XML: that reads broken ones too, and no entity is ever expanded. Of all that came, one is unpacked at a time.
    """

    def __init__(
        self,
        rules: Callable[[str], Awaitable[RobotsFile | Failure]],
        ask: Callable[[str], Awaitable[Exchange | None]],
    ) -> None:
        self._rules, self._ask = rules, ask
        self._unpacking = asyncio.Lock()

    async def of(self, url: str) -> list[str]:
        """The pages named by the sitemaps of this URL's host, canonical, each once, in their order."""
        scheme, host = urlsplit(url)[:2]
        rules = await self._rules(url)
        urls = rules.sitemaps if isinstance(rules, RobotsFile) else ()
        files = [file for each in urls if (file := canonical(each)) is not None]
        todo = files or [f"{scheme}://{host}/sitemap.xml"]
        links: dict[str, None] = {}
        for number, file in enumerate(todo):
            if number == MAX_FILES or len(links) >= MAX_LINKS:
                break
            answer = await self._ask(file)
            if answer is None:
                continue
            async with self._unpacking:
                more, is_index = await asyncio.to_thread(_read_answer, answer)
            if is_index:
                todo += [each for each in dict.fromkeys(more) if each not in todo][:MAX_FILES]
            else:
                links.update(dict.fromkeys(link for link in more if host_of(link) == host))
        return list(links)[:MAX_LINKS]


def read_sitemap(body: bytes) -> tuple[list[str], bool]:
    """The URLs a sitemap names, and whether they are further sitemaps.

    >>> read_sitemap(b"<urlset><url><loc>http://a.example/x?a=1&amp;b=2</loc></url></urlset>")
    (['http://a.example/x?a=1&b=2'], False)
    """
    if body.startswith(b"\x1f\x8b"):
        body = undo(body, ["gzip"], LONGEST_SITEMAP) or b""
    root = _ROOT.search(body, 0, 4096)
    prefix, kind = (root[1].lower(), root[2].lower()) if root else (b"", b"")
    urls = (
        canonical(_text(loc[2], loc[3]))
        for loc in _locs(body)
        if loc[1].lower() == prefix  # another one's is a picture's or a film's
    )
    pages = islice((url for url in urls if url is not None), MAX_LINKS)
    return list(pages), kind == b"sitemapindex"


def _read_answer(answer: Exchange) -> tuple[list[str], bool]:
    return read_sitemap(decode_body(answer.fields, answer.body, LONGEST_SITEMAP))


def _locs(body: bytes) -> Iterator[re.Match[bytes]]:
    """All `loc` elements in their order, found window by window."""
    at = 0
    for end in range(_WINDOW, len(body) + _WINDOW, _WINDOW):
        for loc in _LOC.finditer(body, at, end + _LONGEST_LOC):
            if loc.start() >= end:
                break
            yield loc
            at = loc.end()
        at = max(at, end)


def _text(cdata: bytes | None, escaped: bytes | None) -> str:
    """The text of an element: as it stands in CDATA, else with XML's own references replaced."""
    if cdata:
        return cdata.decode("utf-8", "replace").strip()
    text = (escaped or b"").decode("utf-8", "replace")
    return _REFERENCE.sub(lambda match: unescape(match[0]), text).strip()
