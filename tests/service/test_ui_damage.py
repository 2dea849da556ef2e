"""Folders that somebody damaged, and a server that has to live with them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.support.killing import Offline, Program, Site
from tests.support.ui_serving import Client, serving
from tests.support.wishes import wish

from salticid.strategies.best_first import BestFirst

DAMAGED = ("empty", "garbage", "halved", "lacking", "endless", "nameless")


def crawled(folder: Path) -> None:
    """A crawl as the page would have made it."""
    crawl = Offline(Site(60), folder, BestFirst(), archive=False)
    crawl.open()
    crawl.run()
    crawl.log.close()
    wish("jumping spider", (), (), "best_first", "cosine", 60, "2026-01-01T00:00:00+00:00", "stop").save(folder)


def damage(data: Path) -> None:
    """Crawls damaged in one way each, and things that are no crawl."""
    crawls = data / "crawls"
    for name in ("whole", *DAMAGED):
        crawled(crawls / name)
    (crawls / "empty" / "crawl.db").write_bytes(b"")
    (crawls / "garbage" / "crawl.db").write_bytes(b"\x00garbage" * 4000)
    database = crawls / "halved" / "crawl.db"
    database.write_bytes(database.read_bytes()[: database.stat().st_size // 2])
    with closing(sqlite3.connect(crawls / "lacking" / "crawl.db")) as db, db:
        db.execute("DROP TABLE visit")
    with closing(sqlite3.connect(crawls / "endless" / "crawl.db")) as db, db:
        columns = [name for _, name, *_ in db.execute("PRAGMA table_info(visit)")]
        db.execute("DROP TABLE visit")
        numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
        db.execute(
            f"CREATE VIEW visit ({', '.join(columns)}) AS {numbers} SELECT {', '.join('i' for _ in columns)} FROM n"
        )
    with closing(sqlite3.connect(crawls / "nameless" / "crawl.db")) as db, db:
        db.execute("UPDATE url SET text = zeroblob(9) WHERE id = (SELECT max(final) FROM visit)")
    for name, text in (("no-wish", "{"), ("odd-wish", "[" * 100_000), ("late", '{"began": "soon"}')):
        (crawls / name).mkdir()
        (crawls / name / "wish.json").write_text(text)
    (crawls / "a file").write_text("x")
    (crawls / ".removed-half" / "warc").mkdir(parents=True)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    data = tmp_path_factory.mktemp("data")
    damage(data)
    with serving(data) as (_, client):
        assert not (data / "crawls" / ".removed-half").exists(), "what was being removed is gone"
        yield client


def test_damaged_crawls_are_listed_with_what_is_wrong_and_leave_the_others_alone(client: Client) -> None:
    told = {crawl["id"]: crawl for crawl in client.get("/api/crawls")["crawls"]}
    assert set(told) == {"whole", *DAMAGED}
    assert told["whole"]["pages"] == 60
    assert all(told[name]["state"] == "ended" for name in told)
    for name in ("garbage", "halved", "lacking", "endless", "nameless"):
        assert (told[name]["stopped"], "crawl.db" in told[name]["stopped_line"]) == ("failed", True), name
    found = client.get("/api/search?q=spider")["found"]
    assert "whole" in {hit["crawl"] for hit in found}


@pytest.mark.parametrize("name", DAMAGED)
def test_what_cannot_be_read_is_refused_with_a_sentence(client: Client, name: str) -> None:
    for path in ("visits/1", "snippets?steps=1", "curve", "export?format=jsonl"):
        answer = client.ask("GET", f"/api/crawls/{name}/{path}")
        assert answer.status in (200, 404, 409, 500), path
        assert answer.status == 200 or answer.error
    with client.stream(name) as events:
        assert next(body for kind, _, body in events if kind == "state")["state"] == "ended"


@pytest.mark.parametrize("name", ["garbage", "lacking", "endless"])
def test_a_damaged_crawl_that_shall_go_on_says_why_it_cannot(client: Client, name: str) -> None:
    client.post(f"/api/crawls/{name}/continue", {"max_pages": 100})
    told = client.until(name, lambda summary: summary["state"] == "ended")
    assert (told["stopped"], bool(told["stopped_line"])) == ("failed", True)


def test_a_damaged_crawl_can_be_removed(client: Client) -> None:
    assert client.ask("DELETE", "/api/crawls/garbage").json == {"ok": True}
    assert "garbage" not in {crawl["id"] for crawl in client.get("/api/crawls")["crawls"]}


def test_one_folder_of_data_is_for_one_server(tmp_path: Path) -> None:
    with serving(tmp_path), Program("serve", "--port", 0, "--data", tmp_path) as second:
        assert second.ends() == 2
        assert (second.err.count("\n"), "another salticid serve works in it" in second.err) == (1, True)
