"""Writes a world: answers in, flat arrays out, never more than one page in memory."""

from __future__ import annotations

import re
import shutil
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from selectolax.lexbor import SelectolaxError

from salticid.errors import UserError
from salticid.model import NO_URL, Outcome, Page
from salticid.parse import GOOD_STATUSES, MAX_PDF, Parser, content, prescan, wall_by_head, wall_of, wall_of_refusal
from salticid.protocols import Table
from salticid.tables import FileHeap, Texts, Urls
from salticid.text import DEFAULT, Stems, detect
from salticid.urls import canonical
from salticid.webs import (
    AREA,
    HOST,
    LINK,
    NOFOLLOW,
    NOINDEX,
    OUTCOMES,
    PAGE,
    REDIRECT,
    ROW,
    STEM,
    STEM_OF,
    TEXT,
    TITLE,
    TOKEN,
    URL,
    WORD,
    ArrayWriter,
    Manifest,
    Number,
    WorldArray,
    code_of,
    write_index,
    write_texts,
)
from salticid.worlds.answers import Answer

MAX_HTML = 1 << 20
"""Bytes of a page that are read; the rest is cut off, as a crawler would."""
_LANGUAGE_PAGES = 100
"""Pages looked at to tell the language of a world."""
_STEMS_AT_ONCE = 100_000
_HTTP_REDIRECTS = (301, 302, 303, 307, 308)
_OK = OUTCOMES.index(Outcome.OK)


