"""Searching the pages of a crawl: their newest text, one of those all but the same, none that forbids it unasked.

Or the text that they had at another moment.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from string import digits
from unicodedata import normalize

import msgspec
import numpy as np
import numpy.typing as npt

from salticid.columns import distinct, distinct_counts
from salticid.errors import UserError
from salticid.model import Bools, Ints, Outcome, Page
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.index import WordIndex, in_letters, search_words
from salticid.store.news import Recheck, Versions
from salticid.store.record import VisitRow
from salticid.store.schema import RECHECK, VISIT
from salticid.store.stored_visit import TwinGroups
from salticid.text import LEAST_PAGES, LEAST_SHARE, ROW, link_lists, words_before_text
from salticid.urls import host, origin

# What a person looks for: words, phrases, and words that must not be there.

MOST_WORDS = 64

_QUOTES = str.maketrans("“”„‟«»", '""""""')
_TERM = re.compile(r'(-?)(?:"([^"]*)"?|([^\s"]+))')

Term = tuple[str, ...]
"""Words that stand side by side. What a person writes as one may be several: x-ray, 3.8, 蜘蛛网."""


@dataclass(frozen=True, slots=True)
class Query:
    """Terms that a page must hold, and `excluded` ones that it must not.

    >>> query = Query.of('jumping spiders "eight eyes" -flies')
    >>> query.terms, query.excluded
    ((('jumping',), ('spiders',), ('eight', 'eyes')), (('flies',),))
    """

    terms: tuple[Term, ...]
    excluded: tuple[Term, ...] = ()

    @classmethod
    def of(cls, text: str) -> Query:
        """Read what a person typed; letters and digits count, and no punctuation but quotes and a leading minus."""
        signed_terms = [
            (sign, tuple(search_words(phrase or word))) for sign, phrase, word in _TERM.findall(text.translate(_QUOTES))
        ]
        terms = tuple(term for sign, term in signed_terms if term and not sign)
        excluded = tuple(term for sign, term in signed_terms if term and sign)
        if not terms:
            raise UserError(f"nothing to look for in {text[:80]!r}; name a word or a number")
        if sum(map(len, terms + excluded)) > MOST_WORDS:
            raise UserError(f"too much to look for; name at most {MOST_WORDS} words")
        return cls(terms, excluded)

    def expression(self, any_term: bool = False) -> str:
        """The query as FTS5 reads it: all terms, or any of them.

        >>> Query.of("web -fly").expression(), Query.of("x-ray eyes").expression(any_term=True)
        ('("web") NOT ("fly")', '("x ray" OR "eyes")')
        """
        terms = (" OR " if any_term else " AND ").join(map(_quote, self.terms))
        excluded = " OR ".join(map(_quote, self.excluded))
        return f"({terms}) NOT ({excluded})" if excluded else f"({terms})"


def _quote(term: Term) -> str:
    # Words are letters or digits and nothing else: no quote, no operator of FTS5 can hide in them.
    return f'"{in_letters(" ".join(term)).strip()}"'


# The piece of a page that shows why it was found.

WIDTH = 240
LEAD = 60
"""Characters shown before the first word that was looked for."""
MOST_CHARACTERS = 100_000
"""Characters of a page; a word that stands only after them is found but not shown."""

FEWEST_WORDS = 5
"""A sentence has so many words."""
_COMMON = -1
_ENDS = re.compile(r"([.!?…][\"'”’)\]]*(?= |$)|[。！？])|[|¶•»«]")
_FIRST_OF_CJK = "\u1100"


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of text, white space folded, and where in it the words stand: from, up to."""

    text: str
    matches: list[tuple[int, int]]


def page_snippet(
    page: Page, words: frozenset[str], forms: Callable[[list[str]], list[str]], repeated: Bools
) -> Snippet:
    """The piece of a page's text that shows why; `repeated` says for each token whether the site repeats it.

    One within a list of links or of what is repeated is shown only if there is no other.
    """
    kinds = np.where(link_lists(page) | repeated, _COMMON, page.areas)[words_before_text(page) :]
    return snippet(page.text, words, forms, kinds.tolist())


