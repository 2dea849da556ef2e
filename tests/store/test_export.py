"""Pages for other programs: what is told about them, which of them, and that nothing is left half."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import closing
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.parse.test_parsing_pool import children
from tests.support.made_crawl import BEGAN, DEFAULT, ESSAY, Made, article, documents, exported
from tests.support.running import salticid
from warcio.archiveiterator import ArchiveIterator

from salticid.cli.visits import export_pages
from salticid.errors import SalticidError, UserError
from salticid.formats import bibtex, formats, parquet, ris
from salticid.formats.csv import cell
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.exports import PageOrder
from salticid.store.exports.new_files import new_file, size_of
from salticid.store.exports.readings import Readings
from salticid.store.exports.selection import Criteria, Reference, one_line
from salticid.store.schema import ABOUT, DATABASE_FILE

FIELDS = [
    "url", "final_url", "title", "text", "language", "score", "current_score", "word", "fetched", "last_modified",
    "source", "anchor", "duplicate_of", "also_at", "licence", "noindex", "noarchive", "noai", "tdm_reservation",
    "markdown",
]  # fmt: skip
HOSTILE = "<div><!--</div>-->" * 50_000
"""Deep enough for minutes of work; the end tags in comments deceive who only counts."""
ALL, AS_VISITED = Criteria(all=True), Criteria(order=PageOrder.VISITS)


def names(folder: Path, wanted: Criteria = DEFAULT) -> list[str]:
    return [document["url"].rpartition("/")[2] for document in documents(folder, wanted)]


def test_a_page_is_told_with_all_its_fields(made: Made) -> None:
    start = article("Start", more="<a href=/b>About</a> <a href=/x>The Portia's <b>8 EYES</b>!</a>")
    first = made.add("http://a.example/", start, raw=start)
    page = article("Portia")
    made.add(
        "http://a.example/x",
        page,
        to="http://b.example/y",
        raw=page,
        found_by=(first, 2),
        modified=BEGAN - 0.5,
    )
    told = documents(made.commit())
    assert [list(document) for document in told] == [FIELDS, FIELDS]
    assert told[1] == {
        "url": "http://a.example/x",
        "final_url": "http://b.example/y",
        "title": "Portia",
        "text": f"Portia\n\n{ESSAY}",
        "language": "en",
        "score": 0.5,
        "current_score": 0.5,
        "word": None,
        "fetched": "2026-03-01T12:00:01Z",
        "last_modified": "2026-03-01T11:59:59.500000Z",
        "source": "http://a.example/",
        "anchor": "The Portia's 8 EYES",
        "duplicate_of": None,
        "also_at": None,
        "licence": None,
        "noindex": False,
        "noarchive": False,
        "noai": False,
        "tdm_reservation": False,
        "markdown": f"# Portia\n\n{ESSAY}",
    }
    assert (told[0]["source"], told[0]["anchor"], told[0]["last_modified"]) == (None, None, None)


def test_without_the_html_the_text_is_all_the_page_says(made: Made) -> None:
    made.add("http://a.example/1", article("Eyes"), raw=article("Eyes"))
    made.add("http://a.example/2", article("Eyes"))
    with_warc, without = documents(made.commit())
    assert with_warc["text"] == f"Eyes\n\n{ESSAY}"
    assert without["text"] == f"Home of all menus Eyes {ESSAY}"


def test_an_exchange_that_got_lost_leaves_the_plain_text(made: Made) -> None:
    made.add("http://a.example/1", article("Eyes"), records="[12345678]")
    assert documents(made.commit())[0]["text"].startswith("Home of all menus Eyes")


def test_anchors_are_as_people_wrote_them(made: Made) -> None:
    links = [
        (
            "关于<b>蜘蛛网</b>的书",
            "关于 蜘蛛网 的书",
        ),  # the text of a page keeps no tags, but spaces for them
        ("蜘蛛网", "蜘蛛网"),
        ("<img src=x alt='Big Eyes'>", "Big Eyes"),
        ("1234", ""),
        ("", ""),
        ("İstanbul", "i̇stanbul"),
        ("Salticidae, 1841", "Salticidae"),
        ("word " * 150, " ".join(["word"] * 100)),
    ]
    html = "".join(f"<p><a href=/{n}>{anchor}</a></p>" for n, (anchor, _) in enumerate(links))
    first = made.add("http://a.example/", html)
    for n in range(len(links)):
        made.add(f"http://a.example/{n}", article(str(n)), found_by=(first, n))
    told = [document["anchor"] for document in documents(made.commit())[1:]]
    in_lower_case = [anchor.lower() for _, anchor in links]
    assert [anchor.lower() for anchor in told] == in_lower_case
    upper = made.add("http://b.example/", "<a href=/x>Jumping   Spiders</a>")
    shown_again = made.add("http://b.example/", "", revisit=1)
    made.add("http://b.example/x", article("x"), found_by=(upper, 0))
    made.add("http://b.example/y", article("y"), found_by=(shown_again, 0))
    made.add("http://b.example/z", article("z"), found_by=(shown_again, 7))
    anchors = [document["anchor"] for document in documents(made.commit())[-3:]]
    assert anchors == ["Jumping Spiders", "Jumping Spiders", None]


def test_only_pages_are_exported_and_what_is_left_out_is_counted(made: Made) -> None:
    made.add("http://a.example/dead", "", outcome="dead", score=0.9)
    made.add("http://a.example/good", article("good"))
    made.add("http://a.example/good", "", revisit=1)
    made.add("http://a.example/secret", "<meta name=robots content=noindex>" + article("secret"))
    made.add("http://a.example/poor", article("poor"), score=0.2)
    done = exported(made.commit(), wanted=Criteria(min_score=0.3))[1]
    counts = {
        "no page": 1,
        "revisit": 1,
        "noindex": 1,
        "rejected": 0,
        "not liked": 0,
        "score": 1,
        "duplicate": 0,
        "gone": 0,
        "later": 0,
        "thinned": 0,
        "no news": 0,
        "no exchange": 0,
    }
    assert (done.pages, done.skipped) == (1, counts)
    assert names(made.folder, Criteria(min_score=0.5)) == ["good"]
    assert names(made.folder, ALL) == ["good", "poor"]


def test_one_of_each_group_of_near_duplicates_stands_for_it(made: Made) -> None:
    scores = {"a": 0.2, "b": 0.6, "single": 0.5, "c": 0.7}
    steps = {name: made.add(f"http://a.example/{name}", article(name), score=scores[name]) for name in scores}
    for name, of in ("b", "a"), ("c", "b"):
        made.db.execute("UPDATE visit SET duplicate_of = ? WHERE step = ?", (steps[of], steps[name]))
    folder = made.commit()
    assert names(folder) == ["c", "single"], "the best of them"
    assert names(folder, AS_VISITED) == ["a", "single"], "the first of them"
    assert names(folder, Criteria(min_score=0.4, order=PageOrder.VISITS)) == ["b", "single"], "that is wanted"
    told = {document["title"]: document["duplicate_of"] for document in documents(folder, ALL)}
    assert told == {"a": None, "b": "http://a.example/a", "single": None, "c": "http://a.example/b"}


@pytest.fixture
def spoken(made: Made) -> Made:
    """A crawl of which the judge and a person think otherwise by now; its line is 0.5."""
    scores = {
        "fell": 0.9,
        "rose": 0.3,
        "liked": 0.6,
        "rejected": 0.8,
        "stayed": 0.7,
        "below": 0.4,
        "back": 0.5,
    }
    for name, score in scores.items():
        made.add(f"http://a.example/{name}", article(name, f"{name} {ESSAY}"), score=score, positive=score >= 0.5)
    made.hear({0: 0.8, 1: 0.6}, {"http://a.example/liked": 1, "http://a.example/back": -1})
    made.hear({0: 0.2, 1: 0.95, 2: 0.1}, {"http://a.example/rejected": -1, "http://a.example/back": 0})
    made.commit()
    return made


def test_who_rejects_a_page_rejects_those_all_but_the_same(spoken: Made) -> None:
    spoken.db.execute("UPDATE visit SET duplicate_of = 3 WHERE step = 4")
    spoken.commit()
    assert names(spoken.folder, Criteria(on_topic=True)) == ["rose", "back", "liked"]
    assert names(spoken.folder, Criteria(min_score=0.6, rejected=False)) == ["rose"]
    assert names(spoken.folder)[:3] == ["rose", "rejected", "back"], "unless all is wanted"
    with closing(CrawlFolder(spoken.folder)) as crawl:
        assert crawl.on_topic() == [1, 6, 2]
        assert [visit.title for visit in crawl.best(2)] == ["rose", "back"]


def test_the_best_come_first_as_they_are_judged_by_now(spoken: Made) -> None:
    everything = documents(spoken.folder)
    assert [(page["title"], page["current_score"], page["score"], page["word"]) for page in everything] == [
        ("rose", 0.95, 0.3, None),
        ("rejected", 0.8, 0.8, "rejected"),
        ("stayed", 0.7, 0.7, None),
        ("back", 0.5, 0.5, None),
        ("below", 0.4, 0.4, None),
        ("fell", 0.2, 0.9, None),
        ("liked", 0.1, 0.6, "liked"),
    ]
    in_order = ["fell", "rose", "liked", "rejected", "stayed", "below", "back"]
    assert names(spoken.folder, AS_VISITED) == in_order
    rows = pyarrow.parquet.read_table(io.BytesIO(exported(spoken.folder, "parquet")[0])).to_pylist()
    assert [(row["current_score"], row["word"]) for row in rows[:2]] == [(0.95, None), (0.8, "rejected")]


def test_on_topic_is_what_a_person_and_the_judge_think_now(spoken: Made) -> None:
    assert names(spoken.folder, Criteria(on_topic=True)) == ["rose", "stayed", "back", "liked"]
    assert names(spoken.folder, Criteria(on_topic=True, min_score=0.6)) == ["rose", "stayed"]
    assert names(spoken.folder, Criteria(liked=True)) == ["liked"]
    assert names(spoken.folder, Criteria(min_score=0.4, rejected=False)) == [
        "rose",
        "stayed",
        "back",
        "below",
    ]
    skipped = exported(spoken.folder, wanted=Criteria(on_topic=True))[1].skipped
    assert (skipped["rejected"], skipped["score"]) == (1, 2)
    spoken.db.execute(ABOUT.insert, ABOUT.with_checksum(("line", "0.6")))
    spoken.commit()
    assert names(spoken.folder, Criteria(on_topic=True)) == ["rose", "stayed", "liked"]
    with closing(CrawlFolder(spoken.folder)) as crawl:
        assert crawl.on_topic() == [1, 4, 2], "the same pages"
        assert [visit.title for visit in crawl.best(3)] == ["rose", "stayed", "back"], "none that was rejected"


def test_the_command_line_chooses_pages_by_what_is_thought_now(spoken: Made, tmp_path: Path) -> None:
    def titles(*options: str | float) -> list[str]:
        said = salticid("export", spoken.folder, "--to", "jsonl", "--out", "-", *map(str, options))
        return [json.loads(line)["title"] for line in said.out.splitlines()]

    assert titles("--on-topic") == ["rose", "stayed", "back", "liked"]
    assert titles("--liked") == ["liked"]
    assert titles("--min-score", 0.7) == ["rose", "rejected", "stayed"]
    assert titles("--order", "visits")[:2] == ["fell", "rose"]
    rows = [json.loads(line) for line in salticid("visits", spoken.folder, "--json").out.splitlines()]
    assert [row["step"] for row in rows] == [0, 1, 2, 3, 4, 5, 6]
    assert [(row["score"], row["current_score"], row["word"]) for row in rows[1:4]] == [
        (0.3, 0.95, None),
        (0.6, 0.1, "liked"),
        (0.8, 0.8, "rejected"),
    ]
    best = salticid("visits", spoken.folder, "--order", "best").out.splitlines()
    assert [line.split()[:3] for line in best[:2]] == [["1", "+", "0.950"], ["3", "0.800", "ok"]]
    assert "(rejected) rejected" in best[1]


def test_references_hold_what_a_bibliography_needs(made: Made) -> None:
    made.add("http://a.example/1", article("Eyes &amp; 50% {of} \\alpha_1 ~ #^$"), modified=BEGAN - 90_000)
    made.add("http://b.example/{2}", "<p>no title, but a few words</p>", modified=1e18)
    made.add("http://c.example/3", article("A\nER  - \nTY  - JOUR\n}@book{x,"), score=0.1)
    references = exported(made.commit(), "ris")[0].decode()
    assert references.split("\r\n") == [
        "TY  - ELEC", "TI  - Eyes & 50% {of} \\alpha_1 ~ #^$", "UR  - http://a.example/1", "PY  - 2026",
        "DA  - 2026/02/28/", "Y2  - 2026/03/01/", "ER  - ", "",
        "TY  - ELEC", "TI  - http://b.example/%7B2%7D", "UR  - http://b.example/%7B2%7D", "Y2  - 2026/03/01/",
        "ER  - ", "",
        "TY  - ELEC", "TI  - A ER - TY - JOUR }@book{x,", "UR  - http://c.example/3", "Y2  - 2026/03/01/", "ER  - ",
        "", "",
    ]  # fmt: skip
    entries = exported(made.folder, "bibtex", Criteria(min_score=0.3))[0].decode()
    title = r"Eyes \& 50\% \textbraceleft{}of\textbraceright{} \textbackslash{}alpha\_1 \textasciitilde{}"
    assert entries.splitlines() == [
        "@misc{a-example-0,",
        rf"  title = {{{{{title} \#\textasciicircum{{}}\$}}}},",
        "  url = {http://a.example/1},",
        "  year = {2026},",
        "  date = {2026-02-28},",
        "  urldate = {2026-03-01}",
        "}",
        "",
        "@misc{b-example-1,",
        r"  title = {{http://b.example/\%7B2\%7D}},",
        "  url = {http://b.example/%7B2%7D},",
        "  urldate = {2026-03-01}",
        "}",
        "",
    ]


@given(st.text(st.sampled_from('{}\\@,="%#\n a')))
def test_no_title_ends_its_entry(title: str) -> None:
    page = Reference(one_line(title), "http://a.example/", None, None)
    written = bibtex.entry("a-1", page)
    depth = [0, *accumulate({"{": 1, "}": -1}.get(char, 0) for char in written)]
    assert depth[-1] == 0
    assert min(depth[1 + written.index("{") : written.rindex("}")]) == 1, "closed by its last brace alone"
    assert ris.entry(page).count("\r\n") == 5


def test_a_page_that_changed_is_told_as_it_is_now(made: Made) -> None:
    for name in ("same", "changed", "gone", "back", "hidden", "unknown"):
        made.add(f"http://a.example/{name}", article(f"old {name}"), raw=article(f"old {name}"))
    made.ask_again(0, "same")
    made.ask_again(1, "changed", article("between"))
    made.ask_again(1, "changed", article("new"), raw=article("new", "Another text about spiders and their silk."))
    made.ask_again(1, "same")
    made.ask_again(2, "gone")
    made.ask_again(3, "gone")
    made.ask_again(3, "changed", article("back"))
    made.ask_again(4, "changed", "<meta name=robots content=noindex>" + article("hidden"))
    made.ask_again(5, "gone")
    made.ask_again(5, "same")
    made.ask_again(5, "unreachable")
    told = documents(made.commit())
    assert [document["title"] for document in told] == ["old same", "new", "back", "old unknown"]
    assert told[1]["text"] == "new\n\nAnother text about spiders and their silk."
    assert (told[1]["fetched"], told[1]["last_modified"]) == ("2026-03-02T12:00:02Z", "2026-03-02T10:13:20Z")
    assert told[2]["text"] == f"Home of all menus back {ESSAY}", "no exchange was kept of that version"
    everything = [document["title"] for document in documents(made.folder, ALL)]
    assert everything == ["old same", "new", "old gone", "back", "old unknown"]
    records = [*ArchiveIterator(io.BytesIO(exported(made.folder, "warc")[0]))]
    assert len(records) == 1 + 2 * 3


TITLES = [
    "=HYPERLINK(\"http://x.example/\";\"click\")", "+1", "-1", "@SUM(1)", "tab\tstop", 'a "quoted", one',
    "bell\x07 nul \ufffd", "\u202egnp.exe", "'", "＝1+1", "<script>alert(1)</script>", "\x85 next",
]  # fmt: skip


def test_csv_can_be_read_back_and_holds_no_formula(made: Made) -> None:
    for number, title in enumerate(TITLES):
        made.add(f"http://a.example/{number}", f"<body>{ESSAY}\r\nAnd <pre>\n=more</pre>")
        made.db.execute("UPDATE page SET title = ? WHERE step = ?", (title, number))
    data = exported(made.commit(), "csv")[0]
    assert data.count(b"\r\n") == 1 + len(TITLES)
    header, *rows = csv.reader(io.StringIO(data.decode(), newline=""), strict=True)
    assert header == FIELDS[:-1], "all but the Markdown"
    table = [dict(zip(header, row, strict=True)) for row in rows]
    for row, told in zip(table, documents(made.folder), strict=True):
        safe = told["text"].replace("\n=more", "\n'=more")
        assert (row["url"], row["text"], float(row["score"])) == (told["url"], safe, told["score"])
        assert (row["last_modified"], row["fetched"]) == ("", told["fetched"])
    assert [row["title"] for row in table] == [
        "'=HYPERLINK(\"http://x.example/\";\"click\")", "'+1", "'-1", "'@SUM(1)", "tab\tstop", 'a "quoted", one',
        "bell nul \ufffd", "\u202egnp.exe", "'", "'＝1+1", "<script>alert(1)</script>", " next",
    ]  # fmt: skip


_CELLS = st.text() | st.text(st.sampled_from("a;,\t\r\n\"' =+-@＝"))
_SIGNS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


@given(_CELLS)
def test_no_text_makes_a_bad_cell(text: str) -> None:
    safe = str(cell(text))
    assert not safe.startswith((*_SIGNS, "\t", "\r", "\n"))
    assert not any(ord(char) < 32 and char not in "\t\n\r" for char in safe)
    if not any(ord(char) < 32 or 126 < ord(char) < 160 for char in text):
        assert safe.replace("'", "") == text.replace("'", "")


def test_a_cell_of_blanks_without_end_takes_no_time() -> None:
    blanks = '\n";\t' * 500_000
    assert cell(blanks + "=1") == f"'{blanks}'=1"


@given(_CELLS, _CELLS)
@example("a;=1+1", "b")
@example("a\n=1+1", "b")
@example('a;"=1+1', '";=2')
@example('a\n"";\t""=1', "")
def test_no_cell_is_a_formula_however_a_spreadsheet_parts_them(first: str, second: str) -> None:
    written = io.StringIO(newline="")
    csv.writer(written).writerow([1, cell(first), cell(second), 0.5])
    line = written.getvalue()
    parted = [csv.reader(io.StringIO(line, newline=""), delimiter=separator) for separator in ";\t"]
    cells = [each for rows in parted for row in rows for each in row]
    cells += re.split("[;\t\r\n]", line)  # who knows nothing of quotes
    assert [each for each in cells if each.lstrip('" ').startswith(_SIGNS)] == []


def test_parquet_holds_the_same_with_types(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "GROUP_ROWS", 5)
    monkeypatch.setattr(parquet, "GROUP_CHARACTERS", 1000)
    for number, title in enumerate(TITLES):
        text = ESSAY if number else "long " * 300
        made.add(f"http://a.example/{number}", article("", text), modified=1e18 if number else BEGAN)
        made.db.execute("UPDATE page SET title = ? WHERE step = ?", (title, number))
    data = exported(made.commit(), "parquet")[0]
    file = pyarrow.parquet.ParquetFile(io.BytesIO(data))
    assert file.schema_arrow.names == FIELDS
    assert {str(file.schema_arrow.field(name).type) for name in ("fetched", "last_modified")} == {
        "timestamp[us, tz=UTC]"
    }
    groups = [file.metadata.row_group(n) for n in range(file.num_row_groups)]
    assert [group.num_rows for group in groups] == [1, 5, 5, 1]
    assert groups[0].column(3).compression == "ZSTD"
    rows = file.read().to_pylist()
    assert json.loads(msgspec.json.encode(rows)) == documents(made.folder)
    assert [row["title"] for row in rows] == TITLES
    assert [row["last_modified"] for row in rows[:2]] == [datetime.fromtimestamp(BEGAN, UTC), None]


def test_parquet_says_what_is_missing(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    made.add("http://a.example/", article("a"))
    made.commit()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UserError, match=r"pip install 'salticid\[export\]'"):
        exported(made.folder, "parquet")


def test_warc_holds_the_exchanges_of_the_exported_pages_hop_by_hop(made: Made) -> None:
    page = article("Portia")
    made.add("http://a.example/x", page, to="http://b.example/y", raw=page)
    made.add("http://a.example/dead", "", raw="gone", outcome="dead")
    made.add("http://a.example/lost", page)
    made.add("http://a.example/z", page, raw=page)
    data, done = exported(made.commit(), "warc")
    found = []
    for record in ArchiveIterator(io.BytesIO(data), check_digests="raise"):
        said = record.http_headers.get_statuscode() if record.rec_type == "response" else ""
        body = record.content_stream().read()
        found.append((record.rec_type, record.rec_headers.get_header("WARC-Target-URI"), said))
        assert body == page.encode() or said != "200"
    assert found == [
        ("warcinfo", None, ""),
        ("response", "http://a.example/x", "301"),
        ("request", "http://a.example/x", ""),
        ("response", "http://b.example/y", "200"),
        ("request", "http://b.example/y", ""),
        ("response", "http://a.example/z", "200"),
        ("request", "http://a.example/z", ""),
    ]
    assert (done.pages, done.skipped["no exchange"], done.skipped["no page"]) == (2, 1, 1)


def test_a_crawl_without_exchanges_gives_no_warc(made: Made) -> None:
    made.add("http://a.example/", article("a"))
    with pytest.raises(UserError, match="holds no WARC: only a live crawl"):
        exported(made.commit(), "warc")


def test_a_hostile_page_costs_its_main_text_and_nothing_else(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        raw = HOSTILE if number in (3, 4, 11) else article(f"page {number}")
        made.add(f"http://a.example/{number}", article(f"page {number}"), raw=raw)
    made.commit()
    monkeypatch.setattr(
        "salticid.store.exports.documents.Readings", lambda folder: Readings(folder, workers=2, limit=0.4)
    )
    told = documents(made.folder)
    assert [document["title"] for document in told] == [f"page {number}" for number in range(20)]
    plain = [number for number, document in enumerate(told) if document["text"].startswith("Home of all menus")]
    assert plain == [3, 4, 11]


def test_no_worker_and_no_descriptor_outlives_the_export(made: Made) -> None:
    place = made.record("http://a.example/", "200 OK", "Content-Type: text/html", article("Eyes"))
    hostile = made.record("http://a.example/", "200 OK", "Content-Type: text/html", HOSTILE)
    folder = made.commit()
    before = descriptors()
    with Readings(folder, workers=2, limit=60) as texts:
        assert text_of(texts, place) == f"Eyes\n\n{ESSAY}"
        left = [texts.ask(hostile, "http://a.example/", True) for _ in range(6)]
        time.sleep(0.2)
        began = time.monotonic()
    assert time.monotonic() - began < 30, "it waits for none of them"
    assert all(future.cancelled() or future.result() is None for future in left)
    assert descriptors() == before


def test_a_worker_killed_from_outside_costs_no_text(made: Made) -> None:
    place = made.record("http://a.example/", "200 OK", "Content-Type: text/html", article("Eyes"))
    with Readings(made.commit(), workers=1, limit=60) as texts:
        for _ in range(3):
            assert text_of(texts, place) == f"Eyes\n\n{ESSAY}"
            os.kill(children()[0], signal.SIGKILL)


def text_of(texts: Readings, place: int) -> str | None:
    reading = texts.ask(place, "http://a.example/").result()
    return None if reading is None else reading.text


def descriptors() -> list[str]:
    return sorted(path.name for path in Path("/proc/self/fd").iterdir())


def test_a_worker_that_does_not_start_is_told(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with (
        Readings(made.folder, workers=1) as texts,
        pytest.raises(SalticidError, match="no process would start"),
    ):
        texts.ask(0, "http://a.example/").result()


def test_an_export_is_of_one_moment_though_the_crawl_goes_on(made: Made) -> None:
    for number in range(30):
        made.add(f"http://a.example/{number}", article(str(number)))
    made.commit()

    def crawl_on(_visits: int, pages: int) -> None:
        made.add(f"http://b.example/{pages}", article("later"))
        made.commit()

    data, done = exported(made.folder, progress=crawl_on)
    assert (done.pages, data.count(b"later")) == (30, 0)
    assert exported(made.folder)[1].pages == 60


def test_a_file_appears_only_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "pages.jsonl"

    def fail(error: BaseException) -> None:
        with new_file(path) as file:
            file.write(b"half")
            raise error

    with pytest.raises(SalticidError, match="No space left"):
        fail(OSError(28, "No space left on device"))
    with pytest.raises(KeyboardInterrupt):
        fail(KeyboardInterrupt())
    assert list(tmp_path.iterdir()) == []
    with new_file(path) as file:
        file.write(b"whole")
        assert not path.exists()
    assert (path.read_bytes(), len(list(tmp_path.iterdir()))) == (b"whole", 1)


def test_the_command_writes_what_it_says(made: Made, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(3):
        made.add(f"http://a.example/{number}", article(f"\x1b]0;{number}"), raw=article(str(number)))
    folder = made.commit()
    for form in formats.names():
        file = tmp_path / f"pages.{form}"
        export_pages(folder, form, str(file), json=True)
        told = json.loads(capsys.readouterr().out)
        assert (told["out"], told["format"], told["pages"]) == (str(file), form, 3)
        assert told["bytes"] == (size_of(file) if file.is_dir() else file.stat().st_size)
        assert set(told) == {"out", "format", "pages", "skipped", "bytes", "seconds"}
    export_pages(folder, "csv", str(tmp_path / "again.csv"), min_score=0.9)
    told = capsys.readouterr().out
    assert "0 pages" in told
    assert "left out: 3 x score" in told


def test_stdout_holds_the_pages_and_nothing_else(made: Made, tmp_path: Path) -> None:
    made.add("http://a.example/", article("a"))
    folder, file = made.commit(), tmp_path / "pages.csv"
    streamed = salticid("export", folder, "--to", "csv", "--out", "-", "--min-score", "0.5", "--all")
    export_pages(folder, "csv", str(file))
    assert (streamed.status, streamed.out.splitlines()) == (0, file.read_text().splitlines())
    assert "1 pages" in streamed.err


def test_mistakes_are_told_and_nothing_is_lost(made: Made, tmp_path: Path) -> None:
    made.add("http://a.example/", article("a"))
    folder, file = made.commit(), tmp_path / "pages.jsonl"
    file.write_text("precious")
    said = salticid("export", folder, "--to", "jsonl", "--out", file, "--json")
    assert (said.status, said.out, said.err.count("\n")) == (2, "", 1)
    assert "exists already; name another file with --out, or replace it with --force" in said.err
    mistakes: list[tuple[str, str, str | Path, dict[str, Any]]] = [
        ("no plain file", "jsonl", tmp_path, {"force": True}),
        ("belongs to the crawl", "jsonl", folder / DATABASE_FILE, {"force": True}),
        ("No such file", "jsonl", tmp_path / "no" / "folder.jsonl", {}),
        ("holds no WARC", "warc", tmp_path / "pages.warc.gz", {}),
        ("no text for stdout", "parquet", "-", {}),
        ("both want stdout", "csv", "-", {"json": True}),
    ]
    with pytest.raises(UserError, match="holds no crawl"):
        export_pages(tmp_path / "none", "jsonl", str(tmp_path / "new.jsonl"))
    for words, form, out, options in mistakes:
        with pytest.raises(UserError, match=words):
            export_pages(folder, form, str(out), **options)
    assert file.read_text() == "precious"
    export_pages(folder, "jsonl", str(file), force=True)
    assert json.loads(file.read_text())["title"] == "a"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["crawl", "pages.jsonl"]


def test_ctrl_c_leaves_nothing_half(made: Made, tmp_path: Path) -> None:
    for number in range(4):
        made.add(f"http://a.example/{number}", article(str(number)), raw=HOSTILE)
    folder, out = made.commit(), tmp_path / "out"
    out.mkdir()
    command = [
        sys.executable,
        "-m",
        "salticid",
        "export",
        str(folder),
        "--to",
        "csv",
        "--out",
        str(out / "pages.csv"),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while not list(out.iterdir()):
            assert process.poll() is None
            time.sleep(0.02)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)
    assert (process.returncode, said[0]) == (130, "")
    assert "Traceback" not in said[1]
    assert list(out.iterdir()) == []
