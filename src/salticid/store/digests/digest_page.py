"""The digest of a round as a page that opens offline, and the news of the last rounds as an Atom feed (RFC 4287)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, uuid5

from salticid.model import Page
from salticid.store.round_news import GonePage, NewsPage, RoundNews
from salticid.text.sentences import stretches
from salticid.text.templates import content_hash, templates

if TYPE_CHECKING:
    from jinja2 import Environment

MOST_IN_FULL = 500
"""Pages of a section that are told of in full; others are counted."""
MOST_ENTRIES = 200
"""The newest entries of a feed; readers keep what they have read."""
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


def digest_page(news: RoundNews, topic: str, copied: Collection[int]) -> bytes:
    """What a round brought; the last copies of pages that are gone lie beside it where their steps are `copied`."""
    return _made(
        "digest.html.j2",
        title=f"What is new: {topic}",
        news=news,
        short=in_short(news),
        sections=_sections(news),
        copied=copied,
        most=MOST_IN_FULL,
    )


def kept_page(about: GonePage, page: Page) -> bytes:
    """The last copy of a page that is gone: its text, paragraph by paragraph."""
    paragraphs = [" ".join(stretch.sentences) for stretch in stretches(page)]
    return _made("kept.html.j2", title=about.title.strip() or about.url, about=about, paragraphs=paragraphs)


def atom_feed(rounds: Iterable[RoundNews], topic: str, crawl: str) -> bytes:
    """A feed of what rounds brought, the last round first; `crawl` tells this crawl from all others.

    Ids follow from the crawl, the round, the address and the kind of news, so that an entry is the same in every feed
    that has it. Pages off the topic are left out.
    """
    newest_first = sorted(rounds, key=lambda news: -news.round)
    entries = (
        (kind, page, _id(f"{crawl} {news.round} {kind} {page.url}"), _time(page.read or news.began))
        for news in newest_first
        for kind, pages in _sections(news)
        for page in pages
        if page.on_topic
    )
    return _made(
        "feed.xml.j2",
        title=f"What is new: {topic}",
        id=_id(crawl),
        updated=_time(newest_first[0].began if newest_first else None),
        entries=list(islice(entries, MOST_ENTRIES)),
    )


def in_short(news: RoundNews) -> str:
    """A round in a line."""
    counts = news.counts
    told = [f"{counts['new']} new", f"{counts['changed']} changed", f"{counts['gone']} gone"]
    told += [f"{counts['back']} back again"] if counts["back"] else []
    told.append(f"{counts['same']} the same")
    told += [f"{counts['still_gone']} still gone"] if counts["still_gone"] else []
    told += [f"{counts['unknown']} unknown"] if counts["unknown"] else []
    return ", ".join(told)


def copy_name(page: GonePage) -> str:
    """The file of the last copy of a page, beside the digest."""
    return f"kept/{page.step}.html"


def _sections(news: RoundNews) -> list[tuple[str, list[NewsPage]]]:
    return [
        ("New", [*news.new]),
        ("Changed", [*news.changed]),
        ("Gone", [*news.gone]),
        ("Back again", [*news.back]),
    ]


@cache
def _environment() -> Environment:
    environment = templates("salticid.store.digests")
    environment.filters |= {"day": _day, "copy_name": copy_name}
    environment.globals["style_hash"] = content_hash(environment, "digest.css")
    return environment


def _made(template: str, **content: Any) -> bytes:
    return _environment().get_template(template).render(**content).encode() + b"\n"


def _day(time: datetime | None) -> str:
    return "at an unknown time" if time is None else f"{time:%Y-%m-%d %H:%M} UTC"


def _id(name: str) -> str:
    return f"urn:uuid:{uuid5(NAMESPACE_URL, name)}"


def _time(time: datetime | None) -> str:
    return f"{time or _LONG_AGO:%Y-%m-%dT%H:%M:%SZ}"
