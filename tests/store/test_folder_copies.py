"""A crawl folder that was copied: with its write-ahead log it is whole, without it that is noticed; who may look."""

from __future__ import annotations

import os
import shutil
from contextlib import closing
from pathlib import Path

import pytest
from tests.support.killing import Offline, Program, Site, check_whole, live, served, visits_in
from tests.support.running import salticid
from tests.support.wishes import wish

from salticid.store.crawl_folder import CrawlFolder
from salticid.store.folder_lock import AHEAD, LockedFolder
from salticid.store.schema import DATABASE_FILE
from salticid.strategies.best_first import BestFirst

SITE = Site(pages=60, seconds=0.01)


def copied(folder: Path, to: Path) -> Path:
    """A copy of the files that people know of."""
    return Path(shutil.copytree(folder, to, ignore=shutil.ignore_patterns(f"{DATABASE_FILE}-*")))


def missing(folder: Path) -> str:
    with closing(CrawlFolder(folder)) as crawl:
        return crawl.missing or ""


def test_a_copy_without_its_write_ahead_log_says_so_to_whoever_reads_it_or_goes_on(tmp_path: Path) -> None:
    site, folder, copy = Site(pages=60, seconds=0.5), tmp_path / "c", tmp_path / "copy"
    with served(site) as port:
        topic = site.write_topic(tmp_path / "topic.toml")
        order = ("crawl", topic, "--max-pages", 60, "--strategy", "best_first", *live(port))
        with Program(*order, "--out", folder) as program:
            assert program.until(lambda: visits_in(folder) > 0, "visits"), program.err
            program.kill()
        site.seconds = 0.0
        assert missing(folder) == "", "all is there"
        copied(folder, copy)
        for command in (("visits",), ("export", "--to", "jsonl", "--out", tmp_path / "pages.jsonl")):
            said = salticid(command[0], copy, *command[1:])
            assert (said.status, AHEAD in said.err, "copy that file too" in said.err) == (0, True, True), said.err
        said = salticid(*order, "--out", copy)
        assert (said.status, AHEAD in said.err) == (0, True), said.err
    check_whole(site, copy)
    assert missing(copy) == ""


def test_a_crawl_that_ended_in_good_order_needs_no_such_file(tmp_path: Path) -> None:
    crawl = Offline(SITE, tmp_path / "c", BestFirst())
    with closing(crawl.log):
        crawl.open()
        crawl.run(20)
        crawl.log.commit()
        assert AHEAD in missing(copied(tmp_path / "c", tmp_path / "running"))
    assert not (tmp_path / "c" / AHEAD).exists()
    assert missing(copied(tmp_path / "c", tmp_path / "ended")) == ""
    again = Offline(SITE, tmp_path / "c", BestFirst())
    with closing(again.log):
        assert again.open()
        again.run(20)
        again.log.commit()
        assert again.missing is None
        assert AHEAD in missing(copied(tmp_path / "c", tmp_path / "going on")), "what it did since is not there"


def test_who_only_looks_in_at_the_door_changes_nothing_of_that(tmp_path: Path) -> None:
    """A folder is taken, and given back because another crawl was ordered."""
    crawl = Offline(SITE, tmp_path / "c", BestFirst())
    with closing(crawl.log):
        crawl.open()
        crawl.run(20)
        crawl.log.commit()
        whole = Path(shutil.copytree(tmp_path / "c", tmp_path / "whole"))
        part = copied(tmp_path / "c", tmp_path / "part")
    for folder in (whole, part):
        taken = LockedFolder(folder)
        assert taken.facts() is not None
        taken.give_back()
    assert missing(whole) == "", "what was beside it was folded in"
    assert AHEAD in missing(part)


def test_a_folder_that_a_crawl_makes_is_for_its_owner_alone(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir(0o755)
    for folder, mode in ((tmp_path / "crawls" / "new", 0o700), (there, 0o755)):
        crawl = Offline(SITE, folder, BestFirst())
        before = os.umask(0o022)
        try:
            with closing(crawl.log):
                crawl.open()
        finally:
            os.umask(before)
        assert folder.stat().st_mode & 0o777 == mode


def test_so_is_one_that_the_page_makes(tmp_path: Path) -> None:
    wish("spiders", (), (), "best_first", "cosine", 9, "2026-01-01").save(tmp_path / "crawls" / "spiders")
    assert (tmp_path / "crawls" / "spiders").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("size", [0, 32])
def test_one_that_is_there_and_empty_is_missing_all_the_same(size: int, tmp_path: Path) -> None:
    crawl = Offline(SITE, tmp_path / "c", BestFirst())
    with closing(crawl.log):
        crawl.open()
        crawl.run(5)
        crawl.log.commit()
        copy = copied(tmp_path / "c", tmp_path / "copy")
    (copy / AHEAD).write_bytes(bytes(size))
    assert AHEAD in missing(copy)