def snippet(
    text: str,
    words: frozenset[str],
    forms: Callable[[list[str]], list[str]],
    kinds: Sequence[int] = (),
) -> Snippet:
    """The first piece of a text that shows most of the words looked for; `forms` says what a word counts as.

    `kinds` says for each word, numbers aside, what it is part of: of a heading, of a text, or, below 0, of a list of
    links or of what every page of the site says. Sentences are shown first, then other text of the page's own; where no
    word is found, the first sentence.

    >>> snippet("A web is no trap. Spiders jump.", frozenset({"spiders", "web"}), list)
    Snippet(text='A web is no trap. Spiders jump.', matches=[(2, 5), (18, 25)])
    >>> snippet("Spiders online: Spiders jump.", frozenset({"spiders"}), list, [-1, -1, 0, 0])
    Snippet(text='…Spiders jump.', matches=[(1, 8)])
    """
    text = " ".join(normalize("NFC", text[:MOST_CHARACTERS]).split())
    places = list(_places(text))
    word_forms = forms([text[start:end].lower() for start, end in places])
    hits = [(*place, form) for place, form in zip(places, word_forms, strict=True) if form in words]
    begins = _own_text(text, places, kinds)
    own_hits = [hit for hit in hits if hit[0] in begins]
    said = _sentences(text, begins)
    begins |= said
    at = _best([hit for hit in hits if hit[0] in said] or own_hits or hits, next(iter(said or begins), 0))
    first, last = _bounds(text, at, begins.get(at, 0))
    before, after = "…" * (first > 0), "…" * (last < len(text))
    shift = len(before) - first
    matches: list[tuple[int, int]] = []
    for start, end, _ in hits:
        if first <= start and end <= last:
            touches = bool(matches) and matches[-1][1] >= start + shift
            matches.append((matches.pop()[0] if touches else start + shift, end + shift))
    return Snippet(before + text[first:last] + after, matches)


