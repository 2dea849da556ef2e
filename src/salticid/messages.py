"""What a crawl gets besides the answers to its choices: written into its log, and repeated when it goes on.

URLs are texts here, which mean the same wherever the log is read.
"""

from __future__ import annotations

from msgspec import Struct

from salticid.model import Event, Glimpse
from salticid.topic import Limits


class Offer(Struct, frozen=True, tag="offer"):
    """Links that come without a visit, `depth` links away from a seed."""

    urls: list[str]
    depth: int


class SecondOffer(Struct, frozen=True, tag="second offer"):
    """Links that were chosen in vain and may be chosen once more."""

    urls: list[str]


class Sight(Struct, frozen=True, tag="sight"):
    """A page that another shard fetched was shown to the strategy."""

    glimpse: Glimpse


class Extension(Struct, frozen=True, tag="extension"):
    """The crawl goes on with a larger budget."""

    limits: Limits


class Question(Struct, frozen=True, tag="question"):
    """Somebody was asked about these pages."""

    urls: list[str]


class Answer(Struct, frozen=True):
    """What somebody said of a page that was asked about.

    Above 0 it is what is wanted, below 0 it is not; the size is the weight, and 0 is no answer. `by` is "person", or
    the name of a language model. `agrees`: what the judge thought before.
    """

    url: str
    liking: float
    by: str
    reason: str = ""
    agrees: bool | None = None


class Revision(Struct, frozen=True, tag="revision"):
    """Visits, by step, have new scores; a person liked pages (+1) or did not (-1); questions were answered.

    `changed`: how many of the best pages are new among them after the answers.
    """

    scores: list[tuple[int, float]]
    feedback: list[tuple[str, int]]
    answers: list[Answer] = []
    changed: int | None = None


class Report(Struct, frozen=True, tag="report"):
    """What happened inside the strategy."""

    events: list[Event]


class Move(Struct, frozen=True, tag="move"):
    """The page of a visit, by step, has another URL by now: who is led there has found nothing new."""

    step: int
    url: str


class Round(Struct, frozen=True, tag="round"):
    """A round of watching begins: what time it is, and the first step and the first recheck that can be its.

    `fetches` bounds it, if something does.
    """

    number: int
    wall: float
    step: int
    recheck: int
    fetches: int | None = None


class RoundEnd(Struct, frozen=True, tag="round end"):
    """All that the round wanted to do is done, or its fetches are used up."""

    number: int
    wall: float
    stopped: str


Message = Offer | SecondOffer | Sight | Extension | Revision | Question | Report | Move | Round | RoundEnd
