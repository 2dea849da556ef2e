"""Anchors: what a link says about its target, which may be much or nothing."""

from __future__ import annotations

import numpy as np

from salticid.model import Ints
from salticid.worlds.generating.chance import Whole, below, later, rolls
from salticid.worlds.generating.linking import Outlinks, Role
from salticid.worlds.generating.references import ReferenceKind, References
from salticid.worlds.generating.titles import NOTHING, Titles, word_rows
from salticid.worlds.generating.web_plan import WebPlan

_PLAIN = ("click here", "more", "this page", "read more", "link", "here")
_TITLE, _END_OF_TITLE, _SAYS_NOTHING = 0.55, 0.78, 0.95
"""Of the links in texts, those that say the title, those that say its last words or nothing about the target; the
others have no words at all, as pictures do."""


class AnchorTexts:
    """The anchors of links, as rows of word ids."""

    def __init__(self, plan: WebPlan, titles: Titles) -> None:
        self._plan, self._titles = plan, titles
        self._plain = word_rows(plan.lexicon, _PLAIN)
        self._home, self._members, self._calendar = word_rows(
            plan.lexicon, ("home", "members only", "calendar")
        )
        frame = word_rows(plan.lexicon, ("previous page", "next page", "share this"))
        self._frame = dict(zip((Role.PREVIOUS, Role.NEXT, Role.SHARE), frame, strict=True))

    def of(self, links: Outlinks) -> Ints:
        """The words of each link."""
        title = self._titles.of(links.place, links.generation)
        luck = rolls(later(links.key, 6))[:, None]
        plain = self._plain[below(later(links.key, 7), len(_PLAIN))]
        text = np.where(luck < _TITLE, title, np.where(luck < _END_OF_TITLE, _last_words(title), plain))
        text = np.where(luck < _SAYS_NOTHING, text, NOTHING)
        own = (links.role == Role.TEXT)[:, None]
        bar = (links.role == Role.BAR)[:, None]
        rows = np.where(own, text, np.where(bar, _last_words(title), title))
        for role, words in self._frame.items():
            rows = np.where((links.role == role)[:, None], words, rows)
        home = (links.role == Role.BAR) & (self._plan.nth(links.place) == 0)
        rows = np.where(home[:, None], self._home, rows)
        kind = References.unpack(links.reference).kind[:, None]
        rows = np.where(kind == ReferenceKind.FORBIDDEN, self._members, rows)
        anchors: Ints = np.where(kind == ReferenceKind.CALENDAR, self._calendar, rows).astype(np.int32)
        return anchors


def words_in(rows: Ints) -> Whole:
    """How many words each row holds."""
    counts: Whole = np.count_nonzero(rows != NOTHING, axis=1).astype(np.int64)
    return counts


def _last_words(rows: Ints, count: int = 2) -> Ints:
    """The last two words of each row, which has at least two.

    >>> _last_words(np.array([[5, 6, 7, -1, -1, -1]])).tolist()
    [[6, 7, -1, -1, -1, -1]]
    """
    last = words_in(rows)
    words = np.full_like(rows, NOTHING)
    for at in range(count):
        words[:, at] = np.take_along_axis(rows, (last - count + at)[:, None], axis=1)[:, 0]
    return words
