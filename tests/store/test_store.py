"""The log of a crawl: what was seen is read back, in order, and can be crawled again."""

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from tests.support.generated_site import GeneratedSource
from tests.support.tampering import tampering

from salticid.errors import UserError
from salticid.judges.cosine import Cosine
from salticid.messages import Extension, Message, Offer, Report, Revision
from salticid.model import Choice, Event, Feedback, Links, Outcome, Page, Visit
from salticid.runs.order import Recipe
from salticid.runs.recorded import RecordedCrawl
from salticid.store import log as store_log
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.log import CrawlLog
from salticid.store.packing import Damaged
from salticid.store.schema import DATABASE_FILE
from salticid.strategies.best_first import BestFirst
from salticid.topic import Limits, Topic
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.answers import Answer, Unread
from salticid.worlds.building import build
from salticid.worlds.sources import CrawledPages

A = "http://a.example/"
LIMITS = Limits(max_pages=60)


class Odd:
    """A small web with one of everything."""

    name, size, done = "odd", 0, 0

    def __iter__(self) -> Iterator[Answer | Unread]:
        moved = {"moved": "new", "again": "new", "chain": "moved", "dead": "gone", "lost": "nobody"}
        loops = {"loop": "pool", "pool": "loop", "self": "self", "new2": "new"}
        paths = ("gone", "pdf", *moved, "loop", "self", "unasked", "b")
        links = "".join(f"<a href={path}>spider {path}</a>" for path in paths)
        head = "<title>Home</title><meta name=robots content=noindex><link rel=canonical href=/home>"
        body = f"{head}<h1>蜘蛛网</h1>jumping spiders {links}"
        yield Answer(A, html=body.encode(), modified=8.5, seconds=2)
        yield Answer(A + "b", html=b"<meta http-equiv=refresh content='0;url=r'>", size=7)
        yield Answer(A + "new", html=b"<title>New</title>spiders <a href=new2>more</a>")
        yield Answer(A + "gone", 404)
        yield Answer(A + "pdf")
        for path, to in (moved | loops).items():
            yield Answer(A + path, 301, location=to)


class Eventful(BestFirst):
    """Reports what it sees."""

    def events(self) -> list[Event]:
        return [Event("fed", (("links", 3), ("mood", "good")))]


class Tee(CrawlLog):
    """A log that remembers the calls made to it, as they should be read back."""

    def begin(self, facts: Any) -> None:
        super().begin(facts)
        self.calls: list[tuple[object, ...]] = []
        self.pages: dict[int, Page] = {}

    def add_choices(self, room: int, busy: frozenset[int], choices: Sequence[Choice]) -> None:
        super().add_choices(room, busy, choices)
        links = [choice.link for choice in choices]
        told = [(link.url, link.source, link.place, c.score) for link, c in zip(links, choices, strict=True)]
        self.calls.append(("choose", room, sorted(busy), told))

    def add_visit(self, visit: Visit) -> None:
        super().add_visit(visit)
        self.calls.append(("visit", visit.step, visit.url, visit.final, visit.outcome, visit.score, visit.depth))
        if visit.page is not None:
            self.pages[visit.step] = visit.page

    def add_message(self, message: Message) -> None:
        super().add_message(message)
        self.calls.append(("message", message))


@pytest.fixture(scope="module", params=["odd", "generated"])
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("store") / "world"
    build(out, Odd() if request.param == "odd" else GeneratedSource(150, seed=4))
    return out


def crawled(
    world: Path, out: Path, act: Callable[[RecordedCrawl], None] = lambda run: None, limits: Limits = LIMITS
) -> Tee:
    """A crawl from the first page of a world, logged into `out`."""
    web = RecordedWeb(world)
    topic = Topic("t", "jumping spiders, botany", (web.urls[web.page(0).url],), language="en")
    log = Tee(out, web.urls, web.words)
    log.begin({"topic": {"name": "t"}, "n": 1})
    run = RecordedCrawl(topic, web, Recipe(Eventful(), Cosine(), limits), log)
    run.run()
    act(run)
    log.close()
    return log


def calls(folder: Path) -> list[tuple[object, ...]]:
    """All calls of a log, told apart by table and put in order by `seq`."""
    db = sqlite3.connect(folder / DATABASE_FILE)
    found: list[tuple[int, tuple[object, ...]]] = []
    for seq, room, busy in db.execute("SELECT seq, room, busy FROM question"):
        rows = db.execute("SELECT url, source, place, score FROM choice WHERE seq = ? ORDER BY id", (seq,))
        found.append((seq, ("choose", room, json.loads(busy) if busy else [], rows.fetchall())))
    columns = "v.seq, v.step, c.url, v.final, v.outcome, v.score, v.depth"
    for seq, *row in db.execute(f"SELECT {columns} FROM visit v JOIN choice c ON c.id = v.choice"):
        found.append((seq, ("visit", *row)))
    for seq, body in db.execute("SELECT seq, body FROM message"):
        found.append((seq, ("message", msgspec.json.decode(body, type=Message))))
    db.close()
    assert sorted(seq for seq, _ in found) == list(range(1, len(found) + 1))
    return [call for _, call in sorted(found, key=lambda pair: pair[0])]


