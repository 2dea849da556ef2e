"""The disk is full: the crawl pauses, says why, and goes on by itself when there is room."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import ClassVar

import pytest
from tests.support.generated_site import GeneratedSource
from tests.support.killing import Program, Site, check_calls, check_whole, live, served, stored_urls, visits_in
from tests.support.running import salticid

from salticid.store.crawl_folder import CrawlFolder
from salticid.worlds.building import build
from salticid.worlds.topics import TopicPlan, make_topics

PAGES = 220
NOTHING, VERY_LITTLE, LITTLE, SOME = 4000, 120_000, 300_000, 700_000
"""Bytes: enough for messages; to begin; for a second of a live crawl; for 200 visits of the recorded one."""

_LIMITED_FILES = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)), resource.RLIM_INFINITY))
from salticid.cli import main
main()
"""
_LIMITED_DATABASE = """
import sys
from pathlib import Path
from salticid.store import log
from salticid.store import folder_lock as taken
made, size, room = taken.connect, int(sys.argv.pop(1)), Path(sys.argv.pop(1))

def limited(file):
    db = made(file)
    db.execute(f"PRAGMA max_page_count = {size // 4096}")
    return db

class Log(log.CrawlLog):
    def retry(self):
        if room.exists():
            self.database.connection.execute("PRAGMA max_page_count = 1000000")
        super().retry()

taken.connect = limited
from salticid.cli import main
from salticid.runs import live, recorded
live.CrawlLog = recorded.CrawlLog = Log
main()
"""


class Room:
    """A place with little room, and how there comes to be more."""

    causes: ClassVar[tuple[str, ...]]

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def start(self, size: int, *args: str | int | Path) -> Program:
        """Run the program with about so many bytes of room."""
        raise NotImplementedError

    def grow(self, program: Program) -> None:
        """Make room."""
        raise NotImplementedError

    def look(self) -> Path:
        """The folder, or a copy of it, to be looked into."""
        return self.folder

    def close(self) -> None: ...


class FileSize(Room):
    """No file may be larger; the system's own limit, which another process may lift."""

    causes = ("File too large", "disk I/O error")

    def start(self, size: int, *args: str | int | Path) -> Program:
        return Program(size, *args, by=(sys.executable, "-c", _LIMITED_FILES))

    def grow(self, program: Program) -> None:
        resource.prlimit(program.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)


