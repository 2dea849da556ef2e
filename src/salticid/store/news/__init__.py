"""What changed since a visit: versions of pages, revisits, changed sentences, and the news of a round."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.store.news.changes import Change, StoredRound, rounds
    from salticid.store.news.round_news import (
        ChangedPage,
        GonePage,
        NewPage,
        NewsKind,
        NewsPage,
        NewsSince,
        RoundNews,
        Since,
        news_of,
        version_of,
        what_came,
    )
    from salticid.store.news.versions import (
        CHANGED,
        GONE,
        NOTE,
        SAME,
        THINNED,
        LastVersions,
        LookTable,
        PageVersion,
        Recheck,
        Versions,
        looks_before,
        rechecks,
    )
else:
    from salticid.doors import lazy_names

    __getattr__ = lazy_names(__name__)


__all__ = [
    "CHANGED",
    "GONE",
    "NOTE",
    "SAME",
    "THINNED",
    "Change",
    "ChangedPage",
    "GonePage",
    "LastVersions",
    "LookTable",
    "NewPage",
    "NewsKind",
    "NewsPage",
    "NewsSince",
    "PageVersion",
    "Recheck",
    "RoundNews",
    "Since",
    "StoredRound",
    "Versions",
    "looks_before",
    "news_of",
    "rechecks",
    "rounds",
    "version_of",
    "what_came",
]
