"""Worlds: what is recorded is what is fetched, the digest knows it, labels do not matter, nothing half made stays."""

import gc
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.generated_site import GeneratedSource, GeneratedWeb

from salticid.errors import UserError
from salticid.judges.cosine import Cosine
from salticid.model import Outcome, Page, Response
from salticid.parse.html import Parser
from salticid.protocols import Table
from salticid.runs.order import Recipe
from salticid.runs.recorded import MemoryLog, RecordedCrawl
from salticid.strategies.best_first import BestFirst
from salticid.tables.texts import Texts, Urls
from salticid.text.stems import Stems
from salticid.topic import Limits, Topic
from salticid.webs.arrays import ARRAYS, MANIFEST, Arrays
from salticid.webs.recorded import MAX_REDIRECTS, RecordedWeb
from salticid.worlds.answers import Answer, Unread, labels_of
from salticid.worlds.building import build
from salticid.worlds.generating.building import WebEdition, build_generated
from salticid.worlds.writer import MAX_HTML

A = "http://a.example/"


class Listed:
    """A source of answers given one by one."""

    name, size = "a list", 0

    def __init__(self, *answers: Answer | Unread, broken: BaseException | None = None) -> None:
        self._answers, self._broken, self.done = answers, broken, 0

    def __iter__(self) -> Iterator[Answer | Unread]:
        yield from self._answers
        if self._broken is not None:
            raise self._broken


def page(title: str, body: str = "") -> bytes:
    return f"<title>{title}</title>{body}".encode()


def made(out: Path, *answers: Answer) -> RecordedWeb:
    build(out, Listed(*answers))
    return RecordedWeb(out)


def fetched(web: RecordedWeb, path: str) -> Response:
    return web.fetch(web.urls.intern(A + path))


def ends(web: RecordedWeb, *paths: str) -> list[tuple[str, str, int]]:
    """Outcome, final path and status of each."""
    found = [fetched(web, path) for path in paths]
    return [(answer.outcome.value, web.urls[answer.final].removeprefix(A), answer.status) for answer in found]


def test_outcomes_are_kept_apart(tmp_path: Path) -> None:
    bad = [Answer(A + "gone", 404), Answer(A + "failed", 500, html=page("Sorry")), Answer(A + "pdf")]
    moved = {"moved": "/ok", "lost": "http://b.example/never#here", "mail": "mailto:x@y", "nowhere": None}
    loops = {"loop": "/pool", "pool": "/loop", "self": "#top"}
    redirects = zip((301, 302, 303, 307, 308, 301, 301), (moved | loops).items(), strict=True)
    web = made(
        tmp_path / "w",
        Answer(A + "ok", html=page("Fine"), seconds=1.5, modified=86_400.0),
        Answer(A + "empty", html=b""),
        *bad,
        *(Answer(A + path, status, location=to, seconds=0.25) for status, (path, to) in redirects),
    )
    told = ends(web, "ok", "gone", "failed", "pdf", "empty", "moved", "lost", "mail", "nowhere", "unasked")
    assert told == [
        ("ok", "ok", 200), ("dead", "gone", 404), ("dead", "failed", 500), ("not html", "pdf", 200),
        ("ok", "empty", 200), ("ok", "ok", 200), ("not recorded", "http://b.example/never", 0),
        ("dead", "mail", 303), ("dead", "nowhere", 307), ("not recorded", "unasked", 0),
    ]  # fmt: skip
    assert [fetched(web, path).outcome for path in loops] == [Outcome.REDIRECT_LOOP] * 3
    answer = fetched(web, "moved")
    assert (answer.seconds, answer.modified, answer.size) == (1.75, 86_400.0, len(page("Fine")))
    gone = fetched(web, "gone")
    assert (gone.page, gone.modified) == (None, None)
    assert 0.05 <= gone.seconds <= 0.5
    assert (web.pages, web.links) == (2, 0)


def test_a_chain_of_redirects_has_an_end(tmp_path: Path) -> None:
    hops = [Answer(f"{A}{at}", 301, location=f"/{at + 1}") for at in range(MAX_REDIRECTS + 1)]
    web = made(tmp_path / "w", *hops, Answer(f"{A}{MAX_REDIRECTS + 1}", html=page("End")))
    assert fetched(web, "1").outcome is Outcome.OK
    assert fetched(web, "0").outcome is Outcome.REDIRECT_LOOP


