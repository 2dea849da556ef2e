"""What a round of watching brought, for a person at a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from salticid.cli.console import out, print_table, safe

if TYPE_CHECKING:
    from salticid.store.round_news import NewsPage, RoundNews

MOST_ROWS = 20
"""Pages of each kind that are shown."""
_TITLE, _STORY = 50, 80


def print_round(news: RoundNews, digest: Path) -> None:
    """Print the pages of a round, the best first, and where its digest lies, if it has one yet."""
    from salticid.store.digests.digest_page import in_short

    kinds = (("new", news.new), ("changed", news.changed), ("gone", news.gone), ("back", news.back))
    rows = [row for kind, pages in kinds for row in _rows(kind, pages)]
    print_table(f"Round {news.round}: {in_short(news)}", ("", "score", "title", "what", "address"), rows)
    if digest.is_file():
        out.print(safe(f"All of it: {digest}"), highlight=False, soft_wrap=True)


def _rows(kind: str, pages: Sequence[NewsPage]) -> Iterable[tuple[str, ...]]:
    for page in pages[:MOST_ROWS]:
        title, story = safe(page.title, _TITLE).plain, safe(_story(page), _STORY).plain
        yield kind, f"{page.score:.3f}", title, story, page.url
    if len(pages) > MOST_ROWS:
        yield kind, "", f"and {len(pages) - MOST_ROWS} more", "", ""


def _story(page: NewsPage) -> str:
    """What is new about a page, in a few words."""
    from salticid.store.round_news import ChangedPage, GonePage, NewPage

    match page:
        case NewPage(opening=opening):
            return opening
        case ChangedPage(change=change) if change is not None:
            added, removed = (
                len(change.added) + change.more_added,
                len(change.removed) + change.more_removed,
            )
            return f"+{added} -{removed} {' '.join(change.added[:1] or change.removed[:1])}"
        case GonePage(before=before) if before is not None:
            return f"last read {before:%Y-%m-%d}"
    return ""
