"""Crawls of the format before checksums: read as they were, and gone on with.

`old_format/` holds two that salticid wrote then, as SQL: a live one, killed after twelve visits and all kinds of
messages, refreshed once; and one of a recorded world that had used up its budget of eight pages.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.killing import Offline, Site
from tests.running import salticid

from salticid import __version__
from salticid.messages import Extension, Offer, Report, Revision, SecondOffer, Sight
from salticid.model import Event, Feedback, Glimpse, Limits, Links
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.damage import Damaged
from salticid.store.record import all_messages
from salticid.store.schema import FILE, FORMAT
from salticid.store.versions import Versions
from salticid.strategies.best_first import BestFirst
from salticid.testing.generated import GeneratedSource
from salticid.worlds.build import build

LIVE, RECORDED = "a41f21999450b7fce1b602e2da3170eb", "e7655124623a926147006ed94fd00094"
"""What `salticid visits --digest` said of them then."""
GLIMPSE = Glimpse(
    1,
    7,
    "http://far.example/x",
    "Far",
    ("jumping", "spider", "page"),
    (("http://h4.example/14", 0, 2),),
    0.5,
    True,
    1,
)


class Eventful(BestFirst):
    """Reports something at every turn."""

    def events(self) -> list[Event]:
        return [Event("fed", (("links", 3), ("mood", "good")))]


def restored(name: str, folder: Path) -> Path:
    folder.mkdir()
    script = (Path(__file__).parent / "old_format" / f"{name}.sql").read_text()
    with closing(sqlite3.connect(folder / FILE)) as db:
        db.executescript(script.replace('"0.1.0"', f'"{__version__}"'))
        db.execute("PRAGMA journal_mode = WAL")
    return folder


@pytest.fixture
def live(tmp_path: Path) -> Path:
    return restored("live", tmp_path / "live")


def test_an_old_crawl_is_read_as_it_was(live: Path) -> None:
    with closing(CrawlFolder(live)) as crawl:
        assert (crawl.digest(), len(crawl), crawl.outcomes()) == (LIVE, 12, {"ok": 12})
        assert {name: crawl.about()[name] for name in ("n", "seconds")} == {"n": 1, "seconds": 3.5}
        heard = [message for _, message in all_messages(crawl.database)]
        assert [type(message) for message in heard if not isinstance(message, Report)] == [
            Offer, Sight, Revision, SecondOffer, Revision, Extension,
        ]  # fmt: skip
        assert Sight(GLIMPSE) in heard
        assert Revision([], [("http://h0.example/0", 1)]) in heard
        versions = Versions(crawl.database)
        assert (versions.last(0).page.title, versions.is_gone(1)) == ("Newer", True)
        page = crawl.page(2)
        assert page is not None
        assert page.text.startswith("Head ")


def finish(crawl: Offline) -> list[tuple[str, float, int]]:
    crawl.run()
    crawl.log.close()
    with closing(CrawlFolder(crawl.log.folder)) as crawled:
        return [(visit.url, visit.score, visit.source_step) for visit in crawled.visits()]


def test_an_old_live_crawl_goes_on_as_if_never_interrupted(live: Path, tmp_path: Path) -> None:
    old = Offline(Site(20), live, Eventful(), archive=False)
    assert old.open()
    assert old.log.memory() == {"robots h0.example": b"User-agent: *"}
    assert old.log.database.format == FORMAT
    whole = Offline(Site(20), tmp_path / "whole", Eventful(), archive=False)
    whole.open()
    whole.run(8)
    first = whole.urls.find("http://h0.example/0")
    whole.crawl.offer(Links.to([whole.urls.intern("http://h3.example/13")]), 2)
    whole.crawl.glimpse(GLIMPSE)
    whole.crawl.hear([Feedback(first, 1)])
    whole.crawl.offer_again([first])
    whole.crawl.revise([(0, 0.25)], [])
    whole.crawl.extend(Limits(max_pages=41))
    assert finish(old) == finish(whole)


def test_what_is_added_to_an_old_crawl_is_checked(live: Path) -> None:
    finish(opened(live))
    with closing(sqlite3.connect(live / FILE)) as db, db:
        db.execute("UPDATE visit SET score = score / 2 WHERE step = (SELECT max(step) FROM visit)")
    with closing(CrawlFolder(live)) as crawl, pytest.raises(Damaged, match="is not as it was written"):
        list(crawl.visits())


def opened(folder: Path) -> Offline:
    crawl = Offline(Site(20), folder, Eventful(), archive=False)
    crawl.open()
    return crawl


def test_an_old_recorded_crawl_goes_on_bit_for_bit(tmp_path: Path) -> None:
    build(tmp_path / "world", GeneratedSource(60, seed=6))
    topic = tmp_path / "topic.toml"
    topic.write_text(
        'name = "spiders"\nkeywords = "spider web"\nlanguage = "en"\nseeds = ["http://castles-notes.example/"]\n'
    )
    old = restored("recorded", tmp_path / "old")
    assert salticid("visits", old, "--digest").out.strip() == RECORDED
    order = (
        "crawl",
        topic,
        "--web",
        tmp_path / "world",
        "--strategy",
        "best_first",
        "--max-pages",
        14,
        "--out",
    )
    for folder in (old, tmp_path / "new"):
        assert salticid(*order, folder).status == 0
    with closing(CrawlFolder(old)) as gone_on, closing(CrawlFolder(tmp_path / "new")) as whole:
        assert gone_on.digest() == whole.digest()
