"""Pages that were forgotten: nothing of them is left in any file, and nobody asks for them again."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
import zstandard
from tests.support.changing_site import SITE, Site, page, reach, refreshed, serving
from tests.support.made_crawl import Made, article
from tests.support.running import Said, salticid
from warcio.archiveiterator import ArchiveIterator

from salticid.errors import UserError
from salticid.messages import Answer, Offer, Question, Revision, Sight
from salticid.model import NO_SHARD, Glimpse
from salticid.store.archive import forgotten_urls, warc
from salticid.store.archive.forgetting import forget
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.folder_lock import lock
from salticid.store.log import CrawlLog
from salticid.store.packing import pack_page
from salticid.store.record import all_messages
from salticid.store.schema import DATABASE_FILE, MESSAGE, SNAPSHOT, START_PAGE, TABLES, URL
from salticid.tables.texts import Urls, Words

SECRET = ("quokkavelour", "zorbleflint", "wumpusgarnet")
"""Words that only the page to be forgotten has: in its title, in its text, and in what it said later."""
OTHER = "http://other.example"
KILLS = {
    "before the files": "forgetting.discard = killed",
    "when a file is written": "copy = thinning._copy\nthinning._copy = lambda *args: (copy(*args), killed())",
    "when the log knows": "warc.remove_file = killed",
    "before the digests": "forgetting.rounds = killed",
}
PROGRAM = """
import os, signal
from pathlib import Path
from salticid.store.archive import forgetting, thinning, warc
def killed(*_, **__): os.kill(os.getpid(), signal.SIGKILL)
{kill}
forgetting.forget(Path({folder!r}), ["http://a.example/secret"])
"""


def everything_in(folder: Path) -> Iterator[tuple[str, bytes]]:
    """All bytes of all files of a folder; and what is packed in them, unpacked."""
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        data = file.read_bytes()
        yield file.name, data
        if file.name.endswith(".warc.gz"):
            with file.open("rb") as stream:
                for record in ArchiveIterator(stream):
                    heads = (record.rec_headers, record.http_headers)
                    yield file.name, b"".join(str(head).encode() for head in heads if head)
                    yield file.name, record.content_stream().read()
        elif data.startswith(b"SQLite format 3"):
            with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as db:
                names = [row[0] for row in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
                for name in names:
                    for row in db.execute(f"SELECT * FROM {name}"):
                        for value in row:
                            yield f"{file.name} {name}", _unpacked(value)


def _unpacked(value: object) -> bytes:
    if not isinstance(value, bytes):
        return str(value).encode()
    try:
        return zstandard.decompress(value)
    except zstandard.ZstdError:
        return value


def traces(folder: Path, *words: str | bytes) -> set[tuple[str, str | bytes]]:
    """Which of these can be read, and where."""
    found = set()
    for where, data in everything_in(folder):
        text = data.decode("utf-8", "replace").casefold()
        found |= {(where, word) for word in words if (word in data if isinstance(word, bytes) else word in text)}
    return found


def packed(folder: Path, step: int) -> list[bytes]:
    """Words and text of a page as the database has them."""
    with closing(sqlite3.connect(folder / DATABASE_FILE)) as db:
        return [*db.execute("SELECT stream, text FROM page WHERE step = ?", (step,)).fetchone()]


def fill(site: Site) -> None:
    site.pages |= {
        "/": page("home", "/secret", "/plain", f"{OTHER}/mine", f"{OTHER}/ours"),
        "/secret": page(f"{SECRET[0]} {SECRET[1]}", "/hidden"),
        "/hidden": page("what the other links to"),
        "/plain": page("nothing"),
        "/mine": page("things of another host"),
        "/ours": page("more things of another host"),
    }


def crawl(port: int, folder: Path, *options: str) -> Said:
    topic = folder.parent / "topic.toml"
    topic.write_text(f'name = "t"\nkeywords = "jumping spiders"\nseeds = ["{SITE}/"]\n')
    return salticid(
        "crawl", topic, "--resolve", f"*=127.0.0.1:{port}", "--allow-net", "127.0.0.0/8", "--delay", "0",
        "--out", folder, "--json", *options,
    )  # fmt: skip


def listed(folder: Path) -> dict[str, str]:
    said = salticid("visits", folder, "--json")
    assert said.status == 0, said.err
    return {row["final_url"]: row["outcome"] for row in map(json.loads, said.out.splitlines())}


def test_nothing_of_a_page_is_left_and_it_is_never_asked_for_again(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    with serving() as (site, port):
        fill(site)
        assert json.loads(crawl(port, folder).out)["pages"] == 6
        site.pages["/secret"] = page(f"{SECRET[0]} {SECRET[2]}", "/hidden")
        said = salticid("watch", folder, *reach(folder), "--json")
        assert (said.status, json.loads(said.out)["changed"]) == (0, 1), said.err
        assert salticid("search", folder, SECRET[2]).out
        with closing(CrawlFolder(folder)) as crawled:
            step = crawled.step_of(f"{SITE}/secret")
        assert step is not None
        blobs = packed(folder, step)
        assert {word for _, word in traces(folder, *SECRET, *blobs)} == {*SECRET, *blobs}

        said = salticid("forget", folder, f"{SITE}/secret", "--json")
        assert said.status == 0, said.err
        assert json.loads(said.out) == {
            "out": str(folder), "pages": 1, "urls": [f"{SITE}/secret"], "not_found": [],
            "raw_copies": 2, "other_files": [],
        }  # fmt: skip
        assert traces(folder, *SECRET, *blobs) == set()
        assert salticid("search", folder, "nothing").out, "all else is found"
        assert salticid("search", folder, SECRET[0]).out == ""
        outcomes = listed(folder)
        assert f"{SITE}/secret" not in outcomes
        assert sorted(outcomes.values()) == ["forgotten", *["ok"] * 5]

        site.asked.clear()
        site.pages["/plain"] = page("something else", "/secret", "/fresh")
        site.pages["/fresh"] = page("a new page", "/secret")
        assert refreshed(folder)["changed"] == 1
        said = salticid("watch", folder, *reach(folder), "--json")
        assert said.status == 0, said.err
        said = crawl(port, folder, "--max-pages", "2000")
        assert said.status == 0, said.err
        asked = {path for path, _ in site.asked}
        assert "/secret" not in asked
        assert "/plain" in asked
        assert traces(folder, *SECRET) == set()
    with closing(CrawlFolder(folder)) as crawled:
        for table in TABLES:
            assert list(crawled.database.all(table, body=bool(table.body))) is not None, "all rows are whole"
        assert f"{SITE}/secret" not in {text for _, text, _ in crawled.database.all(URL)}


def test_nothing_that_named_the_page_or_that_it_alone_named_is_left(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    gone = (
        "site.example/hush", "/hush", "site.example/old-way", "/old-way", "site.example/detour", "/detour",
        "elsewhere.example", "/nothing-there", "velvetgrouse", "marzipanotter", "feedlynxword",
    )  # fmt: skip
    with serving() as (site, port):
        entry = "<item><title>jumping spiders {0}</title><link>{1}</link><description>{2}</description></item>"
        site.pages |= {
            "/": page("home", "/old-way", "/plain", "/detour")
            + '<link rel=alternate type="application/rss+xml" href=/feed>',
            "/plain": page("nothing", "/hush"),
            "/hush": page("velvetgrouse", "/nothing-there", "http://elsewhere.example/x", "/plain"),
            "/feed": "<rss version='2.0'><channel><title>spiders</title>"
            + entry.format("marzipanotter", f"{SITE}/hush", "about feedlynxword")
            + entry.format("other", f"{SITE}/plain2", "about another")
            + "</channel></rss>",
            "/plain2": page("another"),
        }
        site.kinds["/feed"] = "application/rss+xml"
        site.moved |= {"/old-way": "/detour", "/detour": "/hush"}
        assert crawl(port, folder, "--feeds", "--max-pages", "50").status == 0
        reports = folder / "reports.jsonl"
        ended = b'{"type":"ended","stopped":"frontier empty"}\n'
        reports.write_bytes(b'{"type":"moved","url":"%b/hush","liking":1}\n' % SITE.encode() + ended)
        (folder / "commands.jsonl").write_text(f'{{"type":"hear","url":"{SITE}/hush","liking":1}}\n')
        assert salticid("export", folder, "--to", "csv", "--out", folder / "pages.csv").status == 0
        (folder / os.fsdecode(b"\xff.csv")).touch()
        before = {word for _, word in traces(folder, *gone)}
        assert before >= {*gone}, {*gone} - before
        said = salticid("forget", folder, f"{SITE}/hush", "--json")
        assert (said.status, json.loads(said.out)["pages"]) == (0, 1), said
        assert json.loads(said.out)["other_files"] == ["pages.csv", "\ufffd.csv"]
        assert "Not part of the crawl, and not changed: pages.csv, \ufffd.csv. Delete these files" in said.err
        (folder / "pages.csv").unlink()
        assert traces(folder, *gone) == set()
        assert reports.read_bytes() == ended
        assert salticid("search", folder, "another").out, "the rest is found"
        said = crawl(port, folder, "--feeds", "--max-pages", "60")
        assert said.status == 0, said.err


def test_urls_that_a_person_typed_go_too_and_the_crawl_is_resumed(tmp_path: Path) -> None:
    folder, hush = tmp_path / "c", f"{SITE}/hush"
    with serving() as (site, port):
        site.pages |= {"/": page("home", "/plain"), "/plain": page("nothing"), "/hush": page("velvetgrouse")}
        order = (
            "crawl", "--query", "jumping spiders", "--seed-url", f"{SITE}/", "--seed-url", hush, "--delay", "0",
            "--resolve", f"*=127.0.0.1:{port}", "--allow-net", "127.0.0.0/8", "--out", folder,
        )  # fmt: skip
        assert salticid(*order).status == 0
        (folder / "wish.json").write_text(json.dumps({"seeds": [f"{SITE}/", "site.example/hush"], "n": 1}))
        assert traces(folder, "site.example/hush")
        said = salticid("forget", folder, hush)
        assert (said.status, "1 pages forgotten" in said.out) == (0, True), said
        assert traces(folder, "site.example/hush", "/hush", "velvetgrouse") == set()
        wish = json.loads((folder / "wish.json").read_bytes())
        assert (wish["seeds"][0], "forgotten.invalid" in wish["seeds"][1], wish["n"]) == (f"{SITE}/", True, 1)
        site.asked.clear()
        said = salticid(*order, "--max-pages", "1500")
        assert said.status == 0, said.err
        said = salticid("watch", folder, *reach(folder))
        assert said.status == 0, said.err
        asked = {path for path, _ in site.asked}
        assert ("/hush" in asked, "/plain" in asked) == (False, True)
        assert traces(folder, "site.example/hush", "/hush", "velvetgrouse") == set()


def test_an_unknown_address_is_reported_and_nothing_changes(made: Path) -> None:
    said = salticid("forget", made, "http://a.example/unknown", "b.example")
    assert (said.status, "a.example/unknown is not in the crawl; add --block" in said.err) == (1, True), said
    with closing(CrawlFolder(made)) as crawled:
        assert forgotten_urls.veil_in(crawled.database) is None
        assert (made / SNAPSHOT).exists()
    said = salticid("forget", made, "b.example", "--block")
    assert (said.status, "b.example is not in the crawl; it is blocked" in said.err) == (0, True), said
    with closing(CrawlFolder(made)) as crawled:
        veil = forgotten_urls.veil_in(crawled.database)
        assert veil is not None
        assert veil.hides("http://b.example/")
        assert not veil.hides("http://a.example/unknown")


def test_a_host_is_forgotten_with_all_that_it_may_have(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    with serving() as (site, port):
        fill(site)
        crawl(port, folder)
        said = salticid("forget", folder, "other.example", "nobody.example", "--block")
        assert (said.status, "2 pages forgotten" in said.out, f"{OTHER}/mine" in said.out) == (
            0,
            True,
            True,
        ), said
        assert "nobody.example is not in the crawl; it is blocked" in said.err
        assert traces(folder, "things of another host") == set()
        with closing(CrawlFolder(folder)) as crawled:
            assert not [name for name in crawled.notes("robots ") if "other" in name]
        site.pages["/plain"] = page("something else", f"{OTHER}/new", "/fresh")
        site.pages["/fresh"] = page("a new page")
        site.pages["/new"] = page("a new page of another host")
        site.asked.clear()
        assert salticid("watch", folder, *reach(folder)).status == 0
        asked = [(path, fields["host"]) for path, fields in site.asked]
        assert ("/fresh", "site.example") in asked
        assert not [path for path, name in asked if name == "other.example"]
    with closing(CrawlFolder(folder)) as crawled:
        assert not [text for _, text, _ in crawled.database.all(URL) if text.startswith(OTHER)]


@pytest.fixture
def made(tmp_path: Path) -> Path:
    crawl = Made(tmp_path / "crawl")
    links = "<a href=/secret>one</a> <a href=/moved>two</a>"
    home = article("home", more=links)
    crawl.add("http://a.example/", home, raw=home)
    html = article(SECRET[0], f"{SECRET[1]} {'and other words ' * 30}", more="<a href=/only-there>x</a>")
    crawl.add("http://a.example/moved", html, to="http://a.example/secret", raw=html)
    twin = article("A copy", f"copied {'and other words ' * 30}")
    first = crawl.add("http://a.example/copy", twin, raw=twin, duplicate_of=1)
    crawl.add("http://a.example/copy2", twin, raw=twin, duplicate_of=1)
    later = article(f"{SECRET[0]} again", SECRET[2])
    crawl.ask_again(1, "changed", later, raw=later)
    crawl.ask_again(first, "same")
    named = (
        ("http://a.example/copy", 0, 1),
        ("http://a.example/secret", 1, 3),
        ("http://a.example/copy2", 3, 4),
    )
    feed = Glimpse(NO_SHARD, 4, "http://a.example/feed", "Feed", ("copy", *SECRET[:2], "more"), named, 0.5, True, 1)
    shown = replace(feed, step=5, url="http://a.example/secret", title=SECRET[0], words=SECRET, links=named[:1])
    for seq, message in enumerate((Sight(feed), Sight(shown), Offer(["http://a.example/secret"], 1)), 500):
        crawl._insert(MESSAGE, seq, msgspec.json.encode(message).decode())
    example = crawl.parser.parse(html.encode(), "http://a.example/secret")
    crawl._insert(START_PAGE, 1, "examples", *pack_page(example, crawl.zstd))
    crawl.hear({1: 0.9, 0: 0.4}, {"http://a.example/secret": 1, "http://a.example/copy": -1})
    folder = crawl.commit()
    crawl.db.close()
    (folder / SNAPSHOT).write_text(SECRET[0])
    (folder / "commands.jsonl").write_text('{"type":"hear","url":"http://a.example/secret","liking":1}\n')
    (folder / "wish.json").write_text('{"seeds":["a.example/secret"]}')
    return folder


def test_what_led_to_a_page_goes_with_it_and_a_twin_takes_its_place(made: Path) -> None:
    done = forget(made, ["a.example/secret"])
    assert done.urls == ["http://a.example/secret"]
    assert traces(made, *SECRET, "a.example/secret", "a.example/moved") == set()
    with closing(CrawlFolder(made)) as crawl:
        visits = list(crawl.visits())
        assert [visit.outcome for visit in visits] == ["ok", "forgotten", "ok", "ok"]
        assert [visit.duplicate_of for visit in visits] == [None, None, None, "http://a.example/copy"]
        assert {visit.step: visit.current_score for visit in visits} == {0: 0.4, 1: 0.0, 2: 0.5, 3: 0.5}
        assert [visit.word for visit in visits] == [None, None, "rejected", None]
        assert all(warc.read(made, place) for visit in visits for place in visit.records)
        assert [len(visit.records) for visit in visits] == [0, 0, 1, 1], "home linked to it"
        feed, shown, offer, _ = (message for _, message in all_messages(crawl.database))
        assert isinstance(feed, Sight)
        assert isinstance(shown, Sight)
        assert isinstance(offer, Offer)
        assert (feed.glimpse.words, [link[1:] for link in feed.glimpse.links]) == (
            ("copy", "more"),
            [(0, 1), (1, 2)],
        )
        assert (shown.glimpse.words, shown.glimpse.links) == ((), ())
        assert [shown.glimpse.url] == offer.urls == [visits[1].final_url]


def test_answers_about_a_page_are_forgotten_with_it(tmp_path: Path) -> None:
    crawl = Made(tmp_path / "crawl")
    urls = [f"http://a.example/{name}" for name in ("secret", "kept")]
    for url in urls:
        crawl.add(url, article("a title"))
    crawl.ask(*(Answer(url, 0.5, "a model", f"because of {word}") for url, word in zip(urls, SECRET, strict=False)))
    folder = crawl.commit()
    crawl.db.close()
    assert {word for _, word in traces(folder, *SECRET[:2], urls[0])} == {*SECRET[:2], urls[0]}
    forget(folder, [urls[0]])
    assert {word for _, word in traces(folder, *SECRET[:2], *urls)} == {SECRET[1], urls[1]}, "the other answer stays"
    with closing(CrawlFolder(folder)) as crawled:
        question, revision = (message for _, message in all_messages(crawled.database))
    assert isinstance(question, Question)
    assert isinstance(revision, Revision)
    assert ([urls[0] in question.urls, *question.urls[1:]], revision.changed) == ([False, urls[1]], 1)
    assert [answer.url for answer in revision.answers] == urls[1:]


def test_a_page_is_forgotten_once_and_another_can_be_too(made: Path) -> None:
    forget(made, ["http://a.example/secret"])
    assert forget(made, ["http://a.example/secret", "https://a.example/copy"]).not_found == ["http://a.example/secret"]
    with closing(CrawlFolder(made)) as crawl:
        assert [visit.outcome for visit in crawl.visits()] == ["ok", "forgotten", "forgotten", "ok"]


@pytest.mark.parametrize("when", KILLS)
def test_killed_at_any_step_it_is_ended_by_the_same_command(made: Path, when: str) -> None:
    script = PROGRAM.format(kill=KILLS[when], folder=str(made))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    with closing(CrawlFolder(made)) as crawl:
        assert [visit.outcome for visit in crawl.visits()] == ["ok", "forgotten", "ok", "ok"]
    log = CrawlLog(made, Urls(), Words(), own_tables=True)
    log.open()
    with pytest.raises(UserError, match=f"salticid forget {made}"):
        log.go_on()
    log.close()
    said = salticid("forget", made)
    assert said.status == 0, said.err
    assert traces(made, *SECRET, "a.example/secret", "a.example/moved", "/only-there") == set()
    assert salticid("search", made, "copied").out


def test_while_somebody_reads_it_is_not_ended(made: Path) -> None:
    with closing(sqlite3.connect(made / DATABASE_FILE)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM visit").fetchone()
        with pytest.raises(UserError, match=f"somebody reads {made}.*salticid forget {made}"):
            forget(made, ["http://a.example/secret"])
    forget(made, [])
    assert traces(made, *SECRET) == set()


def test_mistakes_are_told(made: Path, tmp_path: Path) -> None:
    for names, about in (
        ((), "nothing to forget"),
        (("two words",), "'two words' is neither"),
        (("mailto:a@b.example",), "is neither"),
    ):
        said = salticid("forget", made, *names)
        assert (said.status, about in said.err) == (2, True), said
    said = salticid("forget", tmp_path / "none", "a.example")
    assert (said.status, "holds no crawl" in said.err, (tmp_path / "none").exists()) == (2, True, False)
    with closing(lock(made)):
        said = salticid("forget", made, "a.example")
    assert (said.status, "another program" in said.err) == (2, True)
    (made / "shards").mkdir()
    said = salticid("forget", made, "a.example")
    assert (said.status, "shards" in said.err) == (2, True)


def test_a_crawl_of_a_world_that_has_the_page_does_not_go_on(tmp_path: Path) -> None:
    assert salticid("world", "build", tmp_path / "w", "--synthetic", "60").status == 0
    assert salticid("world", "topics", tmp_path / "w", "--out", tmp_path / "topics", "--min-pages", "5").status == 0
    topic = sorted((tmp_path / "topics").glob("*.toml"))[0]
    order = ("crawl", topic, "--web", tmp_path / "w", "--out", tmp_path / "c", "--strategy", "breadth_first")
    assert salticid(*order, "--max-pages", "5").status == 0
    url = next(iter(listed(tmp_path / "c")))
    assert salticid("forget", tmp_path / "c", url).status == 0
    assert "forgotten" in listed(tmp_path / "c").values()
    said = salticid(*order, "--max-pages", "9")
    assert (said.status, "its world still holds" in said.err) == (2, True), said
