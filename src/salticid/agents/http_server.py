"""The server for agents over HTTP, behind a token that is kept, so that clients can keep it."""

from __future__ import annotations

import asyncio
import secrets
import signal
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from mcp.server.transport_security import TransportSecuritySettings

from salticid.agents.server import HuntServer
from salticid.errors import UserError
from salticid.runs.local_port import SHORTEST_TOKEN, Binding, token_of_environment
from salticid.store.files import replace_in
from salticid.ui.local_server import LocalServer
from salticid.ui.security import AccessControl
from salticid.ui.untrusted_files import read_plain

PATH = "/mcp"
TOKEN_FILE = "mcp-token"  # noqa: S105 - the name of a file
_LONGEST_TOKEN = 1000
_CHECKED_BEFORE = TransportSecuritySettings(enable_dns_rebinding_protection=False)
"""`AccessControl` checks host and origin of every request."""
_ADVICE = "this needs the token that salticid mcp printed, in the field Authorization: Bearer TOKEN"


class HttpServing:
    """A server that is not yet running. Each request stands alone: a client notices nothing when it is replaced."""

    def __init__(self, server: HuntServer, data: Path, port: int, binding: Binding) -> None:
        self._server = server
        self.token = token_of_environment() or _token(data / TOKEN_FILE)
        self._binding = binding
        self._socket = binding.listener(port, "--http")
        self.port: int = self._socket.getsockname()[1]
        app = server.streamable_http_app(
            streamable_http_path=PATH, json_response=True, stateless_http=True, host=binding.address,
            transport_security=_CHECKED_BEFORE,
        )  # fmt: skip
        self._local = LocalServer(AccessControl(app, self.token, binding, self.port, _ADVICE))

    @property
    def address(self) -> str:
        """Where a client connects."""
        return f"http://{self._binding.place(self.port)}{PATH}"

    async def run(self, ready: Callable[[], None]) -> None:
        """Serve until SIGINT or SIGTERM. Hunts go on."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._stop)
        with closing(self._socket):
            async with self._server.session_manager.run():
                ready()
                await self._local.serve(sockets=[self._socket])

    def _stop(self) -> None:
        self._local.should_exit = True


def _token(file: Path) -> str:
    """The token in a file, which is made if there is none; UserError if it cannot be had."""
    try:
        token = read_plain(file, _LONGEST_TOKEN).decode("ascii").strip()
    except FileNotFoundError:
        token = secrets.token_urlsafe(24)
        try:
            replace_in(file.parent, file.name, f"{token}\n".encode())
        except OSError as error:
            raise UserError(f"cannot write {file}: {error.strerror}; name another folder as --data") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {file}: {error}; take it away, and a new one is made") from None
    if len(token) < SHORTEST_TOKEN:
        raise UserError(f"{file} holds no token that would be safe; take it away, and a new one is made")
    return token
