"""What went wrong with a request, and what to do next: one table of waits and retries."""

from __future__ import annotations

import errno
import re
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import aiohttp
import msgspec

from salticid.model import Outcome
from salticid.parse import timestamp
from salticid.webs.live.guard import AddressRefused
from salticid.webs.live.names import NoNameServer, NoSuchName


class Failure(Enum):
    """How a request can fail without an answer, or with one that asks to come back later."""

    NO_SUCH_HOST = "no such host"
    NO_NAME_SERVER = "no name server answers"
    NO_ROUTE = "no way to the network"
    NO_DESCRIPTORS = "too many open files"
    REFUSED_ADDRESS = "refused address"
    NO_CONNECTION = "no connection"
    BAD_CERTIFICATE = "bad certificate"
    TIMEOUT = "timeout"
    BROKEN = "broken answer"
    LATER = "asked to come back later"


@dataclass(frozen=True, slots=True)
class Remedy:
    """Wait `wait` seconds, twice as long each time, up to `tries` requests in all; then the outcome.

    With `drop_host` nothing more is asked of that host until it gets another chance.
    """

    wait: float
    tries: int
    drop_host: bool
    outcome: Outcome


REMEDIES: Mapping[Failure, Remedy] = {
    Failure.NO_SUCH_HOST: Remedy(0, 1, True, Outcome.UNREACHABLE),
    Failure.NO_NAME_SERVER: Remedy(5, 3, True, Outcome.UNREACHABLE),
    Failure.NO_ROUTE: Remedy(5, 3, True, Outcome.UNREACHABLE),
    Failure.NO_DESCRIPTORS: Remedy(5, 3, False, Outcome.UNREACHABLE),
    Failure.REFUSED_ADDRESS: Remedy(0, 1, False, Outcome.REFUSED_ADDRESS),
    Failure.NO_CONNECTION: Remedy(5, 3, True, Outcome.UNREACHABLE),
    Failure.BAD_CERTIFICATE: Remedy(0, 1, True, Outcome.UNREACHABLE),
    Failure.TIMEOUT: Remedy(10, 2, False, Outcome.TIMEOUT),
    Failure.BROKEN: Remedy(2, 2, False, Outcome.BROKEN),
    Failure.LATER: Remedy(30, 5, False, Outcome.DEAD),
}

LATER_STATUSES = (429, 503)

OURS = (Failure.NO_NAME_SERVER, Failure.NO_ROUTE, Failure.NO_DESCRIPTORS)
"""Failures that say nothing about the host: the trouble is our own, or that of the moment."""
PERHAPS_OURS = (*OURS, Failure.NO_CONNECTION, Failure.TIMEOUT)
"""Failures of a host that is gone, or of a network that is."""


def retry_after(fields: Mapping[str, str], now: float) -> float | None:
    """Seconds to wait that an answer names, as a number or a date; None where it names none.

    >>> retry_after({"retry-after": "120"}, 0), retry_after({"retry-after": "soon"}, 0)
    (120.0, None)
    >>> retry_after({"retry-after": "Thu, 01 Jan 1970 00:01:00 GMT"}, now=30)
    30.0
    """
    field = fields.get("retry-after", "").strip()
    if field.isdecimal() and field.isascii():
        return float(field[:9])
    date = timestamp(field)
    return None if date is None else max(0.0, date - now)


# What went wrong with a request, by what it raised.

_NO_DESCRIPTORS = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}
_NO_ROUTE = {errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EADDRNOTAVAIL}
_NUMBER = re.compile(r"\[Errno (\d+)\]")


def failure_of(error: Exception) -> Failure:
    """The failure that an error means."""
    match error:
        case TimeoutError():
            return Failure.TIMEOUT
        case AddressRefused() | aiohttp.ClientConnectorError(os_error=AddressRefused()):
            return Failure.REFUSED_ADDRESS
        case NoSuchName() | aiohttp.ClientConnectorError(os_error=NoSuchName()):
            return Failure.NO_SUCH_HOST
        case NoNameServer() | aiohttp.ClientConnectorDNSError():
            return Failure.NO_NAME_SERVER
        case aiohttp.ClientConnectorCertificateError() | aiohttp.ClientSSLError() | ssl.SSLError():
            return Failure.BAD_CERTIFICATE
        case aiohttp.ClientConnectorError():
            return _no_connection(error.os_error)
        case OSError(errno=number) if number in _NO_DESCRIPTORS:
            return Failure.NO_DESCRIPTORS
        case _:
            return Failure.BROKEN


def _no_connection(error: OSError) -> Failure:
    """Why there is no connection. Where several addresses were tried, the text tells what each said."""
    numbers = {int(number) for number in _NUMBER.findall(str(error))} | ({error.errno} if error.errno else set())
    if numbers & _NO_DESCRIPTORS:
        return Failure.NO_DESCRIPTORS
    return Failure.NO_ROUTE if numbers and numbers <= _NO_ROUTE else Failure.NO_CONNECTION


# Why servers could not be reached, as the log of a crawl keeps it: a note an origin.

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