def extras(run: RecordedCrawl) -> None:
    crawl, urls = run.crawl, run.brief.urls
    crawl.revise([(0, 0.25)], [Feedback(urls.intern(A + "liked"), 1), Feedback(0, -1)])
    crawl.offer(Links.to([urls.intern(A + "offered"), urls.intern("http://new.example/")]))
    crawl.extend(replace(LIMITS, max_pages=61, max_seconds=1e9))
    crawl.choices(2, frozenset({urls.host(0)}))


def test_calls_are_read_back_in_order(world: Path, tmp_path: Path) -> None:
    log = crawled(world, tmp_path / "c", extras)
    assert calls(tmp_path / "c") == log.calls
    assert {call[0] for call in log.calls} == {"choose", "visit", "message"}
    heard = {type(call[1]) for call in log.calls if call[0] == "message"}
    assert heard == {Offer, Revision, Extension, Report}


def test_pages_words_and_urls_are_read_back(world: Path, tmp_path: Path) -> None:
    log, folder = crawled(world, tmp_path / "c"), CrawlFolder(tmp_path / "c")
    web = RecordedWeb(world)
    visits = list(folder.visits())
    assert len(folder) == len(visits)
    assert folder.about() == {"topic": {"name": "t"}, "n": 1}
    assert log.pages
    for visit in visits:
        page, stored = log.pages.get(visit.step), folder.page(visit.step)
        if page is None or stored is None:
            assert page is stored is None
            continue
        for name in ("tokens", "area_start", "area"):
            assert np.array_equal(getattr(stored, name), getattr(page, name))
        for name in ("url", "start", "end", "nofollow"):
            assert np.array_equal(getattr(stored.links, name), getattr(page.links, name))
        for name in ("url", "title", "text", "canonical", "refresh", "noindex", "nofollow"):
            assert getattr(stored, name) == getattr(page, name)
        assert [folder.words[at] for at in stored.tokens.tolist()] == web.words.spell(page.tokens.tolist())
        ids = [at for at in (*stored.links.url.tolist(), stored.url, stored.canonical, stored.refresh) if at >= 0]
        assert [folder.url(at) for at in ids] == web.urls.spell(ids)
        assert visit.title == page.title
    assert sum(folder.outcomes().values()) == len(visits)
    assert folder.outcomes().get("ok") == len(log.pages)
    best = folder.best(5)
    liked = sorted((-visit.score, visit.step) for visit in visits if visit.outcome == Outcome.OK)
    assert [(-visit.score, visit.step) for visit in best] == liked[:5]
    assert visits[0].source is None
    assert {visit.source for visit in visits[1:]} <= {visit.final_url for visit in visits}


def test_the_digest_tells_crawls_apart(world: Path, tmp_path: Path) -> None:
    crawled(world, tmp_path / "a")
    crawled(world, tmp_path / "b")
    digest = CrawlFolder(tmp_path / "a").digest()
    assert CrawlFolder(tmp_path / "b").digest() == digest
    changes = ["score = 0.123", "status = 201", "seconds = 9", "outcome = 'x'", "size = 99", "modified = 1"]
    changes += ["depth = 9", "positive = 1 - positive", "at = at + 1", "revisit = 1", "choice = 0"]
    for change in [*changes, "final = (SELECT min(id) FROM url WHERE id != final)"]:
        shutil.rmtree(tmp_path / "changed", ignore_errors=True)
        shutil.copytree(tmp_path / "b", tmp_path / "changed")
        with tampering(tmp_path / "changed") as db:
            last = "step = (SELECT max(step) FROM visit)"
            db.execute(f"UPDATE visit SET {change} WHERE {last}")
            db.execute("DELETE FROM page WHERE step IN (SELECT step FROM visit WHERE outcome != 'ok' OR revisit)")
        assert CrawlFolder(tmp_path / "changed").digest() != digest, change
    assert CrawlFolder(tmp_path / "b").digest() == digest
    crawled(world, tmp_path / "c", limits=Limits(max_pages=2))
    assert CrawlFolder(tmp_path / "c").digest() != digest


def timeless(folder: Path) -> list[dict[str, object]]:
    """All visits but for what took how long: of a chain of redirects only the ends are known."""
    visits = [msgspec.structs.asdict(visit) for visit in CrawlFolder(folder).visits()]
    return [{name: visit[name] for name in visit if name not in ("seconds", "at")} for visit in visits]


