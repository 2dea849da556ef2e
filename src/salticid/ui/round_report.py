"""What a round of watching brought, as the page shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from salticid.store.crawl_folder import CrawlFolder
from salticid.store.round_news import NewsPage, what_came
from salticid.store.rounds import rounds
from salticid.ui.log_reader import date

MOST_SHOWN = 100
"""Pages of each kind, the best first; the digest has the others."""


def news_of_round(crawl: CrawlFolder, number: int | None) -> dict[str, Any]:
    """The rounds of a crawl, and what one of them brought, the last unless another is named; null if there is none."""
    known = rounds(crawl.database)
    told = [
        {"round": stored.number, "began": date(stored.wall), "stopped": stored.stopped} for stored in known
    ]
    if not known:
        return {"rounds": told, "news": None}
    news = what_came(crawl, known[-1].number if number is None else number)
    shown = {"round": news.round, "began": news.began, "counts": news.counts}
    kinds: dict[str, Sequence[NewsPage]] = {
        "new": news.new, "changed": news.changed, "gone": news.gone, "back": news.back,
    }  # fmt: skip
    lists = {
        name: [msgspec.to_builtins(page) for page in pages[:MOST_SHOWN]] for name, pages in kinds.items()
    }
    return {"rounds": told, "news": {**shown, **lists}}
