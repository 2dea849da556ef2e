"""`salticid evolve`, the real program: the same file whatever happens, and crawls that are driven by it."""

from __future__ import annotations

import json
import shlex
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.support.killing import PATIENCE, Program, alive, children_of, live
from tests.support.running import Said, salticid
from tests.support.serving import served_world

from salticid.cli.evolve import MOST_PARENTS
from salticid.cli.interrupts import INTERRUPTED
from salticid.evolve.search import FILE
from salticid.strategies.parts.rank_terms import LEVELS
from salticid.worlds.generating.building import WebEdition, build_generated
from salticid.worlds.topics import TopicPlan, make_topics

SMALL = ("--population", 6, "--generations", 3, "--crawl-length", 150, "--runs", 2)
LONG = ("--population", 8, "--generations", 400, "--crawl-length", 400)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evolve") / "world"
    build_generated(folder, WebEdition(3000, seed=4))
    return folder


@pytest.fixture(scope="module")
def topic(world: Path) -> Path:
    files = make_topics(world, world.parent / "topics", TopicPlan(min_pages=100, examples_per_topic=20)).files
    return files[0]


@pytest.fixture(scope="module")
def made(world: Path, topic: Path) -> Path:
    """A strategy file, evolved without a break by two workers."""
    file = world.parent / "evolved.toml"
    said = evolve(world, topic, file, *SMALL, "--workers", 2)
    assert said.status == 0, said.err
    assert "The report is in" in said.out
    return file


def evolve(world: Path, topic: Path, file: Path, *options: str | float | Path) -> Said:
    return salticid("evolve", world, "--topic", topic, "--out", file, *map(str, options))


def started(world: Path, topic: Path, file: Path, *options: str | int) -> Program:
    return Program("evolve", world, "--topic", topic, "--out", file, *options)


def generations(file: Path) -> int:
    """How many generations are kept of a search under way."""
    kept = file.with_suffix(".search") / FILE
    return len(json.loads(kept.read_bytes())["history"]) if kept.exists() else 0


def wait_for_generations(search: Program, file: Path, count: int) -> None:
    assert search.until(lambda: generations(file) >= count, f"{count} generations"), search.err


def test_the_file_and_the_report_tell_how_it_was_found(made: Path, topic: Path) -> None:
    told: dict[str, Any] = msgspec.toml.decode(made.read_bytes())
    found = told["found"]
    assert told["strategy"] == "linear_rank"
    assert sum(told[term] for term in found["terms"]) == pytest.approx(1)
    assert (found["topic"], found["population"], found["runs"]) == (topic.stem, 6, 2)
    assert len(found["held_back_seeds"]) == 15
    assert not set(found["held_back_seeds"]) & set(found["training_seeds"])
    for figure in ("fitness", "best_first", "ahead_of_best_first"):
        assert found[figure]["low"] <= found[figure]["mean"] <= found[figure]["high"]
    ahead = found["fitness"]["mean"] - found["best_first"]["mean"]
    assert found["ahead_of_best_first"]["mean"] == pytest.approx(ahead)
    assert set(found["ablation"]) == {term for term in found["terms"] if told[term] > 0}
    assert made.read_text().startswith(f"# Evolved for {topic.stem}.")
    report = (made.with_suffix(".search") / "report.html").read_text()
    assert report.count('<svg class="plot"') == 2


def test_one_worker_finds_what_two_find(made: Path, world: Path, topic: Path, tmp_path: Path) -> None:
    said = evolve(world, topic, tmp_path / "one.toml", *SMALL, "--workers", 1, "--json")
    assert (said.status, said.err) == (0, "")
    assert (tmp_path / "one.toml").read_bytes() == made.read_bytes()
    result = json.loads(said.out)
    assert result["fitness"]["low"] <= result["fitness"]["mean"]
    assert len(result["generations"]) == 4