def test_the_first_good_page_counts_else_the_first_answer(tmp_path: Path) -> None:
    twice = [Answer(A + "a", html=page("One")), Answer(A + "a#x", html=page("Two")), Answer(A + "a", 404)]
    late = [Answer(A + "b", 404), Answer(A + "b", html=page("Late")), Answer(A + "b", 301)]
    never = [Answer(A + "c", 500), Answer(A + "c", 404), Answer("ftp://a.example/"), Answer("")]
    web = made(tmp_path / "w", *twice, *late, *never)
    titles = [answer.page.title for path in "ab" if (answer := fetched(web, path)).page is not None]
    assert titles == ["One", "Late"]
    assert ends(web, "c") == [("dead", "c", 500)]
    assert web.arrays.manifest.left_out == {"URL recorded before": 4, "no http(s) URL": 2}


def test_a_web_without_pages_is_no_world(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"a list: no page could be read, .* \(left out: 1 x broken record\)"):
        build(tmp_path / "w", Listed(Answer(A, 404), Unread("broken record", "42")))
    gc.collect()  # files left open would be told of here
    assert list(tmp_path.iterdir()) == []


def spelled(page: Page, urls: Table, words: Table) -> dict[str, object]:
    """A page as plain data that holds no ids."""
    links = page.links
    known = [urls[at] if at >= 0 else None for at in (page.url, page.canonical, page.refresh)]
    columns = (page.area, page.area_start, links.start, links.end, links.nofollow)
    return {
        "about": (page.title, page.text, page.noindex, page.nofollow, known),
        "words": words.spell(page.tokens.tolist()),
        "anchors": [words.spell(page.anchor(at).tolist()) for at in range(len(links))],
        "links": urls.spell(links.url.tolist()),
        "columns": [(column.tolist(), column.dtype) for column in columns],
    }


