"""Crawls asked in SQL: the views of a crawl's database and the tables of an export, by the programs people use."""

from __future__ import annotations

import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from importlib.metadata import files
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest
from tests.conftest import ROOT
from tests.support.made_crawl import BEGAN, Made, article, exported
from tests.support.running import salticid

from salticid.model import Glimpse
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.exports.selection import Criteria
from salticid.store.schema import DATABASE_FILE
from salticid.store.views import VIEWS, make_views

DOC = (ROOT / "docs" / "sql.md").read_text()
QUESTIONS = re.findall(r"```sql\n(.*?)```", DOC, re.DOTALL)
OF_FILE = re.compile(r"\blinks\b|\bpage_words\b|\blanguage\b")
EVERYTHING = Criteria(all=True, noindex=True)

Rows = list[tuple[Any, ...]]


@contextmanager
def plain(file: Path) -> Iterator[Callable[[str], Rows]]:
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as db:
        yield lambda query: db.execute(query).fetchall()


@contextmanager
def in_pandas(file: Path) -> Iterator[Callable[[str], Rows]]:
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as db:

        def ask(query: str) -> Rows:
            frame = pandas.read_sql(query, db).astype(object)
            return [tuple(None if pandas.isna(cell) else cell for cell in row) for row in frame.to_numpy()]

        yield ask


