"""Ctrl-C before the first page: while a silent server is asked for the examples."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path

from tests.running import salticid


def test_ctrl_c_while_examples_are_read_ends_it_and_leaves_nothing(tmp_path: Path) -> None:
    topic = tmp_path / "t.toml"
    topic.write_text(
        'name = "t"\nkeywords = "k"\nseeds = ["http://a.example/"]\nexamples = ["http://b.example/"]'
    )
    with socket.create_server(("127.0.0.1", 0)) as silent:
        where = f"*=127.0.0.1:{silent.getsockname()[1]}"
        args = ["crawl", topic, "--resolve", where, "--allow-net", "127.0.0.0/8", "--out", tmp_path / "c"]
        command = [sys.executable, "-m", "salticid", *map(str, args)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            silent.settimeout(60)
            connection, _ = silent.accept()  # it asks, so that it is reading the example
            with connection:
                process.send_signal(signal.SIGINT)
                out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err
    assert not (tmp_path / "c").exists()


def test_a_proxy_is_a_url(tmp_path: Path) -> None:
    topic = tmp_path / "t.toml"
    topic.write_text('name = "t"\nkeywords = "k"\nseeds = ["http://a.example/"]')
    said = salticid("crawl", topic, "--proxy", "nonsense", "--out", tmp_path / "c")
    assert (said.status, said.err.count("\n")) == (2, 1)
    assert "http://127.0.0.1:3128" in said.err
