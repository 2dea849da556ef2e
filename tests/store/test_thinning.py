"""Old versions of pages are taken out by a rule: what is to stay stays, whole, wherever the program is killed."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from tests.support.changing_site import crawl, page, reach, refreshed, serving, title
from tests.support.made_crawl import BEGAN, Made, article
from tests.support.running import salticid
from tests.support.tampering import tampering
from warcio.archiveiterator import ArchiveIterator

from salticid.store.archive import warc
from salticid.store.archive.thinning import Thinned, thin_folder
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.exports.selection import Criteria, Pages, SkipReason
from salticid.store.news.versions import Versions
from salticid.store.schema import ABOUT, TABLES, VERSION

KILLS = {
    "before the files": "thinning.discard = killed",
    "when a file is written": "copy = thinning._copy\nthinning._copy = lambda *args: (copy(*args), killed())",
    "when the log knows": "warc.remove_file = killed",
    "when the old file is gone": "remove = warc.remove_file\nwarc.remove_file = lambda *at: (remove(*at), killed())",
}
PROGRAM = """
import os, signal
from pathlib import Path
from salticid.store.archive import thinning, warc
def killed(*_): os.kill(os.getpid(), signal.SIGKILL)
{kill}
thinning.thin_folder(Path({folder!r}), 2)
"""


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """Three pages; the first has changed four times, the second once, the third was the same and is gone."""
    crawl = Made(tmp_path / "crawl")
    for name in ("first", "second", "third"):
        crawl.add(f"http://a.example/{name}", article(name), raw=article(name))
    for number in range(1, 5):
        html = article(f"first{number}", f"word{'abcd'[number - 1] * 3} of version {number}")
        crawl.ask_again(0, "changed", html, raw=html)
        crawl.ask_again(2, "same", raw=article("third"))
    crawl.ask_again(1, "changed", article("second1"), raw=article("second1"))
    crawl.ask_again(2, "gone")
    folder = crawl.commit()
    with tampering(folder) as db:
        db.execute(ABOUT.insert, ABOUT.with_checksum((warc.ARCHIVE_END, json.dumps(crawl.archive.flush()))))
    crawl.db.close()
    return folder


def state(folder: Path) -> dict[str, object]:
    """All that can be had of a folder: rows that are whole, and the exchange that each version came from."""
    with closing(CrawlFolder(folder)) as crawl:
        rows = {table.name: len(list(crawl.database.all(table, body=bool(table.body)))) for table in TABLES}
        del rows["about"]
        pages = Pages(crawl, Criteria(all=True), lambda *_: None)
        exchanges = {page.title: [warc.read(folder, place) for place in page.records] for page in pages}
        texts = {page.title: pages.text(page) for page in Pages(crawl, Criteria(all=True), lambda *_: None)}
    return {"rows": rows, "exchanges": exchanges, "texts": texts, "archived": archived(folder)}


def archived(folder: Path) -> list[str]:
    """The bodies of all responses in all files, read by others."""
    bodies = []
    for number in warc.numbers(folder / warc.FOLDER):
        with warc.file_of(folder / warc.FOLDER, number).open("rb") as file:
            for record in ArchiveIterator(file):
                if record.rec_type == "response":
                    bodies.append(record.content_stream().read().decode())
    return sorted(bodies)


def test_the_newest_versions_stay_and_older_ones_go(made: Path) -> None:
    before = state(made)
    assert thin_folder(made, 2) == Thinned(versions=2, exchanges=1 + 2 + 4)
    after = state(made)
    assert after["exchanges"] == before["exchanges"] != {}
    assert after["texts"] == before["texts"]
    bodies = "".join(archived(made))
    assert [f"word{letter * 3}" in bodies for letter in "abcd"] == [False, False, True, True]
    assert [f"<title>{name}</title>" in bodies for name in ("first", "second", "third")] == [
        False,
        True,
        True,
    ]
    with closing(CrawlFolder(made)) as crawl:
        assert crawl.database.counts()["version"] == len(list(crawl.database.all(VERSION))) == 3
        assert crawl.database.counts()["recheck"] == 10
    assert thin_folder(made, 2) == Thinned(0, 0), "there is nothing left to do"
    assert state(made) == after


def test_the_last_version_always_stays(made: Path) -> None:
    assert thin_folder(made, 1).versions == 3
    with closing(CrawlFolder(made)) as crawl:
        versions = Versions(crawl.database)
        assert [versions.page(step).title for step in range(3)] == ["first4", "second1", "third"]


def test_a_version_that_is_not_kept_is_not_shown_as_another(made: Path) -> None:
    thin_folder(made, 2)
    day = BEGAN + 86_400
    with closing(CrawlFolder(made)) as crawl:
        pages = Pages(crawl, Criteria(at=day), lambda *_: None)
        assert sorted(page.title for page in pages) == ["second", "third"]
        assert pages.skipped[SkipReason.THINNED] == 1
        pages = Pages(crawl, Criteria(at=day + 4), lambda *_: None)
        assert "first3" in [page.title for page in pages]


def test_a_file_is_not_written_anew_for_little(tmp_path: Path) -> None:
    crawl = Made(tmp_path / "crawl")
    for name in range(9):
        crawl.add(f"http://a.example/{name}", article(str(name)), raw=article(str(name)))
    crawl.ask_again(0, "changed", article("new"), raw=article("new"))
    folder = crawl.commit()
    crawl.db.close()
    assert thin_folder(folder, 1) == Thinned(0, 1)
    assert warc.numbers(folder / warc.FOLDER) == [0]
    assert len(archived(folder)) == 10


@pytest.mark.parametrize("when", KILLS)
def test_killed_at_any_step_nothing_is_lost_and_the_next_thinning_ends_it(made: Path, when: str) -> None:
    whole = made.parent / "whole"
    shutil.copytree(made, whole)
    thin_folder(whole, 2)
    script = PROGRAM.format(kill=KILLS[when], folder=str(made))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    killed, wanted = state(made), state(whole)
    assert [killed[part] for part in ("exchanges", "texts")] == [wanted[part] for part in ("exchanges", "texts")]
    thin_folder(made, 2)
    assert state(made) == wanted
    assert len(warc.numbers(made / warc.FOLDER)) == 1


def test_damage_within_a_file_costs_no_more_than_it_did(made: Path) -> None:
    file = warc.file_of(made / warc.FOLDER, 0)
    with closing(CrawlFolder(made)) as crawl:
        place = crawl.visit(1).records[0]
    data = bytearray(file.read_bytes())
    data[place + 40 : place + 60] = bytes(20)
    file.write_bytes(data)
    assert warc.read(made, place) is None
    thin_folder(made, 2)
    with closing(CrawlFolder(made)) as crawl:
        newest = Versions(crawl.database).newest(0)
        assert newest is not None
        assert warc.read(made, newest.places[0]) is not None


def test_a_refresh_keeps_so_many(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    with serving() as (web, port):
        crawl(web, port, folder)
        for number in "ab":
            web.pages["/plain"] = page(f"version {number * 3}")
            refreshed(folder)
        web.pages["/plain"] = page("the last version")
        said = salticid("refresh", folder, *reach(folder), "--keep", "2", "--json")
        assert (said.status, json.loads(said.out)["thinned"]) == (0, 1), said.err
        assert [f"version {number * 3}" in "".join(archived(folder)) for number in "ab"] == [False, True]
        said = salticid("search", folder, "version", "--json")
        assert [json.loads(line)["title"] for line in said.out.splitlines()] == [title("the last version")]
        said = salticid(
            "crawl", tmp_path / "topic.toml", "--resolve", f"*=127.0.0.1:{port}", "--allow-net", "127.0.0.0/8",
            "--out", folder, "--json", "--max-pages", "2000",
        )  # fmt: skip
        assert (said.status, json.loads(said.out)["stopped"]) == (0, "frontier empty"), said.err
        web.pages["/plain"] = page("a version that a round finds")
        said = salticid("watch", folder, *reach(folder), "--keep", "1", "--json")
        assert (said.status, json.loads(said.out)["changed"]) == (0, 1), said.err
        digest = json.loads((folder / "rounds" / "001" / "digest.json").read_text())
        assert "the last version" in " ".join(digest["changed"][0]["change"]["removed"])
        assert "the last version" not in "".join(archived(folder))
        web.pages["/plain"] = page("one more version")
        said = salticid("watch", folder, *reach(folder), "--keep", "1", "--json")
        assert (said.status, json.loads(said.out)["changed"]) == (0, 1), said.err
    said = salticid("refresh", folder, *reach(folder), "--keep", "0")
    assert (said.status, "--keep" in said.err) == (2, True)
