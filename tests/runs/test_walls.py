"""Walls are no pages: not judged, not exported, not found; a crawl says what kept it out, live and from a recording."""

from __future__ import annotations

import asyncio
import json
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.support.hostile import Answer, Asked, page, serving
from tests.support.running import salticid
from tests.support.walls import WALLS

from salticid.store import CrawlFolder
from salticid.urls import host

HOME = "http://home.example/"
SAME = range(14)
EACH = [told for told in WALLS if told.path == "/a"]
LINKS = "".join(f"<a href=http://w{n}.example/>spiders {n}</a> " for n in range(len(EACH)))
LINKS += "".join(f"<a href=http://same.example/{'s' * n}>spiders {n}</a> " for n in SAME)


def _answer(asked: Asked) -> Answer:
    if asked.path == "/robots.txt":
        return page(b"", status=404)
    if asked.host == "home.example":
        if asked.path == "/":
            return page(f"<title>Spiders</title><p>Jumping spiders of all kinds. {LINKS}<a href=/more>spiders".encode())
        return page(b"<title>Jumping spiders</title><p>Jumping spiders see well. <a href=http://same.example/>more")
    if asked.host == "same.example":
        if asked.path.strip("/s"):
            return page(b"gone", status=404)
        number = 4711 + 17 * len(asked.path)
        return page(f"<title>Wait</title><p>Jumping spiders: press the button. Request a{number}b{number}c".encode())
    told = EACH[int(asked.host.removeprefix("w").partition(".")[0])]
    return page(told.html, *(f"{name}: {value}" for name, value in told.fields.items()), status=told.status)


@dataclass(frozen=True)
class Walled:
    folder: Path
    facts: dict[str, object]
    summary: str
    asked: int


@pytest.fixture(scope="module")
def walled(tmp_path_factory: pytest.TempPathFactory) -> Walled:
    """A crawl among walls of each kind, as it is told to a script; and what is told to a person."""
    folder = tmp_path_factory.mktemp("walled") / "crawl"

    async def run() -> tuple[str, str, int]:
        async with serving(_answer) as server:
            where = ("--resolve", f"*=127.0.0.1:{server.port}", "--allow-net", "127.0.0.0/8", "--delay", "0")
            what = ("--query", "jumping spiders", "--seed-url", HOME, "--render", "never")
            args = ("crawl", *what, *where, "--concurrency", "1", "--out", folder)
            first = await asyncio.to_thread(salticid, *args, "--json")
            asked = len(server.pages)
            again = await asyncio.to_thread(salticid, *args)
            assert (first.status, again.status) == (0, 0), (first.err, again.err)
            return first.out, again.out, asked

    said, shown, asked = asyncio.run(run())
    return Walled(folder, json.loads(said), shown, asked)


def _json_lines(*args: str | int | Path) -> list[dict[str, object]]:
    said = salticid(*args)
    assert said.status == 0, said.err
    return [json.loads(line) for line in said.out.splitlines()]


def test_walls_are_counted_and_said(walled: Walled) -> None:
    kept_out = walled.facts["kept_out"]
    assert isinstance(kept_out, int)
    assert len(EACH) + 3 <= kept_out < len(EACH) + len(SAME), "after ten pages of one host that are the same"
    assert f"{kept_out} of the most promising links were behind walls on {len(EACH) + 1} hosts" in walled.summary
    assert "--failed" in walled.summary
    best = walled.summary[walled.summary.index("Best pages") : walled.summary.index("Harvest")]
    assert HOME in best
    assert "http://w" not in best
    assert walled.asked <= 2 * (2 + len(EACH) + len(SAME)) + 5, "nothing is asked again and again"


def test_each_has_its_cause(walled: Walled) -> None:
    causes = {
        host(str(row["url"])): str(row["cause"]) for row in _json_lines("visits", walled.folder, "--failed", "--json")
    }
    words = {"challenge": "challenge", "captcha": "captcha", "consent": "consent", "log-in": "log in"}
    for number, told in enumerate(EACH):
        assert told.wall is not None
        assert words.get(told.wall, told.wall.value) in causes[f"w{number}.example"], told.name
    assert causes["same.example"] == "many URLs of its host bring this same page"
    assert causes["w0.example"] == "a challenge keeps programs out (it answered 403 (Forbidden))"


def test_walls_are_neither_judged_nor_exported_nor_found(walled: Walled, tmp_path: Path) -> None:
    rows = _json_lines("visits", walled.folder, "--json")
    walls = {str(row["url"]) for row in rows if row["outcome"] == "kept out"}
    assert {(row["score"], row["title"]) for row in rows if row["url"] in walls} == {(0.0, None)}
    assert salticid("export", walled.folder, "--to", "jsonl", "--out", tmp_path / "out.jsonl").status == 0
    exported = {json.loads(line)["url"] for line in (tmp_path / "out.jsonl").read_text().splitlines()}
    found = {
        str(row["url"]) for row in _json_lines("search", walled.folder, "spiders", "--all", "--json", "--limit", 99)
    }
    assert HOME in exported & found
    assert not (exported | found) & walls


@pytest.mark.parametrize("source", ["--crawl", "--warc"])
def test_a_recording_gives_the_same_outcomes(walled: Walled, tmp_path: Path, source: str) -> None:
    files = [walled.folder] if source == "--crawl" else sorted(walled.folder.glob("**/*.warc.gz"))
    assert salticid("world", "build", tmp_path / "world", source, *files).status == 0
    what = ("--query", "jumping spiders", "--seed-url", HOME, "--web", tmp_path / "world", "--out", tmp_path / "again")
    assert salticid("crawl", *what).status == 0

    def walls_of(folder: Path) -> dict[str, tuple[str, str]]:
        with closing(CrawlFolder(folder)) as crawl:
            visits = list(crawl.visits())
        causes = {str(row["url"]): str(row["cause"]) for row in _json_lines("visits", folder, "--failed", "--json")}
        return {v.url: (v.outcome, causes.get(v.url, "")) for v in visits if "://w" in v.url or source == "--crawl"}

    assert walls_of(tmp_path / "again") == walls_of(walled.folder)