def test_a_recorded_page_is_the_parsed_page(tmp_path: Path) -> None:
    head = "<meta name=robots content=none><link rel=canonical href=c><meta http-equiv=refresh content='0;r'>"
    documents = {generated.url: generated.html for generated in GeneratedWeb(40, seed=3)}
    documents[A] = page("Ünï", f"{head}<h1>東京</h1><a rel=nofollow href=x>y</a>")
    documents[A + "empty"] = b""
    documents[A + "long"] = page("L", "<a href=z>w</a> " * (MAX_HTML // 10))
    web = made(tmp_path / "w", *(Answer(url, html=html) for url, html in documents.items()))
    urls, words = Urls(), Texts()
    parser = Parser(urls, words)
    for number, (url, html) in enumerate(documents.items()):
        expected = spelled(parser.parse(html[:MAX_HTML], url), urls, words)
        recorded = web.fetch(web.urls.find(url)).page
        assert recorded is not None
        assert spelled(recorded, web.urls, web.words) == expected
        assert spelled(web.page(number), web.urls, web.words) == expected


def test_the_digest_knows_what_was_recorded_and_nothing_else(tmp_path: Path) -> None:
    first = [Answer(A, html=page("Home", "<a href=x>x</a>"), seconds=1.0), Answer(A + "x", 404)]
    others = [
        [replace(first[0], html=page("Home", "<a href=y>x</a>")), first[1]],
        [replace(first[0], html=page("Home", "<a href=x>x</a> more")), first[1]],
        [replace(first[0], seconds=2.0), first[1]],
        [first[0], replace(first[1], status=410)],
        [first[0], Answer(A + "x", 301, location="/")],
        first[::-1],
        first[:1],
    ]
    digest = build(tmp_path / "w", Listed(*first)).manifest.digest
    labelled = [replace(first[0], labels=("l",)), first[1], first[1]]
    assert build(tmp_path / "again", Listed(*labelled)).manifest.digest == digest
    digests = [build(tmp_path / str(n), Listed(*other)).manifest.digest for n, other in enumerate(others)]
    assert len({digest, *digests}) == 1 + len(others)


@pytest.mark.parametrize("broken", [OSError("disk full"), KeyboardInterrupt(), UserError("no more")])
def test_an_interrupted_build_leaves_nothing_behind(tmp_path: Path, broken: BaseException) -> None:
    (tmp_path / "labels").write_text(f"{A}\tl\n")
    with pytest.raises(type(broken)):
        build(tmp_path / "w", Listed(Answer(A, html=page("t")), broken=broken), tmp_path / "labels")
    assert [path.name for path in tmp_path.iterdir()] == ["labels"]
    assert made(tmp_path / "w", Answer(A, html=page("t"))).pages == 1


def test_an_existing_folder_is_refused_and_untouched(tmp_path: Path) -> None:
    (tmp_path / "note").write_text("mine")
    with pytest.raises(UserError, match="exists already; name a new folder for the world, or remove that"):
        build(tmp_path, Listed())
    with pytest.raises(UserError, match=r"cannot write a world to .*: Not a directory; name another folder"):
        build(tmp_path / "note" / "w", Listed())
    assert [path.name for path in tmp_path.iterdir()] == ["note"]


def test_a_build_that_died_is_no_hindrance(tmp_path: Path) -> None:
    (tmp_path / ".w.building").mkdir()
    (tmp_path / ".w.building" / "token.bin").write_text("half a token")
    assert made(tmp_path / "w", Answer(A, html=page("t"))).pages == 1
    assert [path.name for path in tmp_path.iterdir()] == ["w"]


def test_labels(tmp_path: Path) -> None:
    good = f"{A}#top\tweb.spider\n{A}\tweb\n\n{A}\tweb\r\n {A}b\t fly "
    bad = f"{A}gone\tx\n{A}unknown\tx\nno tab\nx\ty\n{A}\t "
    (tmp_path / "labels").write_text(f"{good}\n{bad}")
    pages = [Answer(A, html=page("a")), Answer(A + "b", html=page("b"), labels=("own",))]
    source = Listed(*pages, Answer(A + "gone", 404), Unread("broken record", "42"))
    told = build(tmp_path / "w", source, tmp_path / "labels")
    assert labels_of(tmp_path / "w") == {"fly": [A + "b"], "own": [A + "b"], "web": [A], "web.spider": [A]}
    assert (told.pages, told.label_count, told.remarks) == (2, 4, ["broken record: 42"])
    expected = {"broken record": 1, "label for an unknown URL": 2, "label line that is no URL<tab>label": 3}
    assert told.manifest.left_out == expected
    with pytest.raises(UserError, match=r"cannot read labels .*none: No such file or directory; name a file"):
        build(tmp_path / "w2", Listed(), tmp_path / "none")


def visits(world: Path) -> list[tuple[object, ...]]:
    web, log = RecordedWeb(world), MemoryLog()
    topic = Topic("t", "balloon spiders", (web.urls[web.page(0).url],))
    RecordedCrawl(topic, web, Recipe(BestFirst(), Cosine(), Limits()), log).run()
    return [(web.urls[v.url], web.urls[v.final], v.outcome, v.score, v.positive, v.at) for v in log.visits]


def test_permuted_labels_change_nothing_but_the_labels(tmp_path: Path) -> None:
    pages = list(GeneratedWeb(120, seed=2))
    first = build(tmp_path / "a", GeneratedSource(120, seed=2))
    labels = random.Random(1).sample([p.label for p in pages], len(pages))
    lines = [f"{p.url}\t{label}\n" for p, label in zip(pages, labels, strict=True)]
    (tmp_path / "labels").write_text("".join(lines))
    plain = [replace(a, labels=()) for a in GeneratedSource(120, seed=2) if isinstance(a, Answer)]
    second = build(tmp_path / "b", Listed(*plain), tmp_path / "labels")
    assert first.manifest.digest == second.manifest.digest
    assert labels_of(tmp_path / "a") != labels_of(tmp_path / "b")
    crawled = visits(tmp_path / "a")
    assert len(crawled) > 100
    assert visits(tmp_path / "b") == crawled


def test_arrays_are_opened_when_asked_for(tmp_path: Path) -> None:
    made(tmp_path / "w", Answer(A, html=page("t", "spiders")))
    for file in tmp_path.glob("w/derived.*"):
        file.unlink()
    web = RecordedWeb(tmp_path / "w")
    assert fetched(web, "").outcome is Outcome.OK
    with pytest.raises((UserError, FileNotFoundError)):
        Stems(web.words, "en")
    for file in tmp_path.glob("w/*.bin"):
        file.unlink()
    assert "token" in Arrays(tmp_path / "w").manifest.arrays


def test_both_writers_make_the_arrays_that_are_read(tmp_path: Path) -> None:
    recorded = made(tmp_path / "recorded", Answer(A, html=page("t", "spiders <a href=b>eyes</a>")))
    build_generated(tmp_path / "generated", WebEdition(50))
    named = {name: array.dtype for name, array in ARRAYS.items()}
    assert recorded.arrays.manifest.arrays == named
    assert Arrays(tmp_path / "generated").manifest.arrays == named


def test_an_array_of_another_type_is_told(tmp_path: Path) -> None:
    made(tmp_path / "w", Answer(A, html=page("t")))
    manifest = tmp_path / "w" / MANIFEST
    manifest.write_text(manifest.read_text().replace('"page.url": "<i4"', '"page.url": "<i8"'))
    with pytest.raises(UserError, match=r"its array page\.url holds <i8, not <i4; build it again"):
        RecordedWeb(tmp_path / "w")


def damaged(data: bytes, how: str) -> bytes:
    manifest = json.loads(data)
    less = {key: value for key, value in manifest.items() if key != "digest"}
    return {
        "cut": data[:-20], "binary": b"\x00\xff" * 30, "a list": b"[]", "no digest": json.dumps(less).encode(),
        "newer": json.dumps({**manifest, "format": 99}).encode(),
        "newer, with more in it": json.dumps({**manifest, "format": 99, "shards": 4}).encode(),
    }[how]  # fmt: skip


@pytest.mark.parametrize("how", ["cut", "binary", "a list", "no digest", "newer", "newer, with more in it"])
def test_a_damaged_world(tmp_path: Path, how: str) -> None:
    made(tmp_path / "w", Answer(A, html=page("t")))
    manifest = tmp_path / "w" / MANIFEST
    manifest.write_bytes(damaged(manifest.read_bytes(), how))
    with pytest.raises(UserError, match=f"is no world: it has no {MANIFEST}; make one with 'salticid world"):
        RecordedWeb(tmp_path)
    with pytest.raises(UserError) as error:
        RecordedWeb(tmp_path / "w")
    said = "is a world of format 99, this program reads" if "newer" in how else "cannot be read as a world: "
    assert str(error.value).startswith(f"{tmp_path / 'w'} {said}")
    assert str(error.value).endswith("; build it again")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "number"),
    [(name, number) for name in ("link.url", "token", "url.host", "link.start") for number in (-5_000_000, -64)]
    + [("link.url", 2**31 - 1), ("token", 2**31 - 1), ("page.url", 99), ("url.row", 99), ("link.end", 9)],
)
def test_an_index_out_of_range_makes_a_world_damaged(tmp_path: Path, name: str, number: int) -> None:
    made(tmp_path / "w", Answer(A, html=page("t", "<a href=b>eye</a>")))
    file = tmp_path / "w" / f"{name}.bin"
    data, size = file.read_bytes(), 8 if name.endswith(".end") else 4
    file.write_bytes(number.to_bytes(size, "little", signed=True) + data[size:])
    with pytest.raises(UserError, match=r"is damaged: .*; build or download the world again"):
        RecordedWeb(tmp_path / "w")
    file.write_bytes(data[:-1])
    with pytest.raises(UserError, match=r"is damaged: .*; build or download the world again"):
        RecordedWeb(tmp_path / "w")


