"""What is no file of ours lies in the folder of data, or the disk is full: a sentence, and everything else goes on."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.support.killing import Program, Site, served
from tests.support.ui_serving import Client, serving
from tests.support.wishes import wish

ODD: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "folder": Path.mkdir,
    "loop": lambda file: file.symlink_to(file),
    "nowhere": lambda file: file.symlink_to(file.with_name("missing")),
    "long": lambda file: file.symlink_to("n" * 300),
    "device": lambda file: file.symlink_to("/dev/zero"),
    "unreadable": lambda file: file.symlink_to("/proc/self/mem"),
    "text": lambda file: file.write_text("odd"),
}
"""Ways for something to lie where a file is looked for."""
WISH = wish("spider", ("http://a.example/",), ("you",), "best_first", "cosine", 9, "2026-01-01T00:00:00+00:00", "stop")
LITTLE = 50
"""Bytes that a file may have when the disk is full: fewer than a wish."""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A client of a server whose crawls, wishes and reports are odd in every way."""
    data = tmp_path_factory.mktemp("data")
    for name, put in ODD.items():
        WISH.save(data / "crawls" / name)
        put(data / "crawls" / name / "crawl.db")
        for place, file in (("reports", "report.html"), ("crawls", "wish.json")):
            folder = data / place / f"odd-{name}"
            folder.mkdir(parents=True)
            put(folder / file)
        put(data / "crawls" / f".removed-{name}")
    with serving(data) as (program, client):
        yield client
        assert "Traceback" not in program.err


def test_odd_logs_are_listed_with_what_is_wrong(client: Client) -> None:
    told = {crawl["id"]: crawl for crawl in client.get("/api/crawls")["crawls"]}
    assert set(told) == set(ODD)
    for name, crawl in told.items():
        assert (crawl["stopped"], "crawl.db" in crawl["stopped_line"]) == ("failed", True), name
    assert client.get("/api/search?q=spider") == {"found": []}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_log_is_refused_with_a_sentence_that_names_it(client: Client, name: str) -> None:
    for path in (
        "visits/1",
        "visits/1/text",
        "visits/1/copy",
        "snippets?steps=1",
        "curve",
        "export?format=jsonl",
    ):
        answer = client.ask("GET", f"/api/crawls/{name}/{path}")
        assert (answer.status, "crawl.db" in answer.error) == (500, True), path
    said = client.ask("POST", f"/api/crawls/{name}/feedback", {"step": 1, "liking": 1})
    assert (said.status, "crawl.db" in said.error) == (500, True)
    with client.stream(name) as events:
        assert next(body for kind, _, body in events if kind == "state")["state"] == "ended"


def test_odd_reports_leave_the_others_alone(client: Client) -> None:
    listed = {report["id"] for report in client.get("/api/reports")["reports"]}
    assert listed == {"odd-text"}, "the others are not regular files"
    assert client.ask("GET", "/reports/odd-text").body == b"odd"
    for name in set(ODD) - {"text"}:
        assert client.ask("GET", f"/reports/odd-{name}").status == 404


@pytest.mark.parametrize(
    ("name", "kind"),
    [("crawls", "text"), ("crawls", "loop"), ("settings.toml", "pipe"), ("settings.toml", "long")],
)
def test_a_server_that_cannot_start_says_why_in_a_line(tmp_path: Path, name: str, kind: str) -> None:
    ODD[kind](tmp_path / name)
    with Program("serve", "--port", 0, "--data", tmp_path) as program:
        assert program.ends() == 2
        assert (program.err.count("\n"), str(tmp_path / name) in program.err) == (1, True), program.err


def test_on_a_full_disk_nothing_begins_and_what_runs_can_be_stopped(tmp_path: Path) -> None:
    site = Site(900, seconds=0.02)
    order = {"query": "jumping spider", "strategy": "best_first", "max_pages": 800, "urls": [site.url(0)]}
    with (
        served(site) as port,
        serving(tmp_path, "--resolve", f"*=127.0.0.1:{port}", "--allow-net", "127.0.0.0/8", "--delay", 0) as (
            program,
            client,
        ),
    ):
        one = client.post("/api/crawls", order)["id"]
        client.until(one, lambda summary: summary["state"] == "running" and summary["pages"])
        with client.stream(one) as events:
            largest_file(program, LITTLE)
            refused = client.ask("POST", "/api/crawls", order)
            assert (refused.status, "make room" in refused.error) == (507, True)
            assert [path.name for path in (tmp_path / "crawls").iterdir()] == [one], "nothing half-made is left"
            export = client.ask("GET", f"/api/crawls/{one}/export?format=jsonl")
            assert (export.status, "make room" in export.error) == (507, True)
            client.post(f"/api/crawls/{one}/stop")
            told = next(body["line"] for kind, _, body in events if kind == "warned")
            assert "cannot be written down: File too large" in told
        over = client.until(one, lambda summary: summary["state"] == "ended")
        assert (over["stopped"], over["stopped_line"]) == ("interrupted", "You stopped it.")
        largest_file(program, resource.RLIM_INFINITY)
        assert client.post("/api/crawls", order)["id"] != one
        assert "Traceback" not in program.err


def largest_file(program: Program, size: int) -> None:
    """How large a file the server itself may write from now on; its crawls are not bound by it."""
    resource.prlimit(program.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
