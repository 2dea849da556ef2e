"""PDFs are pages: made by two tools, over real sockets, read in a process that may die of them."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from benchmarks._processes import family, resident
from tests.support.changing_site import reach
from tests.support.hostile import A, all_at_once, fetched, in_parts, on_the_web, page
from tests.support.hostile import Answer as HostileAnswer
from tests.support.http_stub import Answer, http_stub
from tests.support.pdf_files import BOMB, TOP, Drawing, one_page, packed, printed, stream, text
from tests.support.running import salticid
from tests.support.sources import http, title
from tests.support.ui_serving import serving
from warcio.archiveiterator import ArchiveIterator

from salticid.model import Area, Page, Response
from salticid.parse.answer import MAX_PDF
from salticid.parse.pdf_process import PDF_MEMORY
from salticid.parse.process_pool import PdfDocument, PdfPool
from salticid.webs.live import client
from salticid.webs.live.web import LiveWeb
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.answers import WorldSource
from salticid.worlds.building import build
from salticid.worlds.sources import HtmlFolder
from salticid.worlds.warc_source import WarcFiles

PDF = "application/pdf"
PRINTED = """<html lang=de><title>Springspinnen</title>
<meta charset=utf-8><h1>Die Augen</h1><p>Springspinnen sehen mit acht Augen, zwei davon sind groß. Mehr
<a href="http://b.example/augen">über die Augen</a> und unter http://c.example/beine im Netz.</p>
<p style="break-before: page">Auf der zweiten Seite stehen die Beine.</p>"""


@pytest.fixture(scope="module")
def by_chromium(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return printed(PRINTED, tmp_path_factory.mktemp("chromium"))


def drawn() -> bytes:
    drawing = Drawing("Microsoft Word - spiders.doc", "en").lines(["Jumping spiders"], size=24)
    drawing.lines(["They see with eight eyes and hunt by day, for", "they stalk what they eat."], top=TOP - 50)
    return drawing.link("the library of legs", "http://b.example/legs", top=TOP - 120).pdf()


def read(pdf: bytes) -> Page:
    """The page that a PDF is on the live web."""
    (response,), _, _ = fetched({"/": page(pdf, kind=PDF)}, A)
    assert response.page is not None
    return response.page


def links(web: LiveWeb, page: Page) -> list[tuple[str, str]]:
    """Where the links of a page lead, and their anchors."""
    anchors = [" ".join(web.words[word] for word in page.anchor(at)) for at in range(len(page.links))]
    return list(zip(web.urls.spell(page.links.url.tolist()), anchors, strict=True))


def test_what_chromium_printed_is_a_page(by_chromium: bytes) -> None:
    (response,), web, _ = fetched({"/": page(by_chromium, kind=PDF)}, A)
    assert response.page is not None
    assert response.page.title == "Springspinnen"
    assert response.page.text == (
        "Die Augen Springspinnen sehen mit acht Augen, zwei davon sind groß. Mehr über die Augen und unter "
        "http://c.example/beine im Netz. Auf der zweiten Seite stehen die Beine."
    )
    assert links(web, response.page) == [
        ("http://b.example/augen", "über die augen"),
        ("http://c.example/beine", "http c example beine"),
    ]
    headings = [web.words[word] for word in response.page.words_in(Area.HEADING)]
    assert headings == ["springspinnen", "die", "augen"]
    assert response.modified is not None
    assert abs(response.modified - time.time()) < 86_400, "when it was printed"


@pytest.mark.parametrize("kind", [PDF, "application/octet-stream", "", "text/html"])
def test_what_reportlab_drew_is_a_page_whatever_it_is_called(kind: str) -> None:
    answer = page(drawn(), "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT", "X-Robots-Tag: noindex", kind=kind)
    (response,), web, _ = fetched({"/": answer}, A)
    assert response.page is not None
    assert response.page.title == "Jumping spiders", "which the file does not say"
    assert response.page.text == (
        "Jumping spiders They see with eight eyes and hunt by day, for they stalk what they eat. the library of legs"
    )
    assert links(web, response.page) == [("http://b.example/legs", "the library of legs")]
    assert (response.modified, response.page.noindex) == (784111777.0, True)


def test_columns_are_read_one_after_the_other_whatever_was_drawn_first() -> None:
    drawing = Drawing("Columns")
    drawing.lines(["The foot of all reaches over both of the columns above it as well, to the end"], top=90)
    drawing.lines(["right one", "right two", "right three"], left=320, top=600)
    drawing.lines(["The head of all reaches over both of the columns below it, to the end"], top=700, size=14)
    drawing.lines(["left one", "left two", "left three"], left=72, top=600)
    assert read(drawing.pdf()).text == (
        "The head of all reaches over both of the columns below it, to the end left one left two left three "
        "right one right two right three The foot of all reaches over both of the columns above it as well, to the end"
    )


def test_running_heads_go_and_parted_words_and_sentences_are_whole() -> None:
    drawing = Drawing("Book")
    for number, (begin, end) in enumerate([("It began", "with jump-"), ("ing spiders,", "who hunt"), ("by", "day.")]):
        drawing.lines([f"A book of spiders {number}"], top=800)
        drawing.lines([begin, "and it went on for a while,", end])
        drawing.lines([f"Page {number + 1} of 3"], top=40).next_page()
    assert read(drawing.pdf()).text == (
        "It began and it went on for a while, with jumping spiders, and it went on for a while, who hunt by and it "
        "went on for a while, day."
    )


def test_a_pdf_may_be_longer_than_a_page_and_not_too_long() -> None:
    noise = os.urandom(3 << 20)
    long = one_page(stream(text(b"jumping spiders")), packed(noise))
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in [bytes(1 << 20)] * 32)
    head = b"HTTP/1.1 200 So\r\nContent-Type: application/pdf\r\n"
    site: dict[str, HostileAnswer] = {
        "/long": page(long, kind=PDF),
        "/noise": page(b"\0" + noise, kind="audio/mp3"),
        "/says": in_parts(head + b"Content-Length: %d\r\n\r\n%%PDF-1.7" % (MAX_PDF + 1), bytes(9 << 20)),
        "/endless": head + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n",
    }
    responses, _, _ = fetched(site, *(A + path[1:] for path in site))
    assert [each.outcome.value for each in responses] == ["ok", "not html", "not html", "not html"]
    assert responses[0].page is not None
    assert responses[0].page.text == "jumping spiders"
    assert [each.size for each in responses] == [len(long), 1 << 20, 1 << 20, 1 << 20]


def test_few_long_ones_are_in_memory_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """All twelve are asked for at once; each is held in memory up to three times, by two fetches at the most."""
    long = one_page(stream(text(b"jumping spiders")), packed(os.urandom(8 << 20)))
    held: list[int] = []
    take = client.LongBodies.take

    async def watched(self: client.LongBodies) -> bool:
        place = await take(self)
        held.append(client.PLACES - self._places._value)
        return place

    monkeypatch.setattr(client.LongBodies, "take", watched)

    async def use(there: LiveWeb, server: object) -> list[Response]:
        return await all_at_once(there, *(f"{A}{n}" for n in range(12)))

    site = {f"/{n}": page(long, kind=PDF) for n in range(12)}
    responses = on_the_web(site, use, timeout=30)
    assert [each.outcome.value for each in responses] == ["ok"] * 12
    assert (len(held), max(held)) == (12, client.PLACES)


def test_with_no_pdf_they_are_none_of_ours() -> None:
    (response,), _, _ = fetched({"/": page(drawn(), kind=PDF)}, A, pdf=False)
    assert response.outcome.value == "not html"


def memory() -> int:
    """Bytes of all processes below this one."""
    return sum(resident(pid) for pid in family(os.getpid())[1:])


def documents(*pdfs: bytes, limit: float = 10.0) -> tuple[list[PdfDocument | None], int]:
    """What a process makes of PDFs, one after the other; and how much more memory it had than after an honest one."""

    async def all_of_them() -> tuple[list[PdfDocument | None], int]:
        async with asyncio.timeout(300), PdfPool(limit=limit) as pool:
            first = await pool.read(drawn())
            assert first is not None
            most = before = memory()
            asked = asyncio.gather(*map(pool.read, pdfs))
            while not asked.done():
                most = max(most, memory())
                await asyncio.sleep(0.005)
            return await asked, most - before

    return asyncio.run(all_of_them())


def test_a_bomb_costs_a_process_its_bound_of_memory_and_the_next_is_read() -> None:
    told, most = documents(one_page(packed(BOMB)), drawn())
    assert told[0] is None
    assert told[1] is not None
    assert most < PDF_MEMORY + (20 << 20), "what a document may cost, and its own bytes"


def test_one_that_takes_too_long_costs_its_time_and_the_next_is_read() -> None:
    words = b"".join(b"BT /F 9 Tf 1 0 0 1 %d %d Tm (spiders) Tj ET\n" % (n % 500, n // 500) for n in range(300_000))
    told, _ = documents(one_page(stream(words)), drawn(), limit=1.0)
    assert told[0] is None
    assert told[1] is not None


def site(pdf: bytes, request: BaseHTTPRequestHandler) -> Answer:
    match request.path:
        case "/robots.txt":
            return Answer("", 404)
        case "/":
            return Answer("<title>Spiders</title><p>jumping spiders <a href=/eyes>in print</a>")
        case "/eyes":
            return Answer(pdf, kind=PDF, fields={"ETag": '"1"'})
        case "/found":
            return Answer("<title>Found</title><p>jumping spiders, linked from nowhere but a PDF")
    return Answer("<p>gone", 404)


def lines(said: Any) -> list[dict[str, Any]]:
    assert said.status == 0, said.err
    return [json.loads(line) for line in said.out.splitlines()]


def test_the_program_crawls_searches_exports_keeps_and_refreshes_them(tmp_path: Path) -> None:
    pdf = b""
    with http_stub(lambda request: site(pdf, request)) as port:
        here = f"http://127.0.0.1:{port}"
        drawing = Drawing("Eyes in print", "en").lines(["About the eyes"], size=20)
        told = ["Jumping spiders have eight eyes, and the", "principal ones resolve a tenth of a degree."]
        drawing.lines(told, top=TOP - 40)
        pdf = drawing.link("what was found", f"{here}/found", top=TOP - 90).pdf()
        crawl = tmp_path / "crawl"
        order = ["crawl", "--query", "jumping spiders", "--seed-url", f"{here}/", "--delay", "0"]
        said = salticid(*order, "--allow-net", "127.0.0.0/8", "--out", crawl)
        assert said.status == 0, said.err
        visits = {each["url"].removeprefix(here): each for each in lines(salticid("visits", crawl, "--json"))}
        assert {path: each["outcome"] for path, each in visits.items()} == dict.fromkeys(["/", "/eyes", "/found"], "ok")
        assert visits["/eyes"]["title"] == "Eyes in print"
        assert visits["/eyes"]["score"] > 0, "the judge has read it"
        assert visits["/found"]["source"] == f"{here}/eyes"
        found = lines(salticid("search", crawl, "principal resolve", "--json"))
        assert [each["url"] for each in found] == [f"{here}/eyes"]

        out = tmp_path / "pages.jsonl"
        assert salticid("export", crawl, "--to", "jsonl", "--out", out).status == 0
        exported = {each["url"]: each for each in map(json.loads, out.read_text().splitlines())}
        eyes = exported[f"{here}/eyes"]
        assert eyes["text"].splitlines()[0] == "About the eyes"
        assert "principal ones resolve" in eyes["text"]
        assert (eyes["language"], eyes["last_modified"][:10]) == ("en", "2000-01-01")
        assert eyes["markdown"] == (f"# About the eyes\n\n{told[0]} {told[1]}\n\n[what was found]({here}/found)")
        for form in ("warc", "wacz", "markdown"):
            assert salticid("export", crawl, "--to", form, "--out", tmp_path / form).status == 0

        refreshed = salticid("refresh", crawl, *reach(crawl), "--json")
        assert {name: json.loads(refreshed.out)[name] for name in ("same", "changed", "gone")} == {
            "same": 3, "changed": 0, "gone": 0,
        }, refreshed.err  # fmt: skip
        without = salticid(*order, "--allow-net", "127.0.0.0/8", "--out", tmp_path / "without", "--no-pdf", "--json")
        assert json.loads(without.out)["outcomes"] == {"ok": 1, "not html": 1}

    with (tmp_path / "warc").open("rb") as file:
        kept = {
            record.rec_headers["WARC-Target-URI"]: record.content_stream().read()
            for record in ArchiveIterator(file)
            if record.rec_type == "response"
        }
    assert kept[f"{here}/eyes"] == pdf, "as it came"
    recordings: dict[str, list[str | int | Path]] = {
        "crawl": ["--crawl", crawl],
        "warc": ["--warc", tmp_path / "warc"],
    }
    for name, source in recordings.items():
        assert salticid("world", "build", tmp_path / f"{name}-world", *source).status == 0
        again: list[str | int | Path] = [
            "crawl",
            "--query",
            "jumping spiders",
            "--seed-url",
            f"{here}/",
            "--web",
            tmp_path / f"{name}-world",
        ]
        assert salticid(*again, "--out", tmp_path / f"{name}-again").status == 0
        replayed = lines(salticid("visits", tmp_path / f"{name}-again", "--json"))
        titles = {each["url"].removeprefix(here): each["title"] for each in replayed if each["outcome"] == "ok"}
        assert titles == {"/": "Spiders", "/eyes": "Eyes in print", "/found": "Found"}


def test_the_page_hunts_for_them_and_hands_out_the_kept_copy(tmp_path: Path) -> None:
    pdf = drawn()
    with http_stub(lambda request: site(pdf, request)) as port:
        reach = ("--delay", "0", "--allow-net", "127.0.0.0/8")
        order = {"query": "jumping spiders", "urls": [f"http://127.0.0.1:{port}/eyes"], "max_pages": 1}
        with serving(tmp_path, *reach) as (_, client):
            name = client.post("/api/crawls", order)["id"]
            client.until(name, lambda summary: summary["state"] == "ended")
            at = f"/api/crawls/{name}/visits/0"
            told = client.get(at)
            assert (told["title"], told["archived"], told["pdf"]) == ("Jumping spiders", True, True)
            assert "stalk what they eat" in client.ask("GET", f"{at}/text").body.decode()
            copy = client.ask("GET", f"{at}/copy")
    assert (copy.body, copy.fields["content-type"]) == (pdf, PDF)
    assert copy.fields["content-disposition"].startswith("attachment"), "saved, and not shown by our leave"
    assert "sandbox" in copy.fields["content-security-policy"]


def recorded(source: WorldSource, folder: Path) -> Callable[[str], Response]:
    """Build the world of a source, and give what fetches a URL of it."""
    build(folder, source)
    web = RecordedWeb(folder)
    return lambda url: web.fetch(web.urls.intern(url))


def test_worlds_are_made_of_folders_and_archives_with_pdfs(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "a.html").write_text("<title>A</title><p>spiders")
    (folder / "b.pdf").write_bytes(drawn())
    (folder / "locked.pdf").write_bytes(Drawing(password="secret").lines(["spiders"]).pdf())
    fetch = recorded(HtmlFolder(folder, A), tmp_path / "of-folder")
    assert [title(fetch(A + name)) for name in ("a.html", "b.pdf", "locked.pdf")] == [
        "A",
        "Jumping spiders",
        None,
    ]
    assert fetch(A + "locked.pdf").outcome.value == "unparsable"

    long = one_page(stream(text(b"jumping spiders")), packed(os.urandom(3 << 20)))
    archive = tmp_path / "pages.warc"
    archive.write_bytes(
        b"".join(
            b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: %b\r\nContent-Length: %d\r\n\r\n%b\r\n\r\n"
            % (url, len(block), block)
            for url, block in ((b"http://a.example/long", http(long, b"Content-Type: application/pdf\r\n")),)
        )
    )
    assert title(recorded(WarcFiles([archive]), tmp_path / "of-archive")(A + "long")) == "jumping spiders"
