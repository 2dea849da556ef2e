"""A name server for tests: it says what a function says, fails as it is told to, and keeps what it was asked.

The program is pointed at it by its option: `salticid crawl ... --dns 127.0.0.1:PORT --allow-net 127.0.0.0/8`.
"""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from ipaddress import ip_address


class Refusal(Enum):
    """What a name server may say instead of addresses; silence is an answer too."""

    FAILURE = 2
    NO_SUCH_NAME = 3
    SILENCE = None


Directory = Callable[[str], Sequence[str] | Refusal]
"""The addresses of a name, which comes in lower case and without a dot at its end."""

_KINDS = {1: 4, 28: 6}
"""Types of records, A and AAAA, and the versions of their addresses."""
_ANSWER, _LONGEST = 0x8180, 4096


class NameServer:
    """Answers at a port of 127.0.0.1 from its directory, which may be exchanged at any time."""

    def __init__(self, directory: Directory) -> None:
        self.directory = directory
        self.asked: list[str] = []
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]

    @property
    def options(self) -> tuple[str, ...]:
        """Those that point a crawl at it, and let it reach what it says."""
        return "--dns", f"127.0.0.1:{self.port}", "--allow-net", "127.0.0.0/8"

    def answer_all(self) -> None:
        """Answer until the socket is shut down."""
        while True:
            question, client = self._socket.recvfrom(_LONGEST)
            if not question:
                return
            if (answer := self._answer(question)) is not None:
                self._socket.sendto(answer, client)

    def stop(self) -> None:
        """Wake whoever answers, with a question that is none."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
            last.sendto(b"", ("127.0.0.1", self.port))

    def close(self) -> None:
        """Let go of the port."""
        self._socket.close()

    def _answer(self, message: bytes) -> bytes | None:
        name, end = _name(message)
        kind = struct.unpack_from("!H", message, end)[0]
        question = message[12 : end + 4]
        self.asked.append(name)
        said = self.directory(name)
        if said is Refusal.SILENCE:
            return None
        addresses = () if isinstance(said, Refusal) else [ip_address(each) for each in said]
        records = [each.packed for each in addresses if each.version == _KINDS.get(kind)]
        flags = _ANSWER | (said.value if isinstance(said, Refusal) else 0)
        head = message[:2] + struct.pack("!5H", flags, 1, len(records), 0, 0)
        return head + question + b"".join(_record(kind, packed) for packed in records)


def _name(message: bytes) -> tuple[str, int]:
    """The name a message asks for, and where it ends."""
    labels, at = [], 12
    while length := message[at]:
        labels.append(message[at + 1 : at + 1 + length].decode("ascii"))
        at += 1 + length
    return ".".join(labels).lower(), at + 1


def _record(kind: int, packed: bytes) -> bytes:
    """An answer to the question, to be forgotten at once."""
    return struct.pack("!HHHIH", 0xC00C, kind, 1, 0, len(packed)) + packed


@contextmanager
def name_server(directory: Directory) -> Iterator[NameServer]:
    """A name server for as long as it is needed."""
    server = NameServer(directory)
    thread = threading.Thread(target=server.answer_all)
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join()
        server.close()
