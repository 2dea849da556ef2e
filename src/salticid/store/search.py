"""Searching the pages of a crawl: their newest text, one of those all but the same, none that forbids it unasked.

Or the text that they had at another moment.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from salticid.store.crawl_folder import CrawlFolder
from salticid.store.index import WordIndex
from salticid.store.query import Query
from salticid.store.record import VisitRow
from salticid.store.repeated_words import RepeatedWords
from salticid.store.schema import RECHECK, VISIT
from salticid.store.snippet import page_snippet
from salticid.store.versions import Recheck, Versions


class Hit(msgspec.Struct, frozen=True):
    """A page that was found.

    `score` is the judge's by now; `rank` says how well the words fit, higher is better. `matches` are the places of the
    words in `snippet`. `fetched`, in seconds since 1970, is when this text was read. `gone` when a refresh found
    no page there any more; `noindex` when it forbids to be shown.
    """

    url: str
    title: str
    score: float
    rank: float
    snippet: str
    matches: list[tuple[int, int]]
    fetched: float | None
    duplicate_of: str | None
    step: int
    gone: bool
    noindex: bool


class Search:
    """Looks for words in a crawl whose index is up to date; `at` a moment, in seconds since 1970, or now."""

    def __init__(self, crawl: CrawlFolder, index: WordIndex, at: float | None = None) -> None:
        self._crawl, self._index = crawl, index
        self._versions = Versions(crawl.database, at)
        self._repeated_words = RepeatedWords(crawl)

    def hits(
        self,
        query: Query,
        *,
        any_term: bool = False,
        everything: bool = False,
        min_score: float = 0.0,
        noindex: bool = False,
    ) -> Iterator[Hit]:
        """The pages that fit, best first; with `everything` also all near-duplicates and pages that are gone.

        With `noindex` also those that forbid it.
        """
        words = frozenset(self._index.forms([word for term in query.terms for word in term]))
        groups: set[int] = set()
        verdicts = self._crawl.verdicts()
        for key, rank in self._index.matches(query.expression(any_term)):
            form = self._newest_form(key)
            if form is None or verdicts.score(form[0]) < min_score:
                continue
            visit, version = form
            gone = self._versions.is_gone(visit.step)
            first = visit.step if visit.duplicate_of is None else visit.duplicate_of
            like = first if version is None else key
            if not everything and (gone or like in groups):
                continue
            told = self._crawl.visit(visit.step)
            if not self._versions.was_read(told.fetched):
                continue
            page = self._versions.page(visit.step)
            if page.noindex and not noindex:
                continue
            groups.add(like)
            repeated = self._repeated_words.of(visit.step, page)
            piece = page_snippet(page, words, self._index.forms, repeated)
            yield Hit(
                url=told.final_url,
                title=page.title,
                score=told.current_score,
                rank=rank,
                snippet=piece.text,
                matches=piece.matches,
                fetched=told.fetched if version is None else version.wall,
                duplicate_of=told.duplicate_of,
                step=visit.step,
                gone=gone,
                noindex=page.noindex,
            )

    def _newest_form(self, key: int) -> tuple[VisitRow, Recheck | None] | None:
        """The visit and the version that a row of the index stands for; None if there is a newer one."""
        db = self._crawl.database
        step = key if key >= 0 else db.row(RECHECK, -1 - key)[1]
        newest = self._versions.newest(step)
        if key != (step if newest is None else -1 - newest.id) or self._versions.is_thinned(step):
            return None
        return VisitRow._make(db.row(VISIT, step)), newest
