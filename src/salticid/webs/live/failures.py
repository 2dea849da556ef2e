"""What went wrong with a request, by what it raised."""

from __future__ import annotations

import errno
import re
import ssl

import aiohttp

from salticid.webs.live.guard import AddressRefused
from salticid.webs.live.names import NoNameServer, NoSuchName
from salticid.webs.live.retries import Failure

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
    numbers = {int(number) for number in _NUMBER.findall(str(error))} | (
        {error.errno} if error.errno else set()
    )
    if numbers & _NO_DESCRIPTORS:
        return Failure.NO_DESCRIPTORS
    return Failure.NO_ROUTE if numbers and numbers <= _NO_ROUTE else Failure.NO_CONNECTION
