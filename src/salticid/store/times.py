"""Times of a log, which are seconds since 1970, as people write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def time_of(seconds: float | None) -> datetime | None:
    """A time as people write it; None where a server's clock is beyond all calendars."""
    try:
        return None if seconds is None else _EPOCH + timedelta(seconds=seconds)
    except OverflowError:
        return None


def day_of(text: str) -> tuple[float, float]:
    """When a day that a person wrote began and ended; a time of a day is both. In UTC, unless it says otherwise.

    >>> day_of("1970-01-02"), day_of("1970-01-02T01:00+01:00")
    ((86400.0, 172800.0), (86400.0, 86400.0))
    """
    moment = datetime.fromisoformat(text.strip())
    start = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    is_day = re.fullmatch(r"[^T: ]*", text.strip()) is not None
    return start, start + 86_400 * is_day
