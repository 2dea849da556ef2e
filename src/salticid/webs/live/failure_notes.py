"""Why servers could not be reached, as the log of a crawl keeps it: a note an origin."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

PREFIX = "failed "
"""Begins the names of such notes."""


class FailureNote(NamedTuple):
    """What a `Failure` says, and the address that was refused, if it was that."""

    failure: str
    address: str | None = None

    def encode(self) -> bytes:
        return msgspec.msgpack.encode(self)

    @classmethod
    def decode(cls, note: bytes) -> FailureNote:
        return msgspec.msgpack.decode(note, type=cls)
