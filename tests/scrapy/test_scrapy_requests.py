"""Requests of a spider, stored in the folder of its crawl: all come back after a stop or a kill."""

from __future__ import annotations

import json
import signal
import sqlite3
import sys
import time
from collections import Counter, OrderedDict, defaultdict, deque
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from functools import partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

import msgspec
import pytest
from scrapy import Item, Request, Spider
from scrapy.http import FormRequest, JsonRequest, Response, TextResponse, XmlRpcRequest
from scrapy.item import Field
from scrapy.link import Link
from tests.support.http_stub import Answer, http_stub
from tests.support.scrapy_runs import crawled, scrapy

from salticid.scrapy.kept_requests import RequestCodec
from salticid.store.schema import DATABASE_FILE, MEMORY

PAGES = 25
HERE = "http://a.example"


def _site(request: BaseHTTPRequestHandler) -> Answer:
    """A tree of pages; each has a form, and a link that leads nowhere."""
    path = request.path.removeprefix(HERE)
    if path == "/form":
        body = request.rfile.read(int(request.headers["Content-Length"])).decode()
        return Answer(body.removeprefix("n="), kind="text/plain")
    if path.startswith("/round/"):
        return Answer(status=302, fields={"Location": HERE + path})
    if not path[1:].isdecimal():
        return Answer("<p>later</p>")
    time.sleep(0.02)
    number = int(path[1:])
    below = [child for child in range(3 * number + 1, 3 * number + 4) if child < PAGES]
    links = [f"<a href=/{child}>to <b>{child}</b></a>" for child in below]
    return Answer(f"<title>spiders {number}</title>{' '.join(links)} <a href=/round/{number}>round {number}</a>")


def _lines(items: Path) -> int:
    return len(items.read_text().splitlines()) if items.exists() else 0


def _has_items(items: Path, many: int) -> bool:
    return _lines(items) >= many


def test_a_crawl_spider_loses_no_request_by_a_stop_or_a_kill(tmp_path: Path) -> None:
    items = tmp_path / "items"
    ordered: dict[str, Any] = {
        "SALTICID_KEYWORDS": "spiders", "SALTICID_DIR": tmp_path / "crawl", "CONCURRENT_REQUESTS": 4,
        "REDIRECT_MAX_TIMES": 1, "LOG_LEVEL": "WARNING",
    }  # fmt: skip
    with http_stub(_site) as port:
        with scrapy("rules", port, items, **ordered) as program:
            assert program.until(partial(_has_items, items, 5), "items"), program.err
            program.send(signal.SIGINT)
            program.ends()
            assert program.err == ""
        before = _lines(items)
        with scrapy("rules", port, items, **ordered) as program:
            assert program.until(partial(_has_items, items, before + 10), "more items"), program.err
            program.kill()
        found = crawled("rules", port, items, **ordered, CLOSESPIDER_ERRORCOUNT=1)
    pages = {item["page"]: item for item in found if "page" in item}
    numbers = set(range(1, PAGES))
    assert pages.keys() == numbers
    assert all(pages[n]["text"] == f"to {n}" and pages[n]["rule"] == 0 for n in numbers)
    assert all(pages[n]["source"] == f"{HERE}/{(n - 1) // 3}" for n in numbers)
    assert {item["form"] for item in found if "form" in item} == numbers
    assert all(item["whole"] for item in found if "form" in item)
    lost = {item["lost"]: item["text"] for item in found if "lost" in item}
    assert lost == {f"{HERE}/round/{n}": f"round {n}" for n in range(PAGES)}


def test_a_request_that_cannot_be_stored_is_counted_and_never_replaced(tmp_path: Path) -> None:
    items = tmp_path / "items"
    ordered: dict[str, Any] = {"SALTICID_KEYWORDS": "spiders", "SALTICID_DIR": tmp_path / "crawl"}
    more: dict[str, Any] = {"REDIRECT_MAX_TIMES": 1, "UNSTORABLE": 1, "CONCURRENT_REQUESTS": 1}
    asked: list[str] = []

    def answer(request: BaseHTTPRequestHandler) -> Answer:
        asked.append(request.path.removeprefix(HERE))
        return _site(request)

    with http_stub(answer) as port:
        with scrapy("rules", port, items, **ordered, **more, CLOSESPIDER_ITEMCOUNT=4, LOG_LEVEL="INFO") as program:
            assert program.ends() == 0, program.err
            said = program.err
        assert said.count("Unable to store") == 1
        assert "is not a method of the spider" in said
        counted = int(said.partition("'scheduler/unserializable': ")[2].partition(",")[0])
        before = {path for path in asked if path.startswith("/later/")}
        del asked[:]
        with scrapy("rules", port, items, **ordered, **more, LOG_LEVEL="INFO") as program:
            assert program.ends() == 0, program.err
            said = program.err
    missing = counted - len(before)
    assert missing > 0
    assert f"{missing} requests of earlier runs are lost: they could not be stored" in said
    assert f"'scheduler/lost': {missing}," in said
    first = {int(path.rpartition("/")[2]) for path in asked if path.startswith("/later/")}
    assert len(first | {int(path.rpartition("/")[2]) for path in before}) == PAGES - 1 - missing
    assert "Traceback" not in said, "a bare request would reach a callback without its arguments"