class WorldWriter:
    """Builds the world folder `out`, which appears only once it is whole.

    Of several answers of one URL the first good page counts, else the first answer.
    """

    def __init__(self, out: Path) -> None:
        self.out, self._arrays = out, new_arrays(out)
        self._heaps = {table: FileHeap(self._arrays.path(table.text)) for table in (URL, WORD)}
        self.urls = Urls(self._heaps[URL])
        self.words = Texts(self._heaps[WORD])
        self._parser = Parser(self.urls, self.words)
        self._row_of = array("i")
        self._kind_of_row = bytearray()
        self._ends: Counter[WorldArray[np.uint64]] = Counter()
        self._languages: Counter[str] = Counter()
        self.pages = 0
        self.left_out: dict[str, int] = {}

    @property
    def folder(self) -> Path:
        """Where the world lies while it is being written."""
        return self._arrays.folder

    def leave_out(self, why: str, count: int = 1) -> None:
        """Count something that is not in the world."""
        self.left_out[why] = self.left_out.get(why, 0) + count

    def add(self, answer: Answer) -> str | None:
        """Record an answer; its canonical URL, or None when it was left out (and counted)."""
        url = canonical(answer.url)
        if url is None:
            self.leave_out("no http(s) URL")
            return None
        wall, page, target = answer.wall, None, NO_URL
        if wall is None and answer.may_be_wall:
            wall = wall_of_refusal(url, answer.html, answer.status)
        kind = code_of(Outcome.KEPT_OUT if wall is not None else answer.outcome or _outcome(answer), wall)
        if answer.status in _HTTP_REDIRECTS and answer.location:
            where = canonical(answer.location, url)
            if where is not None:
                kind, target = REDIRECT, self.urls.intern(where)
        if not self._takes(url, kind):
            self.leave_out("URL recorded before")
            return None
        if answer.page is not None:
            page = answer.page(self.urls, self.words)
        elif kind == _OK and answer.html is not None:
            page = self._parse(answer.html[:MAX_HTML], url, answer.charset)
            if page is None:
                kind = OUTCOMES.index(Outcome.UNPARSABLE)
                self.leave_out("HTML made to stop parsers")
            elif answer.may_be_wall and (wall := wall_of(url, answer.html, len(page.tokens))) is not None:
                kind, page = code_of(Outcome.KEPT_OUT, wall), None
        self._write_row(self.urls.intern(url), kind, page, answer, target)
        return url

    def has_page(self, url: str) -> bool:
        """Whether a good page was recorded at this canonical URL."""
        row = self._row(url)
        return row >= 0 and self._kind_of_row[row] == _OK

    def close(self, built_from: str) -> Manifest:
        """Write what can only be written at the end, and let the world appear."""
        self._grow_rows()
        self._append(URL.row, self._row_of)
        self._append(URL.host, self.urls.host_of)
        write_texts(self._arrays, HOST, [self.urls.hosts[at].encode() for at in range(len(self.urls.hosts))])
        code = max(sorted(self._languages), key=self._languages.__getitem__, default=DEFAULT)
        stems = write_stems(self._arrays, self.words, code)
        heaps = self._heaps
        del self.urls, self.words, self._parser  # the indexes below need their room
        for table, heap in heaps.items():
            write_index(self._arrays, table, heap.ends, heap)
            heap.close()
        manifest = self._arrays.close(built_from, stems, dict(sorted(self.left_out.items())))
        self.folder.rename(self.out)
        return manifest

    def abandon(self) -> None:
        """Leave nothing behind."""
        for heap in self._heaps.values():
            heap.close()
        self._arrays.abandon()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _parse(self, html: bytes, url: str, charset: str | None) -> Page | None:
        try:
            return None if prescan(html) else self._parser.parse(html, url, charset)
        except SelectolaxError:  # out of memory, on a page that asks for gigabytes
            return None

    def _takes(self, url: str, kind: int) -> bool:
        return self._row(url) < 0 or (kind == _OK and not self.has_page(url))

    def _row(self, url: str) -> int:
        at = self.urls.find(url)
        return self._row_of[at] if 0 <= at < len(self._row_of) else -1

    def _write_row(self, url: int, kind: int, page: Page | None, answer: Answer, target: int) -> None:
        self._grow_rows()
        self._row_of[url] = len(self._kind_of_row)
        self._kind_of_row.append(kind)
        self._append(ROW.kind, [kind])
        self._append(ROW.status, [answer.status])
        self._append(ROW.target, [target])
        self._append(ROW.page, [self.pages if page is not None else -1])
        self._append(ROW.size, [answer.size or len(answer.html or b"")])
        self._append(ROW.seconds, [_or_nan(answer.seconds)])
        self._append(ROW.modified, [_or_nan(answer.modified)])
        if page is not None:
            self._write_page(page)

    def _write_page(self, page: Page) -> None:
        self.pages += 1
        if self.pages <= _LANGUAGE_PAGES:
            self._languages[detect(page.text)] += 1
        links = page.links
        self._append(PAGE.url, [page.url])
        self._append(PAGE.canonical, [page.canonical])
        self._append(PAGE.refresh, [page.refresh])
        self._append(PAGE.flags, [page.noindex * NOINDEX | page.nofollow * NOFOLLOW])
        self._append(TOKEN.word, page.tokens)
        self._put_end(TOKEN.end, len(page.tokens))
        self._append(AREA.kind, page.area)
        self._append(AREA.start, page.area_start)
        self._put_end(AREA.end, len(page.area))
        self._append(LINK.url, links.url)
        self._append(LINK.start, links.start)
        self._append(LINK.stop, links.end)
        self._append(LINK.nofollow, links.nofollow)
        self._put_end(LINK.end, len(links))
        for piece, data in (TITLE, page.title.encode()), (TEXT, page.packed_text):
            self._append(piece.byte, np.frombuffer(data, np.uint8))
            self._put_end(piece.end, len(data))

    def _append(self, array: WorldArray[Number], values: npt.NDArray[Number] | Sequence[float]) -> None:
        self._arrays.append(array, values)

    def _put_end(self, end: WorldArray[np.uint64], size: int) -> None:
        """A page has so much of the arrays that this one cuts."""
        self._ends[end] += size
        self._append(end, [self._ends[end]])

    def _grow_rows(self) -> None:
        missing = len(self.urls) - len(self._row_of)
        self._row_of.extend([-1] * missing)


def new_arrays(out: Path) -> ArrayWriter:
    """The arrays of what is to be the new world folder `out`; while they are written they lie beside it."""
    if out.exists():
        raise UserError(f"{out} exists already; name a new folder for the world, or remove that one")
    folder = out.with_name(f".{out.name}.building")
    try:
        shutil.rmtree(folder, ignore_errors=True)
        return ArrayWriter(folder)
    except OSError as error:
        raise UserError(f"cannot write a world to {out}: {error.strerror}; name another folder") from None


def write_stems(arrays: ArrayWriter, words: Table, code: str) -> str:
    """Work out the stems of all words in the language of most pages, for every crawl to come; by which rules."""
    stems = Stems(words, code)
    for begin in range(0, len(words) + 1, _STEMS_AT_ONCE):
        some = np.arange(begin, min(begin + _STEMS_AT_ONCE, len(words)), dtype=np.int32)
        arrays.append(STEM_OF, stems.of(some))
    write_texts(arrays, STEM, [stems.text(at).encode() for at in range(len(stems))])
    return stems.rules


