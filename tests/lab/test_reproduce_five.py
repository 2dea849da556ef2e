"""System 5 again: what is evolved, tested and asked about."""

from __future__ import annotations

from pathlib import Path

import pytest

from salticid.evolve.fitness import Figures
from salticid.lab.reproduce import evolved_strategies as five
from salticid.lab.reproduce import rank_search
from salticid.lab.reproduce.findings import SURE, Verdict, paper
from salticid.lab.reproduce.page import markdown, render
from salticid.lab.reproduce.rank_search import LENGTHS, Place, PlaceTests, topic_of
from salticid.lab.reproduce.reproduction import Reproduction, Setup
from salticid.lab.reproduce.systems import run
from salticid.registry import read_strategy_file
from salticid.strategies import strategies
from salticid.strategies.parts.rank_terms import Ranking
from salticid.topic import Topic

EXTENSIONS = 7


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("five")


@pytest.fixture(scope="module")
def made(out: Path) -> Reproduction:
    """A very small reproduction, with the paper's letter beside our own settings."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(five, "POPULATION", 4)
        patch.setattr(five, "GENERATIONS", 1)
        patch.setattr(five, "RUNS", 1)
        patch.setattr(five, "QUICK", 1)
        patch.setattr(five, "ROOM", 60)
        return run(5, Setup(None, out, 1, lambda what, done, of: None, pages=50, letter=True))


def test_the_papers_weights_stand_beside_those_of_a_search_by_scores_and_by_raw_margins(
    made: Reproduction,
) -> None:
    weights = made.tables[0]
    assert weights.head[:2] == ["term", "the paper"]
    assert len(weights.head) == 4
    assert weights.head[3] == f"{weights.head[2]}, raw margins"
    assert weights.rows[3][:2] == ["comm_out", "0.313"]
    for column in (2, 3):
        assert sum(float(row[column]) for row in weights.rows) == pytest.approx(1, abs=0.01)


def test_what_was_evolved_on_the_rare_topic_is_tested_there_and_on_the_popular_one(
    made: Reproduction,
) -> None:
    transfer = next(table for table in made.tables if table.title.startswith("Transfer"))
    assert len(transfer.head) == 2 + 2
    assert [row[1] for row in transfer.rows] == ["1 x", "2 x", "3 x"] * 2
    assert transfer.rows[-1][0] == "the paper's best strategy (Table 1)"
    tables = [table for table in made.tables if table.title.startswith("From other seeds")]
    assert len(tables) == 2 * 2
    for table in tables:
        assert [row[:3] for row in table.rows[:5]] == [
            ["5", "50", "BestFirst"],
            *(["5", "50", f"evolved on generated {number}"] for number in (1, 2, 3)),
            ["5", "100", "BestFirst"],
        ]
        assert len(table.rows) == 2 * 3 * 4


def test_every_figure_of_the_paper_is_drawn_for_the_topic_it_is_about(made: Reproduction) -> None:
    ours = [each for each in made.figures if "raw" not in each.where]
    assert sorted(each.number for each in ours) == sorted(f"Figure {n}" for n in paper(5).figures)
    by_number = {each.number: each for each in ours}
    rare, popular = by_number["Figure 3"].where, by_number["Figure 4"].where
    assert {by_number[f"Figure {n}"].where for n in (3, 5, 6, 10)} == {rare}
    assert {by_number[f"Figure {n}"].where for n in (4, 7, 8, 9)} == {popular}
    assert len(by_number["Figure 5"].groups) == 2 * 3
    histogram = by_number["Figure 9"].curves
    assert sum(histogram["BestFirst"].mean) == pytest.approx(50, abs=2)
    for name in ("BestFirst", "evolved on generated 1"):
        assert sum(histogram[f"{name}, good"].mean) <= sum(histogram[name].mean)
    assert render(made).count('<svg class="plot"') == len(made.figures)


def test_findings_are_asked_at_every_start_and_length_and_of_both_topics(made: Reproduction) -> None:
    ours = [each for each in made.findings if "raw" not in each.where and not each.conjecture]
    fitness_and_cohesiveness, growth, distance, better, weights = 2 * 2 * 3 * 3, 2 * 2, 2 * 2, 2, 2
    assert len(ours) == fitness_and_cohesiveness + growth + distance + better + weights
    assert len([each for each in made.findings if "Best-First wins the longest" in each.finding]) == 2 * 2
    equal = [each for each in ours if "equally cohesive" in each.finding]
    assert len(equal) == 2 * 2
    for finding in made.findings:
        assert finding.verdict is not Verdict.HOLDS or finding.p is None or finding.p < SURE
    assert "| holds |" in markdown(made) or "| contradicted |" in markdown(made)


def test_what_the_paper_leaves_to_others_is_tried_and_compared_with_the_plain_search(
    made: Reproduction,
) -> None:
    supposed = [each for each in made.findings if each.conjecture]
    assert len(supposed) == EXTENSIONS
    assert {each.n for each in supposed if each.n} <= {30}, "15 seeds from two starts"
    table = next(table for table in made.tables if table.title.startswith("What the paper leaves"))
    assert [row[0] for row in table.rows[:2]] == [rank_search.PLAIN, "reward for hosts"]
    assert len(table.rows) == 1 + EXTENSIONS


def test_what_was_evolved_is_kept_as_strategy_files(made: Reproduction, out: Path) -> None:
    files = sorted(out.glob("evolved-*/evolved.toml"))
    assert len(files) == 2 + EXTENSIONS + 1
    kept = {file.parent.name: read_strategy_file(file) for file in files}
    for told in kept.values():
        strategies.make(*told[:2])
    settings = {name: told.settings for name, told in kept.items()}
    assert [name for name in settings if settings[name]["margin"]] == [name for name in kept if "raw margins" in name]
    assert [name for name in settings if settings[name]["by_distance"]] == [
        name for name in kept if "phases-by-distance" in name
    ]


def test_starts_are_drawn_by_name_and_share_no_page() -> None:
    urls = [f"http://a.example/{n}" for n in range(1000)]
    topic, others = topic_of("music.flute", urls, rank_search.MAX_PAGES)
    assert (len(topic.seeds), *map(len, others)) == (139, 50, 250)
    assert len({*topic.seeds, *others[0], *others[1]}) == 139 + 50 + 250
    assert topic_of("music.flute", urls, rank_search.MAX_PAGES) == (topic, others)
    assert topic_of("music.harp", urls, rank_search.MAX_PAGES)[0].seeds != topic.seeds
    assert topic.keywords == "music flute"


def test_a_figure_of_several_strategies_is_their_mean_seed_by_seed_over_all_starts() -> None:
    place = Place("here", Path(), Topic("t", "t", ()), 9, (("a",), ("b",)), 10, True, Ranking())

    def crawls(*shares: float) -> list[Figures]:
        return [Figures(10, share, 0.0, 0.0, [1], [1]) for share in shares]

    tests = PlaceTests(
        place,
        {
            ("x", 0, 1): crawls(0.1, 0.2), ("x", 1, 1): crawls(0.3, 0.4),
            ("y", 0, 1): crawls(0.3, 0.2), ("y", 1, 1): crawls(0.5, 0.8),
        },
    )  # fmt: skip
    assert tests.values(["x", "y"], 0, LENGTHS[0], lambda each: each.share) == pytest.approx([0.2, 0.2])
    assert tests.values(["x", "y"], None, 1, lambda each: each.share) == pytest.approx([0.2, 0.2, 0.4, 0.6])
