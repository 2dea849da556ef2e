"""Where a server listens, under which host names it answers, and its token. Loopback unless --bind names an address."""

from __future__ import annotations

import errno
import os
import secrets
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from hmac import compare_digest
from ipaddress import ip_address

from salticid.errors import UserError

ADDRESS = "127.0.0.1"
TOKEN_VARIABLE = "SALTICID_TOKEN"  # noqa: S105 - the name of a variable
SHORTEST_TOKEN = 20


@dataclass(frozen=True)
class Binding:
    """An address to listen on. One that the user named (`is_named`) may be reached from other machines.

    A request must name the server by a host name of ours, so that no name of a stranger can be made to point here.
    A published port of a container may differ from ours: with --bind, the names count and the port does not.
    """

    address: str = ADDRESS
    host_names: tuple[str, ...] = ()
    is_named: bool = False

    @classmethod
    def of(cls, bind: str | None, host_names: Sequence[str] | None) -> Binding:
        """The binding of the options --bind and --host-name; UserError for what is not an address or a name."""
        if bind is None:
            if host_names:
                raise UserError(f"--host-name {host_names[0]} needs --bind ADDRESS, e.g. --bind 0.0.0.0")
            return cls()
        try:
            address = str(ip_address(bind))
        except ValueError:
            raise UserError(f"--bind {bind!r} is not an IP address; use e.g. 0.0.0.0, 10.0.0.5 or ::") from None
        for name in host_names or ():
            if not name or any(mark in name for mark in " /@?#,"):
                raise UserError(f"--host-name {name!r} is not a host name; use e.g. crawler.example.org")
        return cls(address, tuple(name.lower().strip("[]") for name in host_names or ()), is_named=True)

    def listener(self, port: int, option: str) -> socket.socket:
        """A socket at a port; UserError, which names the option, if it cannot be had."""
        family = socket.AF_INET6 if ":" in self.address else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((self.address, port))
            listener.listen(128)
        except OSError as error:
            listener.close()
            if error.errno == errno.EADDRNOTAVAIL:
                raise UserError(
                    f"this machine does not have the address {self.address}; use --bind 0.0.0.0 for all it has"
                ) from None
            cause = "in use" if error.errno == errno.EADDRINUSE else f"not to be had ({error.strerror})"
            raise UserError(f"port {port} is {cause}; give another as {option}, or 0 for any free one") from None
        listener.setblocking(False)
        return listener

    def place(self, port: int) -> str:
        """Host and port as a URL has them."""
        name = self.host_names[0] if self.host_names else ADDRESS if self._is_any else self.address
        return f"[{name}]:{port}" if ":" in name else f"{name}:{port}"

    def answers(self, host: str, port: int) -> bool:
        """Whether a request with this Host field is meant for us."""
        name, colon, at = host.rpartition(":")
        if not colon or at.endswith("]"):
            name, at = host, ""
        name = name.lower().removeprefix("[").removesuffix("]")
        if not self.is_named:
            return at == str(port) and name in (ADDRESS, "localhost")
        own = (ADDRESS, "::1", "localhost") if self._is_any or ip_address(self.address).is_loopback else ()
        return name in self.host_names or name in own or (name == self.address and not self._is_any)

    @property
    def _is_any(self) -> bool:
        return ip_address(self.address).is_unspecified


LOOPBACK = Binding()
"""Reached from this machine only."""


def own_token() -> str:
    """The token of the environment, so that it outlives the program; else a new one."""
    return token_of_environment() or secrets.token_urlsafe(24)


def token_of_environment() -> str | None:
    """The token that SALTICID_TOKEN gives; UserError if it is too short to be safe."""
    token = os.environ.get(TOKEN_VARIABLE, "").strip()
    if token and (len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable()):
        raise UserError(f"{TOKEN_VARIABLE} is not a safe token; use {SHORTEST_TOKEN} ASCII characters or more")
    return token or None


def same_token(text: str, right: str) -> bool:
    """Whether a text is the token; takes as long whatever the text is."""
    return compare_digest(text.encode("utf-8", "surrogateescape"), right.encode())


def bearer(authorization: str) -> str:
    """The token in a field Authorization; empty if there is none."""
    kind, _, token = authorization.partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""
