"""A round that is killed in any of its phases is gone on with, and ends with what it would have brought."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.changing_site import Site, crawl, page, serving
from tests.killing import Program
from tests.running import salticid
from tests.test_watch import KINDS, asked, digest, urls

from salticid.store.crawl_folder import CrawlFolder
from salticid.store.rounds import rounds

_KILLED = """
import os, signal, sys
from salticid.drivers.live import LiveDriver
from salticid.store import log
from salticid.store.digests import digest
from salticid.runs.watch import WatchRun
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
    "beginning": 'WatchRun, "_look_and_hunt"',
    "looking": 'log.CrawlLog, "add_recheck", 4',
    "between": 'LiveDriver, "run"',
    "hunting": 'log.CrawlLog, "add_visit", 2',
    "digest": 'digest, "digest_page"',
    "ending": 'log.CrawlLog, "remember"',
}


@pytest.fixture
def site() -> Iterator[tuple[Site, int]]:
    with serving() as made:
        yield made


@pytest.mark.parametrize("phase", PHASES)
def test_a_round_killed_in_any_phase_ends_as_if_nothing_had_been(
    site: tuple[Site, int], tmp_path: Path, phase: str
) -> None:
    web, port = site
    folder = tmp_path / "c"
    crawl(web, port, folder)
    web.pages["/plain"] = page("a second version", "/fresh")
    web.pages["/tagged"] = page("another tag", "/fresh2")
    web.pages |= {
        "/fresh": page("fresh things", "/deeper"),
        "/fresh2": page("more"),
        "/deeper": page("the end"),
    }
    del web.pages["/leaving"]
    command = (sys.executable, "-c", _KILLED.format(PHASES[phase]))
    with Program("watch", folder, by=command) as program:
        assert program.ends() == -signal.SIGKILL, program.err
    before = asked(web)
    with closing(CrawlFolder(folder)) as crawled:
        assert [stored.ended for stored in rounds(crawled.database)] == [None]
    web.asked.clear()
    said = salticid("watch", folder, "--json")
    assert said.status == 0, said.err
    result = json.loads(said.out)
    assert (result["round"], result["stopped"]) == (1, "done")
    assert tuple(result[kind] for kind in KINDS) == (3, 2, 1, 5)
    told = digest(folder, 1)
    assert urls(told, "new") == {"/fresh", "/fresh2", "/deeper"}
    assert urls(told, "changed") == {"/plain", "/tagged"}
    assert urls(told, "gone") == {"/leaving"}
    if phase in ("between", "hunting", "digest", "ending"):
        assert not {"/", "/plain", "/tagged", "/leaving"} & {*asked(web)}, "what it saw it need not see again"
    if phase in ("digest", "ending"):
        assert not asked(web)
    assert "/plain" in {*before, *asked(web)}
