"""The news of the last rounds as an Atom feed (RFC 4287), for the reader that a person has anyway."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from uuid import NAMESPACE_URL, uuid5
from xml.etree.ElementTree import Element

from salticid.store.digests.markup import element, xml
from salticid.store.digests.news_sections import story
from salticid.store.round_news import NewsPage, RoundNews

MOST_ENTRIES = 200
"""The newest; readers keep what they have read."""
_ATOM, _XHTML = "http://www.w3.org/2005/Atom", "http://www.w3.org/1999/xhtml"
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


def atom_feed(rounds: Iterable[RoundNews], topic: str, crawl: str) -> bytes:
    """A feed of what rounds brought, the last round first; `crawl` tells this crawl from all others.

    Ids follow from the crawl, the round, the address and the kind of news, so that an entry is the same in every feed
    that has it. Pages off the topic are left out.
    """
    newest_first = sorted(rounds, key=lambda news: -news.round)
    updated = newest_first[0].began if newest_first else None
    entries = (entry for news in newest_first for entry in _entries(news, crawl))
    feed = element(
        "feed",
        element("id", _id(crawl)),
        element("title", f"What is new: {topic}"),
        element("updated", _time(updated)),
        element("author", element("name", "Salticid")),
        element("generator", "Salticid"),
        *(entry for entry, _ in zip(entries, range(MOST_ENTRIES), strict=False)),
        xmlns=_ATOM,
    )
    return xml(feed)


def _entries(news: RoundNews, crawl: str) -> Iterator[Element]:
    kinds: tuple[tuple[str, Iterable[NewsPage]], ...] = (
        ("New", news.new), ("Changed", news.changed), ("Gone", news.gone), ("Back again", news.back),
    )  # fmt: skip
    for kind, pages in kinds:
        for page in pages:
            if page.on_topic:
                yield element(
                    "entry",
                    element("id", _id(f"{crawl} {news.round} {kind} {page.url}")),
                    element("title", f"{kind}: {page.title.strip() or page.url}"),
                    element("updated", _time(page.read or news.began)),
                    element("link", rel="alternate", href=page.url),
                    element("category", term=kind.lower().replace(" ", "-")),
                    element("content", element("div", *story(page), xmlns=_XHTML), type="xhtml"),
                )


def _id(name: str) -> str:
    return f"urn:uuid:{uuid5(NAMESPACE_URL, name)}"


def _time(time: datetime | None) -> str:
    return f"{time or _LONG_AGO:%Y-%m-%dT%H:%M:%SZ}"
