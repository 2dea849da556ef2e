"""Which pages of a crawl are on topic by now, kept as its log grows: one line, for every figure the page shows."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import accumulate
from math import nan

from salticid.messages import Revision
from salticid.store.record import VisitRow


class Standing:
    """The current score of each good page, a person's word on it, and what follows from the two.

    A page is on topic when the person liked it, or said nothing of it and its score reaches the line. Pages that are
    all but the same count once, and not at all if one of them was rejected. Pages are told apart by their steps.
    """

    def __init__(self) -> None:
        self.pages = array("q")
        self._scores = array("d")
        self._words: dict[int, int] = {}
        self._first: dict[int, int] = {}
        self._on: set[int] = set()
        self._groups: Counter[int] = Counter()
        self._lowest_positive = 1.0
        self._told_line: float | None = None

    @property
    def line(self) -> float:
        """The score from which on a page is on topic: as the judge told, else the lowest that it called so."""
        return self._lowest_positive if self._told_line is None else self._told_line

    @property
    def on_topic(self) -> int:
        """How many pages are."""
        return len(self._groups) - sum(group in self._groups for group in self._rejected())

    def steps_on_topic(self) -> Iterator[int]:
        """The steps of the pages that are, those all but the same included."""
        rejected = self._rejected()
        return (step for step in self._on if self._group(step) not in rejected)

    def share_of_last(self, many: int) -> float:
        """The share of pages on topic among the last ones."""
        last = self.pages[-many:]
        return sum(step in self._on for step in last) / len(last) if last else 0.0

    def curve(self) -> list[int]:
        """How many are on topic of the first n pages, for each n from 0 on."""
        groups = self._rejected()
        news: list[int] = []
        for step in self.pages:
            group = self._group(step)
            is_new = step in self._on and group not in groups
            groups.update([group] if is_new else [])
            news.append(is_new)
        return list(accumulate(news, initial=0))

    def draw_line(self, line: float | None) -> None:
        """From now on this is the line; None if nobody told."""
        if line != self._told_line:
            self._told_line = line
            self._settle(self.pages)

    def see(self, visit: VisitRow) -> None:
        """A good page came."""
        self._scores.extend([nan] * (visit.step + 1 - len(self._scores)))
        self._scores[visit.step] = visit.score
        if visit.duplicate_of is not None:
            self._first[visit.step] = self._group(visit.duplicate_of)
        self.pages.append(visit.step)
        if visit.positive and visit.score < self._lowest_positive:
            self._lowest_positive = visit.score
            if self._told_line is None:
                self._settle(self.pages)
        self._settle([visit.step])

    def hear(self, revision: Revision, steps: dict[str, int | None]) -> None:
        """Pages were judged anew, or a person spoke; `steps` says at which step each URL was visited."""
        known = [(step, score) for step, score in revision.scores if self._has(step)]
        for step, score in known:
            self._scores[step] = score
        spoken = [(at, liking) for url, liking in revision.feedback if (at := steps[url]) is not None]
        self._words.update(spoken)
        self._settle(step for step, _ in [*known, *spoken] if self._has(step))

    def _rejected(self) -> set[int]:
        """The groups of which a page was rejected."""
        return {self._group(step) for step, word in self._words.items() if word < 0}

    def _has(self, step: int) -> bool:
        return step < len(self._scores) and self._scores[step] == self._scores[step]

    def _group(self, step: int) -> int:
        return self._first.get(step, step)

    def _settle(self, steps: Iterable[int]) -> None:
        """Say anew which of these are on topic."""
        line = self.line
        for step in steps:
            word = self._words.get(step, 0)
            is_on = word > 0 or (word == 0 and self._scores[step] >= line)
            if is_on == (step in self._on):
                continue
            group = self._group(step)
            if is_on:
                self._on.add(step)
                self._groups[group] += 1
            else:
                self._on.remove(step)
                self._groups[group] -= 1
                if not self._groups[group]:
                    del self._groups[group]
