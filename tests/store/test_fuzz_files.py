"""Whatever is in a file: topics, archives and logs are read, or refused in a sentence."""

from __future__ import annotations

import gzip
import io
import os
import random
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO, cast

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.running import salticid

from salticid.crawl import Crawl
from salticid.errors import SalticidError, UserError
from salticid.formats import export
from salticid.judges.cosine import Cosine
from salticid.model import Feedback, Outcome, Response
from salticid.parse.decoding import InflatingFile
from salticid.runs.brief import prepare
from salticid.service.tally import Reader
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.exports.selection import Criteria
from salticid.store.log import CrawlLog
from salticid.store.packing import UNREADABLE
from salticid.store.record import Delivery, Record
from salticid.store.schema import DATABASE_FILE
from salticid.strategies.best_first import BestFirst
from salticid.testing.small import SmallWeb
from salticid.topic import Limits
from salticid.truth import load_topic
from salticid.worlds.answers import Answer, Unread
from salticid.worlds.warc_source import WarcFiles

EXAMPLES = int(os.environ.get("SALTICID_FUZZ", "60"))
fuzzed = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

_TOML = """
    name keywords seeds examples negatives targets language description scope include exclude same_site max_depth = [ ]
    { } " ' \"\"\" , . # 1 -1 1e999 true inf nan 1979-05-27 http://a.example/ "x" ["x"] [scope] [[scope]]
"""
topic_text = st.lists(
    st.sampled_from([*_TOML.split(), "\n", "\n", " ", '\nname = "x"\n']) | st.text(max_size=5), max_size=50
).map("".join)


@fuzzed
@given(topic_text)
def test_topic_files(tmp_path: Path, text: str) -> None:
    file = tmp_path / "topic.toml"
    file.write_bytes(text.encode("utf-8", "replace"))
    with suppress(UserError):
        topic, _ = load_topic(file)
        assert topic.name
        assert topic.seeds


@fuzzed
@given(st.integers(1, 5000), st.sampled_from(["[", "{a=", "a.", "'", "\n[a]"]))
def test_deep_topic_files(tmp_path: Path, times: int, unit: str) -> None:
    file = tmp_path / "topic.toml"
    file.write_text("x = " + unit * times)
    with pytest.raises(UserError):
        load_topic(file)


def _record(kind: str, block: bytes) -> bytes:
    head = f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: http://a.example/\r\nContent-Length: {len(block)}\r\n"
    return head.encode() + b"\r\n" + block + b"\r\n\r\n"


_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>spiders"
_WARC = _record("warcinfo", b"software: x") + _record("response", _ANSWER) + _record("resource", b"<p>x") * 2


@fuzzed
@given(
    st.lists(st.tuples(st.integers(0, len(_WARC)), st.binary(max_size=12), st.integers(0, 20)), max_size=5),
    st.booleans(),
    st.none() | st.integers(0, len(_WARC)),
)
def test_archives(tmp_path: Path, changes: list[tuple[int, bytes, int]], packed: bool, cut: int | None) -> None:
    data = _WARC
    for at, put, instead in changes:
        data = data[:at] + put + data[at + instead :]
    data = (gzip.compress(data) if packed else data)[:cut]
    file = tmp_path / "x.warc"
    file.write_bytes(data)
    items = list(WarcFiles([file]))
    assert all(isinstance(item, Answer | Unread) for item in items)
    assert len(items) < 20


@fuzzed
@given(st.binary(max_size=300), st.integers(1, 50))
def test_packed_data(data: bytes, times: int) -> None:
    file = InflatingFile(io.BytesIO(gzip.compress(data)[:-3] + b"x" + data * times))
    while file.read(100):
        pass
    assert file.damage


