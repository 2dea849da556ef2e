"""Times of a log, which are seconds since 1970, as people write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def time_of(seconds: float | None) -> datetime | None:
    """A time as people write it; None where a server's clock is beyond all calendars."""
    try:
        return None if seconds is None else _EPOCH + timedelta(seconds=seconds)
    except OverflowError:
        return None
