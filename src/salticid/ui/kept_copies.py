"""Pages as they were read, kept for when the live ones are gone: their text, their HTML with its teeth drawn, PDFs."""

from __future__ import annotations

import re
from html import escape

from salticid.parse.charset import decode
from salticid.parse.content import Content, content
from salticid.parse.reading import MAX_HTML, head_fields
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.record import arrival_at
from salticid.store.stored_visit import StoredVisit
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
    """The text that was read at a step, below where it is from; None if there was no page."""
    page = crawl.page(step) if arrival_at(crawl.database, step) is not None else None
    if page is None:
        return None
    return f"{page.title}\n{_origin(crawl.visit(step))}\n\n{page.text}\n"


def copy_of(crawl: CrawlFolder, step: int) -> str | bytes | None:
    """The archived page of a step: harmless HTML, or the bytes of a PDF; None if nothing of the kind was kept."""
    if arrival_at(crawl.database, step) is None:
        return None
    page = _archived(crawl, visit := crawl.visit(step))
    if page is None or page.html is None:
        return None if page is None else page.pdf
    about = f"Kept copy of {_origin(visit)}. Its links, pictures and scripts are dead."
    return f"<p>{escape(about)}</p><hr>{harmless(decode(page.html, page.charset))}"


def is_pdf(crawl: CrawlFolder, visit: StoredVisit) -> bool:
    """Whether the archived page of a visit is a PDF."""
    page = _archived(crawl, visit)
    return page is not None and page.pdf is not None


def _archived(crawl: CrawlFolder, visit: StoredVisit) -> Content | None:
    exchange = read(crawl.folder, visit.records[-1]) if visit.records else None
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


def _origin(visit: StoredVisit) -> str:
    read_at = date(visit.fetched)
    return (
        visit.final_url
        if read_at is None
        else f"{visit.final_url}, read {read_at[:19].replace('T', ' ')} UTC"
    )
