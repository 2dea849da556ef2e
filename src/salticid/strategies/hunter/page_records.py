"""The pages read so far, as far as they tell about links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from salticid.columns import Column, grow
from salticid.model import Floats, Ints
from salticid.snapshots import in_snapshot
from salticid.strategies.hunter.url_parts import WORDS

NO_PAGE = -1
LED_BY = 8
"""So many words of the anchors that led to a page are remembered."""
WAYS = 1 << 14
"""Of so many pages, the last, it is remembered how they were found."""


class Ways(NamedTuple):
    """How pages were found, a row each: host and folder, words of the anchors and of the address."""

    places: npt.NDArray[Any]
    anchor: npt.NDArray[Any]
    address: npt.NDArray[Any]

    @classmethod
    def none(cls) -> Ways:
        """The ways of a page that no link led to."""
        return cls(np.zeros((1, 2), np.uint16), np.zeros((1, LED_BY), np.int32), np.zeros((1, WORDS), np.int32))


@in_snapshot(
    score=Column, feedback=Column, away=Column, links=Column, is_example=Column, _ways=tuple[Column, ...],
    row_of_url=np.int32, _row_of_step=np.int32, _feedback=dict[int, float], _lowest_positive=float,
    _highest_other=float,
)  # fmt: skip
class PageRecords:
    """What is known of each page read, the examples first: its score, the ways that led to it, its links.

    The reward is what the judge says, 0.5 at its line and 1 from twice the line on; a person's word is 1 or 0.
    """

    def __init__(self) -> None:
        self.score, self.feedback = Column(np.float64), Column(np.float32)
        self.away, self.links = Column(np.int32), Column(np.int32)
        self.is_example = Column(np.bool_)
        self._ways = (Column(np.uint16, 2), Column(np.int32, LED_BY), Column(np.int32, WORDS))
        self.row_of_url = np.full(1024, NO_PAGE, np.int32)
        self._row_of_step = np.full(1024, NO_PAGE, np.int32)
        self._feedback: dict[int, float] = {}
        self._lowest_positive, self._highest_other = np.inf, 0.0

    def __len__(self) -> int:
        return len(self.score.held)

    def rows(self, urls: Ints) -> Ints:
        """The row of each URL's page, NO_PAGE where none was read."""
        if len(urls):
            self.row_of_url = grow(self.row_of_url, int(urls.max()) + 1, NO_PAGE)
        return self.row_of_url[urls]

    def row_of(self, step: int) -> int:
        """The row of the page that came with a visit."""
        return int(self._row_of_step[step]) if 0 <= step < len(self._row_of_step) else NO_PAGE

    def rows_of_steps(self, steps: Ints) -> Ints:
        """The rows of the pages that came with visits, NO_PAGE where none did."""
        size = len(self._row_of_step)
        rows: Ints = np.where((steps >= 0) & (steps < size), self._row_of_step[np.clip(steps, 0, size - 1)], NO_PAGE)
        return rows

    def add(self, urls: Sequence[int], step: int | None, score: float, links: int, ways: Ways) -> int:
        """A page came, under these URLs; an example without a step. Its row."""
        row = len(self)
        words = [self._feedback[url] for url in urls if url in self._feedback]
        self.score.add(score)
        self.feedback.add(words[0] if words else 1.0 if step is None else np.nan)
        self.is_example.add(step is None)
        self.away.add(0)
        self.links.add(links)
        for column, way in zip(self._ways, ways, strict=True):
            column.add(way)
        if len(self._ways[0].held) >= 2 * WAYS:
            for column in self._ways:
                column.drop(WAYS)
        self.row_of_url = grow(self.row_of_url, max(urls) + 1, NO_PAGE)
        for url in urls:
            self.row_of_url[url] = row
        if step is not None:
            self._row_of_step = grow(self._row_of_step, step + 1, NO_PAGE)
            self._row_of_step[step] = row
        return row

    def link_targets(self) -> tuple[npt.NDArray[np.intp], Ways]:
        """The rows of the last pages that links led to, and how."""
        size = len(self._ways[0].held)
        first = max(size - WAYS, 0)
        rows = np.flatnonzero(~self.is_example.held[len(self) - size + first :]) + first
        return rows + len(self) - size, Ways(*(column.held[rows] for column in self._ways))

    def add_verdict(self, row: int, parent: int, positive: bool) -> None:
        """Learn from a verdict where the judge's line lies, and how far away from good pages this one is."""
        score = float(self.score.held[row])
        if positive:
            self._lowest_positive = min(self._lowest_positive, score)
        else:
            self._highest_other = max(self._highest_other, score)
            self.away.held[row] = 1 if parent == NO_PAGE else self.away.held[parent] + 1

    def revise(self, scores: Sequence[tuple[int, float]]) -> None:
        """The judge changed its mind."""
        for step, score in scores:
            if (row := self.row_of(step)) != NO_PAGE:
                self.score.held[row] = score

    def tell(self, url: int, reward: float) -> None:
        """A person judged a page, which may not have been read yet."""
        self._feedback[url] = reward
        row = int(self.rows(np.array([url], np.int32))[0])
        if row != NO_PAGE:
            self.feedback.held[row] = reward

    def full_score(self) -> float:
        """The score that brings the full reward: twice the judge's line, as far as it is known."""
        if self._lowest_positive < np.inf:
            line = (self._lowest_positive + min(self._highest_other, self._lowest_positive)) / 2
        else:
            line = self._highest_other
        return 2.0 * line or 1.0

    def rewards(self, rows: Ints | slice = slice(None)) -> Floats:
        """The reward of each page, or of these, 0..1."""
        rewards = np.minimum(self.score.held[rows] / self.full_score(), 1.0)
        liking = self.feedback.held[rows]
        return np.where(np.isnan(liking), rewards, liking)
