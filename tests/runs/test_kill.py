"""A crawl that is killed, whenever and however often, loses nothing that it kept and tears nothing."""

from __future__ import annotations

import random
import shutil
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from tests.support.killing import (
    PATIENCE,
    Program,
    Site,
    alive,
    check_calls,
    check_whole,
    children_of,
    crawl_through_kills,
    live,
    served,
)

from salticid.judges.tfidf import Tfidf
from salticid.model import Event
from salticid.runs.order import Recipe
from salticid.runs.past import Past, RelivedLog
from salticid.runs.recorded import RecordedCrawl
from salticid.store import log as store_log
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.log import CrawlLog
from salticid.strategies.best_first import BestFirst
from salticid.testing.small import SmallWeb
from salticid.topic import Limits

CONCURRENCY = 8


@pytest.mark.parametrize("strategy", ["best_first"])
def test_a_crawl_killed_at_odd_moments_ends_with_every_page_once_and_whole(tmp_path: Path, strategy: str) -> None:
    site, folder = Site(pages=300, seconds=0.04), tmp_path / "crawl"
    with served(site) as port:
        topic = site.write_topic(tmp_path / "t.toml")
        order = ("crawl", topic, "--strategy", strategy, *live(port, CONCURRENCY), "--out", folder)
        told = crawl_through_kills(site, order, folder, kills=6, rng=random.Random(8))
    assert told.kills >= 3, "it was killed while there was work to do"
    assert told.said["stopped"] == "frontier empty"
    assert told.said["pages"] == site.pages
    assert told.asked_again == 0, "what is kept is never asked for again"
    assert max(told.lost) <= told.most_lost(CONCURRENCY)
    again = sum(site.times_asked()[url] - 1 for url in site.all_urls())
    assert again <= sum(told.lost)
    check_whole(site, folder)


def test_parsers_do_not_outlive_a_program_that_is_killed(tmp_path: Path) -> None:
    site, folder = Site(pages=200, seconds=0.05), tmp_path / "crawl"
    with served(site) as port:
        topic = site.write_topic(tmp_path / "t.toml")
        with Program("crawl", topic, *live(port), "--out", folder) as program:
            program.until(lambda: len(site.asked) > 30, "30 requests")
            parsers = children_of(program.process.pid)
            program.kill()
    assert parsers
    deadline = time.monotonic() + PATIENCE
    while any(map(alive, parsers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(alive, parsers))


WEB = {f"p{n}": (f"jumping spiders {'legs ' * n}", [f"p{2 * n + 1}", f"p{2 * n + 2}", "gone"]) for n in range(12)}
FACTS = {"n": 1, "settings": {"a": "b"}}


class Small:
    """A crawl of a small web into a folder, begun or gone on with as the program does it."""

    def __init__(self, folder: Path) -> None:
        self._web = SmallWeb(WEB, dead=["gone"])
        self.log = CrawlLog(folder, self._web.urls, self._web.words)

    def open(self) -> dict[str, Any] | None:
        return self.log.open()

    def run(self, before: dict[str, Any] | None) -> None:
        recipe = Recipe(Eventful(), Tfidf(refresh=2), Limits(max_pages=50), "window:3")
        if before is None:
            run = RecordedCrawl(self._web.topic, self._web, recipe, self.log)
            self.log.begin(FACTS)
        else:
            assert before == {**before, **FACTS}, "all that is known about the crawl, or no crawl"
            self.log.go_on()
            past = Past(self.log)
            run = RecordedCrawl(self._web.topic, self._web, recipe, RelivedLog(past, self.log), past)
        self.log.session(0.0, {})
        run.run()


class Eventful(BestFirst):
    """Says something after every visit."""

    def events(self) -> list[Event]:
        return [Event("fed", (("links", 3),))]


def to_the_end(folder: Path) -> str:
    """Go on with whatever a folder holds; the digest of the visits."""
    small = Small(folder)
    with closing(small.log):
        small.run(small.open())
    check_calls(folder)
    with closing(CrawlFolder(folder)) as crawled:
        return crawled.digest()


def test_a_kill_after_any_statement_leaves_no_crawl_or_one_that_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_log, "BATCH_VISITS", 3)
    whole, folder = to_the_end(tmp_path / "whole"), tmp_path / "crawl"
    left: list[Path] = []

    def copy(statement: str) -> None:
        left.append(tmp_path / f"left{len(left)}")
        shutil.copytree(folder, left[-1])

    small = Small(folder)
    with closing(small.log):
        assert small.open() is None
        small.log.database.connection.set_trace_callback(copy)
        small.run(None)
        small.log.database.connection.set_trace_callback(None)
    assert len(left) > 50
    for each in left:
        assert to_the_end(each) == whole


class _AtLine:
    """Raises KeyboardInterrupt when so many lines of the log's code were run, as a second Ctrl-C may."""

    def __init__(self, lines: int) -> None:
        self.left = lines

    def __enter__(self) -> _AtLine:
        sys.settrace(self._called)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def _called(self, frame: FrameType, event: str, arg: object) -> Any:
        return self._traced if frame.f_code.co_filename == store_log.__file__ else None

    def _traced(self, frame: FrameType, event: str, arg: object) -> Any:
        if event == "line":
            self.left -= 1
            if not self.left:
                sys.settrace(None)
                raise KeyboardInterrupt
        return self._traced


def test_ctrl_c_at_any_line_of_the_log_tears_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_log, "BATCH_VISITS", 5)
    whole = to_the_end(tmp_path / "whole")
    most = 100_000
    with _AtLine(most) as counting:
        to_the_end(tmp_path / "counted")
    lines = most - counting.left
    for at in range(1, lines, max(1, lines // 60)):
        folder = tmp_path / f"at{at}"
        small = Small(folder)
        with suppress(KeyboardInterrupt), closing(small.log):
            before = small.open()
            with _AtLine(at):
                small.run(before)
        assert to_the_end(folder) == whole, f"interrupted at line {at}"
