"""The real program, started a thousand times but imported once.

A process that has imported every command forks for each run of the program. The child is what `python -m salticid`
is after its imports: it has its own arguments, environment, folder and streams, and ends as the program ends. It has
the hash seed of its siblings, so whoever compares two runs bit for bit starts one of them anew.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import pkgutil
import runpy
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from importlib import import_module
from multiprocessing.connection import wait
from multiprocessing.context import ForkProcess
from pathlib import Path

from tests.support.leaks import held, lasting

from salticid.cli import program
from salticid.judges import judges
from salticid.runs.order import Recipe
from salticid.runs.recorded import MemoryLog, RecordedCrawl
from salticid.strategies import strategies
from salticid.testing.small import SmallWeb
from salticid.topic import Limits
from salticid.urls import site

_NOT_IMPORTED = ("salticid.cluster", "salticid.agents", "salticid.__main__")
"""Ray and mcp are slow, and the first keeps threads that a fork would lose."""


class ProgramServer:
    """The side of the tests: one server, started when it is first asked and ended with this process."""

    def __init__(self) -> None:
        before = held()
        self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            command = [sys.executable, "-m", "tests.support.program_server", str(theirs.fileno())]
            root = Path(__file__).resolve().parents[2]
            self._process = subprocess.Popen(
                command,
                cwd=root,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env={
                    **os.environ,
                    "OPENBLAS_NUM_THREADS": "1",
                },  # a fork loses threads, and may wait for them
                pass_fds=[theirs.fileno()],
            )
        self._asking = threading.Lock()
        lasting.update(held() - before)
        atexit.register(self._end)

    def start(self, args: Sequence[str], cwd: Path | None, out: int, err: int) -> Run:
        """Run the program with these arguments, in a folder, with its streams at two files of this process."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs, self._asking:
            order = json.dumps([[*args], str(cwd or Path.cwd()), dict(os.environ)]).encode()
            self._line.sendall(len(order).to_bytes(8, "little"))
            socket.send_fds(self._line, [order], [theirs.fileno(), out, err])
        return Run(ours)

    def _end(self) -> None:
        self._line.close()
        self._process.wait()


class Run:
    """One run of the program, in a session of its own; the methods are those of subprocess.Popen."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self.pid = self._number()
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Its exit status, or None while it runs."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, timeout: float | None = None) -> int:
        """Its exit status, when it has ended."""
        if self.returncode is None:
            self._line.settimeout(timeout)
            try:
                self.returncode = self._number()
            except (BlockingIOError, TimeoutError):
                raise subprocess.TimeoutExpired("salticid", timeout or 0.0) from None
            self._line.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def _number(self) -> int:
        said = self._line.recv(32)
        if not said:
            raise RuntimeError("the server of programs has died; what it said is above")
        return int(said)


def serve(line: socket.socket) -> None:
    """Start what is ordered until nobody can order any more, and tell who it is and how it ends."""
    for module in pkgutil.walk_packages(import_module("salticid").__path__, "salticid."):
        if not module.name.startswith(_NOT_IMPORTED):
            import_module(module.name)
    program(["strategies"])(["strategies"], standalone_mode=False)  # imports the rest, as whoever reads options does
    _read_lists()
    gc.freeze()
    running: dict[int, tuple[ForkProcess, socket.socket]] = {}
    while True:
        for each in wait([line, *running]):
            if isinstance(each, int):
                process, asker = running.pop(each)
                process.join()
                with asker:
                    asker.send(str(process.exitcode).encode())
            elif size := line.recv(8):
                order, fds, _, _ = socket.recv_fds(line, int.from_bytes(size, "little"), 3)
                process = ForkProcess(target=_run, args=(*json.loads(order), *fds[1:]))
                process.start()
                asker = socket.socket(fileno=fds[0])
                asker.send(str(process.pid).encode())
                running[process.sentinel] = process, asker
                os.close(fds[1])
                os.close(fds[2])
            else:
                return


def _read_lists() -> None:
    """Crawl a small web once: the lists of public suffixes, stop words and word frequencies are read here."""
    web = SmallWeb({"a.example": ("jumping spiders", ["b.example"]), "b.example": ("spiders", [])})
    for strategy, judge in (("hunter", "profile"), ("best_first", "cosine")):
        recipe = Recipe(strategies.make(strategy), judges.make(judge), Limits(max_pages=2))
        RecordedCrawl(web.topic, web, recipe, MemoryLog()).run()
    site("http://a.example/")


def _run(args: list[str], cwd: str, environment: dict[str, str], out: int, err: int) -> None:
    """`python -m salticid`, from here on."""
    os.dup2(out, 1)
    os.dup2(err, 2)
    os.close(out)
    os.close(err)
    os.setsid()
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv[1:] = args
    try:
        runpy.run_module("salticid", run_name="__main__", alter_sys=True)
    finally:
        # A program ends its threads before its queues, a fork by multiprocessing the other way round: a pool that is
        # still saying good-bye to its workers would find its queue closed, and wait for them for ever.
        threading._shutdown()  # type: ignore[attr-defined]


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
