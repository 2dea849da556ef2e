"""What changed since a visit: versions of pages, revisits, changed sentences; the news of a round, and its digest."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.store.news.changes import Change, StoredRound, rounds
    from salticid.store.news.digest import FEED, ROUNDS_FOLDER, digest_folder, in_short, write_digest
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
    from salticid.doors import door

    __all__, __getattr__ = door(__name__)
