"""Crawl folders that somebody else made: odd schemas, bombs and symlinks end in one clear line."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from shutil import copytree

import pytest
import zstandard
from tests.support.killing import Offline, Site
from tests.support.running import salticid
from tests.support.tampering import tampering

from salticid.errors import SalticidError
from salticid.service import processes
from salticid.store.archive import warc
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.database import connect
from salticid.store.files import UnsafeFile, open_in, remove_in, replace_in
from salticid.store.folder_lock import lock
from salticid.store.news.digest import write_digest
from salticid.store.packing import Damaged, unpack_words
from salticid.store.schema import DATABASE_FILE
from salticid.strategies.best_first import BestFirst

_ENDLESS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT {} FROM n"
_READERS = (("visits",), ("search", "spider"), ("export", "--to", "jsonl", "--out", "-"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile") / "whole"
    crawl = Offline(Site(30), folder, BestFirst(), archive=False)
    crawl.open()
    crawl.run()
    crawl.log.close()
    return folder


@pytest.fixture
def own(whole: Path, tmp_path: Path) -> Path:
    return copytree(whole, tmp_path / "own")


def _view_for_table(db: sqlite3.Connection) -> None:
    db.execute("DROP TABLE visit")
    columns = ", ".join(["i"] * 18)
    db.execute(f"CREATE VIEW visit AS {_ENDLESS.format(columns)}")


def _trigger(db: sqlite3.Connection) -> None:
    db.execute("CREATE TRIGGER t AFTER INSERT ON about BEGIN DELETE FROM visit; END")


def _computed_column(db: sqlite3.Connection) -> None:
    db.execute("DROP TABLE band")
    db.execute("CREATE TABLE band (key INTEGER PRIMARY KEY, step INTEGER NOT NULL AS (key * 2))")


def _odd_index(db: sqlite3.Connection) -> None:
    db.execute("CREATE INDEX odd ON visit (abs(score))")


@pytest.mark.parametrize("attack", [_view_for_table, _trigger, _computed_column, _odd_index])
def test_another_schema_is_refused_by_readers_and_writers(
    own: Path, attack: Callable[[sqlite3.Connection], None]
) -> None:
    with closing(sqlite3.connect(own / DATABASE_FILE)) as db, db:
        attack(db)
    with pytest.raises(Damaged, match="its schema is not ours"):
        CrawlFolder(own)
    if attack is _view_for_table:
        for command, *words in _READERS:
            said = salticid(command, own, *words)
            assert (said.status, said.err.count("\n")) == (1, 1), said.err
            assert "crawl.db is damaged (its schema is not ours: view 'visit')" in said.err
        said = salticid("watch", own)
        assert (said.status, said.err.count("\n"), "schema" in said.err) == (1, 1, True), said.err


def test_a_statement_that_never_ends_is_ended(own: Path) -> None:
    with closing(CrawlFolder(own)) as crawl, pytest.raises(Damaged, match="interrupted"):
        next(crawl.database.run(_ENDLESS.format("max(i)")))


def test_views_of_a_foreign_crawl_are_never_asked(own: Path) -> None:
    with closing(sqlite3.connect(own / DATABASE_FILE)) as db, db:
        db.execute("DROP VIEW visits")
        db.execute(f"CREATE VIEW visits AS {_ENDLESS.format('max(i) AS step')}")
    for command, *words in _READERS:
        said = salticid(command, own, *words)
        assert (said.status, bool(said.out)) == (0, True), said.err


def test_an_index_with_another_schema_is_named(own: Path) -> None:
    assert salticid("search", own, "spider").status == 0
    with closing(sqlite3.connect(own / "search.db")) as db, db:
        db.execute("DROP TABLE about")
        columns = _ENDLESS.format("max(i) AS made_for, 1 AS step, 1 AS asked_again")
        db.execute(f"CREATE VIEW about AS {columns}")
    said = salticid("search", own, "spider")
    assert said.status == 2
    assert "search.db cannot be used: its schema is not ours; remove it" in said.err


def _bomb(size: int) -> bytes:
    """Much in little, as an honest frame tells."""
    packer = zstandard.ZstdCompressor(level=1).compressobj(size=size)
    block = bytes(1 << 20)
    return b"".join([*(packer.compress(block) for _ in range(size >> 20)), packer.flush()])


def test_a_bomb_is_not_unpacked(own: Path) -> None:
    bomb = _bomb(256 << 20)
    assert len(bomb) < 100_000
    with tampering(own) as db:
        db.execute("UPDATE words SET texts = ? WHERE batch = 1", (bomb,))
    said = salticid("export", own, "--to", "sqlite", "--out", own.parent / "out.sqlite")
    assert (said.status, said.err.count("\n")) == (1, 1), said.err
    assert "is damaged (268435456 bytes, where 67108864 are the most)" in said.err
    with tampering(own) as db:
        db.execute("UPDATE page SET text = ?, stream = ?", (bomb, bomb))
    said = salticid("export", own, "--to", "jsonl", "--out", "-")
    assert (said.status, said.err.count("\n")) == (1, 1), said.err


def test_words_without_ids_are_damage() -> None:
    pack = zstandard.ZstdCompressor().compress
    with pytest.raises(Damaged, match="1 ids of 3 words"):
        unpack_words(pack(bytes(4)), pack(b"a\nb\nc"))


_WILD = [
    ("visit", "outcome", "x"), ("visit", "status", "many"), ("visit", "size", -(2**63)), ("visit", "at", 1e300),
    ("visit", "modified", 9e99), ("visit", "choice", 2**62), ("visit", "final", -5), ("visit", "records", "[-1]"),
    ("visit", "records", "{"), ("visit", "depth", b"\xff"), ("choice", "why", "[[["), ("choice", "source", 2**60),
    ("choice", "score", "x"), ("url", "text", b"\xff\xfe"), ("url", "text", ""), ("message", "body", '{"type":"x"}'),
    ("message", "body", "[" * 100_000), ("session", "settings", "nul"), ("session", "wall", 1e308),
    ("page", "title", b"x"), ("page", "url", -1), ("page", "stream", ""), ("words", "ids", b""),
    ("about", "value", "[" * 5000), ("visit", "duplicate_of", 2**61), ("choice", "place", -(2**40)),
]  # fmt: skip


@pytest.mark.parametrize(("table", "column", "value"), _WILD)
def test_wild_values_end_in_one_error(own: Path, table: str, column: str, value: object) -> None:
    can_be_sealed = not isinstance(value, bytes) and column != "stream"
    with tampering(own) if can_be_sealed else closing(sqlite3.connect(own / DATABASE_FILE)) as db, db:
        db.execute(f"UPDATE {table} SET {column} = ?", (value,))
    for command, *words in _READERS:
        said = salticid(command, own, *words)
        assert "Traceback" not in said.err, said.err
        assert said.status in (0, 1, 2)


_FORGED = [
    ("limits", '{"max_pages":"many"}'), ("limits", '{"max_pages":NaN}'), ("limits", '{"max_pages":1e30}'),
    ("seed", "-1"), ("web", "[]"),
    ("topic", '{"name":5}'), ("topic", '{"seeds":[5]}'), ("forgotten", '{"salt":"zz","hashes":[]}'),
    ("warc", "[-1,-1]"), ("unwanted", '{"places":[-1]}'), ("merged", "[]"), ("line", '"x"'), ("version", "5"),
    ("judge", "[" * 5000),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), _FORGED)
def test_forged_facts_are_damage(own: Path, name: str, value: str) -> None:
    with tampering(own) as db:
        db.execute("INSERT OR REPLACE INTO about VALUES (?, ?, 0)", (name, value))
    with closing(CrawlFolder(own)) as crawl, pytest.raises(Damaged):
        crawl.about()


def test_a_missing_fact_is_damage(own: Path) -> None:
    with tampering(own) as db:
        db.execute("DELETE FROM about WHERE name IN ('web', 'limits', 'topic')")
    said = salticid("watch", own)
    assert (said.status, said.err.count("\n")) == (1, 1), said.err
    assert "the fact 'web' about the crawl is missing" in said.err


def test_symlinks_lead_nobody_out_of_the_folder(own: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    precious = outside / "precious"
    precious.write_text("precious")
    (own / "lock").unlink()
    (own / "lock").symlink_to(precious)
    said = salticid("forget", own, "http://a.example/")
    assert (said.status, said.err.count("\n")) == (2, 1), said.err
    assert f"{own / 'lock'} is a symlink or not a regular file" in said.err
    for name in (processes.COMMANDS, "file"):
        (own / name).symlink_to(precious)
        for mode in ("rb", "wb", "ab", "a+b", "r+b"):
            with pytest.raises(UnsafeFile):
                open_in(own, name, mode)
    assert not processes.lives(own)
    (own / ".wish.json.partial").symlink_to(precious)
    (own / "wish.json").symlink_to(precious)
    replace_in(own, "wish.json", b"{}")
    assert (own / "wish.json").read_bytes() == b"{}"
    assert not (own / "wish.json").is_symlink()
    for name in ("rounds", warc.FOLDER):
        (own / name).symlink_to(outside)
        for do in (
            lambda at: open_in(own, at, "ab"),
            lambda at: replace_in(own, at, b""),
            lambda at: remove_in(own, at),
        ):
            with pytest.raises(UnsafeFile):
                do(f"{name}/precious")
    archive = warc.Archive(own)
    archive.add("http://a.example/", b"GET / HTTP/1.1\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\nx", None, False)
    with pytest.raises(UnsafeFile):
        archive.flush()
    with pytest.raises(UnsafeFile):
        warc.read(own, 0)
    assert [each.name for each in outside.iterdir()] == ["precious"]
    assert precious.read_text() == "precious"


@pytest.mark.parametrize("name", [DATABASE_FILE, f"{DATABASE_FILE}-wal", f"{DATABASE_FILE}-shm"])
@pytest.mark.parametrize("make", [lambda file, to: file.symlink_to(to), lambda file, _: os.mkfifo(file)])
def test_files_of_sqlite_must_be_regular(own: Path, name: str, make: Callable[[Path, Path], None]) -> None:
    copy = own.parent / "copy"
    copy.write_bytes((own / DATABASE_FILE).read_bytes())
    before = copy.read_bytes()
    (own / name).unlink(missing_ok=True)
    make(own / name, copy)
    for command in ("visits", "watch"):
        said = salticid(command, own)
        assert (said.status, said.err.count("\n")) == (2, 1), said.err
    assert copy.read_bytes() == before


def test_a_hard_link_is_read_and_not_written(own: Path) -> None:
    os.link(own / DATABASE_FILE, own.parent / "other.db")
    CrawlFolder(own).close()
    with pytest.raises(UnsafeFile, match="is a hard link"):
        connect(own / DATABASE_FILE)
    with closing(lock(own)), pytest.raises(SalticidError):
        write_digest(own, 1)
