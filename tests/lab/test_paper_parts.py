"""What the papers' experiments are made of: an engine that read a part, agents' lives, bars, authority, a clock."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from salticid.lab.crawl_record import crawl_once
from salticid.lab.experiment import Experiment, cases
from salticid.lab.plots.plots import bar_plot
from salticid.lab.plots.svg import Axes
from salticid.lab.reproduce.agent_searches import SearchEngine
from salticid.lab.results import Curve
from salticid.metrics.links import authority
from salticid.metrics.parts.judged import JudgedCrawl, JudgedTopic, JudgedWorld, WorldTerms
from salticid.truth import load_topic
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.generating.building import WebEdition, build_generated
from salticid.worlds.topics import TopicPlan, make_topics


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("parts") / "world"
    build_generated(folder, WebEdition(600, seed=4))
    make_topics(folder, folder.parent / "topics", TopicPlan(min_pages=20))
    return folder


def test_an_engine_that_read_more_has_all_pages_of_one_that_read_less(world: Path) -> None:
    web = RecordedWeb(world)
    terms = WorldTerms(web)
    engines = {share: SearchEngine(web, terms, share) for share in (0.16, 0.6, 1.0)}
    hits = {share: engine.hits("sport climbing", 10_000) for share, engine in engines.items()}
    assert set(hits[0.16]) < set(hits[0.6]) < set(hits[1.0])
    assert len(engines[1.0]) == web.pages
    assert len(engines[0.16]) == pytest.approx(0.16 * web.pages, abs=40)


def test_authority_is_the_mean_pagerank_in_multiples_of_the_pools(world: Path) -> None:
    """Ranks 1, 3 and 8 in the pool have the mean 4: after the page of 8 it is 2, after that of 1 as well 1.125."""
    topic, truth = load_topic(min((world.parent / "topics").glob("*.toml")))
    pool = np.array([3, 5, 9], np.int32)
    judged = JudgedTopic(JudgedWorld(RecordedWeb(world)), topic, truth, 3, pool, np.array([1.0, 3.0, 8.0]))
    crawl = JudgedCrawl(judged, np.array([9, 3], np.int32), np.zeros(2))
    assert authority(crawl).tolist() == [2.0, 1.125]


def test_a_strategys_own_time_is_a_part_of_the_crawls(world: Path) -> None:
    experiment = Experiment(str(world), str(world.parent / "topics"), ("pagerank",), 60)
    record = crawl_once(experiment, next(iter(cases(experiment))))
    assert record.failed is None
    assert 0 < record.own_cpu < record.cpu


def test_bars_stand_in_groups_with_their_errors_and_the_papers_number_across() -> None:
    bars = {
        "a <b>": Curve([0.0, 1.0], [0.2, 0.4], [0.02, 0.04]),
        "c": Curve([0.0, 1.0], [0.1, 0.3], [0.01, 0.03]),
    }
    drawn = str(bar_plot(bars, ["one", "two"], {"the paper": 0.13}, Axes("", "share"), "Figure 5"))
    assert drawn.count('class="bar"') == 4
    assert "a &lt;b&gt;" in drawn
    assert "<b>" not in drawn
    heights = [
        float(at)
        for at in re.findall(r'<rect class="all" x="[\d.]+" y="[\d.]+" width="[\d.]+" height="([\d.]+)"/><line', drawn)
    ]
    assert heights[1] == pytest.approx(2 * heights[0], abs=0.2)
    assert drawn.count("<polyline") == 1
    keys = [float(at) for at in re.findall(r'<text x="[\d.]+" y="([\d.]+)">', drawn)]
    assert all(after - before >= 14.5 for before, after in pairwise(keys))
    assert str(bar_plot({}, [], {}, Axes("", ""), "")) == ""


def test_long_names_of_groups_stand_in_lines_and_do_not_touch() -> None:
    names = [f"the score number {n} with path" for n in range(7)]
    places = [float(n) for n in range(7)]
    drawn = str(bar_plot({"a": Curve(places, [0.5] * 7, [0.1] * 7)}, names, {}, Axes("", "share"), ""))
    lines = re.findall(r'<text x="([\d.]+)" y="([\d.]+)" text-anchor="middle">([^<]+)</text>', drawn)
    assert {text for _, _, text in lines} >= {"the score", "number 0", "with path"}
    by_height: dict[str, list[tuple[float, float]]] = {}
    for x, y, text in lines:
        half = 6.9 * len(text) / 2
        by_height.setdefault(y, []).append((float(x) - half, float(x) + half))
    assert all(before[1] <= after[0] for row in by_height.values() for before, after in pairwise(row))
