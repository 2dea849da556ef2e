"""Shells of the live web, rendered: what their readers would see instead of nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from salticid.model import NO_URL, Page
from salticid.parse import AGENT, Content, decode_body, directives_for
from salticid.urls import canonical
from salticid.urls import host as host_of
from salticid.urls import site as site_of
from salticid.webs.live.access import Access
from salticid.webs.live.browser.messages import Part, Wish
from salticid.webs.live.browser.pool import BrowserPool, NoBrowser
from salticid.webs.live.client import Exchange, Recorder
from salticid.webs.live.guard import AddressGuard
from salticid.webs.live.politeness import Parked

# What a page in a browser asks for, asked on its behalf: with our manners, and within bounds of its own.

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
        if wish.is_script and answer.status == 200 and "no-store" not in answer.fields.get("cache-control", ""):
            self._kept.add(self._host, url, part)
        return part

    async def _admits(self, at: str) -> bool:
        if not self._web.may_follow(at):
            return False
        if self._access is not None and host_of(at) != self._host and self._access.fields(at):
            return False
        address = await self._web.address(at)
        return address is not None and (_PUBLIC.admits(address) or address == await self._web.address(self._at))


def passed_on(fields: Mapping[str, str]) -> dict[str, str]:
    """The fields of an answer that a page in a browser is shown."""
    return {name: value for name, value in fields.items() if name in PASSED_ON or name.startswith(_CORS)}


# Pages that are empty shells: little text, a script, and an element that the script is to fill.

LITTLE_TEXT = 400
"""Characters that a shell may say at the most: that it is loading, that it needs JavaScript, whose it is."""
MUCH_SCRIPT = 1000
"""Bytes of a script within the page that may fill it; one in a file of its own may always."""
LOOKED_AT = 1 << 18
"""Bytes of a page that are looked at."""

# No expression here goes beyond the next tag, so that none takes more than one walk through a page.
_SCRIPT = re.compile(rb"<script\b([^<>]*+)>", re.IGNORECASE)
_FILE = re.compile(rb"\bsrc\s*+=", re.IGNORECASE)
_DATA = re.compile(rb"\btype\s*+=\s*+[\"']?+\s*+(?!module|(?:text|application)/\w*script)", re.IGNORECASE)
_ROOT = re.compile(
    rb"<[a-z][a-z0-9-]*+\s[^<>]*?\bid\s*+=\s*+[\"']?+"
    rb"(?:root|app|app-?root|react-root|main-?app|__next|__nuxt|___gatsby|q-app|svelte|application)[\"'\s>]",
    re.IGNORECASE,
)
"""An element under a name that those who make shells give to it."""
_EMPTY_ROOT = re.compile(
    rb"<(?:(div|main|section|article)\s(?=[^<>]*?\bid\s*+=)|([a-z][a-z0-9]*+-[a-z0-9-]*+))[^<>]*+>"
    rb"(?:\s|<!--[^<>]{0,200}+>)*+</(?(1)\1|\2)\s*+>",
    re.IGNORECASE,
)
"""An element with a name of its own, or of a kind of its own, that holds nothing."""


def is_shell(html: bytes, page: Page) -> bool:
    """Whether a page, made of this HTML, says nothing before its scripts have run.

    A page that sends its readers on says nothing either, but needs no browser for that.

    >>> from salticid.parse import Parser
    >>> from salticid.tables import Texts, Urls
    >>> def tried(html): return is_shell(html, Parser(Urls(), Texts()).parse(html, "http://a.example/"))
    >>> tried(b"<title>Eyes</title><div id=root></div><script src=/main.js></script>")
    True
    >>> tried(b"<p>Eyes</p><script src=/count.js></script>"), tried(b"<div id=root></div>")
    (False, False)
    """
    if len(page.tokens) > LITTLE_TEXT or page.refresh != NO_URL or len(page.text) > LITTLE_TEXT:
        return False
    html = html[:LOOKED_AT]
    return _has_script(html) and bool(_ROOT.search(html) or _EMPTY_ROOT.search(html))


def _has_script(html: bytes) -> bool:
    within = 0
    for script in _SCRIPT.finditer(html):
        if _DATA.search(script[1]):
            continue
        if _FILE.search(script[1]):
            return True
        most = script.end() + MUCH_SCRIPT
        end = html.find(b"</", script.end(), most)
        within += min(len(html), most if end < 0 else end) - script.end()
        if within >= MUCH_SCRIPT:
            return True
    return False


IN_VAIN = 3
"""A site of which so many pages more were rendered in vain than with success is left as it is."""


class RenderingWeb(PartsWeb, Protocol):
    """A web whose pages can be rendered."""

    async def parse(self, html: bytes, at: str, charset: str | None) -> Page | None: ...


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """A page as it was rendered, and its place in the archive, if there is one."""

    page: Page
    record: int | None


class Rendering:
    """Renders the shells among the pages of a web.

    Without `browsers`, or when none would start, nothing is rendered, and `on_need` is called once, at the first shell,
    with a sentence about what is missing.
    """

    def __init__(
        self,
        browsers: BrowserPool | None,
        missing: str | None,
        max_bytes: int,
        access: Access | None,
        archive: Recorder | None,
        on_need: Callable[[str], None] | None = None,
    ) -> None:
        self.browsers, self._missing, self._on_need = browsers, missing, on_need
        self._max_bytes, self._access, self._archive = max_bytes, access, archive
        self._kept = KeptScripts()
        self._in_vain: Counter[str] = Counter()

    async def of(
        self, web: RenderingWeb, url: int, at: str, answer: Exchange, content: Content, page: Page
    ) -> RenderedPage | None:
        """What a page found `at` a URL becomes in a browser; None if it is no shell, or becomes nothing more."""
        html = content.html
        if html is None or not is_shell(html, page):
            return None
        if self.browsers is None:
            self._tell(at)
            return None
        site = site_of(at)
        if self._in_vain[site] >= IN_VAIN:
            return None
        parts = PageParts(web, url, at, self._max_bytes, self._access, self._kept)
        try:
            document = await self.browsers.render(at, html, passed_on(answer.fields), parts.ask)
        except NoBrowser as error:
            if self.browsers is not None:  # others may have tried at the same time
                self.browsers, self._missing = None, f"a browser that starts ({error})"
            self._tell(at)
            return None
        document = document and document[: self._max_bytes]
        rendered = await web.parse(document, at, "utf-8") if document else None
        if document is None or rendered is None or len(rendered.tokens) <= len(page.tokens):
            self._in_vain[site] += 1
            return None
        self._in_vain[site] = max(0, self._in_vain[site] - 1)
        record = None
        if self._archive is not None and answer.record is not None:
            record = self._archive.add_conversion(at, answer.record, document, _in_short(answer.fields))
        noindex, nofollow = page.noindex or rendered.noindex, page.nofollow or rendered.nofollow
        return RenderedPage(replace(rendered, noindex=noindex, nofollow=nofollow), record)

    def _tell(self, at: str) -> None:
        if self._missing is not None and self._on_need is not None:
            self._on_need(
                f"{at} is empty without a browser, and others may be; to render such pages it would need: "
                f"{self._missing}. With --render never this is not told."
            )
            self._missing = None


def _in_short(fields: Mapping[str, str]) -> dict[str, str]:
    """The fields of an answer; of its robots tags, of which there may be several, in one what they say to us."""
    own = {name: value for name, value in fields.items() if name != "x-robots-tag"}
    directives = directives_for(AGENT, fields.get("x-robots-tag", ""))
    return own | ({"x-robots-tag": ", ".join(sorted(directives))} if directives else {})
