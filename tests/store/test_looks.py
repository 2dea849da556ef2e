"""The looks at pages over many rounds: what is kept of them, and what is read of them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from salticid.model import Outcome, Response
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.database import Database
from salticid.store.log import CrawlLog
from salticid.store.news import versions
from salticid.store.news.versions import MOST, NOTE, LookTable, looks_before
from salticid.store.schema import MEMORY, RECHECK
from salticid.tables.texts import Urls, Words

PAGES, ROUNDS = 7, 40
FINDINGS = ("same", "changed", "gone", "unknown", "same")


def look_at_all(log: CrawlLog, number: int) -> None:
    for step in range(PAGES):
        finding = FINDINGS[(step + number) % len(FINDINGS)]
        status = 404 if finding == "gone" else 200
        log.add_recheck(step, finding, Response(step, step, Outcome.DEAD, status))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Many rounds over a few pages, which the log remembers up to the last one."""
    log = CrawlLog(tmp_path / "c", Urls(), Words(), own_tables=True)
    log.begin({"version": "1"})
    for number in range(ROUNDS):
        log.commit()
        log.remember(NOTE, looks_before(log.database, log.next_recheck).packed())
        look_at_all(log, number)
    log.close()
    return tmp_path / "c"


def columns(table: LookTable) -> list[list[float]]:
    names = ("step", "wall", "finding")
    pages = sorted(zip(table.page.tolist(), table.newest.tolist(), table.answered.tolist(), strict=True))
    return [*(getattr(table, name).tolist() for name in names), *map(list, pages)]


def test_of_many_looks_the_last_are_kept_and_what_came_of_all(folder: Path) -> None:
    with closing(CrawlFolder(folder)) as crawl:
        table = looks_before(crawl.database, PAGES * ROUNDS + 1)
    assert np.bincount(table.step).tolist() == [MOST] * PAGES
    for step in range(PAGES):
        found = [FINDINGS[(step + number) % len(FINDINGS)] for number in range(ROUNDS)]
        ids = [number * PAGES + step + 1 for number in range(ROUNDS)]
        place = table.page.tolist().index(step)
        kept = [versions.FINDINGS[at] for at in table.finding[table.step == step].tolist()]
        assert kept == found[-MOST:]
        assert table.newest[place] == max(at for at, what in zip(ids, found, strict=True) if what == "changed")
        answered = [at for at, what in zip(ids, found, strict=True) if what in ("same", "changed")]
        assert table.answered[place] == answered[-1]
        assert table.since[place] <= table.wall[table.step == step].min()


def test_only_what_came_since_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    whole = Database.check

    def check(db: Database, table: object, row: tuple[int, ...]) -> tuple[int, ...]:
        if table is RECHECK:
            read.append(row[0])
        return whole(db, table, row)  # type: ignore[arg-type]

    monkeypatch.setattr(Database, "check", check)
    with closing(CrawlFolder(folder)) as crawl:
        quick = looks_before(crawl.database, PAGES * ROUNDS + 1)
        assert read == list(range(PAGES * (ROUNDS - 1) + 1, PAGES * ROUNDS + 1))
        before = looks_before(crawl.database, PAGES + 1)
        assert before.upto == PAGES, "of an earlier time it tells what was known then"
        monkeypatch.setattr(versions, "NOTE", "no such note")
        assert columns(looks_before(crawl.database, PAGES * ROUNDS + 1)) == columns(quick)


@pytest.mark.parametrize("note", [b"", b"no zstd", LookTable.packed(versions.NONE)[:-3]])
def test_a_note_that_makes_no_sense_is_no_note(folder: Path, note: bytes) -> None:
    with closing(CrawlFolder(folder)) as crawl:
        expected = columns(looks_before(crawl.database, PAGES * ROUNDS + 1))
    log = CrawlLog(folder, Urls(), Words(), own_tables=True)
    log.open()
    log.go_on()
    log.remember(NOTE, note)
    log.close()
    with closing(CrawlFolder(folder)) as crawl:
        assert crawl.database.row(MEMORY, NOTE)[1] == note
        assert columns(looks_before(crawl.database, PAGES * ROUNDS + 1)) == expected
