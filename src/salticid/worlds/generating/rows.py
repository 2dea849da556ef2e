"""What a server answers beside the page: how many bytes, after how many seconds; and what else stands at an address."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from salticid.model import NO_URL, Outcome
from salticid.webs.recorded import OUTCOMES, REDIRECT
from salticid.worlds.generating.chance import Lots, Reals, Whole, power
from salticid.worlds.generating.draft import Author
from salticid.worlds.generating.references import ReferenceKind, References

_LINK_BYTES, _MARKUP, _MOST_MARKUP = 45, 1_500, 300_000
_PATIENCE = 10.0
"""Seconds after which nobody waits any longer for a host that is gone."""
_ERROR_BYTES = 400
_DEAD, _ROBOTS, _UNREACHABLE = (
    OUTCOMES.index(outcome) for outcome in (Outcome.DEAD, Outcome.ROBOTS, Outcome.UNREACHABLE)
)


class Service:
    """How the hosts serve: some are slow to answer, some slow to send."""

    def __init__(self, author: Author) -> None:
        hosts, seed = author.plan.hosts, author.plan.seed
        self._latency = hosts.latency
        self._bandwidth = 200_000 / (0.1 + 0.9 * Lots(seed, "bandwidth").rolls(np.arange(len(hosts))))
        self._markup, self._jitter = Lots(seed, "markup"), Lots(seed, "jitter")

    def sizes(self, numbers: Whole, generations: Whole, text: Whole, links: Whole) -> Whole:
        """Bytes of pages: their text, their links, and markup that has a heavy tail."""
        luck = 1 - self._markup.rolls(numbers, generations)
        markup = np.minimum(_MARKUP * power(1 / luck, 24), _MOST_MARKUP).astype(np.int64)
        return text + _LINK_BYTES * links + markup

    def seconds(self, numbers: Whole, host: Whole, size: Whole) -> Reals:
        """How long answers of that size take."""
        latency = self._latency[host] * (0.7 + 0.6 * self._jitter.rolls(numbers))
        seconds: Reals = np.round(latency + size / self._bandwidth[host], 4)
        return seconds


@dataclass(frozen=True, eq=False)
class AnswerColumns:
    """Answers as the columns of a world's rows."""

    kind: npt.NDArray[np.uint8]
    status: npt.NDArray[np.int16]
    target: npt.NDArray[np.int32]
    size: npt.NDArray[np.int32]
    seconds: Reals


def other_answers(author: Author, service: Service, host: Whole, packed: Whole) -> AnswerColumns:
    """What references to no page of the day answer: moved, not found, forbidden, nobody there."""
    references = References.unpack(packed)
    place = np.where(references.kind == ReferenceKind.PAGE, references.number, 0)
    now = author.ages.generation(place, np.full(len(place), author.day))
    moves = (references.kind == ReferenceKind.PAGE) & (now == references.generation)
    forbidden, is_gone = references.kind == ReferenceKind.FORBIDDEN, references.kind == ReferenceKind.GONE
    is_served = ~(forbidden | is_gone)
    at = np.where(host < len(author.plan.hosts), host, 0)
    size = np.where(is_served, _ERROR_BYTES, 0)
    seconds = service.seconds(packed, at, size)
    return AnswerColumns(
        kind=np.select([moves, forbidden, is_gone], [REDIRECT, _ROBOTS, _UNREACHABLE], _DEAD).astype(
            np.uint8
        ),
        status=np.select([moves, is_served], [301, 404], 0).astype(np.int16),
        target=np.where(moves, place, NO_URL).astype(np.int32),
        size=size.astype(np.int32),
        seconds=np.where(is_served, seconds, np.where(is_gone, _PATIENCE, 0.0)),
    )
