"""A port of this machine, for those on it alone."""

from __future__ import annotations

import errno
import socket

from salticid.errors import UserError

ADDRESS = "127.0.0.1"


def listener(port: int, option: str) -> socket.socket:
    """A socket at a port; UserError, which names the option, if it cannot be had."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((ADDRESS, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        cause = "in use" if error.errno == errno.EADDRINUSE else f"not to be had ({error.strerror})"
        raise UserError(f"port {port} is {cause}; give another as {option}, or 0 for any free one") from None
    listener.setblocking(False)
    return listener


def is_ours(host: str, port: int) -> bool:
    """Whether a request names this machine as the host it asks, and not a name that was made to point here."""
    return host in (f"{ADDRESS}:{port}", f"localhost:{port}")
