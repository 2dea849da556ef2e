"""Pages that are empty without a browser: read as their readers see them, and kept, exported and replayed so."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from tests.support.browser import chromium
from tests.support.changing_site import reach
from tests.support.http_stub import Answer, http_stub
from tests.support.made_crawl import exported
from tests.support.running import Said, salticid, salticid_anew
from warcio.archiveiterator import ArchiveIterator

from salticid.service.details import copy_of
from salticid.store.crawl_folder import CrawlFolder

SHELL = """<!doctype html><title>Loading</title><body><noscript>You need JavaScript.</noscript>
<div id="root"></div><script src="/app.js"></script>"""
APP = """
const name = location.pathname.slice(1) || "home";
fetch("/api/" + name + ".json").then((answer) => answer.json()).then((page) => {
  document.title = page.title;
  const root = document.getElementById("root");
  root.innerHTML = "<main><h1></h1><p></p></main>";
  root.querySelector("h1").textContent = page.title;
  root.querySelector("p").textContent = page.text;
  for (const link of page.links) {
    const anchor = document.createElement("a");
    anchor.href = "/" + link;
    anchor.textContent = "more about the " + link + " of jumping spiders";
    root.append(anchor);
  }
  navigator.sendBeacon("/counted", name);
  fetch("/private/" + name);
  document.cookie = "seen=" + name;
});
"""
PAGES = {
    "home": ("Jumping spiders", "Jumping spiders look at you with eight eyes, two of them large.", ["eyes", "silk"]),
    "eyes": ("The eyes of jumping spiders", "Two of the eyes of jumping spiders look ahead, sharp as few.", ["legs"]),
    "silk": ("The silk of jumping spiders", "Before a jumping spider leaps it fixes a thread of its silk.", []),
    "legs": ("The legs of jumping spiders", "A jumping spider pumps blood into its legs, and off it goes.", []),
}  # fmt: skip
WORDS = ("look at you", "sharp as few", "fixes a thread", "pumps blood")


@dataclass
class Site:
    """A site that says nothing to those who run no scripts; and who asked it for what."""

    port: int = 0
    asked: list[tuple[str, str]] = field(default_factory=list)
    agents: set[str | None] = field(default_factory=set)
    cookies: list[str] = field(default_factory=list)

    def answer(self, request: BaseHTTPRequestHandler) -> Answer:
        path = request.path
        self.asked.append((request.command, path))
        self.agents.add(request.headers["User-Agent"])
        self.cookies += request.headers.get_all("Cookie") or []
        name = path.removeprefix("/api/").removesuffix(".json")
        if path == "/robots.txt":
            return Answer("User-agent: *\nDisallow: /private/\n", kind="text/plain")
        if path == "/app.js":
            return Answer(APP, kind="text/javascript")
        if path.startswith("/api/") and name in PAGES:
            title, text, links = PAGES[name]
            return Answer(json.dumps({"title": title, "text": text, "links": links}), kind="application/json")
        if path.strip("/") in {"", *PAGES}:
            return Answer(SHELL, fields={"X-Robots-Tag": "noarchive", "Set-Cookie": "id=7"})
        return Answer("gone", 404)

    def count(self, path: str) -> int:
        return sum(asked == path for _, asked in self.asked)

    def crawl(self, out: Path, pages: int, *more: str) -> Said:
        return salticid(*self.command(out, pages), *more)

    def command(self, out: Path, pages: int) -> list[str]:
        return [
            "crawl", "--query", "jumping spiders", "--seed-url", "http://a.example/", "--delay", "0",
            "--max-pages", str(pages), "--allow-net", "127.0.0.0/8", "--resolve", f"*=127.0.0.1:{self.port}",
            "--out", str(out), "--json",
        ]  # fmt: skip


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    there = Site()
    with http_stub(there.answer) as there.port:
        yield there


@pytest.fixture(scope="module")
def crawled(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl of the site, in two runs."""
    chromium()
    folder = tmp_path_factory.mktemp("rendered") / "crawl"
    first = site.crawl(folder, 2)
    assert (first.status, json.loads(first.out)["pages"]) == (0, 2), first.err
    before = visits(folder)
    said = site.crawl(folder, 4)
    assert (said.status, json.loads(said.out)["pages"]) == (0, 4), said.err
    assert visits(folder)[:2] == before
    return folder


def visits(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in salticid("visits", folder, "--json").out.splitlines()]


def test_a_site_of_shells_is_read_and_its_links_are_followed(crawled: Path, site: Site) -> None:
    assert {visit["title"] for visit in visits(crawled)} == {title for title, *_ in PAGES.values()}
    assert {visit["outcome"] for visit in visits(crawled)} == {"ok"}
    found = salticid("search", crawled, "thread silk", "--json").out
    assert "http://a.example/silk" in found


def test_what_the_browser_asks_for_is_asked_by_us_and_as_politely(crawled: Path, site: Site) -> None:
    """As robots.txt allows, as who we are, without cookies; only asking, and a script once a run."""
    assert {method for method, _ in site.asked} == {"GET"}
    assert not [path for _, path in site.asked if path.startswith(("/private/", "/counted"))]
    assert all(agent and agent.startswith("Salticid/") for agent in site.agents)
    assert site.cookies == []
    assert site.count("/app.js") == 2
    assert {site.count(f"/api/{name}.json") for name in PAGES} == {1}


