"""What the page shows of single visits, and of many crawls at once."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from itertools import islice
from math import sqrt
from pathlib import Path
from typing import Any

import msgspec

from salticid.errors import UserError
from salticid.model import Bools, Page
from salticid.runs.reasons import reasons
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.damage import Damaged
from salticid.store.index import WordIndex, forms_of
from salticid.store.query import Query
from salticid.store.record import arrival_at
from salticid.store.repeated_words import RepeatedWords
from salticid.store.search import Hit, Search
from salticid.store.search_words import search_words
from salticid.store.snippet import page_snippet
from salticid.text import language
from salticid.text.tokens import letter_runs
from salticid.ui.kept_copies import is_pdf
from salticid.ui.log_reader import date, visit
from salticid.urls import site

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
        "language": language.detect(text[:_SAMPLE]) if text else None,
        "links": len(page.links) if page is not None else 0,
        "duplicate_of": stored_visit.duplicate_of,
        "status": stored_visit.status,
        "seconds": stored_visit.seconds,
        "size": stored_visit.size,
    }


def snippets(crawl: CrawlFolder, steps: Sequence[int], query: str) -> dict[str, Any]:
    """For some visits, the piece of text that shows why, and why their links were chosen."""
    visits = [crawl.visit(step) for step in steps if arrival_at(crawl.database, step) is not None]
    pages = {visit.step: page for visit in visits if (page := crawl.page(visit.step)) is not None}
    repeated_words = RepeatedWords(crawl)
    return {
        "snippets": {
            str(step): pieces(page, query, repeated_words.of(step, page)) for step, page in pages.items()
        },
        "why": {str(visit.step): visit.why for visit in visits},
    }


def pieces(page: Page, query: str, repeated: Bools) -> list[Piece]:
    """The piece of a page's text that shows most words of a query, cut where they begin and end."""
    forms = partial(forms_of, language.stemmer(language.detect(f"{query} {page.text[:_SAMPLE]}")))
    part = page_snippet(page, frozenset(forms(list(search_words(query)))), forms, repeated)
    return _split_at(part.text, part.matches)


def words_on(text: str, query: str) -> list[tuple[str, int]]:
    """How often each word of a query stands in a text, in any of its forms; stop words are left out.

    >>> words_on("Planning queries: a query, planned", "the query planner of tables")
    [('query', 2), ('planner', 0), ('tables', 0)]
    """
    code = language.detect(f"{query} {text[:_SAMPLE]}")
    forms = partial(forms_of, language.stemmer(code))
    words = list(dict.fromkeys(word for word in letter_runs(query) if word not in language.stop_words(code)))
    counts = Counter(forms(list(letter_runs(text[:MOST_CHARACTERS]))))
    return [(word, counts[form]) for word, form in zip(words, forms(words), strict=True)]


def likeness(text: str, query: str) -> float:
    """How like a text is to a query: the cosine of the counts of their words, in any form, stop words left out.

    Two words of the query, one of them twice in a text of three words: 2 / (sqrt(2) * sqrt(4 + 1)).

    >>> round(likeness("the query of queries, planning", "query tables"), 4)
    0.6325

    Paper: Menczer, "Complementing search engines with online web mining agents", 2003, Eq. 4.
    """
    code = language.detect(f"{query} {text[:_SAMPLE]}")
    forms = partial(forms_of, language.stemmer(code))
    counts = [
        Counter(forms([word for word in letter_runs(part) if word not in language.stop_words(code)]))
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
