"""A crawl whose strategy or judge cannot be repeated bit for bit resumes all the same: its past is fed in."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from tests.support.killing import Program, Site, check_calls, live, served, visits_in
from tests.support.running import salticid

from salticid.store.crawl_folder import CrawlFolder

_JUDGE = """
import os
from salticid.judges.cosine import Cosine

class Noisy(Cosine):
    deterministic = {deterministic}

    def start(self, brief):
        self._noise = os.getpid() % 97 / 1000 + {offset}
        super().start(brief)

    def score(self, page):
        return min(1.0, super().score(page) + self._noise)

    async def score_many(self, pages):
        return [self.score(page) for page in pages]
"""
_LIKES_ODD_ONES = """
from salticid.strategies.best_first import BestFirst

class Edited(BestFirst):
    def score_links(self, visit, fresh):
        return {score}
"""


def visits(folder: Path) -> list[tuple[str, str, float]]:
    with closing(CrawlFolder(folder)) as crawled:
        return [(visit.url, visit.outcome, visit.score) for visit in crawled.visits()]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("as_given") / "world"
    assert salticid("world", "build", folder, "--synthetic", 300, "--seed", 3).status == 0
    assert salticid("world", "topics", folder, "--out", folder.parent / "topics", "--min-pages", 12).status == 0
    return folder


@pytest.mark.parametrize("arrivals", ["one", "window:5"])
def test_a_judge_that_does_not_repeat_itself_is_resumed_on_a_world(world: Path, tmp_path: Path, arrivals: str) -> None:
    topic = min((world.parent / "topics").iterdir())
    judge, folder = tmp_path / "noisy.py", tmp_path / "crawl"
    judge.write_text(_JUDGE.format(deterministic=False, offset=0.1))
    named = ("--strategy", "best_first", "--judge", f"{judge}:Noisy")
    how = ("crawl", topic, "--web", world, *named, "--arrivals", arrivals, "--out", folder)
    assert salticid(*how, "--max-pages", 20).status == 0
    before = visits(folder)
    judge.write_text(_JUDGE.format(deterministic=False, offset=0.425))
    assert salticid(*how, "--max-pages", 40).status == 0
    assert salticid(*how, "--max-pages", 50).status == 0
    after = visits(folder)
    assert after[: len(before)] == before
    assert sum(outcome == "ok" for _, outcome, _ in after) == 50
    assert len({url for url, outcome, _ in after if outcome == "ok"}) == 50
    assert min(score for _, outcome, score in after[len(before) :] if outcome == "ok") >= 0.4
    check_calls(folder)


def test_a_strategy_file_that_was_edited_needs_the_option(world: Path, tmp_path: Path) -> None:
    topic = min((world.parent / "topics").iterdir())
    code, folder = tmp_path / "mine.py", tmp_path / "crawl"
    code.write_text(_LIKES_ODD_ONES.format(score="visit.score"))
    how = ("crawl", topic, "--web", world, "--strategy", f"{code}:Edited", "--out", folder)
    assert salticid(*how, "--max-pages", 20).status == 0
    before = visits(folder)
    code.write_text(_LIKES_ODD_ONES.format(score="-visit.score"))
    refused = salticid(*how, "--max-pages", 30)
    assert refused.status == 1
    assert "--as-given" in refused.err
    assert salticid(*how, "--max-pages", 30, "--as-given").status == 0
    assert salticid(*how, "--max-pages", 35).status == 0, "its past stays as given"
    assert visits(folder)[: len(before)] == before
    assert sum(outcome == "ok" for _, outcome, _ in visits(folder)) == 35


def test_a_live_crawl_with_such_a_judge_goes_on_after_a_kill(tmp_path: Path) -> None:
    site, folder, judge = Site(pages=60, seconds=0.02), tmp_path / "crawl", tmp_path / "noisy.py"
    judge.write_text(_JUDGE.format(deterministic=False, offset=0.2))
    with served(site) as port:
        topic = site.write_topic(tmp_path / "t.toml")
        named = ("--strategy", "best_first", "--judge", f"{judge}:Noisy")
        command = ("crawl", topic, *named, *live(port), "--max-pages", 60, "--out", folder)
        with Program(*command) as program:
            program.until(lambda: visits_in(folder) >= 10, "10 visits")
            program.kill()
        before = visits(folder)
        assert salticid(*command).status == 0
    assert visits(folder)[: len(before)] == before
    good = [url for url, outcome, _ in visits(folder) if outcome == "ok"]
    assert sorted(good) == sorted(map(site.url, range(60)))
    check_calls(folder)