class DatabasePages(Room):
    """SQLite gives the database no more pages."""

    causes = ("database or disk is full",)

    def start(self, size: int, *args: str | int | Path) -> Program:
        by = (sys.executable, "-c", _LIMITED_DATABASE)
        return Program(size * 6 // 7, self.folder.with_name("room"), *args, by=by)

    def grow(self, program: Program) -> None:
        self.folder.with_name("room").touch()


class Tmpfs(Room):
    """A real file system that is full, mounted where only one process and those who join it see it."""

    causes = ("No space left on device", "database or disk is full", "disk I/O error")
    _SCRIPT = (
        'mount -t tmpfs none "$1" && echo ready && '
        'while read size; do mount -o remount,size=$size "$1" && echo ready; done'
    )

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "crawl")
        folder.mkdir()
        self._copies = folder.with_name("copies")
        self._alone = ["-m"] if os.geteuid() == 0 else ["-m", "-U"]
        mine = self._alone if os.geteuid() == 0 else [*self._alone, "-r"]
        self._holder = subprocess.Popen(
            ["unshare", *mine, "sh", "-c", self._SCRIPT, "sh", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.possible = self._ready()

    def start(self, size: int, *args: str | int | Path) -> Program:
        used = os.statvfs(f"/proc/{self._holder.pid}/root{self.folder.parent}")
        self._resize(max(size * 2, (used.f_blocks - used.f_bfree) * used.f_frsize))
        join = ["nsenter", "-t", str(self._holder.pid), *self._alone]
        join += [] if os.geteuid() == 0 else ["--preserve-credentials"]
        return Program(*args, by=(*join, sys.executable, "-m", "salticid"))

    def grow(self, program: Program) -> None:
        self._resize(64_000_000)

    def look(self) -> Path:
        shutil.rmtree(self._copies, ignore_errors=True)
        return Path(shutil.copytree(f"/proc/{self._holder.pid}/root{self.folder}", self._copies))

    def close(self) -> None:
        self._holder.kill()
        self._holder.communicate()

    def _resize(self, size: int) -> None:
        assert self._holder.stdin is not None
        self._holder.stdin.write(f"{size}\n")
        self._holder.stdin.flush()
        assert self._ready()

    def _ready(self) -> bool:
        assert self._holder.stdout is not None
        return self._holder.stdout.readline() == "ready\n"


@pytest.fixture(params=[FileSize, DatabasePages, Tmpfs], ids=lambda way: way.__name__)
def room(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Room]:
    with closing(request.param(tmp_path / "little")) as room:
        demand(room)
        yield room


def demand(room: Room) -> None:
    """Skip a test that needs what the system does not allow; the end of the run names it."""
    if isinstance(room, Tmpfs) and not room.possible:
        pytest.skip("right absent: to mount a file system of its own")


def pauses(program: Program, room: Room) -> None:
    """It says so, names the folder and the cause, and stays."""
    assert program.until_said("Paused: nothing can be written into"), program.err
    said = "".join(program.err.split("\n")).partition("Paused: ")[2]
    assert str(room.folder) in said.replace(" ", "")
    assert any(cause.replace(" ", "") in said.replace(" ", "") for cause in room.causes), said
    time.sleep(0.3)
    assert program.running, program.err


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("full") / "world"
    build(folder, GeneratedSource(500, seed=5))
    return folder


@pytest.fixture(scope="module")
def recorded(world: Path) -> list[str | int | Path]:
    topic = make_topics(world, world.parent / "topics", TopicPlan(min_pages=25)).files[0]
    return ["crawl", topic, "--web", world, "--max-pages", 450]


@pytest.fixture(scope="module")
def digest(recorded: list[str | int | Path], tmp_path_factory: pytest.TempPathFactory) -> str:
    """Of the recorded crawl that nobody disturbed."""
    folder = tmp_path_factory.mktemp("undisturbed") / "crawl"
    assert salticid(*recorded, "--out", folder).status == 0
    return digest_of(folder)


def digest_of(folder: Path) -> str:
    with closing(CrawlFolder(folder)) as crawled:
        return crawled.digest()


def test_a_recorded_crawl_pauses_and_ends_as_if_there_had_been_room(
    room: Room, recorded: list[str | int | Path], digest: str
) -> None:
    with room.start(SOME, *recorded, "--out", room.folder, "--json") as program:
        pauses(program, room)
        before = visits_in(room.look())
        room.grow(program)
        assert program.ends() == 0, program.err
        assert json.loads(program.out)["stopped"] == "budget"
    folder = room.look()
    assert 0 < before < visits_in(folder)
    assert digest_of(folder) == digest
    check_calls(folder)


@pytest.mark.parametrize("killed", [False, True])
def test_readers_need_no_room(killed: bool, recorded: list[str | int | Path], tmp_path: Path) -> None:
    with closing(Tmpfs(tmp_path / "little")) as room:
        demand(room)
        with room.start(20_000_000, *recorded, "--out", room.folder) as program:
            assert program.ends() == 0, program.err
        seen = Path(f"/proc/{room._holder.pid}/root{room.folder}")
        aside = tmp_path / "crawl.db"
        if killed:  # its write-ahead log stays, and the file beside it is missing
            shutil.copy(seen / "crawl.db", aside)
            with closing(sqlite3.connect(aside)) as db:
                db.execute("PRAGMA wal_autocheckpoint = 0")
                with db:
                    db.execute("DELETE FROM band")
                for name in ("crawl.db", "crawl.db-wal"):
                    shutil.copy(tmp_path / name, seen / name)
        for name in ("crawl.db-shm", *(() if killed else ("crawl.db-wal",))):
            (seen / name).unlink(missing_ok=True)
        fill(seen / "full")
        for words in (["visits"], ["export", "--to", "jsonl", "--out", "-"], ["search", "--limit", "1"]):
            query = ["the"] if words[0] == "search" else []
            with room.start(0, words[0], room.folder, *query, *words[1:]) as program:
                assert program.ends() == 0, program.err
                assert query or program.out.count("\n") > 400


def fill(file: Path) -> None:
    """Take all the room that a file system has."""
    with file.open("wb", buffering=0) as stream, suppress(OSError):
        while True:
            stream.write(bytes(1 << 12))


def test_a_live_crawl_pauses_and_ends_with_every_page(room: Room, tmp_path: Path) -> None:
    site = Site(pages=PAGES, seconds=0.1)
    with served(site) as port:
        topic = site.write_topic(tmp_path / "t.toml")
        with room.start(LITTLE, "crawl", topic, *live(port), "--out", room.folder, "--json") as program:
            pauses(program, room)
            kept, asked = stored_urls(room.look()), len(site.asked)
            time.sleep(1.1)
            assert len(site.asked) - asked <= 16, "it asks for nothing it cannot keep"
            assert stored_urls(room.look()) == kept
            room.grow(program)
            assert program.ends() == 0, program.err
            assert json.loads(program.out)["stopped"] == "frontier empty"
    assert kept
    assert max(site.times_asked().values()) == 1, "nothing had to be asked for twice"
    check_whole(site, room.look())


@pytest.mark.parametrize(("pages", "size"), [(450, SOME), (100, VERY_LITTLE)], ids=["in the middle", "at the end"])
def test_ctrl_c_ends_the_pause_of_a_recorded_crawl(
    tmp_path: Path, recorded: list[str | int | Path], digest: str, pages: int, size: int
) -> None:
    room = FileSize(tmp_path / "crawl")
    words = (*recorded[:-1], pages, "--out", room.folder)
    with room.start(size, *words) as program:
        pauses(program, room)
        program.send(signal.SIGINT)
        assert program.ends() == 130, program.err
        assert "Traceback" not in program.err
        assert "Go on with: " in program.out
    check_calls(room.folder)
    assert salticid(*words).status == 0
    assert visits_in(room.folder) >= pages
    if pages == 450:
        assert digest_of(room.folder) == digest


@pytest.mark.parametrize(("pages", "size"), [(PAGES, LITTLE), (60, VERY_LITTLE)], ids=["in the middle", "at the end"])
def test_ctrl_c_ends_the_pause_of_a_live_crawl(tmp_path: Path, pages: int, size: int) -> None:
    site, room = Site(pages=PAGES, seconds=0.05), FileSize(tmp_path / "crawl")
    with served(site) as port:
        words = ("crawl", site.write_topic(tmp_path / "t.toml"), *live(port), "--out", room.folder)
        with room.start(size, *words, "--max-pages", pages) as program:
            pauses(program, room)
            program.send(signal.SIGINT)
            assert program.ends() == 130, program.err
            assert "Traceback" not in program.err
            assert "Go on with: " in program.out
        assert salticid(*words).status == 0
    check_whole(site, room.folder)


@pytest.mark.parametrize("way", [FileSize, Tmpfs])
def test_a_crawl_that_is_ordered_again_on_a_full_disk_says_so_and_is_as_it_was(
    tmp_path: Path, recorded: list[str | int | Path], way: type[Room]
) -> None:
    with closing(way(tmp_path / "little")) as room:
        demand(room)
        first = (*recorded[:-1], 150, "--out", room.folder)
        with room.start(2 * SOME, *first) as program:
            assert program.ends() == 0, program.err
        with room.start(NOTHING, *recorded, "--out", room.folder) as program:
            if program.until_said("Paused: "):
                program.send(signal.SIGINT)
            assert program.ends() in (2, 130), program.err
            assert "Traceback" not in program.err
            assert str(room.folder) in "".join(program.err.split())
        check_calls(room.look())
        assert visits_in(room.look()) >= 150
        with room.start(10 * SOME, *recorded, "--out", room.folder) as program:
            assert program.ends() == 0, program.err
        check_calls(room.look())
        assert visits_in(room.look()) >= 450


@pytest.mark.parametrize("where", ["/proc/crawl", "/dev/null/crawl", "under a file"])
def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, recorded: list[str | int | Path], where: str) -> None:
    (tmp_path / "file").write_text("a file")
    folder = tmp_path / "file" / "crawl" if where == "under a file" else Path(where)
    said = salticid(*recorded, "--out", folder)
    assert (said.status, said.out, said.err.count("\n")) == (2, "", 1)
    assert str(folder) in said.err
    assert "--out" in said.err


@pytest.mark.parametrize("size", [NOTHING, 20_000])
def test_no_room_to_begin_leaves_nothing(tmp_path: Path, recorded: list[str | int | Path], size: int) -> None:
    room = FileSize(tmp_path / "crawl")
    with room.start(size, *recorded, "--out", room.folder) as program:
        assert program.ends() == 2, program.err
        assert f"cannot write a crawl into {room.folder}" in program.err
        assert program.err.count("\n") == 1
    assert not room.folder.exists()
