"""What the page shows of single visits, and of many crawls at once."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from html import escape
from itertools import islice
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from salticid.errors import UserError
from salticid.model import Bools, Page
from salticid.parse import MAX_HTML, Content, content, decode, head_fields
from salticid.runs import reasons
from salticid.service.tally import date, visit
from salticid.store import (
    CrawlFolder,
    Damaged,
    Hit,
    Query,
    RepeatedWords,
    Search,
    StoredVisit,
    WordIndex,
    arrival_at,
    forms_of,
    page_snippet,
    search_words,
)
from salticid.store.archive import read
from salticid.store.news import Versions
from salticid.text import detect, letter_runs, stemmer, stop_words
from salticid.urls import site

# Pages as they were last read, kept for when the live ones are gone: text, HTML with its teeth drawn, PDFs.

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
_REACHING = re.compile(r"<(/?)(a|area|base|embed|form|frame|frameset|iframe|link|meta|object)(?=[\s/>])", re.IGNORECASE)
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


MOST_SNIPPETS, MOST_POINTS, MOST_HITS = 100, 500, 50
MOST_CHARACTERS = 1_000_000
"""Characters of a page in which words are counted."""
_SAMPLE = 2000

Piece = tuple[str, bool]
"""Text, and whether it is a word that was looked for."""


def visit_in_full(crawl: CrawlFolder, step: int, query: str) -> dict[str, Any] | None:
    """All about one visit; None if there is none."""
    shown_visit = visit(crawl, step)
    if shown_visit is None:
        return None
    stored_visit, page = crawl.visit(step), crawl.page(step)
    text = page.text if page is not None else ""
    return {
        **msgspec.structs.asdict(shown_visit),
        "snippet": pieces(page, query, RepeatedWords(crawl).of(step, page)) if page is not None else [],
        "words": words_on(f"{shown_visit.title} {text}", query),
        "likeness": likeness(text, query),
        "why": stored_visit.why,
        "reasons": reasons(stored_visit.why),
        "fetched": date(stored_visit.fetched),
        "archived": bool(stored_visit.records),
        "pdf": is_pdf(crawl, stored_visit),
        "promise": stored_visit.promise,
        "language": detect(text[:_SAMPLE]) if text else None,
        "links": len(page.links) if page is not None else 0,
        "duplicate_of": stored_visit.duplicate_of,
        "status": stored_visit.status,
        "seconds": stored_visit.seconds,
        "size": stored_visit.size,
    }


def page_snippets(crawl: CrawlFolder, steps: Sequence[int], query: str) -> dict[str, Any]:
    """For some visits, the piece of text that shows why, and why their links were chosen."""
    visits = [crawl.visit(step) for step in steps if arrival_at(crawl.database, step) is not None]
    pages = {visit.step: page for visit in visits if (page := crawl.page(visit.step)) is not None}
    repeated_words = RepeatedWords(crawl)
    return {
        "snippets": {str(step): pieces(page, query, repeated_words.of(step, page)) for step, page in pages.items()},
        "why": {str(visit.step): visit.why for visit in visits},
    }


def pieces(page: Page, query: str, repeated: Bools) -> list[Piece]:
    """The piece of a page's text that shows most words of a query, cut where they begin and end."""
    forms = partial(forms_of, stemmer(detect(f"{query} {page.text[:_SAMPLE]}")))
    part = page_snippet(page, frozenset(forms(list(search_words(query)))), forms, repeated)
    return _split_at(part.text, part.matches)


def words_on(text: str, query: str) -> list[tuple[str, int]]:
    """How often each word of a query stands in a text, in any of its forms; stop words are left out.

    A word that is there in another form alone is named as it is there.

    >>> words_on("Planning queries: a query, planned", "the query planner of tables")
    [('query', 2), ('planner', 0), ('tables', 0)]
    >>> words_on("A program and programs.", "programming")
    [('program', 2)]
    """
    code = detect(f"{query} {text[:_SAMPLE]}")
    forms = partial(forms_of, stemmer(code))
    words = list(dict.fromkeys(word for word in letter_runs(query) if word not in stop_words(code)))
    written = Counter(letter_runs(text[:MOST_CHARACTERS]))
    by_form: dict[str, list[str]] = {}
    for word, form in zip(written, forms(list(written)), strict=True):
        by_form.setdefault(form, []).append(word)
    told = []
    for word, form in zip(words, forms(words), strict=True):
        there = by_form.get(form, [])
        shown = word if word in there or not there else max(there, key=written.__getitem__)
        told.append((shown, sum(written[each] for each in there)))
    return told


def likeness(text: str, query: str) -> float:
    """How like a text is to a query: the cosine of the counts of their words, in any form, stop words left out.

    Two words of the query, one of them twice in a text of three words: 2 / (sqrt(2) * sqrt(4 + 1)).

    >>> round(likeness("the query of queries, planning", "query tables"), 4)
    0.6325

    Paper: Menczer, "Complementing search engines with online web mining agents", 2003, Eq. 4.
    """
    code = detect(f"{query} {text[:_SAMPLE]}")
    forms = partial(forms_of, stemmer(code))
    counts = [
        Counter(forms([word for word in letter_runs(part) if word not in stop_words(code)]))
        for part in (query, text[:MOST_CHARACTERS])
    ]
    together = sum(times * counts[1][word] for word, times in counts[0].items())
    sizes = [sqrt(sum(times * times for times in each.values())) for each in counts]
    return together / (sizes[0] * sizes[1]) if together else 0.0


def thinned(positives: Sequence[int]) -> list[tuple[int, int]]:
    """Pages and how many of them are on topic, from none on, at no more points than can be seen."""
    if len(positives) <= MOST_POINTS:
        return list(enumerate(positives))
    places = [round(at * (len(positives) - 1) / (MOST_POINTS - 1)) for at in range(MOST_POINTS)]
    return [(place, positives[place]) for place in places]


def search_all(folders: Sequence[Path], words: str) -> list[dict[str, Any]]:
    """The pages of all crawls that hold some words, best first, each URL once."""
    query = Query.of(words)
    hits = [(folder.name, hit) for folder in folders for hit in _hits(folder, query)]
    hits.sort(key=lambda each: -each[1].rank)
    once: dict[str, tuple[str, Hit]] = {}
    for name, hit in hits:
        once.setdefault(hit.url, (name, hit))
    return [
        {
            "crawl": name,
            "step": hit.step,
            "url": hit.url,
            "title": hit.title,
            "site": site(hit.url),
            "snippet": _split_at(hit.snippet, hit.matches),
            "score": hit.score,
        }
        for name, hit in islice(once.values(), MOST_HITS)
    ]


def _hits(folder: Path, query: Query) -> list[Hit]:
    """The pages of one crawl; none as long as it has no log that can be read."""
    try:
        with closing(CrawlFolder(folder)) as crawl, closing(WordIndex(crawl)) as index:
            index.update()
            return list(islice(Search(crawl, index).hits(query), MOST_HITS))
    except (UserError, Damaged, OSError, sqlite3.Error):
        return []


def _split_at(text: str, matches: Sequence[tuple[int, int]]) -> list[Piece]:
    """A text cut at its matches.

    >>> _split_at("a web", [(2, 5)])
    [('a ', False), ('web', True)]
    """
    parts: list[Piece] = []
    at = 0
    for start, end in matches:
        parts += [(text[at:start], False), (text[start:end], True)]
        at = end
    return [piece for piece in [*parts, (text[at:], False)] if piece[0]]
