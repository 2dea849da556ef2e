"""A crawl that may take only so much of the disk pauses there, loses nothing, and goes on with more."""

from __future__ import annotations

import json
import signal
from contextlib import closing
from pathlib import Path

import pytest
from tests.support.killing import Program, Site, check_whole, live, served, visits_in
from tests.support.running import salticid

from salticid.cli.interrupts import INTERRUPTED
from salticid.errors import UserError
from salticid.store.index import INDEX_FILE as INDEX
from salticid.store.log import CrawlLog
from salticid.tables.texts import Urls, Words
from salticid.topic import size

LITTLE, BALLAST = 300_000, 20_000_000
"""Bytes: of which a crawl takes half before its first page; and far more than all of its pages take."""
SITE = Site(pages=900, seconds=0.02)
"""So many that some batches are left for the second run, however quick the first one is."""


def taken(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def test_it_pauses_at_its_bound_and_goes_on_with_a_larger_one(tmp_path: Path) -> None:
    folder, topic = tmp_path / "c", SITE.write_topic(tmp_path / "topic.toml")
    order = ("crawl", topic, "--out", folder, "--max-pages", SITE.pages, "--strategy", "best_first")
    with served(SITE) as port:
        with Program(*order, *live(port), "--max-disk", LITTLE) as program:
            assert program.until_said("Paused: "), program.err
            visits = visits_in(folder)
            assert 0 < visits < SITE.pages
            assert taken(folder) >= LITTLE
            program.send(signal.SIGINT)
            assert program.ends() == INTERRUPTED
            said = " ".join(program.err.split())
            assert "--max-disk allows 0.3 MB; to go on, end this with Ctrl-C" in said
        assert visits_in(folder) == visits, "all that was delivered is kept, and nothing was delivered since"
        asked = len(SITE.asked)

        (folder / INDEX).write_bytes(bytes(BALLAST))
        with Program(*order, *live(port), "--max-disk", f"{BALLAST / 1e6}MB") as program:
            assert program.until_said("Paused: "), program.err
            (folder / INDEX).unlink()
            assert program.ends() == 0, program.err
    check_whole(SITE, folder)
    assert len(SITE.asked) - asked <= SITE.pages - visits + SITE.hosts, "what was kept is not asked for again"


def test_whoever_has_the_log_write_learns_that_there_is_no_room(tmp_path: Path) -> None:
    """A slow crawl is written by the second, when nothing arrives, and not by the batch."""
    with closing(CrawlLog(tmp_path / "c", Urls(), Words(), max_bytes=1)) as log:
        log.begin({})
        assert log.trouble is None
        log.retry()
        assert "--max-disk allows" in str(log.trouble)
        assert log.write_error is None


def test_one_that_is_over_does_not_pause(tmp_path: Path) -> None:
    site = Site(pages=20)
    topic = site.write_topic(tmp_path / "topic.toml")
    with served(site) as port:
        order = ("crawl", topic, "--out", tmp_path / "c", *live(port), "--json")
        assert salticid(*order).status == 0
        again = salticid(*order, "--max-disk", 1)
    assert (again.status, json.loads(again.out)["stopped"]) == (0, "frontier empty"), again.err
    assert "Paused" not in again.err


@pytest.mark.parametrize("text", ["", "MB", "10 G", "-1GB", "1e9", "ten"])
def test_a_size_is_a_number_with_a_unit(text: str) -> None:
    with pytest.raises(UserError, match="as in 10GB"):
        size(text)
