"""Sitemaps: the pages a site itself names."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from html import unescape
from urllib.parse import urlsplit

from salticid.parse.codings import undo
from salticid.urls import canonical
from salticid.webs.live.client import Exchange
from salticid.webs.live.retries import Failure
from salticid.webs.live.robots import RobotsFile

MAX_FILES = 10
"""Sitemaps read of one host; a large site has hundreds."""
MAX_LINKS = 50_000
"""Links taken of one host, as many as the protocol allows in one file."""
_MAX_BYTES = 50 << 20
_LOC = re.compile(rb"<(?:\w+:)?loc\s*>\s*(?:<!\[CDATA\[)?([^<>\]]{1,4096})", re.IGNORECASE)
_INDEX = re.compile(rb"<(?:\w+:)?sitemapindex[\s>]", re.IGNORECASE)


class Sitemaps:
    """Reads the sitemaps of a host: those its robots.txt names, else /sitemap.xml.

    Only links to the same host count. The files are scanned for their `loc` elements rather than parsed
    as XML: that reads broken ones too, and no entity is ever expanded.
    """

    def __init__(
        self,
        rules: Callable[[str], Awaitable[RobotsFile | Failure]],
        ask: Callable[[str], Awaitable[Exchange | None]],
    ) -> None:
        self._rules, self._ask = rules, ask

    async def of(self, url: str) -> list[str]:
        """The pages named by the sitemaps of this URL's host, canonical, each once, in their order."""
        scheme, host = urlsplit(url)[:2]
        rules = await self._rules(url)
        named = rules.sitemaps if isinstance(rules, RobotsFile) else ()
        todo = list(named) or [f"{scheme}://{host}/sitemap.xml"]
        found: dict[str, None] = {}
        for number, file in enumerate(todo):
            if number == MAX_FILES or len(found) >= MAX_LINKS:
                break
            answer = await self._ask(file)
            if answer is None or answer.status != 200:
                continue
            more, is_index = read_sitemap(answer.body)
            if is_index:
                todo += more[:MAX_FILES]
            else:
                found.update(dict.fromkeys(link for link in more if urlsplit(link)[1] == host))
        return list(found)[:MAX_LINKS]


def read_sitemap(body: bytes) -> tuple[list[str], bool]:
    """The URLs a sitemap names, and whether they are further sitemaps.

    >>> read_sitemap(b"<urlset><url><loc>http://a.example/x?a=1&amp;b=2</loc></url></urlset>")
    (['http://a.example/x?a=1&b=2'], False)
    """
    if body.startswith(b"\x1f\x8b"):
        body = undo(body, ["gzip"], _MAX_BYTES) or b""
    named = (canonical(unescape(loc.decode("utf-8", "replace")).strip()) for loc in _LOC.findall(body))
    return [url for url in named if url is not None][:MAX_LINKS], bool(_INDEX.search(body[:4096]))
