"""Pages as they were last read, kept for when the live ones are gone: text, HTML with its teeth drawn, PDFs."""

from __future__ import annotations

import re
from html import escape
from typing import NamedTuple

from salticid.model import Page
from salticid.parse.charset import decode
from salticid.parse.content import Content, content
from salticid.parse.reading import MAX_HTML, head_fields
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.record import arrival_at
from salticid.store.stored_visit import StoredVisit
from salticid.store.versions import Versions
from salticid.store.warc import read
from salticid.ui.log_reader import date

FIELDS = {
    "Content-Security-Policy": (
        "default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox"
    ),
    "Cross-Origin-Opener-Policy": "unsafe-none",
    "X-DNS-Prefetch-Control": "off",
}
"""The headers of a copy: the browser runs nothing and loads nothing, and gives it an origin of its own.

To a sandboxed document no opener policy may be given; it has no opener either.
"""
SAVED = {"Content-Disposition": 'attachment; filename="kept.pdf"', **FIELDS}
"""Those of a PDF: it is for saving, and not shown by the server's leave."""
_REACHING = re.compile(
    r"<(/?)(a|area|base|embed|form|frame|frameset|iframe|link|meta|object)(?=[\s/>])", re.IGNORECASE
)
"""Tags by which a page without scripts leads elsewhere. Browsers connect ahead to where some of them point, whatever
the policy says."""


def text_of(crawl: CrawlFolder, step: int) -> str | None:
    """The text of the page of a step as it was last read, below where it is from; None if there was no page."""
    copy = _Copy.of(crawl, step)
    if copy is None or copy.page is None:
        return None
    return f"{copy.page.title}\n{copy.origin}\n\n{copy.page.text}\n"


def copy_of(crawl: CrawlFolder, step: int) -> str | bytes | None:
    """The archived page of a step: harmless HTML, or the bytes of a PDF; None if nothing of the kind was kept."""
    copy = _Copy.of(crawl, step)
    if copy is None:
        return None
    page = _archived(crawl, copy.records)
    if page is None or page.html is None:
        return None if page is None else page.pdf
    about = f"Kept copy of {copy.origin}. Its links, pictures and scripts are dead."
    return f"<p>{escape(about)}</p><hr>{harmless(decode(page.html, page.charset))}"


def is_pdf(crawl: CrawlFolder, visit: StoredVisit) -> bool:
    """Whether the archived page of a visit is a PDF."""
    page = _archived(crawl, visit.records)
    return page is not None and page.pdf is not None


def _archived(crawl: CrawlFolder, records: list[int]) -> Content | None:
    exchange = read(crawl.folder, records[-1]) if records else None
    if exchange is None:
        return None
    head, _, body = exchange[1].partition(b"\r\n\r\n")
    return content(head_fields(head), body, MAX_HTML)


def harmless(html: str) -> str:
    """HTML whose tags that reach out are called otherwise, so that they mean nothing to a browser.

    >>> harmless('<LINK rel=preconnect href=//evil.example><a href=/>Home</a><article>')
    '<kept-LINK rel=preconnect href=//evil.example><kept-a href=/>Home</kept-a><article>'
    """
    return _REACHING.sub(r"<\1kept-\2", html)


class _Copy(NamedTuple):
    """The newest version of a page that is kept: where and when it was read, itself, its place in the WARC."""

    origin: str
    page: Page | None
    records: list[int]

    @classmethod
    def of(cls, crawl: CrawlFolder, step: int) -> _Copy | None:
        """That of a visit, if there was one."""
        if arrival_at(crawl.database, step) is None:
            return None
        visit, versions = crawl.visit(step), Versions(crawl.database)
        if (newest := versions.newest(step)) is None:
            return cls(_origin(visit.final_url, visit.fetched), crawl.page(step), visit.records)
        return cls(_origin(visit.final_url, newest.wall), versions.page(step), newest.places)


def _origin(url: str, time: float | None) -> str:
    read_at = date(time)
    return url if read_at is None else f"{url}, read {read_at[:19].replace('T', ' ')} UTC"
