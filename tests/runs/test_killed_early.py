"""A crawl that dies before it has begun leaves a folder in which the same command begins it."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from tests.support.killing import Program, Site, live, served
from tests.support.running import salticid

from salticid.errors import UserError
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.schema import DATABASE_FILE

PAGES = 3
QUERY = "jumping spider"

_PHOTOGRAPHED = """
import os, shutil, sys
from pathlib import Path
from salticid.cli import main
from salticid.runs import lifecycle, live
from salticid.store import log
from salticid.store.archive import warc
from salticid.store import folder_lock as taken
folder, album = Path(sys.argv[sys.argv.index("--out") + 1]), Path(sys.argv.pop(1))
seen = []

def look(frame, event, argument):
    if frame.f_code.co_filename not in {module.__file__ for module in (live, lifecycle, log, taken)}:
        return None
    files = sorted((file.name, file.stat().st_size) for file in folder.iterdir()) if folder.is_dir() else None
    if (folder / warc.FOLDER).exists():
        os._exit(0)
    if files is not None and files not in seen:
        seen.append(files)
        shutil.copytree(folder, album / f"{len(seen):02}")
    return look

from salticid.cli import terminal
run_it = terminal.run

def watched(*order):
    sys.settrace(look)
    return run_it(*order)

terminal.run = watched
main()
"""
"""Copies the folder at every line that finds its files otherwise, up to the first page: what a kill leaves."""

_ONE_AFTER_ANOTHER = """
import os, sys
from salticid.cli import main
import salticid.cli.terminal, salticid.cli.ordered_crawl, salticid.runs.live
folders, order = sys.argv[1].split(os.pathsep), sys.argv[2:]
for folder in folders:
    if not os.fork():
        sys.argv = ["salticid", *order, "--out", folder]
        main()
    os.wait()
"""
"""The program, for each of many folders; what all of them need is read once."""


@pytest.fixture(scope="module")
def order() -> Iterator[list[str]]:
    site = Site(pages=30, hosts=3)
    with served(site) as port:
        words = (
            "crawl",
            "--query",
            QUERY,
            "--seed-url",
            site.url(0),
            "--max-pages",
            PAGES,
            "--strategy",
            "best_first",
            *live(port),
        )
        words += ("--json",)
        yield [str(word) for word in words]


def test_whatever_a_kill_leaves_of_a_query_is_begun_again(order: list[str], tmp_path: Path) -> None:
    album = tmp_path / "album"
    with Program(album, *order, "--out", tmp_path / "c", by=(sys.executable, "-c", _PHOTOGRAPHED)) as program:
        assert program.ends() == 0, program.err
    states = sorted(album.iterdir())
    assert not (states[0] / DATABASE_FILE).exists()
    assert len(states) >= 5
    refused = salticid("crawl", "--refresh", without_a_session(states))
    assert (refused.status, "has no page yet" in refused.err) == (2, True), refused.err
    states.append(half_made(tmp_path / "half made", states[1]))
    with Program(":".join(map(str, states)), *order, by=(sys.executable, "-c", _ONE_AFTER_ANOTHER)) as program:
        assert program.ends() == 0, program.err
        said = [json.loads(line) for line in program.out.splitlines()]
        assert [(each["pages"], each["stopped"]) for each in said] == [(PAGES, "budget")] * len(states), program.err
    for state in states:
        with closing(CrawlFolder(state)) as crawled:
            assert crawled.about()["topic"]["name"] == QUERY
            assert len(crawled.positive()) == PAGES


def without_a_session(states: list[Path]) -> Path:
    """The crawl that was begun, and had not said yet how it asks."""
    for state in states:
        with suppress(UserError), closing(CrawlFolder(state)) as begun:
            if begun.settings() is None:
                return state
    raise AssertionError("no state is without a session")


def half_made(folder: Path, empty: Path) -> Path:
    """A database that SQLite was about to give its form, and would take it back."""
    shutil.copytree(empty, folder)
    header = bytes.fromhex("d9d505f920a163d7") + bytes(4) + bytes(8) + (512).to_bytes(4) + (4096).to_bytes(4)
    (folder / DATABASE_FILE).write_bytes(b"SQLite format 3\0".ljust(4096, b"\0"))
    (folder / f"{DATABASE_FILE}-journal").write_bytes(header.ljust(512, b"\0"))
    return folder


def test_a_query_that_was_really_killed_may_be_asked_again(order: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "c"
    with Program(*order, "--out", folder) as program:
        assert program.until((folder / DATABASE_FILE).exists, "its database"), program.err
        program.kill()
    said = salticid(*order, "--out", folder)
    assert said.status == 0, said.err
    assert json.loads(said.out)["pages"] == PAGES
