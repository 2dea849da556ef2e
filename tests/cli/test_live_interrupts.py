"""Ctrl-C before the first page: while a silent server is asked for the examples."""

from __future__ import annotations

import signal
import socket
from pathlib import Path

from tests.support.killing import PATIENCE, Program
from tests.support.running import salticid

from salticid.cli.interrupts import INTERRUPTED


def test_ctrl_c_while_examples_are_read_ends_it_and_leaves_nothing(tmp_path: Path) -> None:
    topic = tmp_path / "t.toml"
    topic.write_text('name = "t"\nkeywords = "k"\nseeds = ["http://a.example/"]\nexamples = ["http://b.example/"]')
    with socket.create_server(("127.0.0.1", 0)) as silent:
        where = f"*=127.0.0.1:{silent.getsockname()[1]}"
        args = ("crawl", topic, "--resolve", where, "--allow-net", "127.0.0.0/8", "--out", tmp_path / "c")
        with Program(*args) as program:
            silent.settimeout(PATIENCE)
            connection, _ = silent.accept()  # it asks, so that it is reading the example
            with connection:
                program.send(signal.SIGINT)
                assert (program.ends(), program.out) == (INTERRUPTED, "")
            assert "Traceback" not in program.err
    assert not (tmp_path / "c").exists()


def test_a_proxy_is_a_url(tmp_path: Path) -> None:
    topic = tmp_path / "t.toml"
    topic.write_text('name = "t"\nkeywords = "k"\nseeds = ["http://a.example/"]')
    said = salticid("crawl", topic, "--proxy", "nonsense", "--out", tmp_path / "c")
    assert (said.status, said.err.count("\n")) == (2, 1)
    assert "http://127.0.0.1:3128" in said.err
