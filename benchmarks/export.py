"""Exporting a crawl: how little memory grows with its length, and visits a second.

SALTICID_EXPORT_VISITS says how many visits the long crawl has; a million is what the bound on memory is meant for.
What an export keeps in memory of all visits are the words and the groups of near-duplicates, so the crawl has
both: new words on every page, for as long as it goes on, and every fifth page like an earlier one. The memory is
that of the program; a worker that takes main texts has its own, about 50 MB.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import zstandard

from benchmarks._server import pages as collection
from benchmarks.material import ROOT
from benchmarks.report import figure, peak_memory
from salticid.formats import export
from salticid.model import Page
from salticid.parse.html import Parser
from salticid.store.archive.warc import Archive
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.exports.selection import Criteria
from salticid.store.packing import pack_page, pack_words
from salticid.store.schema import (
    ABOUT,
    CHOICE,
    DATABASE_FILE,
    PAGE,
    ROWS,
    SCRIPT,
    SESSION,
    URL,
    VISIT,
    WORDS,
    SqlTable,
)
from salticid.tables.texts import Texts, Urls

VISITS = int(os.environ.get("SALTICID_EXPORT_VISITS", "100_000"))
SHORT = 10_000
RECORDED = 1_000
"""Pages that come with their HTML."""
DISTINCT = 500
WORDS_A_PAGE = 400
LINKS = 20
NEW_WORDS = 5
"""Words a page that no page had before."""
BATCH = 200
TWINS = 5
"""Every so many pages there is one that is all but the same as an earlier one."""

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"


def run() -> None:
    """Export a long crawl of small pages as it is, and a short one with main texts."""
    with tempfile.TemporaryDirectory() as name:
        long, short, recorded = (Path(name) / crawl for crawl in ("long", "short", "recorded"))
        _write(long, VISITS, _Small())
        _write(short, SHORT, _Small())
        _write(recorded, RECORDED, _Collected(recorded))
        peaks = {}
        for form in ("jsonl", "parquet"):
            peaks[form], speed = _measured(long, form)
            figure(f"{form} of {VISITS:,} visits: peak memory", peaks[form], "MB", target=500, at_most=True)
            figure(f"{form} of {VISITS:,} visits", speed, "visits/s")
        for form in ("jsonl", "csv", "parquet"):
            less, speed = _measured(short, form)
            figure(f"{form} of {SHORT:,} visits: peak memory", less, "MB", target=500, at_most=True)
            figure(f"{form} of {SHORT:,} visits", speed, "visits/s")
            if form == "jsonl" and VISITS > SHORT:
                figure("growth of memory a visit", (peaks[form] - less) * 1e6 / (VISITS - SHORT), "bytes")
        figure(f"jsonl of {RECORDED:,} visits with main texts", _measured(recorded, "jsonl")[1], "visits/s")


def _measured(folder: Path, form: str) -> tuple[float, float]:
    """The peak memory in MB and the visits a second of an export in a fresh process."""
    code = f"from benchmarks.export import work; work({str(folder)!r}, {form!r})"
    command = [sys.executable, "-c", code]
    out = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    peak, speed = map(float, out.split())
    return peak, speed


def work(folder: str, form: str) -> None:
    """Export a crawl, and print the peak memory and the visits a second."""
    crawl = CrawlFolder(Path(folder))
    begin = time.perf_counter()
    with tempfile.TemporaryFile() as out:
        done = export(crawl, form, Criteria(), out, lambda _visits, _pages: None)
    visits = done.pages + sum(done.skipped.values())
    assert visits == len(crawl), done
    print(peak_memory(), visits / (time.perf_counter() - begin))


class _Small:
    """Small pages, each seen again and again under other URLs."""

    def __init__(self) -> None:
        self.urls, self.words = Urls(), Texts()
        parser = Parser(self.urls, self.words)
        self._pages = [parser.parse(self._html(number), f"http://p.example/{number}") for number in range(DISTINCT)]

    def page(self, number: int) -> tuple[Page, str | None]:
        return self._pages[number % DISTINCT], None

    @staticmethod
    def _html(number: int) -> bytes:
        syllables = ("ta", "ren", "sol", "mi", "kor", "bel")
        words = ["".join(syllables[(number * at + k) % 6] for k in range(1 + at % 4)) for at in range(WORDS_A_PAGE)]
        links = " ".join(f"<a href=/{at}>Link {words[at]} {words[-at]}</a>" for at in range(LINKS))
        return f"<title>Page {number}</title><p>{' '.join(words)}</p>{links}".encode()


class _Collected:
    """Pages of the collection, with their HTML in a WARC."""

    def __init__(self, folder: Path) -> None:
        self.urls, self.words = Urls(), Texts()
        self._parser, self._archive = Parser(self.urls, self.words), Archive(folder)
        self._html = collection()

    def page(self, number: int) -> tuple[Page, str | None]:
        html, url = self._html[number % len(self._html)], f"http://p.example/{number}"
        place = self._archive.add(url, b"GET / HTTP/1.1\r\n\r\n", _HEAD + html, None, False)
        self._archive.flush()
        return self._parser.parse(html, url), f"[{place}]"


def _write(folder: Path, visits: int, source: _Small | _Collected) -> None:
    """A crawl folder, straight into its tables: each page found by a link of an earlier one."""
    folder.mkdir(exist_ok=True)
    db = sqlite3.connect(folder / DATABASE_FILE)
    db.executescript(SCRIPT)
    db.execute("PRAGMA synchronous = OFF")
    counts: Counter[str] = Counter()

    def insert(table: SqlTable, *row: object) -> None:
        counts[table.name] += 1
        db.execute(table.insert, table.with_checksum(row))

    insert(SESSION, 0, 1.7e9, 0.0, "{}")
    zstd = zstandard.ZstdCompressor(level=1)
    base = 100_000_000
    for step in range(visits):
        page, records = source.page(step)
        found_by = (step // 7, step % min(LINKS, max(len(page.links), 1))) if step else (-1, 0)
        twin = step // 2 if step and step % TWINS == 0 else None
        url = f"http://host-{step % 1000}.example/section-{step % 97}/an-article-about-{step}.html"
        insert(URL, base + step, url)
        insert(CHOICE, step, step, base + step, *found_by, 0.5, None, None)
        visit = (step, step, step, base + step, "ok", 200, 0.5, 1, 1, 0.1, float(step), 9000, 1.6e9)
        insert(VISIT, *visit, None, 0, records, twin)
        insert(PAGE, step, base + step, *pack_page(page, zstd)[1:])
    known = range(len(source.words))
    insert(WORDS, 0, *pack_words(known, source.words.spell(known), zstd))
    for begin in range(len(known), len(known) + NEW_WORDS * visits, NEW_WORDS * BATCH):
        new = range(begin, begin + NEW_WORDS * BATCH)
        insert(WORDS, begin, *pack_words(new, [f"word{at}" for at in new], zstd))
    insert(ABOUT, ROWS, json.dumps(counts))
    db.commit()
    db.close()