def test_the_warc_keeps_what_came_and_what_became_of_it(crawled: Path) -> None:
    responses: dict[str, tuple[str, bytes]] = {}
    rendered: dict[str, Any] = {}
    for file in sorted((crawled / "warc").iterdir()):
        with file.open("rb") as stream:
            for record in ArchiveIterator(stream, check_digests="raise"):
                url, body = record.rec_headers["WARC-Target-URI"], record.content_stream().read()
                if record.rec_type == "response":
                    responses[record.rec_headers["WARC-Record-ID"]] = url, body
                elif record.rec_type == "conversion":
                    rendered[url] = record.rec_headers, body
    assert set(rendered) == {f"http://a.example/{name if name != 'home' else ''}" for name in PAGES}
    for url, (fields, body) in rendered.items():
        assert responses[fields["WARC-Refers-To"]] == (url, SHELL.encode())
        assert fields["Content-Type"] == "text/html; charset=utf-8"
        assert "Chromium" in fields["WARC-Conversion-Software"]
        assert b"<main><h1>" in body
        assert body.startswith(b"<!DOCTYPE html>")


def test_what_is_exported_is_what_was_read(crawled: Path) -> None:
    lines = [json.loads(line) for line in exported(crawled, "jsonl")[0].splitlines()]
    assert len(lines) == len(PAGES)
    for words in WORDS:
        assert sum(words in line["text"] and words in line["markdown"] for line in lines) == 1
    assert all("JavaScript" not in line["text"] for line in lines)
    assert {line["noarchive"] for line in lines} == {True}, "as the answer itself wished"


def test_exported_archives_hold_both(crawled: Path) -> None:
    kinds = [
        record.rec_type for record in ArchiveIterator(io.BytesIO(exported(crawled, "warc")[0]), check_digests="raise")
    ]
    assert [kinds.count(kind) for kind in ("response", "request", "conversion")] == [4, 4, 4]
    package = ZipFile(io.BytesIO(exported(crawled, "wacz")[0]))
    index = gzip.decompress(package.read("indexes/index.cdx.gz")).decode().splitlines()
    about = [json.loads(line.split(" ", 2)[2]) for line in index]
    assert [line["status"] for line in about] == ["200"] * 4, "what is replayed is what was sent"
    archive = package.read("archive/data.warc.gz")
    for line in about:
        (record,) = [*ArchiveIterator(io.BytesIO(archive[int(line["offset"]) :]))][:1]
        assert (record.rec_type, record.rec_headers["WARC-Target-URI"]) == ("response", line["url"])
    texts = package.read("pages/pages.jsonl").decode()
    assert all(words in texts for words in WORDS)


def test_the_kept_copy_is_the_rendered_one_without_its_teeth(crawled: Path) -> None:
    crawl = CrawlFolder(crawled)
    copies = [str(copy_of(crawl, visit["step"])) for visit in visits(crawled)]
    crawl.close()
    for words in WORDS:
        assert sum(words in copy for copy in copies) == 1
    assert not any("<a " in copy for copy in copies)


def test_a_crawl_of_the_recording_sees_the_rendered_pages(crawled: Path, site: Site, tmp_path: Path) -> None:
    asked = len(site.asked)
    world, again = tmp_path / "world", tmp_path / "again"
    assert salticid("world", "build", world, "--crawl", crawled).status == 0
    seed = ("--query", "jumping spiders", "--seed-url", "http://a.example/")
    salticid("crawl", *seed, "--web", world, "--out", again)
    assert {visit["title"] for visit in visits(again)} == {title for title, *_ in PAGES.values()}
    assert len(site.asked) == asked


def test_a_rendered_page_that_has_not_changed_is_the_same(crawled: Path, tmp_path: Path) -> None:
    fates = json.loads(salticid("refresh", crawled, *reach(crawled), "--json").out)
    assert (fates["same"], fates["changed"], fates["gone"]) == (4, 0, 0)


def test_without_chromium_a_page_stays_what_it_was_and_the_crawl_says_once_what_it_needs(
    site: Site, tmp_path: Path
) -> None:
    command = [*site.command(tmp_path / "plain", 4), "--seed-url", "http://a.example/eyes"]
    said = salticid_anew(*command, environment={"PATH": "/nowhere"})
    assert said.status == 0
    assert {visit["title"] for visit in visits(tmp_path / "plain")} == {"Loading"}
    assert said.err.count("is empty without a browser") == 1
    assert "would need: Chromium (apt-get install chromium)." in " ".join(said.err.split())


def test_never_is_never(site: Site, tmp_path: Path) -> None:
    asked = site.count("/app.js")
    said = site.crawl(tmp_path / "never", 4, "--render", "never")
    assert [visit["title"] for visit in visits(tmp_path / "never")] == ["Loading"]
    assert (site.count("/app.js"), "browser" in said.err) == (asked, False)
    odd = site.crawl(tmp_path / "odd", 4, "--render", "always")
    assert (odd.status, "'always'" in odd.err) == (2, True)
