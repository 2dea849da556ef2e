"""The product's promise: a strategy crawls the live web and a recording of it alike."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.generated_site import GeneratedSource
from tests.support.killing import live
from tests.support.running import salticid
from tests.support.serving import served_world

from salticid.worlds.building import build
from salticid.worlds.topics import TopicPlan, make_topics

ALL = 5000


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("twin") / "world"
    build(folder, GeneratedSource(400, seed=5))
    return folder


@pytest.fixture(scope="module")
def topic(world: Path) -> Path:
    return make_topics(world, world.parent / "topics", TopicPlan(min_pages=25)).files[0]


@pytest.fixture(scope="module")
def port(world: Path) -> Iterator[int]:
    with served_world(world) as port:
        yield port


def crawl_live(topic: Path, port: int, concurrency: int, out: Path, *options: str | int) -> dict[str, Any]:
    said = salticid("crawl", topic, *live(port, concurrency), *options, "--out", out, "--json")
    assert said.status == 0, said.err
    result: dict[str, Any] = json.loads(said.out)
    return result


def visits(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in salticid("visits", folder, "--json").out.splitlines()]


@pytest.mark.parametrize("strategy", ["breadth_first", "best_first", "best_n_first"])
def test_one_request_at_a_time_gives_the_visits_of_the_replay(
    world: Path, topic: Path, port: int, tmp_path: Path, strategy: str
) -> None:
    options = ("--strategy", strategy, "--max-pages", "120")
    crawl_live(topic, port, 1, tmp_path / "live", *options)
    assert salticid("crawl", topic, "--web", world, *options, "--out", tmp_path / "replay").status == 0
    lived, replayed = visits(tmp_path / "live"), visits(tmp_path / "replay")
    same = ("url", "final_url", "score", "title", "source")
    assert [[visit[key] for key in same] for visit in lived] == [[visit[key] for key in same] for visit in replayed]
    assert sum(visit["outcome"] == "ok" for visit in lived) == 120


@pytest.mark.parametrize("strategy", ["best_first", "best_n_first"])
def test_many_requests_at_once_choose_alike_when_the_log_is_played_again(
    world: Path, topic: Path, port: int, tmp_path: Path, strategy: str
) -> None:
    crawl_live(topic, port, 12, tmp_path / "live", "--strategy", strategy, "--max-pages", 200)
    again = crawl_live(topic, port, 12, tmp_path / "live", "--strategy", strategy, "--max-pages", 300)
    assert again["pages"] == 300, "the log was played again, choice by choice, and the crawl went on"


def test_a_site_crawled_to_its_end_is_the_same_set(world: Path, topic: Path, port: int, tmp_path: Path) -> None:
    result = crawl_live(topic, port, 16, tmp_path / "live", "--max-pages", ALL)
    assert result["stopped"] == "frontier empty"
    assert salticid("crawl", topic, "--web", world, "--max-pages", ALL, "--out", tmp_path / "replay").status == 0

    def pages(name: str) -> set[str]:
        return {visit["final_url"] for visit in visits(tmp_path / name) if visit["outcome"] == "ok"}

    assert pages("live") == pages("replay")
    assert len(pages("live")) > 350