class Kind(Enum):
    """Something to choose."""

    ONE = "one"


@dataclass
class Mine:
    """A record of the spider's program."""

    a: int
    b: list[str]


class Pair(NamedTuple):
    """Two."""

    a: int
    b: str


class Thing(Item):
    """An item."""

    name = Field()


class Own(Request):
    """A request class of the program."""

    attributes = (*Request.attributes, "extra")

    def __init__(self, *args: Any, extra: Any = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.extra = extra


def _unnamed(self: Any, response: Response) -> None: ...


class Plain(Spider):
    """Something with methods."""

    name = "plain"
    found_by_alias = _unnamed

    def found(self, response: Response) -> None: ...

    def __hidden(self, response: Response) -> None: ...

    def hidden(self) -> Any:
        return self.__hidden


VALUES: list[Any] = [
    None, True, 7, -3, 10**40, 2.5, "x", b"y", [1, [2]], (1, (2, "x")), {1, 2}, frozenset({3}), {"a": {1: b"b"}},
    {(1, 2): "tuple key"}, {10**30: 1}, Decimal("1.10"), datetime(2026, 1, 2, 3, tzinfo=UTC),
    datetime.fromisoformat("2026-01-02"),
    datetime(2026, 1, 2, tzinfo=timezone(timedelta(hours=5))), date(2026, 1, 2), timedelta(1, 2, 3),
    UUID(int=5), 1 + 2j, bytearray(b"z"), Path("/tmp/x"), range(1, 9, 2), Link("http://a.example/", "text", "f", True),
    deque([1, 2], 5), OrderedDict(a=1), Counter("aab"), defaultdict(list, a=[1]), Kind.ONE, Mine(1, ["x"]),
    Pair(1, "x"), Thing(name=(1, "x")),
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_comes_back_as_it_was(value: Any) -> None:
    codec = RequestCodec(Plain())
    request = Request(HERE, meta={"v": value}, cb_kwargs={"deep": [{"v": (value,)}]})
    again = codec.unpack(codec.pack(request))
    assert again.meta["v"] == value
    assert type(again.meta["v"]) is type(value)
    assert again.cb_kwargs == {"deep": [{"v": (value,)}]}


def test_text_of_a_parser_and_numbers_of_numpy_come_back_plain() -> None:
    import numpy as np

    text = TextResponse(HERE, body=b"<p>words</p>").selector.root.xpath("//text()")[0]
    assert type(text) is not str
    codec = RequestCodec(Plain())
    again = codec.unpack(codec.pack(Request(HERE, meta={"t": text, "f": np.float64(0.5)})))
    assert (again.meta, type(again.meta["t"]), type(again.meta["f"])) == (
        {"t": "words", "f": 0.5},
        str,
        float,
    )


def test_a_request_comes_back_as_it_was() -> None:
    spider = Plain()
    codec = RequestCodec(spider)
    told: dict[str, Any] = {
        "headers": {"X-Mark": ["yes", "no"]}, "cookies": [{"name": "c", "value": "d"}], "flags": ["f"], "priority": -3,
        "dont_filter": True, "callback": spider.found, "errback": spider.hidden(), "cb_kwargs": {"k": "v"},
        "encoding": "latin-1",
    }  # fmt: skip
    for request in (
        Request(f"{HERE}/x?b=1", body=b"\xff", method="PUT", **told),
        FormRequest(HERE, formdata={"q": "é"}, **told),
        JsonRequest(HERE, data={"a": [1, 2.5, None]}, dumps_kwargs={"indent": 1}, **told),
        XmlRpcRequest(HERE, params=(1, "x"), methodname="m", **(told | {"encoding": "utf-8"})),
        Own(HERE, extra={"e": (1,)}, **told),
        Request(HERE, meta={"inner": FormRequest(HERE, formdata={"q": "1"}, callback=spider.found_by_alias)}),
    ):
        again = codec.unpack(codec.pack(request))
        assert type(again) is type(request)
        inner, inner_again = request.meta.pop("inner", None), again.meta.pop("inner", None)
        assert again.to_dict(spider=spider) == request.to_dict(spider=spider)
        if inner is not None:
            assert inner_again.to_dict(spider=spider) == inner.to_dict(spider=spider)


@pytest.mark.parametrize(
    ("told", "cause"),
    [
        ({"callback": print}, "not a method of the spider"),
        ({"callback": Plain().found}, "not a method of the spider"),
        ({"meta": {"m": object()}}, r"meta\['m'\] holds a builtins.object"),
        ({"meta": {"m": TextResponse(HERE, body=b"<p>").selector}}, "Selector"),
        ({"meta": {"m": [[]]}, "cb_kwargs": {"k": {1: object()}}}, "cb_kwargs"),
        ({"meta": {"m": datetime(2026, 1, 1, tzinfo=ZoneInfo("UTC"))}}, "fixed offset"),
        ({"meta": {"m": defaultdict(lambda: 1)}}, "defaultdict"),
    ],
)
def test_what_would_not_come_back_is_refused(told: dict[str, Any], cause: str) -> None:
    with pytest.raises(ValueError, match=cause):
        RequestCodec(Plain()).pack(Request(HERE, **told))


def test_what_contains_itself_is_refused() -> None:
    round_: list[Any] = []
    round_.append(round_)
    with pytest.raises(ValueError, match="nested more than"):
        RequestCodec(Plain()).pack(Request(HERE, meta={"m": round_}))


def _ext(tag: int, value: Any) -> msgspec.msgpack.Ext:
    return msgspec.msgpack.Ext(tag, msgspec.msgpack.encode(value))


def _nested(levels: int) -> Any:
    value: Any = []
    for _ in range(levels):
        value = _ext(20, [value])
    return value


ENDLESS = _ext(12, [0, 1 << 50, 1])
"""A range: nobody may make all of its numbers."""


@pytest.mark.parametrize(
    "told",
    [
        {"_class": "scrapy_of_a_stranger.Request"},
        {"_class": "subprocess.Popen"},
        {"_class": "salticid.scrapy.scheduler.Spider"},
        {"callback": "__class__"},
        {"callback": "name"},
        {"callback": "nowhere"},
        {"meta": {"m": _ext(40, ["subprocess.Popen", {"args": "id"}])}},
        {"meta": {"m": _ext(40, ["scrapy_of_a_stranger.Thing", {}])}},
        {"meta": {"m": _ext(40, ["tests.scrapy.test_scrapy_requests.Mine", {"a": 1}])}},
        {"meta": {"m": _ext(40, ["tests.scrapy.test_scrapy_requests.sys", {}])}},
        {"meta": {"m": _ext(40, ["salticid.model.Topic", {}])}},
        {"meta": {"m": _ext(99, [])}},
        {"meta": {"m": _ext(27, ["eval"])}},
        {"meta": {"m": _ext(1, "9" * 5000)}},
        {"meta": {"m": _nested(300)}},
        {"meta": {"m": _ext(9, 1 << 50)}},
        *({"meta": {"m": _ext(tag, ENDLESS)}} for tag in (6, 13, 20, 21, 22, 23, 24, 40)),
        {"flags": ENDLESS},
    ],
)
def test_bytes_of_a_stranger_name_no_class_and_run_nothing(
    told: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scrapy_of_a_stranger.py").write_text("raise SystemExit('a module of the folder was imported')")
    monkeypatch.syspath_prepend(tmp_path)
    codec = RequestCodec(Plain())
    assert codec.unpack(msgspec.msgpack.encode({"url": HERE})).url == HERE
    with pytest.raises(ValueError, match=r"."):
        codec.unpack(msgspec.msgpack.encode({"url": HERE, **told}))
    assert "scrapy_of_a_stranger" not in sys.modules


def test_a_spider_resumes_from_a_folder_with_a_strangers_request(tmp_path: Path) -> None:
    items, folder = tmp_path / "items", tmp_path / "crawl"
    ordered: dict[str, Any] = {
        "SALTICID_KEYWORDS": "spiders",
        "SALTICID_DIR": folder,
        "REDIRECT_MAX_TIMES": 1,
    }
    with http_stub(_site) as port:
        with scrapy("rules", port, items, **ordered, CLOSESPIDER_ITEMCOUNT=4) as program:
            assert program.ends() == 0, program.err
        # The module `this` prints a poem when it is imported.
        request = msgspec.msgpack.encode({"url": f"{HERE}/evil", "_class": "this.Request"})
        row = msgspec.msgpack.encode([f"{HERE}/evil", 0, 0, b"", request])
        with closing(sqlite3.connect(folder / DATABASE_FILE)) as db, db:
            db.execute("INSERT INTO memory VALUES (?, ?, ?)", MEMORY.with_checksum(("request 9999", row)))
        with scrapy("rules", port, items, **ordered) as program:
            assert (program.ends(), program.out) == (0, ""), program.err
            assert "1 requests of earlier runs are lost: they cannot be read" in program.err
    told = [json.loads(line) for line in items.read_text().splitlines()]
    assert {item["page"] for item in told if "page" in item} == set(range(1, PAGES))