def test_a_search_killed_in_the_middle_ends_with_the_same_bytes(world: Path, topic: Path, tmp_path: Path) -> None:
    options = ("--population", 6, "--generations", 8, "--crawl-length", 400, "--workers", 2)
    file = tmp_path / "killed.toml"
    with started(world, topic, file, *options) as search:
        wait_for_generations(search, file, 2)
        workers = children_of(search.process.pid)
        search.kill()
    assert not file.exists(), "it was killed while there was work to do"
    deadline = time.monotonic() + PATIENCE
    while any(map(alive, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(alive, workers)), "workers end with the program"
    assert evolve(world, topic, file, *options).status == 0
    assert evolve(world, topic, tmp_path / "whole.toml", *options).status == 0
    assert file.read_bytes() == (tmp_path / "whole.toml").read_bytes()
    kept = [(tmp_path / f"{name}.search" / FILE).read_bytes() for name in ("killed", "whole")]
    assert kept[0] == kept[1]


def test_ctrl_c_says_how_to_go_on_and_other_arguments_are_refused(world: Path, topic: Path, tmp_path: Path) -> None:
    file = tmp_path / "stopped.toml"
    with started(world, topic, file, *LONG, "--workers", 2) as search:
        wait_for_generations(search, file, 2)
        search.send(signal.SIGINT)
        assert search.ends() == INTERRUPTED
        assert "the same command goes on from there" in search.err
        assert "Traceback" not in search.err
    said = evolve(world, topic, file, *LONG, "--seed", 7)
    assert said.status == 2
    assert "seed was 0 and is 7" in said.err


def test_what_cannot_be_is_said_before_anything_is_done(world: Path, topic: Path, tmp_path: Path) -> None:
    for arguments, told in (
        ((world, "--topic", topic), "name a file with --out"),
        ((world, "--out", tmp_path / "e.toml"), "name a topic file with --topic"),
        ((world, "--topic", topic, "--out", tmp_path / "e.json"), "let it end in .toml"),
        ((world, "--topic", topic, "--out", tmp_path / "no" / "e.toml"), "there is no folder"),
        ((tmp_path / "none", "--topic", topic, "--out", tmp_path / "e.toml"), "none"),
    ):
        said = salticid("evolve", *arguments)
        assert said.status == 2
        assert told in said.err
    best_first = tmp_path / "best_first.toml"
    best_first.write_text('strategy = "best_first"\n')
    said = evolve(world, topic, tmp_path / "e.toml", "--from", best_first)
    assert (said.status, "a search begins with files for linear_rank" in said.err) == (2, True)
    (tmp_path / "there.toml").write_text("")
    assert "exists already" in evolve(world, topic, tmp_path / "there.toml", *SMALL).err


def test_phases_rewards_and_earlier_files_make_another_search(
    made: Path, world: Path, topic: Path, tmp_path: Path
) -> None:
    file = tmp_path / "phases.toml"
    rewards = ("--reward-hosts", 1, "--reward-distance", 0.5, "--reward-length", 1)
    ways = ("--phases", 2, "--phases-by", "distance", "--margin", "--parents", 2, "--reach", 0.5)
    options = (*SMALL, *ways, "--search", "genetic", "--from", made, *rewards)
    said = evolve(world, topic, file, *options, "--workers", 1)
    assert said.status == 0, said.err
    told = msgspec.toml.decode(file.read_bytes())
    assert len(told["later"]) == 1
    assert (told["by_distance"], told["margin"], MOST_PARENTS) == (True, True, LEVELS)
    assert told["found"]["reach"] == 0.5
    assert told["parent_1"] >= 0.5
    assert [term for term in told["found"]["terms"] if "parent" in term] == ["parent_1", "parent_2"]
    assert told["found"]["begun_with"] == 5, "Best-First and three others that are known, and the file"
    crawled = salticid(
        "crawl", topic, "--web", world, "--strategy", file, "--max-pages", 60, "--out",
        tmp_path / "crawl", "--json",
    )  # fmt: skip
    assert json.loads(crawled.out)["pages"] == 60, crawled.err


def test_a_topic_without_examples_is_judged_by_its_keywords_and_crawls_are_as_long_as_fits(
    world: Path, topic: Path, tmp_path: Path
) -> None:
    by_keywords = tmp_path / "plain.toml"
    told = msgspec.toml.decode(topic.read_bytes())
    plain = {key: told[key] for key in ("name", "keywords", "seeds")}
    by_keywords.write_bytes(msgspec.toml.encode(plain))
    file = tmp_path / "evolved.toml"
    said = evolve(world, by_keywords, file, "--population", 2, "--generations", 0, "--runs", 1, "--workers", 1)
    assert said.status == 0, said.err
    assert "The world has 3,000 pages, so crawls of 300 are simulated" in said.err
    found = msgspec.toml.decode(file.read_bytes())
    assert (found["judge"], found["found"]["crawl_length"]) == ("cosine", 300)
    ahead = found["found"]["ahead_of_best_first"]
    assert (ahead["low"] > 0) == ("it beats Best-First" in said.out)
    hint = next(line for line in said.out.splitlines() if line.startswith("Crawl with it: "))
    words = shlex.split(hint.removeprefix("Crawl with it: salticid "))
    crawled = salticid(*words, "--web", world, "--max-pages", 30, "--out", tmp_path / "crawl")
    assert crawled.status == 0, crawled.err


def test_the_letter_of_the_paper_starts_from_chance_and_is_another_search(
    made: Path, world: Path, topic: Path, tmp_path: Path
) -> None:
    file = tmp_path / "letter.toml"
    said = evolve(world, topic, file, *SMALL, "--letter", "--workers", 1)
    assert said.status == 0, said.err
    letter, ours = (msgspec.toml.decode(each.read_bytes())["found"] for each in (file, made))
    assert (letter["letter"], letter["search"], letter["begun_with"]) == (True, "genetic", 0)
    assert (ours["letter"], ours["search"], ours["begun_with"]) == (False, "real", 4)
    assert letter["terms"] == ours["terms"][:9]
    assert ("least_good" in letter, ours["least_good"]) == (False, 75)
    assert (letter["reach"], ours["reach"]) == (1.0, 1.0)


def test_what_is_handed_out_does_not_lose_to_best_first_on_seeds_nothing_was_chosen_by(made: Path) -> None:
    assert msgspec.toml.decode(made.read_bytes())["found"]["ahead_of_best_first"]["high"] >= 0


@pytest.fixture(scope="module")
def port(world: Path) -> Iterator[int]:
    with served_world(world) as port:
        yield port


def test_the_evolved_file_drives_a_recorded_and_a_live_crawl_alike(
    made: Path, world: Path, topic: Path, port: int, tmp_path: Path
) -> None:
    same = ("--strategy", made, "--max-pages", 60, "--json", "--out")
    recorded = salticid("crawl", topic, "--web", world, *same, tmp_path / "recorded")
    assert recorded.status == 0, recorded.err
    lived = salticid("crawl", topic, *live(port, 1), "--no-warc", *same, tmp_path / "live")
    assert lived.status == 0, lived.err
    assert json.loads(recorded.out)["pages"] == json.loads(lived.out)["pages"] == 60
    asked = [
        [json.loads(line)["url"] for line in salticid("visits", tmp_path / each, "--json").out.splitlines()]
        for each in ("recorded", "live")
    ]
    assert len(set(asked[0]) & set(asked[1])) > 30
