"""Whole crawls over recorded webs: the same every time, blind to the truth, better with a judge."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec
import pytest
from scipy.stats import ttest_rel
from tests.support.generated_site import GeneratedSource
from tests.support.running import crawl_in_memory, targets_found

from salticid.judges import judges
from salticid.runs.order import Recipe
from salticid.runs.recorded import RecordedCrawl
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.log import CrawlLog
from salticid.strategies import strategies
from salticid.topic import Limits
from salticid.truth import load_topic
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.answers import LABELS_FILE, labels_of
from salticid.worlds.building import build
from salticid.worlds.topics import TopicPlan, make_topics

GOLDEN = Path(__file__).parents[1] / "golden.json"
LIMITS = Limits(max_pages=150, max_buffer=256)


def digest_of(world: Path, topic: Path, strategy: str, arrivals: str, out: Path) -> str:
    web = RecordedWeb(world)
    log = CrawlLog(out, web.urls, web.words)
    recipe = Recipe(strategies.make(strategy), judges.make("cosine"), LIMITS, arrivals, seed=7)
    crawl = RecordedCrawl(load_topic(topic)[0], web, recipe, log)
    log.begin({})
    crawl.run()
    log.close()
    return CrawlFolder(out).digest()


@pytest.fixture(scope="module")
def small_world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    world = tmp_path_factory.mktemp("golden") / "world"
    build(world, GeneratedSource(800, seed=3))
    return world


@pytest.mark.parametrize("arrivals", ["one", "window:10", "roulette:100/50"])
@pytest.mark.parametrize("strategy", ["breadth_first", "best_first", "best_n_first"])
def test_golden_crawls(small_world: Path, tmp_path: Path, strategy: str, arrivals: str) -> None:
    """World and settings give these very visits; who changes them on purpose writes the new digests down."""
    golden = msgspec.json.decode(GOLDEN.read_bytes())
    assert RecordedWeb(small_world).digest == golden["world"], "the generated web, the parser or the format changed"
    made = make_topics(small_world, tmp_path / "topics", TopicPlan(task="neighbours", min_pages=30))
    found = digest_of(small_world, made.files[0], strategy, arrivals, tmp_path / "crawl")
    assert found == golden[f"{strategy} {arrivals}"]


def test_permuted_labels_change_no_visit(small_world: Path, tmp_path: Path) -> None:
    topics = make_topics(small_world, tmp_path / "topics", TopicPlan()).files
    topic, _ = load_topic(topics[0])
    before = [crawl_in_memory(small_world, topic, name, LIMITS)[1] for name in strategies.names()]
    lines = (small_world / LABELS_FILE).read_text().splitlines()
    urls, labels = zip(*(line.split("\t") for line in lines), strict=True)
    shuffled = random.Random(1).sample(labels, len(labels))
    (small_world / LABELS_FILE).write_text(
        "".join(f"{url}\t{label}\n" for url, label in zip(urls, shuffled, strict=True))
    )
    assert (small_world / LABELS_FILE).read_text().splitlines() != lines
    try:
        after = [crawl_in_memory(small_world, topic, name, LIMITS)[1] for name in strategies.names()]
    finally:
        (small_world / LABELS_FILE).write_text("".join(f"{line}\n" for line in lines))
    assert [[(v.url, v.score, v.outcome) for v in visits] for visits in before] == [
        [(v.url, v.score, v.outcome) for v in visits] for visits in after
    ]


def test_targets_do_not_reach_the_crawl(small_world: Path, tmp_path: Path) -> None:
    """What a strategy and a judge are told is made of the topic alone; nothing they hold leads to the truth."""
    topic, truth = load_topic(make_topics(small_world, tmp_path / "t", TopicPlan(task="neighbours")).files[0])
    assert truth.targets
    told = {topic.name, topic.keywords, *topic.seeds, *topic.examples, *topic.negatives}
    assert not told & set(truth.targets)
    assert truth.description not in told
    assert not hasattr(topic, "targets")


def test_best_first_beats_breadth_first_on_schools_wikipedia(schools_world: Path, tmp_path: Path) -> None:
    """Paired over a third of the 33 subjects, started two links away from them, 150 pages each."""
    topics = make_topics(schools_world, tmp_path, TopicPlan(task="neighbours")).files
    assert len(topics) == 33
    found: dict[str, list[int]] = {"best_first": [], "breadth_first": []}
    for topic, truth in map(load_topic, topics[::3]):
        for name, counts in found.items():
            counts.append(targets_found(schools_world, topic, truth, name, LIMITS))
    test = ttest_rel(found["best_first"], found["breadth_first"])
    assert sum(found["best_first"]) > 2 * sum(found["breadth_first"])
    assert test.pvalue < 0.01


def test_webkb_becomes_a_world_that_can_be_crawled(webkb_world: Path, tmp_path: Path) -> None:
    labels = labels_of(webkb_world)
    assert len(labels) == 35
    assert {label.partition(".")[0] for label in labels} == {
        "course", "department", "faculty", "other", "project", "staff", "student",
    }  # fmt: skip
    made = make_topics(webkb_world, tmp_path / "topics", TopicPlan())
    topic, _ = load_topic(made.files[0])
    _, visits = crawl_in_memory(webkb_world, topic, "best_first", Limits(max_pages=100))
    outcomes = [visit.outcome for visit in visits]
    assert outcomes.count(outcomes[0].OK) > 20
    assert outcomes.count(outcomes[0].NOT_RECORDED) > 0
