"""Pages shown to a crawl without a fetch: those that feeds name, and those that other crawls hold."""

from __future__ import annotations

from collections import Counter

import numpy as np

from salticid.crawl import Crawl
from salticid.model import FROM_SEED, NO_SHARD, Choice, Glimpse, Outcome, Page, Response, Visit
from salticid.protocols import Tables
from salticid.store import OtherCrawls
from salticid.tables import excerpt

FEEDS_A_HOST = 5
"""Blogs have a feed for the comments on every entry."""


class Feeds:
    """Feeds that pages the judge liked name, each read once in a run, and so many of a host's at the most."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._read: set[str] = set()
        self._hosts: Counter[int] = Counter()

    def take_for_read(self, url: str) -> None:
        """This one need not be read in this run."""
        self._read.add(url)

    def unread(self, visit: Visit) -> list[str]:
        """Those to be read now, which are taken for read from here on."""
        if visit.page is None or not visit.positive:
            return []
        host = self._tables.urls.host(visit.final)
        news = [url for url in dict.fromkeys(visit.page.feeds) if url not in self._read]
        news = news[: FEEDS_A_HOST - self._hosts[host]]
        self._read.update(news)
        self._hosts[host] += len(news)
        return news

    def glimpse(self, feed: Page, liked: Visit, step: int) -> Glimpse:
        """A feed as the crawl is shown it: more links of the liked page, with what is thought of that."""
        urls, words = self._tables.urls, self._tables.words
        links = feed.links
        return Glimpse(
            origin=NO_SHARD,
            step=step,
            url=urls[feed.url],
            title=feed.title,
            words=tuple(words.spell(feed.tokens.tolist())),
            links=tuple(zip(urls.spell(links.url.tolist()), links.start.tolist(), links.end.tolist(), strict=True)),
            score=liked.score,
            positive=liked.positive,
            depth=liked.depth,
        )


# Pages that another crawl holds: a crawl is shown what they say around their links, and does not fetch them.


class KnownElsewhere:
    """Answers choices from other crawls. A seed is fetched all the same: a person named it."""

    def __init__(self, crawl: Crawl, others: OtherCrawls) -> None:
        self._crawl, self._others = crawl, others
        self._shown: set[int] = set()

    def answer(self, choice: Choice) -> Response | None:
        """The response to a choice that need not be fetched; None if it must."""
        url = choice.link.url
        if choice.link.source == FROM_SEED:
            return None
        held = self._others.page(self._crawl.brief.urls[url])
        if held is None:
            return None
        page, holder = held
        self._others.note(self._crawl.step, holder)
        return Response(url, page.url, Outcome.KNOWN)

    def show(self, visit: Visit) -> None:
        """Show the crawl the page that such a visit stands for, unless it was shown before."""
        held = self._others.page(self._crawl.brief.urls[visit.url])
        if held is None or held[0].url in self._shown:
            return
        page = held[0]
        self._shown.add(page.url)
        if page.nofollow or not (places := np.flatnonzero(~page.links.nofollow).tolist()):
            return
        score = self._crawl.judge.score(page)
        self._crawl.glimpse(
            excerpt(
                page, places, self._crawl.brief, origin=NO_SHARD, step=self._crawl.step, score=score,
                positive=score >= self._crawl.judge.line, depth=visit.depth,
            )
        )  # fmt: skip

    def compare(self, page: Page) -> None:
        """Note of a page that comes now whether another crawl has one that is all but the same."""
        if (holder := self._others.twin(page)) is not None:
            self._others.note(self._crawl.step, holder)