def _places(text: str) -> Iterator[tuple[int, int]]:
    """Where each token of a text stands."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(small if len(small := char.lower()) == 1 else char for char in text)
    at = 0
    for token in search_words(text):
        start = lower.find(token, at)
        if start >= 0:
            at = start + len(token)
            yield start, at
            at -= len(token) == 2 and token >= _FIRST_OF_CJK  # pairs overlap


def _own_text(text: str, places: list[tuple[int, int]], kinds: Sequence[int]) -> dict[int, int]:
    """Where each word begins that is not common, and where the stretch of words of its kind begins.

    A number goes with the word before it.
    """
    begins: dict[int, int] = {}
    marks = iter(kinds)
    kind = kinds[0] if kinds else 0
    begin, before, last = 0, 0, kind
    for start, end in places:
        if text[start] not in digits:
            kind = next(marks, last)
        if kind != last or not begins:
            begin = min(start, max(before, text.rfind(" ", before, start) + 1)) if before else 0
        if kind != _COMMON:
            begins[start] = begin
        before, last = end, kind
    return begins


def _sentences(text: str, begins: dict[int, int]) -> dict[int, int]:
    """Where each word begins that is of a sentence, all of it such words, and where the sentence begins.

    What is between signs, ends in no full stop, has few words or mostly capitals, is the line of a menu or a heading.
    """
    said: dict[int, int] = {}
    words: list[int] = []
    start, begin = 0, -1
    ends = iter(_ENDS.finditer(text))
    end = next(ends, None)
    for word, stretch in begins.items():
        while end is not None and word >= end.start():
            if end[1] and _is_sentence(text, words):
                said |= dict.fromkeys(words, max(start, begin))
            words, start = [], end.end() + text.startswith(" ", end.end())
            end = next(ends, None)
        if stretch != begin:
            words, begin = [], stretch
        words.append(word)
    if end is not None and end[1] and _is_sentence(text, words):
        said |= dict.fromkeys(words, max(start, begin))
    return said


def _is_sentence(text: str, words: list[int]) -> bool:
    return len(words) >= FEWEST_WORDS and 2 * sum(text[start].isupper() for start in words) < len(words)


def _best(hits: list[tuple[int, int, str]], otherwise: int) -> int:
    """Where the first stretch with most different words begins."""
    counts: Counter[str] = Counter()
    best, most, oldest = otherwise, 0, 0
    for start, _, form in hits:
        counts[form] += 1
        while start - hits[oldest][0] > WIDTH - 2 * LEAD:
            leaving = hits[oldest][2]
            counts[leaving] -= 1
            if not counts[leaving]:
                del counts[leaving]
            oldest += 1
        if len(counts) > most:
            best, most = hits[oldest][0], len(counts)
    return best


def _bounds(text: str, at: int, least: int) -> tuple[int, int]:
    """A piece around a place, cut between words where there is space between words; nothing before `least`."""
    first = max(least, at - LEAD)
    if first > least:
        first = text.find(" ", first, at) + 1 or first
    last = min(len(text), first + WIDTH)
    if last < len(text):
        gap = text.rfind(" ", last - LEAD, last)
        last = gap if gap > 0 else last
    return first, last


# The words that a site repeats on its pages, so that snippets show what a page says itself.

MOST_PAGES = 12
"""So many pages of a host are looked at, spread over those found."""
NEAR = 1000
"""They are looked for among so many visits before and after the page."""
MOST_HOSTS = 1024
"""What so many hosts repeat is remembered, those learned last; others are learned again."""

_STEPS = f"""SELECT v.step FROM visit v CROSS JOIN url u ON u.id = v.final WHERE v.step BETWEEN ? AND ?
    AND v.outcome = '{Outcome.OK.value}' AND NOT v.revisit AND v.duplicate_of IS NULL AND u.text >= ? AND u.text < ?"""
_FACTOR = np.uint64(0x9E3779B97F4A7C15)

Rows = npt.NDArray[np.uint64]


class RepeatedWords:
    """Which words of pages the hosts of a crawl repeat, learned from a few pages of each when asked for.

    They are what judge and strategy do not read as a page's own words (`text/boilerplate.py`), but found in all of a
    page. Near-duplicates are not looked at: what copies of one page have in common is what it says.
    """

    def __init__(self, crawl: CrawlFolder) -> None:
        self._crawl = crawl
        self._learned: dict[str, Rows] = {}

    def of(self, step: int, page: Page) -> Bools:
        """For each token of the page of a visit whether its site repeats it."""
        url = self._crawl.url(page.url)
        name = host(url)
        if name not in self._learned:
            if len(self._learned) == MOST_HOSTS:
                del self._learned[next(iter(self._learned))]
            pages = map(self._crawl.page, self._steps_near(step, url))
            self._learned[name] = _repeated([page.tokens for page in pages if page is not None])
        known, rows = self._learned[name], _rows(page.tokens)
        repeated = np.zeros(len(page.tokens), np.bool_)
        if not len(known):
            return repeated
        is_known = known[np.minimum(np.searchsorted(known, rows), len(known) - 1)] == rows
        for place in range(ROW):
            repeated[place : place + len(rows)] |= is_known
        return repeated

    def _steps_near(self, step: int, url: str) -> list[int]:
        """Some visits to pages of the host of a URL. They are not checked, for the pages are."""
        site = origin(url)
        between = f"{site}/", f"{site}0"  # "0" comes after "/"
        steps = [row[0] for row in self._crawl.database.run(_STEPS, (step - NEAR, step + NEAR, *between))]
        many = min(len(steps), MOST_PAGES)
        return [steps[at * len(steps) // many] for at in range(many)]


def _repeated(pages: Sequence[Ints]) -> Rows:
    """The rows of words that pages of one host repeat."""
    if len(pages) < LEAST_PAGES:
        return np.zeros(0, np.uint64)
    rows, counts = distinct_counts(np.concatenate([distinct(_rows(page)) for page in pages]))
    return rows[counts >= max(LEAST_PAGES, LEAST_SHARE * len(pages))]


def _rows(tokens: Ints) -> Rows:
    """A number for each row of words, by their ids."""
    many = max(len(tokens) - ROW + 1, 0)
    words, rows = tokens.astype(np.uint64), np.zeros(many, np.uint64)
    for place in range(ROW):
        rows = rows * _FACTOR + words[place : place + many]
    return rows


class Hit(msgspec.Struct, frozen=True):
    """A page that was found.

    `score` is the judge's by now; `rank` says how well the words fit, higher is better. `matches` are the places of the
    words in `snippet`. `fetched`, in seconds since 1970, is when this text was read. `gone` when a refresh found
    no page there any more; `noindex` when it forbids to be shown. `also_at` are the URLs of near-duplicates, releases
    and translations that it stands for.
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
    also_at: list[str]


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
        shown: set[int] = set()
        groups = TwinGroups(self._crawl.database)
        verdicts = self._crawl.verdicts()
        for key, rank in self._index.matches(query.expression(any_term)):
            form = self._newest_form(key)
            if form is None or verdicts.score(form[0]) < min_score:
                continue
            visit, version = form
            gone = self._versions.is_gone(visit.step)
            like = groups.group(visit.step) if version is None else key
            if not everything and (gone or like in shown):
                continue
            told = self._crawl.visit(visit.step)
            if not self._versions.was_read(told.fetched):
                continue
            page = self._versions.page(visit.step)
            if page.noindex and not noindex:
                continue
            shown.add(like)
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
                also_at=[other.final_url for other in self._crawl.visits_at(groups.others(visit.step))],
            )

    def _newest_form(self, key: int) -> tuple[VisitRow, Recheck | None] | None:
        """The visit and the version that a row of the index stands for; None if there is a newer one."""
        db = self._crawl.database
        step = key if key >= 0 else db.row(RECHECK, -1 - key)[1]
        newest = self._versions.newest(step)
        if key != (step if newest is None else -1 - newest.id) or self._versions.is_thinned(step):
            return None
        return VisitRow._make(db.row(VISIT, step)), newest
