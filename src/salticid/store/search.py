"""Searching the pages of a crawl: their newest text, one of those all but the same, none that forbids it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec
import zstandard

from salticid.store.crawl_folder import CrawlFolder
from salticid.store.index import WordIndex
from salticid.store.query import Query
from salticid.store.snippet import snippet

_PAGE = "SELECT step, NULL, title, text, NULL FROM page WHERE step = ?"
_VERSION = """SELECT a.step, a.id, v.title, v.text, a.wall FROM version v JOIN asked_again a ON a.id = v.asked_again
    WHERE a.id = ?"""
_BELIEVED = """SELECT score, coalesce(duplicate_of, step),
    (SELECT max(v.asked_again) FROM version v JOIN asked_again a ON a.id = v.asked_again WHERE a.step = visit.step),
    (SELECT found = 'gone' FROM asked_again a
     WHERE a.step = visit.step AND found IN ('same', 'changed', 'gone') ORDER BY id DESC LIMIT 1)
    FROM visit WHERE step = ?"""


class Hit(msgspec.Struct, frozen=True):
    """A page that was found.

    `score` is the judge's; `rank` says how well the words fit, higher is better. `matches` are the places of the
    words in `snippet`. `fetched`, in seconds since 1970, is when this text was read. `gone` when a refresh found
    no page there any more.
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


class _Form(NamedTuple):
    """A page as the crawl read it, or as a refresh did later: only then there is a `version`, `read` at a time."""

    step: int
    version: int | None
    title: str
    packed_text: bytes
    read: float | None


class Search:
    """Looks for words in a crawl whose index is up to date."""

    def __init__(self, crawl: CrawlFolder, index: WordIndex) -> None:
        self._crawl, self._index = crawl, index

    def hits(
        self, query: Query, *, any_term: bool = False, everything: bool = False, min_score: float = 0.0
    ) -> Iterator[Hit]:
        """The pages that fit, best first; with `everything` also all near-duplicates and pages that are gone."""
        sought = frozenset(self._index.forms([word for term in query.wanted for word in term]))
        shown: set[int] = set()
        for row, rank in self._index.matches(query.expression(any_term)):
            form = self._form(row)
            score, first, newest, gone = self._crawl.db.execute(_BELIEVED, (form.step,)).fetchone()
            if form.version != newest or score < min_score:
                continue
            like = first if form.version is None else row
            if not everything and (gone or like in shown):
                continue
            shown.add(like)
            yield self._hit(form, rank, bool(gone), sought)

    def _form(self, row: int) -> _Form:
        """What a row of the index stands for."""
        found = self._crawl.db.execute(*((_PAGE, (row,)) if row >= 0 else (_VERSION, (-1 - row,))))
        return _Form(*found.fetchone())

    def _hit(self, form: _Form, rank: float, gone: bool, sought: frozenset[str]) -> Hit:
        visit = self._crawl.visit(form.step)
        text = zstandard.decompress(form.packed_text).decode() if form.packed_text else ""
        piece = snippet(text, sought, self._index.forms)
        return Hit(
            url=visit.final_url,
            title=form.title,
            score=visit.score,
            rank=rank,
            snippet=piece.text,
            matches=piece.matches,
            fetched=visit.fetched if form.read is None else form.read,
            duplicate_of=visit.duplicate_of,
            step=form.step,
            gone=gone,
        )