@contextmanager
def in_duckdb(file: Path) -> Iterator[Callable[[str], Rows]]:
    packed = files("duckdb-extension-sqlite-scanner") or []
    (extension,) = (path.locate() for path in packed if path.suffix == ".duckdb_extension")
    with closing(duckdb.connect()) as db:
        db.execute(f"LOAD '{extension}'")
        db.execute(f"ATTACH '{file}' AS crawl (TYPE sqlite, READ_ONLY)")
        db.execute("USE crawl")
        yield lambda query: db.execute(query).fetchall()
        db.execute("USE memory; DETACH crawl")


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a real crawl, and beside it what was exported of it."""
    here = tmp_path_factory.mktemp("sql")
    build = salticid("world", "build", here / "world", "--synthetic", 300, "--seed", 3)
    topics = salticid("world", "topics", here / "world", "--out", here / "topics")
    topic = min((here / "topics").glob("*.toml"))
    hunt = salticid("crawl", topic, "--web", here / "world", "--max-pages", 120, "--out", here / "crawl")
    assert (build.status, topics.status, hunt.status) == (0, 0, 0)
    assert salticid("export", here / "crawl", "--to", "sqlite", "--out", here / "crawl.sqlite").status == 0
    return here / "crawl"


@pytest.mark.parametrize("query", QUESTIONS, ids=lambda query: query.split("\n")[0])
def test_every_program_answers_a_question_of_the_docs_alike(crawl: Path, query: str) -> None:
    file = crawl.with_suffix(".sqlite")
    with plain(file) as first, in_pandas(file) as second, in_duckdb(file) as third:
        answer = first(query)
        assert answer
        assert second(query) == answer
        assert third(query) == answer
    if not OF_FILE.search(query):
        with plain(crawl / DATABASE_FILE) as first, in_pandas(crawl / DATABASE_FILE) as second:
            assert second(query) == first(query)
            if "FROM pages" not in query:  # of which the view has more
                assert first(query) == answer


def test_there_are_ten_questions_and_a_search(crawl: Path) -> None:
    assert len(QUESTIONS) == 10
    (search,) = re.findall(r"```sqlite\n(.*?)```", DOC, re.DOTALL)
    with plain(crawl.with_suffix(".sqlite")) as ask:
        word = ask("SELECT word FROM page_words GROUP BY word ORDER BY count(*) DESC LIMIT 1")[0][0]
        found = ask(search.replace("spider OR web", word))
    assert all(f"[{word}]" in piece.lower() for _, piece in found)
    assert len(found) == 20


def test_the_programs_of_the_docs_do_what_is_told(crawl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(crawl, tmp_path / "crawls" / "spiders")
    monkeypatch.chdir(tmp_path)
    (program,) = re.findall(r"```python\n(.*?)```", DOC, re.DOTALL)
    told: dict[str, Any] = {}
    exec(program, told)
    assert str(told["visits"]["fetched"].dtype).startswith("datetime64")
    (lines,) = re.findall(r"```duckdb\n(.*?)```", DOC, re.DOTALL)
    with in_duckdb(crawl.with_suffix(".sqlite")) as ask:
        assert ("ok",) in [row[:1] for row in ask(lines.splitlines()[-1])]


def test_on_a_full_disk_nothing_is_left_of_an_export(crawl: Path, tmp_path: Path) -> None:
    code = (
        "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)); from salticid.cli import main; main()"
    )
    words = ["export", str(crawl), "--to", "sqlite", "--out", str(tmp_path / "all.sqlite")]
    said = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=False)
    assert (said.returncode, list(tmp_path.iterdir())) == (1, [])
    assert "all.sqlite was not written: " in said.stderr


def test_duckdb_reads_the_views_too_as_text(crawl: Path) -> None:
    with in_duckdb(crawl / DATABASE_FILE) as ask, plain(crawl / DATABASE_FILE) as plainly:
        for view in VIEWS:
            assert len(ask(f"SELECT * FROM {view}")) == len(plainly(f"SELECT * FROM {view}"))
        best = "SELECT max(CAST(current_score AS {})) FROM visits"
        assert ask(best.format("DOUBLE"))[0] == pytest.approx(plainly(best.format("REAL"))[0])


def test_the_columns_are_those_of_the_docs(crawl: Path) -> None:
    rows = re.findall(r"^\| `(\w+)` \|[^|]*\| (.*) \|$", DOC, re.MULTILINE)
    for name, told in rows:
        always, _, more = (re.findall(r"`(\w+)`", part) for part in told.partition("; in the file also"))
        with plain(crawl.with_suffix(".sqlite")) as ask:
            assert [row[1] for row in ask(f"PRAGMA table_info({name})")] == [*always, *more]
        if name in VIEWS:
            with plain(crawl / DATABASE_FILE) as ask:
                assert [row[1] for row in ask(f"PRAGMA table_info({name})")] == always
    assert [name for name, _ in rows] == ["visits", "pages", "hosts", "links", "page_words"]


@pytest.fixture
def eventful(made: Made) -> Path:
    """All that a view has to put together: revised scores, likings, refreshes, a redirect, a feed, failures."""
    first = made.add("http://a.example/", article("Start", more="<a href=/x>The 8 EYES</a>"), modified=BEGAN - 0.5)
    made.add("http://a.example:8080/x", article("Portia"), to="https://b.example/y?q=/", found_by=(first, 0))
    made.add("http://c.example/", "", outcome="dead", status=404, score=0.0, positive=0)
    made.add("http://a.example/twin", article("Twin"), duplicate_of=first, score=0.4, modified=1e18)
    made.add("http://a.example/", "", revisit=1, found_by=(first, 0))
    made.add("http://d.example/", article("Disliked"), found_by=(90, 0))
    made.add("http://d.example/gone", article("Gone"), score=0.1, positive=0)
    made.ask_again(first, "changed", article("Start again", more="<a href=/new>New</a> <a href=/2>2</a>"))
    made.ask_again(6, "gone")
    made.ask_again(5, "gone")
    made.ask_again(5, "same")
    made.hear({0: 0.9, 1: 0.2}, {"http://d.example/": 1, "http://d.example/gone": 1})
    made.hear({1: 0.3, 3: 0.45}, {"http://d.example/": -1, "http://a.example/twin": -1})
    made.hear({}, {"http://a.example/twin": 0})
    made.show(Glimpse(-1, 90, "http://feeds.example/rss", "Feed", (), (), 0.5, True, 1))
    folder = made.commit()
    make_views(made.db)
    return folder


def test_a_view_tells_what_a_listing_tells(eventful: Path) -> None:
    with closing(CrawlFolder(eventful)) as crawl, closing(sqlite3.connect(eventful / DATABASE_FILE)) as db:
        db.row_factory = sqlite3.Row
        rows = db.execute("SELECT * FROM visits ORDER BY step").fetchall()
        for row, visit in zip(rows, crawl.visits(), strict=True):
            listed = visit.listing() | {"why": None}
            del listed["known_in"]  # which would name folders of this machine
            assert {name: row[name] for name in listed} == listed
        assert {row["step"] for row in rows if row["on_topic"]} == set(crawl.on_topic(twins=True))
        assert [row["word"] for row in rows] == [None] * 5 + ["rejected", "liked"]
        assert rows[5]["source"] == "http://feeds.example/rss"
        assert [rows[1]["host"], rows[3]["last_modified"]] == ["b.example", None]
        assert [rows[0]["last_modified"], rows[2]["fetched"]] == [
            "2026-03-01T11:59:59Z",
            "2026-03-01T12:00:02Z",
        ]


def test_a_page_is_told_as_it_was_last_seen(eventful: Path) -> None:
    with plain(eventful / DATABASE_FILE) as ask:
        told = ask("SELECT step, title, gone, fetched FROM pages ORDER BY step")
    assert [row[:3] for row in told] == [
        (0, "Start again", 0), (1, "Portia", 0), (3, "Twin", 0), (5, "Disliked", 0), (6, "Gone", 1),
    ]  # fmt: skip
    assert [row[3] for row in told[:2]] == ["2026-03-02T12:00:00Z", "2026-03-01T12:00:01Z"]


def test_an_export_has_what_the_views_have_and_the_rest(eventful: Path, tmp_path: Path) -> None:
    file = tmp_path / "all.sqlite"
    file.write_bytes(exported(eventful, "sqlite", EVERYTHING)[0])
    with plain(file) as of_file, plain(eventful / DATABASE_FILE) as of_crawl:
        for view in VIEWS:
            names = [row[1] for row in of_crawl(f"PRAGMA table_info({view})")]
            query = f"SELECT {', '.join(names)} FROM {view} ORDER BY 1"
            assert of_file(query) == of_crawl(query)
        assert of_file("SELECT url, anchor FROM links WHERE step = 0 AND anchor <> '' ORDER BY place") == [
            ("http://again.example/", "Home of all menus"), ("http://again.example/new", "New"),
        ]  # fmt: skip
        assert of_file("SELECT count FROM page_words WHERE step = 0 AND word = 'again'") == [(2,)]
        assert of_file("SELECT text FROM pages WHERE step = 1")[0][0].startswith("Home of all menus Portia")


def test_only_chosen_pages_are_exported_and_all_visits(eventful: Path, tmp_path: Path) -> None:
    file = tmp_path / "some.sqlite"
    file.write_bytes(exported(eventful, "sqlite", Criteria(on_topic=True))[0])
    with plain(file) as ask:
        assert ask("SELECT step FROM pages") == ask("SELECT DISTINCT step FROM links") == [(0,)]
        assert ask("SELECT count(*) FROM visits") == [(7,)]


def test_numbers_of_views_are_equal_to_numbers_written_as_text(eventful: Path) -> None:
    ones = {
        "visits": {"on_topic": 3}, "pages": {"gone": 1, "noindex": 0, "on_topic": 3},
        "hosts": {"visits": 2, "pages": 1, "on_topic": 1, "first_step": 1, "depth": 0},
    }  # fmt: skip
    with plain(eventful / DATABASE_FILE) as ask:
        for view, counts in ones.items():
            found = {name: ask(f"SELECT count(*) FROM {view} WHERE {name} = '1'")[0][0] for name in counts}
            assert (view, found) == (view, counts)


def test_no_view_looks_through_a_table_for_every_row(eventful: Path) -> None:
    with plain(eventful / DATABASE_FILE) as ask:
        for view in VIEWS:
            plan = [row[-1] for row in ask(f"EXPLAIN QUERY PLAN SELECT * FROM {view}")]
            assert [line for line in plan if line.startswith("SCAN") and line.endswith("LEFT-JOIN")] == []
            assert len([line for line in plan if line.endswith("LEFT-JOIN")]) >= 8


def test_views_of_another_time_are_made_anew_and_ours_are_left_alone(eventful: Path) -> None:
    with closing(sqlite3.connect(eventful / DATABASE_FILE)) as db:
        changes = db.execute("PRAGMA schema_version").fetchone()
        make_views(db)
        assert db.execute("PRAGMA schema_version").fetchone() == changes
        db.executescript("DROP VIEW hosts; CREATE VIEW hosts AS SELECT 1 AS host")
        make_views(db)
        assert len(db.execute("SELECT host FROM hosts").fetchall()) == 4
