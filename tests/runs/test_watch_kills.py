"""A round that is killed in any of its phases is gone on with, and ends with what it would have brought."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from shutil import copytree
from threading import Event
from typing import Any

import pytest
from tests.runs.test_watch import KINDS, asked, digest, urls
from tests.support.changing_site import Site, crawl, page, reach, serving
from tests.support.killing import Program
from tests.support.running import salticid

from salticid.store.crawl_folder import CrawlFolder
from salticid.store.news.changes import rounds

_KILLED = """
import os, signal, sys
from salticid.drivers.live import LiveDriver
from salticid.store import log
from salticid.store.news import digest
log.BATCH_SECONDS = -1.0

def dies(owner, name, calls=1):
    whole = getattr(owner, name)
    def half(*args, **named):
        nonlocal calls
        calls -= 1
        if not calls:
            os.kill(os.getpid(), signal.SIGKILL)
        return whole(*args, **named)
    setattr(owner, name, half)

dies({})
sys.argv[0] = "salticid"
from salticid.cli import main
main()
"""
PHASES = {
    "looking": 'log.CrawlLog, "add_recheck", 4',
    "between": 'LiveDriver, "run"',
    "hunting": 'log.CrawlLog, "add_visit", 2',
    "digest": 'digest, "digest_page"',
    "ending": 'log.CrawlLog, "remember"',
}


@pytest.fixture(scope="module")
def changed_crawl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, Path]]:
    """A site that has changed since it was crawled into a folder."""
    with serving() as (web, port):
        folder = tmp_path_factory.mktemp("watched") / "c"
        crawl(web, port, folder)
        web.pages["/plain"] = page("a second version", "/fresh")
        web.pages["/tagged"] = page("another tag", "/fresh2")
        web.pages |= {
            "/fresh": page("fresh things", "/deeper"),
            "/fresh2": page("more"),
            "/deeper": page("the end"),
        }
        del web.pages["/leaving"]
        yield web, folder


def check(folder: Path, result: dict[str, Any]) -> None:
    """One round was made, and brought all there was."""
    assert (result["round"], result["stopped"]) == (1, "done")
    assert tuple(result[kind] for kind in KINDS) == (3, 2, 1, 5)
    told = digest(folder, 1)
    assert urls(told, "new") == {"/fresh", "/fresh2", "/deeper"}
    assert urls(told, "changed") == {"/plain", "/tagged"}
    assert urls(told, "gone") == {"/leaving"}


@pytest.mark.parametrize("phase", PHASES)
def test_a_round_killed_in_any_phase_ends_as_if_nothing_had_been(
    changed_crawl: tuple[Site, Path], tmp_path: Path, phase: str
) -> None:
    web, crawled = changed_crawl
    folder = tmp_path / "c"
    copytree(crawled, folder)
    command = (sys.executable, "-c", _KILLED.format(PHASES[phase]))
    with Program("watch", folder, *reach(folder), by=command) as program:
        assert program.ends() == -signal.SIGKILL, program.err
    with closing(CrawlFolder(folder)) as killed:
        assert [stored.ended for stored in rounds(killed.database)] == [None]
    web.asked.clear()
    said = salticid("watch", folder, *reach(folder), "--json")
    assert said.status == 0, said.err
    check(folder, json.loads(said.out))
    if phase in ("between", "hunting", "digest", "ending"):
        assert not {"/", "/plain", "/tagged", "/leaving"} & {*asked(web)}, "what it saw it need not see again"
    if phase in ("digest", "ending"):
        assert not asked(web)


@pytest.mark.parametrize("where", ["/plain2", "/fresh"], ids=["looking", "hunting"])
def test_ctrl_c_ends_a_round_that_can_go_on(changed_crawl: tuple[Site, Path], tmp_path: Path, where: str) -> None:
    web, crawled = changed_crawl
    folder = tmp_path / "c"
    copytree(crawled, folder)
    web.asked.clear()
    gate = web.gates[where] = Event()
    with Program("watch", folder, *reach(folder), "--json") as program:
        assert program.until(lambda: where in asked(web), f"a request for {where}")
        program.send(signal.SIGINT)
        status = program.ends()
        gate.set()
        del web.gates[where]
        assert (status, json.loads(program.out)["stopped"]) == (130, "interrupted"), program.err
        assert f"salticid watch {folder}" in program.err
    said = salticid("watch", folder, *reach(folder), "--json")
    assert said.status == 0, said.err
    check(folder, json.loads(said.out))


def test_with_every_it_stays_and_makes_rounds_until_it_is_stopped(
    changed_crawl: tuple[Site, Path], tmp_path: Path
) -> None:
    _, crawled = changed_crawl
    folder = tmp_path / "c"
    copytree(crawled, folder)
    with Program("watch", folder, *reach(folder), "--json", "--every", "0.1s") as program:
        assert program.until(lambda: program.out.count("\n") >= 2, "a second round")
        program.send(signal.SIGINT)
        assert program.ends() == 130
        first, second = map(json.loads, program.out.splitlines()[:2])
        assert "Go on with: salticid watch" in program.err
    check(folder, first)
    assert (second["round"], *(second[kind] for kind in KINDS)) == (2, 0, 0, 0, 10)
    copytree(crawled, tmp_path / "d")
    with Program("watch", tmp_path / "d", *reach(tmp_path / "d"), "--every", "1d") as program:
        assert program.until_said("The next round begins in 1 d")
        program.send(signal.SIGTERM)
        assert program.ends() == 130
