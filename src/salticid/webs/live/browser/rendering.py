"""Shells of the live web, rendered: what their readers would see instead of nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from salticid.model import Page
from salticid.parse.content import Content
from salticid.parse.robots_tags import AGENT, directives_for
from salticid.parse.shells import is_shell
from salticid.urls import site as site_of
from salticid.webs.live.access import Access
from salticid.webs.live.browser.page_parts import KeptScripts, PageParts, PartsWeb, passed_on
from salticid.webs.live.browser.pool import BrowserPool, NoBrowser
from salticid.webs.live.client import Exchange, Recorder

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