_HEAVY = """
import resource, sys
from pathlib import Path
from salticid.worlds.answers import Answer
from salticid.worlds.building import build
from salticid.worlds.generating.building import WebEdition, build_generated

class Many:
    name, size, done = "many", 0, 0
    def __iter__(self):
        for page in range(3000):
            links = "".join(f"<a href=/{page}/{link}>eye</a>" for link in range(100))
            yield Answer(f"http://a.example/{page}", html=links.encode())

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)

before = peak()
built = build(Path(sys.argv[1]), Many())
print(built.pages, peak() - before)
"""


def test_a_build_stays_small(tmp_path: Path) -> None:
    # By way of a shell: the peak of a process begins with that of the one it was forked from.
    command = ["sh", "-c", '"$@"; exit', "sh", sys.executable, "-c", _HEAVY, str(tmp_path / "w")]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    pages, grown = map(int, run.stdout.split())
    assert pages == 3000
    assert len(RecordedWeb(tmp_path / "w").urls) > 300_000
    assert 0 < grown < 200_000_000 + 150 * 300_000


def test_a_page_made_to_stop_parsers_costs_only_itself(tmp_path: Path) -> None:
    web = made(tmp_path / "w", Answer(A, html=page("good")), Answer(A + "bad", html=b"<div>" * 60_000))
    assert web.fetch(web.urls.find(A + "bad")).outcome is Outcome.UNPARSABLE
    assert web.fetch(web.urls.find(A)).outcome is Outcome.OK
    assert web.arrays.manifest.left_out == {"HTML made to stop parsers": 1}
