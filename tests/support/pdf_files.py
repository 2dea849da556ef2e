"""PDFs for tests: by chromium, by reportlab, and by hand where no tool would make them."""

from __future__ import annotations

import io
import subprocess
import zlib
from collections.abc import Sequence
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas
from tests.support.browser import chromium

BOMB = zlib.compress(bytes(200 << 20), 1)
"""More than a document may cost."""
SIZE = 11
LEADING = 14
TOP = A4[1] - 80


def printed(html: str, folder: Path) -> bytes:
    """A page of HTML as chromium prints it."""
    page, pdf = folder / "page.html", folder / "page.pdf"
    page.write_text(html, encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}"]
    subprocess.run(
        [chromium(), *options, "--no-pdf-header-footer", f"--print-to-pdf={pdf}", page.as_uri()],
        check=True,
        capture_output=True,
        timeout=120,
    )
    return pdf.read_bytes()


class Drawing:
    """A PDF by reportlab; lines are drawn where and in the order a test wants."""

    def __init__(self, title: str = "", language: str = "", password: str = "") -> None:
        self._file = io.BytesIO()
        locked = StandardEncryption(password, strength=128) if password else None
        self.canvas = Canvas(self._file, pagesize=A4, encrypt=locked, invariant=1, lang=language or None)
        if title:
            self.canvas.setTitle(title)

    def lines(self, lines: Sequence[str], left: float = 72, top: float = TOP, size: float = SIZE) -> Drawing:
        """Lines one below the other, the first of them at a height above the lower edge."""
        self.canvas.setFont("Helvetica", size)
        for at, line in enumerate(lines):
            self.canvas.drawString(left, top - at * LEADING, line)
        return self

    def link(self, text: str, url: str, left: float = 72, top: float = TOP) -> Drawing:
        """A line that is a link."""
        self.lines([text], left, top)
        width = self.canvas.stringWidth(text, "Helvetica", SIZE)
        self.canvas.linkURL(url, (left, top - 3, left + width, top + SIZE), relative=0)
        return self

    def next_page(self) -> Drawing:
        self.canvas.showPage()
        return self

    def pdf(self) -> bytes:
        self.canvas.save()
        return self._file.getvalue()


def by_hand(objects: Sequence[bytes], root: int = 1, trailer: bytes = b"") -> bytes:
    """A file of these objects, numbered from 1, with a table that says where each is."""
    data, places = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer << /Size %d /Root %d 0 R %b >>\nstartxref\n%d\n%%%%EOF" % (
        len(objects) + 1, root, trailer, len(data),
    )  # fmt: skip
    return data + b"xref\n0 %d\n0000000000 65535 f \n%b%b" % (len(objects) + 1, table, end)


def stream(data: bytes) -> bytes:
    return packed(zlib.compress(data))


def packed(data: bytes, times: int = 1) -> bytes:
    """A stream of what was packed so many times."""
    names = b"/FlateDecode " * times
    return b"<< /Length %d /Filter [%b] >>\nstream\n%b\nendstream" % (len(data), names, data)


def one_page(contents: bytes, *more: bytes, page: bytes = b"", font: bytes = b"") -> bytes:
    """A document of one page, whose contents are object 4; more objects follow from 6 on."""
    return by_hand(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R "
            b"/Resources << /Font << /F 5 0 R >> /XObject << /X 6 0 R >> >> " + page + b" >>",
            contents,
            font or b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            *more,
        ]
    )


def text(words: bytes, times: int = 1) -> bytes:
    """What draws words, again and again."""
    return b"BT /F 12 Tf 72 700 Td (%b) Tj ET\n" % words * times
