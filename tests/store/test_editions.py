"""Releases and translations of a page are one row, the best of them, wherever a person reads; nothing is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.running import salticid

SITE = "http://docs.example"
PAGES = {
    "3.11/intro.html": ("Threads 3.11", "en"),
    "3.12/intro.html": ("Threads 3.12", "en"),
    "stable/intro.html": ("Threads (stable)", "en"),
    "3.12/other.html": ("Threads and locks 3.12", "en"),
    "releases/1.2/notes.html": ("Notes of 1.2 on threads", "en"),
    "releases/1.3/notes.html": ("News of 1.3 on threads", "en"),
    "en/guide/a.html": ("Guide to threads", "en"),
    "fr/guide/a.html": ("Guide des threads", "fr"),
    "it/staff.html": ("Staff", "en"),
    "cs/staff.html": ("Staff", "en"),
    "plain/b.html": ("Threads in plain words", "en"),
    "de/plain/b.html": ("Threads in schlichten Worten", "de"),
}
WORDS = {
    "en": "the threads of this program run beside each other and they have their own stack which they do not share",
    "fr": "les threads de ce programme sont dans la même mémoire et ils ont chacun une pile qui est à eux pour cela",
    "de": "die threads in diesem Programm laufen nebeneinander und sie haben jeder einen eigenen Stapel für sich",
}
ROWS = [
    {"3.11/intro.html", "3.12/intro.html", "stable/intro.html"},
    {"en/guide/a.html", "fr/guide/a.html"},
    {"plain/b.html", "de/plain/b.html"},
]


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("editions")
    links = "".join(f'<p>More about it: <a href="{SITE}/{path}">{title}</a>' for path, (title, _) in PAGES.items())
    (folder / "html").mkdir()
    (folder / "html" / "index.html").write_text(f"<title>All there is</title><p>threads{links}")
    for number, (path, (title, language)) in enumerate(PAGES.items()):
        own = " ".join(f"{word}{chr(97 + number)}x" for word in WORDS[language].split()[::2])
        file = folder / "html" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"<meta charset=utf-8><title>{title}</title><p>{WORDS[language]}. {own}.")
    made = salticid("world", "build", folder / "world", "--html", folder / "html", "--base-url", f"{SITE}/")
    assert made.status == 0, made.err
    what = ("--query", "threads", "--seed-url", f"{SITE}/index.html", "--strategy", "breadth_first")
    done = salticid("crawl", *what, "--web", folder / "world", "--out", folder / "crawl", "--judge", "cosine", "--json")
    assert done.status == 0, done.err
    (folder / "facts.json").write_text(done.out)
    return folder / "crawl"


def lines(*args: str | int | Path) -> list[dict[str, Any]]:
    said = salticid(*args)
    assert said.status == 0, said.err
    return [json.loads(line) for line in said.out.splitlines()]


def path(url: str) -> str:
    return url.removeprefix(f"{SITE}/")


def rows_of(told: list[dict[str, Any]], url: str = "final_url") -> list[set[str]]:
    """The rows that stand for several pages."""
    return [{path(row[url]), *map(path, row["also_at"])} for row in told if row["also_at"]]


def test_the_best_first_list_has_a_row_for_each_page(crawl: Path) -> None:
    told = lines("visits", crawl, "--order", "best", "--json")
    assert sorted(map(sorted, rows_of(told))) == sorted(map(sorted, ROWS))
    assert len(told) == 1 + len(PAGES) - sum(len(row) - 1 for row in ROWS)
    scores = {path(row["final_url"]): row["current_score"] for row in lines("visits", crawl, "--json")}
    for row in told:
        assert row["current_score"] == max([row["current_score"], *(scores[path(url)] for url in row["also_at"])])
    everything = lines("visits", crawl, "--order", "best", "--all", "--json")
    assert len(everything) == len(lines("visits", crawl, "--json")) == 1 + len(PAGES)
    assert "(also at 2 more)" in salticid("visits", crawl, "--order", "best").out


def test_search_has_a_row_for_each_page(crawl: Path) -> None:
    told = lines("search", crawl, "threads", "--json", "--limit", 50)
    found = rows_of(told, "url")
    assert len(found) == 3
    assert all(row in ROWS for row in found)
    assert len(lines("search", crawl, "threads", "--json", "--limit", 50, "--all")) > len(told)


def test_exports_for_reading_keep_the_best_and_name_the_others(crawl: Path, tmp_path: Path) -> None:
    def exported(*options: str) -> list[dict[str, Any]]:
        out = tmp_path / f"{len(options)}.jsonl"
        assert salticid("export", crawl, "--to", "jsonl", "--out", out, *options).status == 0
        return [json.loads(line) for line in out.read_text().splitlines()]

    on_topic = exported("--on-topic")
    named = [{path(row["final_url"]), *map(path, row["also_at"].split("\n"))} for row in on_topic if row["also_at"]]
    assert json.loads((crawl.parent / "facts.json").read_text())["on_topic"] == len(on_topic)
    assert named
    assert all(row in ROWS for row in named)
    assert len({path(row["final_url"]) for row in exported()}) == 1 + len(PAGES), "an export of all pages has them all"
