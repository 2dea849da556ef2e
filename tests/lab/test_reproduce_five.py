"""System 5 again: what is evolved, tested and asked about."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from salticid.evolve.fitness import Figures
from salticid.lab.reproduce import evolved_strategies as five
from salticid.lab.reproduce import rank_search
from salticid.lab.reproduce.findings import paper
from salticid.lab.reproduce.page import render
from salticid.lab.reproduce.rank_search import Place, TopicTests, topic_of
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
        patch.setattr(five, "ROOM", 120)
        patch.setattr(rank_search, "TOPICS", 3)
        patch.setattr(rank_search, "ENOUGH", 2)
        return run(5, Setup(None, out, 1, lambda what, done, of: None, pages=50, letter=True))


def test_the_papers_weights_stand_beside_those_of_a_search_by_scores_and_by_raw_margins(
    made: Reproduction,
) -> None:
    weights = made.tables[0]
    assert weights.head[:2] == ["term", "the paper"]
    assert len(weights.head) == 4
    assert weights.head[3].endswith(", raw margins")
    assert weights.rows[3][:2] == ["comm_out", "0.313"]
    for column in (2, 3):
        assert sum(float(row[column]) for row in weights.rows) == pytest.approx(1, abs=0.01)


def test_what_was_evolved_on_a_rare_topic_is_tested_on_others_and_on_popular_ones(made: Reproduction) -> None:
    assert "tested on 3 other rare topics" in made.data
    tables = [table for table in made.tables if table.title.startswith("From other seeds")]
    assert [re.sub(r".*, (.*), 3 topics", r"\1", table.title) for table in tables] == [
        "rare topics", "popular topics", "raw margins", "raw margins",
    ]  # fmt: skip
    for table in tables:
        assert [row[:2] for row in table.rows[:6]] == [
            ["50", "BestFirst"],
            *(["50", f"evolved {number}"] for number in (1, 2, 3)),
            ["50", "the paper's best"],
            ["100", "BestFirst"],
        ]


def test_rare_topics_are_those_that_a_crawl_does_not_exhaust(made: Reproduction, out: Path) -> None:
    world = next(out.glob("world-generated-*"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rank_search, "TOPICS", 3)
        patch.setattr(rank_search, "ENOUGH", 2)
        few = rank_search.places(world, 50, Ranking())
        patch.setattr(rank_search, "ENOUGH", 3)
        more = rank_search.places(world, 50, Ranking())
    assert few.first.topic.name in made.data
    sizes = [each.pages for each in (few.first, *few.rare)]
    assert sizes == sorted(sizes)
    assert more.first.pages > few.first.pages
    assert max(sizes) <= min(each.pages for each in few.popular)


def test_every_figure_of_the_paper_is_drawn_over_the_topics_it_is_about(made: Reproduction) -> None:
    ours = [each for each in made.figures if "raw" not in each.where]
    assert sorted(each.number for each in ours) == sorted(f"Figure {n}" for n in paper(5).figures)
    assert {each.number for each in ours if each.where == "rare topics"} == {f"Figure {n}" for n in (3, 5, 6, 10)}
    assert {each.number for each in ours if each.main} == {f"Figure {n}" for n in range(3, 9)}
    by_number = {each.number: each for each in ours}
    assert len(by_number["Figure 5"].groups) == 3
    histogram = by_number["Figure 9"].curves
    assert sum(histogram["BestFirst"].mean) == pytest.approx(50, abs=2)
    for name in ("BestFirst", "evolved 1"):
        assert sum(histogram[f"{name}, good"].mean) <= sum(histogram[name].mean)
    assert render(made).count('<svg class="plot"') == len(made.figures)


def test_findings_are_asked_at_every_length_with_topics_as_units(made: Reproduction) -> None:
    ours = [each for each in made.findings if each.where == "generated" and not each.conjecture]
    fitness_and_cohesiveness, growth, distance, better, weights = 2 * 3 * 3, 2, 2 * 2, 2, 2
    assert len(ours) == fitness_and_cohesiveness + growth + distance + better + weights
    assert len({each.finding for each in ours}) == len(ours)
    assert {each.n for each in ours if each.n} == {3, 6}
    assert len([each for each in ours if "equally cohesive" in each.finding]) == 2


def test_what_the_paper_leaves_to_others_is_tried_and_compared_with_the_plain_search(
    made: Reproduction,
) -> None:
    supposed = [each for each in made.findings if each.conjecture]
    assert len(supposed) == EXTENSIONS
    assert {each.n for each in supposed if each.n} <= {3}
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


def test_a_figure_of_several_strategies_is_their_mean_topic_by_topic_over_all_starts() -> None:
    place = Place(Path(), Topic("t", "t", ()), 9, (("a",), ("b",)), 10, Ranking())

    def crawls(*shares: float) -> list[Figures]:
        return [Figures(10, share, 0.0, 0.0, [1], [1]) for share in shares]

    one = {
        ("x", 0, 1): crawls(0.1, 0.2), ("x", 1, 1): crawls(0.3, 0.4),
        ("y", 0, 1): crawls(0.3, 0.2), ("y", 1, 1): crawls(0.5, 0.8),
    }  # fmt: skip
    tests = TopicTests("topics", (place, place), (one, dict.fromkeys(one, crawls(0.5))))
    assert tests.values(["x", "y"], 1, lambda each: each.share, start=0) == pytest.approx([0.2, 0.5])
    assert tests.values(["x", "y"], 1, lambda each: each.share) == pytest.approx([0.35, 0.5])
