"""Which feeds of a crawl are read, and what it is shown of them."""

from __future__ import annotations

from collections import Counter

from salticid.model import NO_SHARD, Glimpse, Page, Visit
from salticid.protocols import Tables

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
            links=tuple(
                zip(urls.spell(links.url.tolist()), links.start.tolist(), links.end.tolist(), strict=True)
            ),
            score=liked.score,
            positive=liked.positive,
            depth=liked.depth,
        )
