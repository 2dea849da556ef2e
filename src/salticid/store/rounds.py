"""The rounds of a crawl that is watched: when each began, and what belongs to it."""

from __future__ import annotations

from dataclasses import dataclass

from salticid.messages import Round, RoundEnd
from salticid.store.database import Database
from salticid.store.record import VisitRow, all_messages
from salticid.store.schema import RECHECK, VISIT


@dataclass(frozen=True, slots=True)
class StoredRound:
    """A round: visits from its first step and rechecks from its first on, up to those of the next round.

    `ended` and `stopped` are None while it is not over.
    """

    number: int
    wall: float
    fetches: int | None
    first_step: int
    first_recheck: int
    end_step: int
    end_recheck: int
    ended: float | None
    stopped: str | None


def rounds(db: Database) -> list[StoredRound]:
    """All rounds in order. Visits and rechecks that come before the next one belong to the one before."""
    heard = [message for _, message in all_messages(db) if isinstance(message, Round | RoundEnd)]
    begins = [message for message in heard if isinstance(message, Round)]
    ends = {message.number: message for message in heard if isinstance(message, RoundEnd)}
    step = VisitRow._make(row).step + 1 if (row := db.last(VISIT)) else 0
    recheck = row[0] + 1 if (row := db.last(RECHECK)) else 1
    borders = [(begin.step, begin.recheck) for begin in begins[1:]] + [(step, recheck)]
    return [
        StoredRound(
            begin.number, begin.wall, begin.fetches, begin.step, begin.recheck, *border,
            *((end.wall, end.stopped) if (end := ends.get(begin.number)) else (None, None)),
        )
        for begin, border in zip(begins, borders, strict=True)
    ]  # fmt: skip
