"""The process of a crawl that outlives the server which started it.

It is the same as that of other crawls, but its input and its output are files in the folder of the crawl: to whoever
adds a line to the one it listens, and in the other everybody can read what it said. It inherits a lock on its input,
so that any server, also one that was started later, knows whether it lives.
"""

from __future__ import annotations

import fcntl
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import msgspec

from salticid.errors import UserError
from salticid.store.files import UnsafeFile, open_in
from salticid.ui.process_messages import Begin, Command, ProcessReport
from salticid.ui.untrusted_files import read_plain

COMMANDS, REPORTS = "commands.jsonl", "reports.jsonl"
_OWN = 0o600
_MOMENT = 2.0
"""Seconds in which whoever only looks lets go of a lock."""
_LARGEST = 16 << 20
_REPORT = msgspec.json.Decoder(ProcessReport)


def start(begin: Begin, commands: Sequence[Command] = ()) -> None:
    """A process for a crawl, which hears these commands first; UserError if it has one already."""
    folder = Path(begin.folder)
    with _input(folder) as orders, open_in(folder, REPORTS, "ab", _OWN) as reports:
        orders.truncate(0)
        reports.truncate(0)
        orders.write(begin.line() + b"".join(map(_line, commands)))
        orders.seek(0)
        process = subprocess.Popen(
            [sys.executable, "-m", "salticid.ui.crawl_process"],
            stdin=orders,
            stdout=reports,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    threading.Thread(target=process.wait, daemon=True).start()  # or it would never be gone while we live


def lives(folder: Path) -> bool:
    """Whether a crawl has such a process."""
    try:
        with open_in(folder, COMMANDS) as orders:
            fcntl.flock(orders, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except (OSError, UnsafeFile):
        return False
    return False


def send(folder: Path, command: Command) -> None:
    """Tell the process something; one that has just ended hears nothing."""
    with open_in(folder, COMMANDS, "ab", _OWN) as orders:
        orders.write(_line(command))


def reports(folder: Path) -> list[ProcessReport]:
    """What the last such process of a crawl has said so far; nothing if it never had one."""
    said: list[ProcessReport] = []
    with suppress(OSError):
        for line in read_plain(folder / REPORTS, _LARGEST).splitlines():
            with suppress(msgspec.DecodeError, UnicodeDecodeError):  # its last words may be of another kind
                said.append(_REPORT.decode(line))
    return said


def ends(folder: Path, within: float) -> bool:
    """Wait until the process is gone, but no longer than so many seconds; whether it is."""
    deadline = time.monotonic() + within
    while lives(folder):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def _line(command: Command) -> bytes:
    return msgspec.json.encode(command) + b"\n"


def _input(folder: Path) -> BinaryIO:
    """The input of a new process, locked; the lock is held by whoever has it open, and so by the process."""
    orders = open_in(folder, COMMANDS, "a+b", _OWN)
    deadline = time.monotonic() + _MOMENT
    while True:
        try:
            fcntl.flock(orders, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                orders.close()
                raise UserError("it runs already; look how far it is") from None
            time.sleep(0.02)
        else:
            return orders
