"""System 5 again: what is evolved, tested and asked about."""

from __future__ import annotations

from pathlib import Path

import pytest

from salticid.lab.reproduce import evolved_strategies as five
from salticid.lab.reproduce.findings import SURE, Verdict
from salticid.lab.reproduce.markdown import markdown
from salticid.lab.reproduce.reproduction import Reproduction, Setup
from salticid.lab.reproduce.systems import run
from salticid.registry import read_strategy_file
from salticid.strategies import strategies


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("five")


@pytest.fixture(scope="module")
def made(out: Path) -> Reproduction:
    """A very small reproduction."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(five, "POPULATION", 4)
        patch.setattr(five, "GENERATIONS", 2)
        return run(5, Setup(None, out, 1, lambda what, done, of: None, pages=150))


def test_the_papers_weights_stand_beside_those_of_a_popular_and_a_rare_topic(made: Reproduction) -> None:
    weights = made.tables[0]
    assert weights.head[:2] == ["term", "the paper"]
    assert len(weights.head) == 4
    assert weights.rows[3][:2] == ["comm_out", "0.313"]
    for column in (2, 3):
        assert sum(float(row[column]) for row in weights.rows) == pytest.approx(1, abs=0.01)


def test_both_starts_and_three_lengths_are_tested_against_best_first(made: Reproduction) -> None:
    table = made.tables[1]
    assert [row[:3] for row in table.rows[:4]] == [
        ["5", "150", "evolved"],
        ["5", "150", "BestFirst"],
        ["5", "300", "evolved"],
        ["5", "300", "BestFirst"],
    ]
    assert len(table.rows) == 2 * 3 * 2
    histogram = made.tables[2]
    everything = [float(count) for count in histogram.rows[0][2:] if count]
    assert sum(everything) == pytest.approx(150, abs=3)


def test_each_finding_is_asked_of_both_topics_and_the_rare_one_should_lose_the_longest(
    made: Reproduction,
) -> None:
    assert len(made.findings) == 2 * 12
    losing = [finding for finding in made.findings if "Best-First wins the longest" in finding.finding]
    assert len(losing) == 2
    for finding in made.findings:
        assert finding.verdict is not Verdict.HOLDS or finding.p is None or finding.p < SURE
    assert "| holds |" in markdown(made) or "| contradicted |" in markdown(made)


def test_what_was_evolved_is_kept_as_strategy_files(made: Reproduction, out: Path) -> None:
    files = sorted(out.glob("evolved-*/evolved.toml"))
    assert len(files) == 2
    for file in files:
        strategies.make(*read_strategy_file(file)[:2])


def test_starts_are_drawn_by_name_and_share_no_page() -> None:
    urls = [f"http://a.example/{n}" for n in range(1000)]
    topic, others = five.topic_of("music.flute", urls, five.MAX_PAGES)
    assert (len(topic.seeds), *map(len, others)) == (139, 50, 250)
    assert len({*topic.seeds, *others[0], *others[1]}) == 139 + 50 + 250
    assert five.topic_of("music.flute", urls, five.MAX_PAGES) == (topic, others)
    assert five.topic_of("music.harp", urls, five.MAX_PAGES)[0].seeds != topic.seeds
    assert topic.keywords == "music flute"
