"""The `link` elements of a document, taken for what they mean: itself, what comes next, translations, feeds."""

from __future__ import annotations

from salticid.parse.document import HeadLink
from salticid.parse.feeds import FEED_TYPES
from salticid.text.language import code_of_tag

MAX_FEEDS = 5
"""Feeds that a page may name, and translations into one language."""

_SERIES = ("next", "prev", "previous")


class HeadLinks:
    """What `link` elements with `rel` and `href` say; hrefs as they are written."""

    def __init__(self, links: list[HeadLink]) -> None:
        self.canonical = ""
        self.feeds: list[str] = []
        self._series: list[str] = []
        self._translations: dict[str, list[str]] = {}
        for href, rel, kind, tag in links:
            meanings = rel.lower().split()
            if "canonical" in meanings:
                self.canonical = self.canonical or href
            elif "alternate" in meanings and "stylesheet" not in meanings:
                self._add_alternate(href, kind, tag)
            elif not set(meanings).isdisjoint(_SERIES):
                self._series.append(href)

    def to_follow(self, lang: str, language: str | None) -> list[str]:
        """Where a reader goes on: to the next part and the one before; to the same in the `language` that is asked
        for, unless the document says with `lang` that it is in that.
        """
        same = self._translations.get(language or "", [])
        if same and code_of_tag(lang) == language:
            same = []
        return self._series[: len(_SERIES)] + same

    def _add_alternate(self, href: str, kind: str, tag: str) -> None:
        if kind.partition(";")[0].strip().lower() in FEED_TYPES:
            self.feeds += [href][: MAX_FEEDS - len(self.feeds)]
        elif code := code_of_tag(tag):
            same = self._translations.setdefault(code, [])
            same += [href][: MAX_FEEDS - len(same)]
