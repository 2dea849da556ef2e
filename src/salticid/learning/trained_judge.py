"""What judges have in common that are trained on known pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappush, heappushpop
from itertools import count
from math import fsum

from salticid.exact import logistic
from salticid.model import Page
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot

MOST_CONFIDENT = 50
"""So many pages of the crawl, at most, are added to either side."""


@in_snapshot("brief", _feedback=dict[int, tuple[Page, bool]], _on="Surest", _off="Surest", _schedule="Schedule")
class TrainedJudge:
    """A judge that can be trained on pages on topic and off; a subclass adds `train` and `score`.

    The known pages are examples and negatives, and those a person has spoken about; his last word on a page
    counts. With `retrain` the judge also believes itself: after so many pages, and whenever their number has
    grown by half since, it is trained anew with the surer half of the pages it called positive, and of
    those it did not, at most MOST_CONFIDENT of each.
    """

    line: float = 0.5
    retrain: int = 0

    def train(self, on: Sequence[Page], off: Sequence[Page]) -> None:
        """Forget what was learned and learn this."""
        raise NotImplementedError

    def start(self, brief: Brief) -> None:
        self.brief = brief
        self._feedback: dict[int, tuple[Page, bool]] = {}
        self._on, self._off = Surest(), Surest()
        self._schedule = Schedule(self.retrain)
        self._train()

    def watch(self, page: Page, score: float) -> bool:
        if not self.retrain:
            return False
        if score >= self.line:
            self._on.note(page, score)
        else:
            self._off.note(page, -score)
        due = self._schedule.due()
        if due:
            self._train()
        return due

    def learn(self, likings: Sequence[tuple[Page, float]]) -> bool:
        """Pages a person likes are on topic, pages a person dislikes are not; a liking of 0 takes that back."""
        self._feedback.update({page.url: (page, liking > 0) for page, liking in likings if liking})
        for page, liking in likings:
            if not liking:
                self._feedback.pop(page.url, None)
        if likings:
            self._train()
        return bool(likings)

    def _train(self) -> None:
        examples = {page.url: (page, True) for page in (*self.brief.examples, *self._on.pages())}
        examples |= {page.url: (page, False) for page in (*self.brief.negatives, *self._off.pages())}
        examples |= self._feedback
        on, off = ([page for page, side in examples.values() if side is good] for good in (True, False))
        self.train(on, off)


@in_snapshot(_heap=list[tuple[float, int, Page]], _number=count, _count=int)
class Surest:
    """The pages one is surest about; of equal ones the earliest."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Page]] = []
        self._number = count(0, -1)
        self._count = 0

    def note(self, page: Page, sureness: float) -> None:
        """One more page."""
        entry = (sureness, next(self._number), page)
        self._count += 1
        if len(self._heap) < MOST_CONFIDENT:
            heappush(self._heap, entry)
        else:
            heappushpop(self._heap, entry)

    def pages(self) -> list[Page]:
        """The surer half of all noted, as far as they were kept, surest first."""
        return [page for _, _, page in sorted(self._heap, reverse=True)[: (self._count + 1) // 2]]


@in_snapshot(_next=int, _times=int)
class Schedule:
    """Says when to do what gets dearer as a crawl grows: after `first` times, then at half as many again.

    >>> schedule = Schedule(4)
    >>> [time for time in range(1, 20) if schedule.due()]
    [4, 6, 9, 14]
    """

    def __init__(self, first: int) -> None:
        self._next, self._times = first, 0

    def due(self) -> bool:
        """Whether this is one of the times."""
        self._times += 1
        if self._times < self._next:
            return False
        self._next = self._times + (self._times + 1) // 2
        return True


# From how like a topic a page is to how probably it is about it.

LEAST_APART = 0.05
"""The line lies at least so far above pages off topic, whatever little is known says."""
DOUBT = 5.0
"""The log odds against a usual page off topic: it may be on topic with a probability of 0.007."""
TOP = 0.05
"""So large a part of the pages seen, the most like the topic, say how like it pages can be, while no example tells."""


@in_snapshot()
@dataclass(frozen=True, slots=True)
class Calibration:
    """probability(x) = 1 / (1 + exp(-steepness * (x - line))) up to the line; from there on odds grow as a cube.

    A page that is no more like the topic than other pages are gets less than 0.01. Above the line, where few pages
    are known, 1 + t + t ** 2 + t ** 3 to 1 are the odds of a page that is t times as far above the line as a usual page
    is below: however like the topic, two pages of different likeness get different probabilities, and most of all
    around t = 1, where the pages most like a topic are.

    >>> calibration = Calibration.above(0.1, 0.5)
    >>> [round(calibration.probability(x), 2) for x in (0.1, 0.3, 0.5, 0.7, 0.9, 1.3)]
    [0.01, 0.08, 0.5, 0.65, 0.8, 0.94]
    """

    line: float
    steepness: float

    @classmethod
    def of_pages(cls, pages: Sequence[tuple[float, bool]], least: float) -> Calibration:
        """From how like the topic the pages seen are, and whether they answer the keywords.

        The line lies half way from the lower half of them, less those that answer, to the top, and never below `least`.
        """
        ordered = sorted(pages)
        usual = _mean([like for like, answers in ordered[: (len(ordered) + 1) // 2] if not answers])
        top = _mean([like for like, _ in ordered[-max(round(TOP * len(ordered)), 3) :]])
        return cls.above(usual, max((usual + top) / 2, least))

    @classmethod
    def above(cls, usual: float, line: float) -> Calibration:
        """From how like the topic a usual page is, and from where on a page is rather about it."""
        way = max(line - usual, LEAST_APART)
        return cls(usual + way, DOUBT / way)

    def probability(self, likeness: float) -> float:
        """How probably a page so like the topic is about it."""
        above = likeness - self.line
        if above <= 0.0:
            return logistic(self.steepness * above)
        times = above * self.steepness / DOUBT
        odds = 1.0 + times * (1.0 + times * (1.0 + times))
        return odds / (1.0 + odds)

    def carried_over(self, before: Sequence[float], after: Sequence[float]) -> Calibration:
        """The same for another kind of likeness, given both of some pages: by the straight line through them.

        >>> Calibration(0.3, 15.0).carried_over([0.1, 0.2, 0.6], [0.2, 0.4, 1.2]) == Calibration(0.6, 7.5)
        True
        """
        mean, mean_after = _mean(before), _mean(after)
        spread = fsum((x - mean) ** 2 for x in before)
        both = fsum((x - mean) * (y - mean_after) for x, y in zip(before, after, strict=True))
        if both <= 0.0:
            return self
        slope = both / spread
        return Calibration(mean_after + slope * (self.line - mean), self.steepness / slope)


def _mean(numbers: Sequence[float]) -> float:
    return fsum(numbers) / max(len(numbers), 1)
