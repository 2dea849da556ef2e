"""The power fails: what was appended last is gone, at any byte, and what is left is whole and goes on."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest
from tests.support.killing import Offline, Site, check_archive, check_calls, survey

from salticid.errors import UserError
from salticid.store import log as store_log
from salticid.store.archive import warc
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.schema import DATABASE_FILE
from salticid.strategies.best_first import BestFirst

SITE = Site(pages=60)
VISITS = 40
"""So many are made before the power fails."""
WAL, WARC = f"{DATABASE_FILE}-wal", f"{warc.FOLDER}/crawl-00000.warc.gz"


@pytest.fixture(scope="module", params=["never folded", "folded once"])
def left(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl folder as it is on disk while the crawl runs; its write-ahead log folded into the database or not."""
    tmp_path = tmp_path_factory.mktemp("power")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store_log, "BATCH_VISITS", 4)
        crawl = Offline(SITE, tmp_path / "crawl", BestFirst())
        with closing(crawl.log):
            crawl.open()
            crawl.run(VISITS // 2)
            if request.param == "folded once":
                crawl.log.commit()
                crawl.log.database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            crawl.run(VISITS // 2)
            crawl.log.commit()
            shutil.copytree(tmp_path / "crawl", tmp_path / "left")
    assert (tmp_path / "left" / WAL).stat().st_size > 100_000
    return tmp_path / "left"


def cut(left: Path, to: Path, file: str, size: int, shared_memory: bool = True) -> Path:
    """A copy of a folder in which a file ends early."""
    shutil.copytree(left, to)
    with (to / file).open("r+b") as opened:
        opened.truncate(size)
    if not shared_memory:
        (to / f"{DATABASE_FILE}-shm").unlink()
    return to


def places(file: Path, count: int) -> list[int]:
    """Sizes to cut a file to: spread over it, never on a round number twice, the ends among them."""
    size = file.stat().st_size
    return sorted({0, 1, size - 1, *(size * at // count + at % 7 for at in range(1, count))})


def readable(folder: Path) -> int:
    """How many visits a reader finds, each of them whole; none where there is no crawl any more."""
    try:
        crawled = CrawlFolder(folder)
    except UserError:
        return 0
    with closing(crawled):
        found = survey(SITE, folder)
        assert (found.twice, found.torn) == ([], [])
        return found.stored


def goes_on(folder: Path) -> Offline:
    """Order the crawl again, to its end."""
    crawl = Offline(SITE, folder, BestFirst())
    with closing(crawl.log):
        crawl.open()
        crawl.run()
    check_calls(folder)
    return crawl


def test_a_write_ahead_log_cut_at_any_byte_tears_nothing_and_the_crawl_goes_on(left: Path, tmp_path: Path) -> None:
    found = []
    for at, size in enumerate(places(left / WAL, 32)):
        folder = cut(left, tmp_path / "cut", WAL, size, shared_memory=at % 2 == 0)
        found.append(readable(folder))
        crawl = goes_on(folder)
        if size > 1:
            assert crawl.missing is None, "raw exchanges went to disk before the visits that speak of them"
        else:
            assert WAL in str(crawl.missing)
        whole = survey(SITE, folder)
        assert (whole.stored, whole.lost, whole.twice, whole.torn, whole.unreadable) == (60, [], [], [], [])
        check_archive(folder)
        shutil.rmtree(folder)
    assert found == sorted(found), "the later it is cut the more is left"
    assert found[-1] > VISITS - 8
    assert len(set(found)) > 3


def test_an_archive_cut_at_any_byte_costs_only_what_was_cut(left: Path, tmp_path: Path) -> None:
    size = (left / WARC).stat().st_size
    for to in places(left / WARC, 16):
        folder = cut(left, tmp_path / "cut", WARC, to)
        assert readable(folder) == VISITS, "no page is lost with its raw exchange"
        gone = set(survey(SITE, folder).unreadable)
        crawl = goes_on(folder)
        assert crawl.missing is not None
        assert "never reached the disk" in crawl.missing
        whole = survey(SITE, folder)
        assert (whole.stored, whole.lost, whole.twice, whole.torn) == (60, [], [], [])
        assert set(whole.unreadable) == gone, "no other record stands where a lost one stood"
        assert len(gone) <= 1 + VISITS * (size - to) / size * 1.3
        check_archive(folder)
        shutil.rmtree(folder)


def test_all_of_the_archive_may_be_gone(left: Path, tmp_path: Path) -> None:
    shutil.copytree(left, tmp_path / "cut")
    shutil.rmtree(tmp_path / "cut" / warc.FOLDER)
    assert goes_on(tmp_path / "cut").missing is not None
    whole = survey(SITE, tmp_path / "cut")
    assert (whole.stored, len(whole.unreadable)) == (60, VISITS)
    check_archive(tmp_path / "cut")


def test_blocks_that_were_never_written_read_as_zeros(left: Path, tmp_path: Path) -> None:
    for size in places(left / WAL, 10):
        folder = cut(left, tmp_path / "cut", WAL, size)
        with (folder / WAL).open("r+b") as opened:
            opened.truncate((left / WAL).stat().st_size)
        readable(folder)
        goes_on(folder)
        assert survey(SITE, folder).stored == 60
        shutil.rmtree(folder)


def test_the_power_may_fail_again_and_again(left: Path, tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    shutil.copytree(left, folder)
    for turn in range(12):
        crawl = Offline(SITE, folder, BestFirst())
        with closing(crawl.log):
            crawl.open()
            crawl.run(3)
            crawl.log.commit()
            shutil.copytree(folder, tmp_path / "left")
        shutil.rmtree(folder)
        (tmp_path / "left").rename(folder)
        archives = sorted((folder / warc.FOLDER).iterdir())
        for file in (folder / WAL, archives[-1]):
            size = file.stat().st_size
            with file.open("r+b") as opened:
                opened.truncate(size - size * (turn + 1) // 40)
    goes_on(folder)
    whole = survey(SITE, folder)
    assert (whole.stored, whole.lost, whole.twice, whole.torn) == (60, [], [], [])
    check_archive(folder)
