"""From the command to its first request: how long a person waits until a live crawl begins."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from socket import create_server
from statistics import median

from benchmarks.report import figure

RUNS = 7
BOUND = 1.2
"""Seconds."""


def run() -> None:
    """The whole program, again and again, each time with a folder of its own; the first run warms the disk."""
    seconds = [_first_request() for _ in range(RUNS + 1)][1:]
    figure("first request after the command, median", median(seconds), "s", BOUND, at_most=True)
    figure("the slowest", max(seconds), "s")


def _first_request() -> float:
    with tempfile.TemporaryDirectory() as folder, closing(create_server(("127.0.0.1", 0))) as server:
        server.settimeout(60)
        command = [
            sys.executable, "-m", "salticid", "crawl", "--web", "live", "--query", "jumping spiders",
            "--seed-url", f"http://127.0.0.1:{server.getsockname()[1]}/", "--allow-net", "127.0.0.0/8",
            "--out", str(Path(folder) / "crawl"),
        ]  # fmt: skip
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            connection, _ = server.accept()
            connection.close()
            return time.perf_counter() - begin
        finally:
            process.kill()
            process.wait()