def test_a_crawl_can_be_crawled_again(world: Path, tmp_path: Path) -> None:
    crawled(world, tmp_path / "first")
    build(tmp_path / "world", CrawledPages(tmp_path / "first"))
    crawled(tmp_path / "world", tmp_path / "second")
    assert timeless(tmp_path / "second") == timeless(tmp_path / "first")


def test_a_server_that_never_answered_stays_dead(tmp_path: Path) -> None:
    build(tmp_path / "world", Odd())
    crawled(tmp_path / "world", tmp_path / "c")
    with tampering(tmp_path / "c") as db:
        db.execute("UPDATE visit SET status = 0 WHERE outcome = 'dead'")  # as when no connection was made
    build(tmp_path / "again", CrawledPages(tmp_path / "c"))
    web = RecordedWeb(tmp_path / "again")
    assert [web.fetch(web.urls.find(A + path)).outcome for path in ("gone", "dead")] == [Outcome.DEAD] * 2


def test_batches(world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crawled(world, tmp_path / "one")
    monkeypatch.setattr(store_log, "BATCH_VISITS", 3)
    crawled(world, tmp_path / "many")
    one, many = CrawlFolder(tmp_path / "one"), CrawlFolder(tmp_path / "many")
    assert (many.digest(), many.words) == (one.digest(), one.words)
    assert calls(tmp_path / "many") == calls(tmp_path / "one")


def test_a_running_crawl_is_read_and_a_batch_is_kept_as_a_whole(world: Path, tmp_path: Path) -> None:
    refuse = "SELECT RAISE(ABORT, 'disk is full')"

    def look(run: RecordedCrawl) -> None:
        log = run.crawl.log
        assert isinstance(log, Tee)
        assert len(CrawlFolder(tmp_path / "c")) == 0
        log.database.connection.execute(f"CREATE TEMP TRIGGER full BEFORE INSERT ON message BEGIN {refuse}; END")
        with pytest.raises(sqlite3.Error, match="disk is full"):
            log.commit()
        assert len(CrawlFolder(tmp_path / "c")) == 0
        log.database.connection.execute("DROP TRIGGER full")  # somebody made room
        log.commit()
        assert len(list(CrawlFolder(tmp_path / "c").visits())) == run.crawl.step

    log = crawled(world, tmp_path / "c", look)
    assert calls(tmp_path / "c") == log.calls


def test_a_log_that_never_began_leaves_nothing(world: Path, tmp_path: Path) -> None:
    web = RecordedWeb(world)
    CrawlLog(tmp_path / "c", web.urls, web.words).close()
    assert list(tmp_path.iterdir()) == []


def test_folders_that_will_not_do(world: Path, tmp_path: Path) -> None:
    crawled(world, tmp_path / "c")
    digest = CrawlFolder(tmp_path / "c").digest()
    with pytest.raises(UserError, match="holds a crawl already; name another folder with --out"):
        crawled(world, tmp_path / "c")
    assert CrawlFolder(tmp_path / "c").digest() == digest
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="cannot write a crawl into"):
        crawled(world, tmp_path / "file")
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(UserError, match="holds no crawl: there is no"):
            CrawlFolder(folder)
    db = sqlite3.connect(tmp_path / "c" / DATABASE_FILE)
    db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(UserError, match="is a crawl of format 99, this program reads 3; crawl into a new folder"):
        CrawlFolder(tmp_path / "c")
    (tmp_path / "junk").mkdir()
    (tmp_path / "junk" / DATABASE_FILE).write_bytes(b"no database at all" * 100)
    with pytest.raises(UserError, match="cannot be read as a crawl: file is not a database"):
        CrawlFolder(tmp_path / "junk")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("UPDATE visit SET status = status + 1 WHERE step = 1", "visit 1 is not as it was written"),
        ("DELETE FROM visit WHERE step = 1", "1 rows of visit are missing"),
        ("DELETE FROM choice WHERE id = 1", "choice 1 is missing"),
        ("DELETE FROM page WHERE step = 0", "page 0 is missing"),
        ("UPDATE url SET text = text || 'x'", "url .* is not as it was written"),
        ("UPDATE about SET value = '2' WHERE name = 'n'", "about n is not as it was written"),
        ("DELETE FROM about WHERE name = 'n'", "facts about the crawl are missing"),
    ],
)
def test_a_row_that_was_changed_or_lost_is_told(world: Path, tmp_path: Path, change: str, named: str) -> None:
    crawled(world, tmp_path / "c")
    with closing(sqlite3.connect(tmp_path / "c" / DATABASE_FILE)) as db, db:
        assert db.execute(change).rowcount
    with closing(CrawlFolder(tmp_path / "c")) as folder:
        told = rf"crawl\.db is damaged \({named}\); take a copy that is whole"
        with pytest.raises(Damaged, match=told):
            repr((list(folder.visits()), folder.about()))
