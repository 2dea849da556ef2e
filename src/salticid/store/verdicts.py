"""What is thought of the visits of a crawl by now: the judge may have changed its mind, a person have spoken."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from salticid.columns import grow
from salticid.messages import Revision
from salticid.store.database import Database
from salticid.store.record import VisitRow, all_messages


class Word(StrEnum):
    """What a person said of a page."""

    LIKED = "liked"
    REJECTED = "rejected"


_WORDS = {1: Word.LIKED, -1: Word.REJECTED}


class Verdicts:
    """The current score of each visit, and the person's word where there is one, as the log has them.

    `step_of` gives the step at which the page of a URL was visited.
    """

    def __init__(self, db: Database, step_of: Callable[[str], int | None]) -> None:
        self._later = np.full(0, np.nan)
        likings: dict[str, int] = {}
        for _, message in all_messages(db):
            if isinstance(message, Revision):
                likings.update(message.feedback)
                self._revise(message.scores)
        steps = ((step_of(url), _WORDS.get(liking)) for url, liking in likings.items())
        self.words: dict[int, Word] = {step: word for step, word in steps if step is not None and word}

    @property
    def rejected(self) -> list[int]:
        """The steps of the pages that the person rejected."""
        return [step for step, word in self.words.items() if word is Word.REJECTED]

    def _revise(self, scores: list[tuple[int, float]]) -> None:
        if scores:
            steps = [step for step, _ in scores]
            self._later = grow(self._later, max(steps) + 1, np.nan)
            self._later[steps] = [score for _, score in scores]

    def score(self, visit: VisitRow) -> float:
        """Its score as it is judged by now."""
        later = float(self._later[visit.step]) if visit.step < len(self._later) else np.nan
        return visit.score if np.isnan(later) else later

    def ranking(self, visits: Iterable[VisitRow]) -> npt.NDArray[np.int64]:
        """The steps of visits, best first, the earlier first among equals."""
        kind = np.dtype([("score", np.float64), ("step", np.int64)])
        pairs = np.fromiter(((self.score(visit), visit.step) for visit in visits), kind)
        order: npt.NDArray[np.int64] = pairs["step"][np.lexsort((pairs["step"], -pairs["score"]))]
        return order


def is_on_topic(score: float, word: Word | None, line: float) -> bool:
    """Whether a page belongs to what was looked for: what a person said counts, else the judge's line.

    >>> is_on_topic(0.2, Word.LIKED, 0.5), is_on_topic(0.9, Word.REJECTED, 0.5), is_on_topic(0.5, None, 0.5)
    (True, False, True)
    """
    return word is Word.LIKED or (word is None and score >= line)
