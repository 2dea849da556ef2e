"""What an editor of a directory would write of pages: the words that tell their subject from others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from salticid.exact import logs
from salticid.model import Floats, Ints
from salticid.webs.recorded import RecordedWeb

TELLING, SAID = 100, 15
"""So many words tell a subject from others, and up to so many of them are said of a page."""


class Editor:
    """Describes pages of a world: the title, and those words of the page that tell its subject from others.

    A word tells by p * ln(p / q), p the share of the subject's pages that hold it, q that of all pages.
    """

    def __init__(self, web: RecordedWeb) -> None:
        self._web = web
        self._everywhere = self._pages_with(np.arange(web.pages, dtype=np.int32)) / max(1, web.pages)

    def descriptions(self, subject: Sequence[str], some: Sequence[str]) -> list[str]:
        """A line for each of some pages of a subject, all by their URLs; those not recorded are left out."""
        telling = set(self._telling(self._numbers(subject)).tolist())
        return [self._line(number, telling) for number in self._numbers(some).tolist()]

    def _line(self, number: int, telling: set[int]) -> str:
        page = self._web.page(number)
        words = [word for word in dict.fromkeys(page.tokens.tolist()) if word in telling][:SAID]
        return " ".join([page.title, *self._web.words.spell(words)])

    def _telling(self, pages: Ints) -> Ints:
        here = self._pages_with(pages) / max(1, len(pages))
        there = np.flatnonzero(here)
        worth = here[there] * logs(here[there] / self._everywhere[there])
        best: Ints = there[np.argsort(-worth, kind="stable")[:TELLING]].astype(np.int32)
        return best

    def _pages_with(self, pages: Ints) -> Floats:
        """For each word on how many of these pages it stands."""
        counts = np.zeros(len(self._web.words))
        for number in pages.tolist():
            counts[np.unique(self._web.page(number).tokens)] += 1
        return counts

    def _numbers(self, urls: Sequence[str]) -> Ints:
        ids = [self._web.urls.find(url) for url in urls]
        numbers = [self._web.number_at(at) for at in ids if at >= 0]
        return np.array([number for number in numbers if number >= 0], np.int32)
