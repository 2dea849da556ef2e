"""What conftest.py promises, seen in runs of pytest on a few tests made for it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import ROOT

TESTS = """
import socket, subprocess, sys, threading

from tests import leaks

leaks.PATIENCE = 0.2

forgotten, gate = [], threading.Event()

def test_leaves_a_socket():
    forgotten.append(socket.create_server(("127.0.0.1", 0)))

def test_leaves_a_file_to_the_collector():
    circle = [open(__file__)]
    circle.append(circle)

def test_leaves_a_process():
    forgotten.append(subprocess.Popen(["sleep", "1000"]))

def test_leaves_a_thread():
    threading.Thread(target=gate.wait, name="waits").start()

def test_closes_all():
    for thing in forgotten:
        thing.close() if isinstance(thing, socket.socket) else thing.kill() or thing.wait()
    gate.set()
    with open(__file__):
        pass

def test_its_programs_hear_signals():
    hears = "import signal as s; print(s.getsignal(s.SIGINT) is s.SIG_IGN, s.getsignal(s.SIGTERM) is s.SIG_IGN)"
    done = subprocess.run([sys.executable, "-c", hears], capture_output=True, text=True)
    assert done.stdout.split() == ["False", "False"]

def test_its_programs_are_compiled_once():
    writes = "import sys; print(sys.dont_write_bytecode)"
    done = subprocess.run([sys.executable, "-c", writes], capture_output=True, text=True)
    assert done.stdout.split() == ["False"]
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The summary of a run that a shell started in the background, all ears closed, nothing to be compiled."""
    file: Path = tmp_path_factory.mktemp("inner") / "test_inner.py"
    file.write_text(TESTS)
    options = ["-p", "tests.conftest", "-p", "no:cacheprovider", "-c", "pyproject.toml", "-rA"]
    command = [sys.executable, "-m", "pytest", *options, "--rootdir", file.parent, file]
    deaf = ["sh", "-c", 'trap "" INT TERM; exec "$@"', "sh", *map(str, command)]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(deaf, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120).stdout


def fate(report: str, name: str) -> str:
    """The last word of the summary about one test."""
    words = re.findall(rf"^(PASSED|FAILED|ERROR) \S*::{name}\b.*", report, re.MULTILINE)
    assert words, report
    return str(words[-1])


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("test_leaves_a_socket", r"left open: socket:\[\d+\] as \d+"),
        ("test_leaves_a_file_to_the_collector", r"Exception ignored in: .*test_inner.py"),
        ("test_leaves_a_process", r"left open: process \d+"),
        ("test_leaves_a_thread", r"left open: thread waits"),
    ],
)
def test_a_leak_fails_the_test_that_made_it(report: str, name: str, named: str) -> None:
    assert fate(report, name) == "ERROR", report
    assert re.search(named, report), report


def test_who_closes_all_passes_whoever_leaked_before(report: str) -> None:
    assert fate(report, "test_closes_all") == "PASSED", report


def test_programs_hear_ctrl_c_although_the_shell_ignores_it(report: str) -> None:
    assert fate(report, "test_its_programs_hear_signals") == "PASSED", report


def test_programs_are_compiled_once_although_the_shell_forbids_it(report: str) -> None:
    assert fate(report, "test_its_programs_are_compiled_once") == "PASSED", report
