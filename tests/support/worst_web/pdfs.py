"""What is put into PDFs: bombs, circles, locks, lies."""

from __future__ import annotations

import zlib
from functools import partial

from tests.support.hostile import in_parts
from tests.support.hostile import page as answer
from tests.support.pdf_files import BOMB, Drawing, by_hand, one_page, packed, stream, text
from tests.support.worst_web.row import Row, row

_page = partial(answer, kind="application/pdf")
_WHOLE = Drawing("Spiders").lines(["about jumping spiders"] * 40).next_page().lines(["and more"]).pdf()
_HEAD = b"HTTP/1.1 200 So\r\nContent-Type: application/pdf\r\n"
_CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"
_FORM = b"<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X %d 0 R /Y %d 0 R >> >> "
_DRAWN_TWICE = b"/Length 12 >>\nstream\n/X Do /Y Do \nendstream"


def _forms(depth: int) -> bytes:
    """Forms that draw the next one twice."""
    return one_page(
        b"<< /Length 6 >>\nstream\n/X Do \nendstream",
        *(_FORM % (at, at) + _DRAWN_TWICE for at in range(7, 7 + depth)),
        stream(text(b"spiders")),
    )


def _kids(count: int) -> bytes:
    """A tree of pages that says that one page is there again and again."""
    return by_hand(
        [
            _CATALOG,
            b"<< /Type /Pages /Kids [%b] /Count %d >>" % (b"3 0 R " * count, count),
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R "
            b"/Resources << /Font << /F 5 0 R >> >> >>",
            stream(text(b"jumping spiders", 500)),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        ]
    )


def _links(count: int) -> bytes:
    link = b"<< /Type /Annot /Subtype /Link /Rect [70 690 200 710] /A << /S /URI /URI (http://l%d.example/) >> >>"
    annotations = b"/Annots [" + b" ".join(link % at for at in range(count)) + b"]"
    return one_page(stream(text(b"jumping spiders", 100)), page=annotations)


def pdfs() -> list[Row]:
    """All of them."""
    return [
        row("a PDF that is a bomb", "ok|unparsable", _page(one_page(packed(BOMB)))),
        row(
            "a PDF with a bomb in a bomb",
            "ok|unparsable",
            _page(one_page(packed(zlib.compress(BOMB), times=2))),
        ),
        row(
            "a PDF that is text without end",
            "ok|unparsable",
            _page(one_page(stream(text(b"spiders", 500_000)))),
        ),
        row("a PDF of one page again and again", "ok|unparsable", _page(_kids(150_000))),
        row("a PDF of links by the thousand", "ok|unparsable", _page(_links(9_000))),
        row("a PDF of forms in forms", "ok|unparsable", _page(_forms(40))),
        row(
            "a PDF of brackets",
            "ok|unparsable",
            _page(by_hand([_CATALOG, b"[" * 400_000, b"<<" * 200_000])),
        ),
        row(
            "a PDF whose pages are their own parents",
            "ok|unparsable",
            _page(by_hand([_CATALOG, b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Parent 2 0 R /Count 9 >>"])),
        ),
        row(
            "a PDF whose table leads to itself",
            "ok|unparsable",
            _page(_WHOLE.replace(b"trailer", b"trailer ", 1).replace(b"/Size", b"/Prev 9 /Size")),
        ),
        row(
            "a PDF whose length is itself",
            "ok|unparsable",
            _page(one_page(b"<< /Length 4 0 R >>\nstream\nendstream")),
        ),
        row("a PDF that is locked", "unparsable", _page(Drawing(password="secret").lines(["spiders"]).pdf())),
        row("a PDF cut in its middle", "ok|unparsable", _page(_WHOLE[: len(_WHOLE) // 2])),
        row("a PDF cut before its end", "ok|unparsable", _page(_WHOLE[:-200])),
        row("a PDF that is a head", "unparsable", _page(b"%PDF-1.7\n")),
        row("a PDF that is empty", "unparsable", _page(b"")),
        row(
            "a PDF that is noise",
            "unparsable",
            _page(b"%PDF-1.7\n" + zlib.compress(bytes(range(256))) * 3_000),
        ),
        row("a page called a PDF", "unparsable", _page(b"<p>spiders")),
        row("a PDF called a page", "ok", answer(_WHOLE)),
        row("a PDF in a packed bomb", "unparsable", _page(BOMB, "Content-Encoding: deflate")),
        row(
            "a PDF that says it is too long",
            "not html",
            in_parts(_HEAD + b"Content-Length: 99999999\r\n\r\n%PDF-1.7\n", bytes(1 << 20), forever=True),
        ),
        row(
            "a PDF without end",
            "not html|timeout",
            in_parts(_HEAD + b"\r\n%PDF-1.7\n", bytes(1 << 20), forever=True),
        ),
        row(
            "a PDF in drops",
            "timeout",
            in_parts(_HEAD + b"\r\n%PDF-1.7\n", b" ", forever=True, pause=0.05),
        ),
    ]
