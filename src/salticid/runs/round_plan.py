"""What a round of watching goes by: all that the log says before it, and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import inf, nan
from typing import NamedTuple

import numpy as np

from salticid.messages import Extension, Move, Offer, Revision, Round, Sight
from salticid.model import FROM_OFFER, NO_SHARD, Floats, Glimpse, Ints, Outcome
from salticid.protocols import UrlTable
from salticid.store import (
    CHOICE,
    SESSION,
    VISIT,
    ChoiceRow,
    CrawlFolder,
    Database,
    VisitRow,
    Word,
    all_messages,
    is_on_topic,
)
from salticid.store.news import LookTable, StoredRound, rounds
from salticid.topic import Limits
from salticid.watching import DAY, Looks, RoundBrief, WatchedPages

_WORDS = {1: Word.LIKED, -1: Word.REJECTED}
_FETCHED = frozenset(outcome.value for outcome in Outcome if outcome.fetched)
_PERHAPS_FETCHED = (Outcome.DUPLICATE.value, Outcome.OUT_OF_SCOPE.value)


@dataclass(slots=True)
class HeardBefore:
    """What the crawl had heard when a round began, and whether it was shown new links since.

    `limits` are those it had then, None where nobody changed them; `sights`, without their words and links, are by
    step, `likings` by URL, `moves` by step.
    """

    limits: Limits | None = None
    scores: dict[int, float] = field(default_factory=dict)
    likings: dict[str, int] = field(default_factory=dict)
    sights: dict[int, Glimpse] = field(default_factory=dict)
    moves: dict[int, str] = field(default_factory=dict)
    news_since: bool = False

    @classmethod
    def read(cls, db: Database, number: int) -> HeardBefore:
        """All before the round of this number, which may have begun."""
        heard, begun = cls(), False
        for _, message in all_messages(db):
            match message:
                case Round():
                    begun = message.number == number
                case Sight() | Offer() if begun:
                    heard.news_since = True
                case Extension(limits) if not begun:
                    heard.limits = limits
                case Revision(scores, likings) if not begun:
                    heard.scores.update(scores)
                    heard.likings.update(likings)
                case Sight(glimpse) if not begun and glimpse.origin == NO_SHARD:
                    heard.sights[glimpse.step] = replace(glimpse, words=(), links=())
                case Move(step, url) if not begun:
                    heard.moves[step] = url
        return heard


class FeedSource(NamedTuple):
    """A feed that was read before, what was thought of it, and how many pages on topic it brought."""

    glimpse: Glimpse
    finds: int


class SitemapSource(NamedTuple):
    """A page of a site whose sitemap brought pages on topic, and how far from a seed these were."""

    url: int
    depth: int
    finds: int


@dataclass(frozen=True, slots=True, eq=False)
class RoundStart:
    """Where a round starts: the pages it may look at, by step the URL to ask for each, and other sources of links.

    `pages_at` are the steps of pages by all URLs at which they were ever found.
    """

    brief: RoundBrief
    places: Mapping[int, int]
    pages_at: dict[int, int]
    feeds: list[FeedSource]
    sitemaps: list[SitemapSource]


def round_start(
    crawl: CrawlFolder, urls: UrlTable, stored: StoredRound, heard: HeardBefore, looks: LookTable
) -> RoundStart:
    """What is known when a round begins. `urls` are those of the crawl."""
    db = crawl.database
    rows = [row for row in map(VisitRow._make, db.all(VISIT)) if row.step < stored.first_step]
    sources = {row[0]: ChoiceRow._make(row).source for row in db.all(CHOICE)}
    positive = _positive(crawl, urls, heard, rows)
    good = [row for row in rows if row.good]
    finals = {row.step: row.final for row in good}
    places = finals | {step: urls.intern(url) for step, url in heard.moves.items() if step in finals}
    pages_at = {url: step for found_at in (finals, places) for step, url in found_at.items()}
    children, finds, feeds = Counter[int](), Counter[int](), Counter[str]()
    sitemaps: dict[int, SitemapSource] = {}
    for row in good:
        source = sources[row.choice]
        if row.step not in positive or source == row.step:
            continue
        if (sight := heard.sights.get(source)) is not None:
            hub = pages_at.get(urls.find(sight.url))
            if hub is None:
                feeds[sight.url] += 1
            else:
                finds[hub] += 1
        elif source >= 0:
            children[source] += 1
        elif source == FROM_OFFER:
            host = urls.host(row.final)
            before = sitemaps.get(host, SitemapSource(row.final, row.depth, 0))
            sitemaps[host] = before._replace(finds=before.finds + 1)
    no_feeds = {*pages_at, *(row.final for row in rows if row.outcome == Outcome.KNOWN.value)}
    last_sights = {sight.url: sight for sight in heard.sights.values() if urls.find(sight.url) not in no_feeds}
    known = [FeedSource(sight, feeds[url]) for url, sight in last_sights.items()]
    looks = replace(looks, wall=not_ahead(looks.wall, stored.wall), since=not_ahead(looks.since, stored.wall))
    pages = _watched(db, urls, good, heard, positive, children, finds, looks)
    pages = replace(pages, visited=not_ahead(pages.visited, stored.wall))
    ends = [first.first_step for first in rounds(db) if first.number <= stored.number]
    brief = RoundBrief(pages, _looks(pages, looks), stored.wall, stored.fetches, *_yields(rows, positive, ends))
    return RoundStart(
        brief,
        places,
        pages_at,
        sorted(known, key=lambda feed: -feed.finds),
        sorted(sitemaps.values(), key=lambda site: -site.finds),
    )


def not_ahead(times: Floats, now: float) -> Floats:
    """Times of a log; those after `now` were written under a wrong clock, and count as a day ago.

    >>> not_ahead(np.array([1.0, 2e9, nan]), 1e9).tolist()
    [1.0, 999913600.0, nan]
    """
    return np.where(times > now, now - DAY, times)


def fetches_of(rows: Iterable[VisitRow]) -> int:
    """How many of these visits took a request."""
    return sum(map(_is_fetched, rows))


def _is_fetched(row: VisitRow) -> bool:
    asked = row.outcome not in _PERHAPS_FETCHED or row.status or row.seconds
    return row.outcome in _FETCHED and bool(asked) and not row.revisit


def _positive(crawl: CrawlFolder, urls: UrlTable, heard: HeardBefore, rows: list[VisitRow]) -> frozenset[int]:
    """The steps of the pages on topic by then."""
    words = {urls.find(url): _WORDS.get(liking) for url, liking in heard.likings.items()}
    line = crawl.line()
    return frozenset(
        row.step
        for row in rows
        if row.good and is_on_topic(heard.scores.get(row.step, row.score), words.get(row.final), line)
    )


def _watched(
    db: Database,
    urls: UrlTable,
    good: list[VisitRow],
    heard: HeardBefore,
    positive: frozenset[int],
    children: Counter[int],
    finds: Counter[int],
    looks: LookTable,
) -> WatchedPages:
    sessions = [(at, wall - at) for _, wall, at, *_ in db.all(SESSION)]
    starts = np.array([at for at, _ in sessions] or [-inf])
    zeros = np.array([zero for _, zero in sessions] or [0.0])
    at = np.array([row.at for row in good])
    visited = zeros[np.maximum(np.searchsorted(starts, at, "right") - 1, 0)] + at
    modified = np.array([nan if row.modified is None else row.modified for row in good])
    steps = np.array([row.step for row in good], np.int32)
    # Where not all looks are kept, the page is taken for visited at the last one that is not.
    since = dict(zip(looks.page.tolist(), looks.since.tolist(), strict=True))
    shift = np.array([since.get(row.step, nan) for row in good])
    moved_on = ~np.isnan(shift)
    return WatchedPages(
        step=steps,
        host=np.array([urls.host(row.final) for row in good], np.int32),
        visited=np.where(moved_on, shift, visited),
        modified=np.where(moved_on, nan, modified),
        score=np.array([heard.scores.get(row.step, row.score) for row in good], np.float64),
        positive=np.array([row.step in positive for row in good], np.bool_),
        children=np.array([children[row.step] for row in good], np.int32),
        finds=np.array([finds[row.step] for row in good], np.int32),
    )


def _looks(pages: WatchedPages, looks: LookTable) -> Looks:
    """The looks at these pages; of others, which were taken out since, nothing is said."""
    if not len(pages):
        return Looks.none()
    at = np.minimum(np.searchsorted(pages.step, looks.step), len(pages) - 1)
    there = pages.step[at] == looks.step
    return Looks(at[there].astype(np.int32), looks.wall[there], looks.finding[there])


def _yields(rows: list[VisitRow], positive: frozenset[int], starts: list[int]) -> tuple[Ints, Ints]:
    """The fetches of the first hunt and of each round that began before, and the pages on topic they brought."""
    steps = np.array([row.step for row in rows], np.int64)
    part = np.searchsorted(starts, steps, "right")
    fetched = np.array([_is_fetched(row) for row in rows], np.bool_)
    found = np.array([row.step in positive for row in rows], np.bool_)
    many = len(starts)
    hunted, brought = (np.bincount(part[which], minlength=many) for which in (fetched, found))
    return hunted[:many].astype(np.int32), brought[:many].astype(np.int32)