def _outcome(answer: Answer) -> Outcome:
    if answer.status not in GOOD_STATUSES:
        return Outcome.DEAD
    return Outcome.NOT_HTML if answer.html is None and answer.page is None else Outcome.OK


def _or_nan(value: float | None) -> float:
    return np.nan if value is None else value


# HTTP answers as recordings keep them: a head, a body, and what a crawler makes of both.

MAX_BLOCK = 2 * MAX_HTML
"""Bytes of a recorded answer that are read: enough for a head and the codings around the longest page."""
_MAX_PDF_BLOCK = MAX_PDF + (1 << 16)
_PDF = re.compile(rb"%PDF-|\ncontent-type:\s*application/(?:x-)?pdf", re.IGNORECASE)
_TELLING = {"content-type", "date", "mime-version", "server"}
"""Fields by which a head is known that has lost its status line."""
_LONGEST_HEAD = 1 << 16
_MOST_INTERIM = 5
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_LINE_END = re.compile(r"\r?\n")
_STATUS = re.compile(r"HTTP/\d(?:\.\d+)?\s+([1-9]\d\d)(?!\d)")
_FIELD = re.compile(r"[A-Za-z0-9][\w .-]*:")


@dataclass(frozen=True, slots=True)
class Head:
    """The head of an answer: its status, None where no status line was kept, and its fields.

    Names are in lower case; of a field that stands there twice the first counts.
    """

    status: int | None
    fields: Mapping[str, str]


def split(block: bytes) -> tuple[Head, bytes] | None:
    """Head and body of a recorded answer, or None when it does not begin as a head does.

    A status line may be missing. Lines that are no field are passed over, as browsers do; an interim
    answer (1xx) in front of the final one too.

    >>> split(b"HTTP/1.0 404 Gone\\r\\nServer: x\\r\\n\\r\\n<p>")
    (Head(status=404, fields={'server': 'x'}), b'<p>')
    >>> split(b"<p>Note: no head\\n\\n") is None
    True
    """
    parts = None
    for _ in range(_MOST_INTERIM + 1):
        parts = _split(block)
        if parts is None or parts[0].status not in range(100, 200) or not parts[1].startswith(b"HTTP/"):
            break
        block = parts[1]
    return parts


def longest_block(start: bytes) -> int:
    """Bytes that are read of a recorded answer which begins so: more of a PDF than of a page."""
    return _MAX_PDF_BLOCK if _PDF.search(start) else MAX_BLOCK


def to_answer(url: str, head: Head, body: bytes, labels: tuple[str, ...] = ()) -> Answer:
    """The answer of `url`: its codings undone, its body only where that is HTML, plain text or a PDF.

    An answer without a status line is a redirect if it has a location, else a page.
    """
    location = head.fields.get("location")
    page = content(head.fields, body, MAX_HTML)
    return Answer(
        url=url,
        status=(302 if location else 200) if head.status is None else head.status,
        html=page.html,
        pdf=page.pdf,
        charset=page.charset,
        location=location,
        modified=page.modified,
        labels=labels,
        wall=None if head.status is None else wall_by_head(head.status, head.fields),
        may_be_wall=head.status is not None,
    )


def _split(block: bytes) -> tuple[Head, bytes] | None:
    blank = _BLANK_LINE.search(block, 0, _LONGEST_HEAD)
    if blank is None and len(block) > _LONGEST_HEAD:
        return None
    before, body = (block[: blank.start()], block[blank.end() :]) if blank else (block, b"")
    first, *others = _LINE_END.split(_text(before))
    status = _STATUS.match(first)
    fields = _fields(others if status else [first, *others])
    if not status and not (_FIELD.match(first) and fields.keys() & _TELLING):
        return None
    return Head(int(status[1]) if status else None, fields), body


def _fields(lines: list[str]) -> dict[str, str]:
    fields: dict[str, str] = {}
    for line in lines:
        if _FIELD.match(line):
            name, _, value = line.partition(":")
            fields.setdefault(name.strip().lower(), value.strip())
    return fields


def _text(head: bytes) -> str:
    """Heads ought to be ASCII; those that are not are UTF-8 or Latin-1."""
    try:
        return head.decode()
    except UnicodeDecodeError:
        return head.decode("latin-1")