_SYLLABLES = [f"{a}{b}{c}" for a in "bdfgklm" for b in "aeiou" for c in ("n", "r", "st")]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small crawl on disk."""
    folder = tmp_path_factory.mktemp("fuzz") / "crawl"
    dice = random.Random(1)
    texts = ["jumping spiders " + " ".join(dice.choices(_SYLLABLES, k=60)) for _ in range(60)]
    sheets = {f"p{n}": (text, [f"p{n + 1}", f"p{n + 2}"]) for n, text in enumerate(texts)}
    web = SmallWeb(sheets)
    log = CrawlLog(folder, web.urls, web.words)
    crawl = Crawl(prepare(web.topic, web, Limits(max_pages=50), 0), BestFirst(), Cosine(), log, lambda: 0.0, log.page)
    log.begin({"topic": {"name": "small"}})
    log.session(0.0, {})
    while choices := crawl.choices(2):
        for choice in choices:
            crawl.deliver(choice, web.fetch(choice.link.url))
    crawl.revise([(0, 0.25)], [Feedback(web.id("p3"), 1)])
    page = log.page(web.id("p2"))
    log.add_recheck(2, "changed", Response(page.url, page.url, Outcome.OK, 200, replace(page, title="New")))
    log.close()
    return folder


def _cut(data: bytearray, dice: random.Random) -> None:
    del data[dice.randrange(len(data)) :]


def _sprinkle(data: bytearray, dice: random.Random) -> None:
    for _ in range(20):
        data[dice.randrange(len(data))] = dice.randrange(256)


def _wipe(data: bytearray, dice: random.Random) -> None:
    at = dice.randrange(len(data))
    data[at : at + 4096] = bytes(4096)


def _scribble(data: bytearray, dice: random.Random) -> None:
    at = dice.randrange(len(data))
    data[at : at + 200] = dice.randbytes(200)


HARMS: list[Callable[[bytearray, random.Random], None]] = [_cut, _sprinkle, _wipe, _scribble]


def _harmed(crawled: Path, folder: Path, harm: Callable[[bytearray, random.Random], None], seed: int) -> Path:
    folder.mkdir(exist_ok=True)
    data = bytearray((crawled / DATABASE_FILE).read_bytes())
    harm(data, random.Random(seed))
    (folder / DATABASE_FILE).write_bytes(data)
    return folder


def _read_all(folder: Path) -> Iterator[object]:
    """All that a crawl's folder says, in texts and numbers that can be compared."""
    with closing(CrawlFolder(folder)) as crawl:
        yield from crawl.visits()
        yield crawl.about(), crawl.outcomes(), crawl.words, crawl.positive(), crawl.best(5)
        for call in Record(crawl.database, (1 << 31, 1 << 31)):
            yield _plain(call.response) if isinstance(call, Delivery) else call
        for step in range(len(crawl)):
            yield _plain(crawl.page(step))
        reader = Reader(crawl, 0)
        while (news := reader.news()) is not None:
            yield news
        with TemporaryFile() as file:
            export(crawl, "jsonl", Criteria(), cast(BinaryIO, file), lambda done, pages: None)
            file.seek(0)
            yield file.read()


def _plain(value: Any) -> object:
    """Dataclasses and arrays as lists."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if is_dataclass(value):
        return [_plain(getattr(value, each.name)) for each in fields(value)]
    return value


@pytest.mark.parametrize("harm", HARMS)
def test_a_damaged_log_is_read_as_it_was_or_told_to_be_damaged(
    crawled: Path, tmp_path: Path, harm: Callable[[bytearray, random.Random], None]
) -> None:
    whole, told = list(_read_all(crawled)), 0
    for seed in range(EXAMPLES // 3):
        try:
            assert list(_read_all(_harmed(crawled, tmp_path, harm, seed))) == whole, f"seed {seed}"
        except (SalticidError, *UNREADABLE):
            told += 1
    assert told


@pytest.mark.parametrize("harm", HARMS)
def test_a_person_is_told_in_one_line(
    crawled: Path, tmp_path: Path, harm: Callable[[bytearray, random.Random], None]
) -> None:
    said = salticid("visits", _harmed(crawled, tmp_path / "crawl", harm, 5))
    assert "Traceback" not in said.err
    if said.status:
        assert said.err.startswith("salticid: ")
        assert said.err.count("\n") == 1
