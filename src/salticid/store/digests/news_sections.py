"""News as HTML: what is said of a page that is new, changed, gone or back again."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from xml.etree.ElementTree import Element

from salticid.store.changes import Change
from salticid.store.digests.markup import element, link
from salticid.store.round_news import ChangedPage, GonePage, NewPage, NewsPage

_GONE = (404, 410)
MOST_IN_FULL = 500
"""Pages of a section that are told of in full; others are counted."""


def story(page: NewsPage) -> list[Element]:
    """What is new about a page."""
    match page:
        case NewPage(opening=opening):
            return [element("p", opening)] if opening else []
        case ChangedPage(change=None):
            return []
        case ChangedPage(change=change) if change is not None:
            return [sentence_list(change)]
        case GonePage(status=status):
            gone = f"The server answers {status}." if status in _GONE else "It is no page any more."
            return [element("p", gone)]
    return []


def sentence_list(change: Change) -> Element:
    """The sentences that came and went."""
    items = [
        *(element("li", element("ins", text)) for text in change.added),
        *_more(change.more_added, "came"),
        *(element("li", element("del", text)) for text in change.removed),
        *_more(change.more_removed, "went"),
    ]
    if not items:
        items = [element("li", "No sentence of its own came or went.")]
    return element("ul", *items, class_="change")


def section(title: str, pages: Sequence[NewsPage], copied: Collection[int] = ()) -> list[Element]:
    """The pages of one kind: those on topic in full, the rest folded; copies are linked of those `copied`."""
    if not pages:
        return []
    best = [page for page in pages if page.on_topic]
    rest = [page for page in pages if not page.on_topic]
    parts = [element("h2", f"{title} ({len(pages)})")]
    parts += [_article(page, copied) for page in best[:MOST_IN_FULL]]
    parts += _others(len(best) - MOST_IN_FULL)
    if rest:
        items = [element("li", _named(page)) for page in rest[:MOST_IN_FULL]]
        count = f"{len(rest)} off the topic"
        parts.append(element("details", element("summary", count), element("ul", *items)))
        parts += _others(len(rest) - MOST_IN_FULL)
    return parts


def day(time: datetime | None) -> str:
    """A time as it is shown."""
    return "at an unknown time" if time is None else f"{time:%Y-%m-%d %H:%M} UTC"


def copy_name(page: GonePage) -> str:
    """The file of the last copy of a page, beside the digest."""
    return f"kept/{page.step}.html"


def _article(page: NewsPage, copied: Collection[int]) -> Element:
    about = [element("h3", _named(page)), element("p", page.url, class_="soft")]
    return element("article", *about, *story(page), element("p", *_times(page, copied), class_="soft"))


def _times(page: NewsPage, copied: Collection[int]) -> Iterator[Element | str]:
    match page:
        case ChangedPage(before=before):
            yield f"Read {day(page.read)}, and before that {day(before)}."
        case GonePage(before=before):
            last = f"last copy, read {day(before)}"
            yield f"Gone {day(page.read)}; "
            yield element("a", last, href=copy_name(page)) if page.step in copied else last
        case _:
            yield f"Read {day(page.read)}."


def _named(page: NewsPage) -> Element:
    return link(page.url, page.title.strip() or page.url)


def _more(count: int, what: str) -> list[Element]:
    return [element("li", f"{count} more {what}.", class_="soft")] if count > 0 else []


def _others(count: int) -> list[Element]:
    return [element("p", f"{count} more are in digest.json.", class_="soft")] if count > 0 else []
