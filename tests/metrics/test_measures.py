"""Measures: each says what it is and takes any crawl; a function of one's own is a measure like ours."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from salticid.errors import UserError
from salticid.lab.compare import run_experiment
from salticid.lab.crawl_record import grid, measure_crawl
from salticid.lab.experiment import Experiment, find_measures, fingerprint
from salticid.lab.results import Results
from salticid.metrics import metrics
from salticid.metrics.parts.judged import JudgedCrawl, JudgedTopic, JudgedWorld
from salticid.metrics.parts.measure import Better, Measure, Metric, Need, measure_of
from salticid.metrics.targets import relevant_hosts, search_length
from salticid.model import Ints
from salticid.topic import Topic
from salticid.truth import Truth, load_topic
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.generating.building import WebEdition, build_generated
from salticid.worlds.topics import TopicPlan, make_topics

PAGES = 30


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A world and its topics."""
    folder = tmp_path_factory.mktemp("lab")
    build_generated(folder / "world", WebEdition(200, seed=4))
    make_topics(folder / "world", folder / "topics", TopicPlan(min_pages=12))
    return folder


@pytest.fixture(scope="module")
def topic(lab: Path) -> JudgedTopic:
    return judged(lab, *load_topic(min((lab / "topics").glob("*.toml"))))


def judged(lab: Path, topic: Topic, truth: Truth) -> JudgedTopic:
    web = RecordedWeb(lab / "world")
    world, pool = JudgedWorld(web), np.arange(web.pages, dtype=np.int32)
    known = world.pages_at(topic.examples).tolist()
    return JudgedTopic(world, topic, truth, PAGES, pool, world.pagerank(pool), known, range(150, 160))


def crawl_of(topic: JudgedTopic, pages: Ints, *halves: Ints) -> JudgedCrawl:
    return JudgedCrawl(topic, pages, np.linspace(0, 1, len(pages)), (halves[0], halves[1]) if halves else None)


def race(lab: Path, out: Path, *measures: object, workers: int = 1) -> Results:
    experiment = Experiment(str(lab / "world"), str(lab / "topics"), ("breadth_first",), PAGES, measures=measures)
    return run_experiment(experiment, out, workers, lambda *_: None)


@pytest.mark.parametrize("name", metrics.names())
def test_every_measure_says_what_it_is(name: str) -> None:
    measure = measure_of(metrics.find(name))
    assert measure.name == name
    assert measure.meaning.endswith(".")
    assert measure.unit
    assert measure.title
    assert "highest" not in measure.claim or measure.better is not Better.LOWER


@pytest.mark.parametrize("name", metrics.names())
def test_every_measure_takes_any_crawl(name: str, topic: JudgedTopic, lab: Path) -> None:
    bare = judged(lab, Topic("bare", "spiders", topic.topic.seeds), Truth())
    pages = topic.pool_pages[:PAGES]
    measured = {name: metrics.find(name)}
    for crawl in (
        crawl_of(topic, pages, pages[:5], pages[3:]),
        crawl_of(topic, pages),
        crawl_of(topic, pages[:0]),
    ):
        value = measure_crawl(crawl, measured).values[name]
        assert value is None or np.isfinite(value)
    of_bare = measure_crawl(crawl_of(bare, pages), measured).values[name]
    assert of_bare is None or {Need.TARGETS, Need.FOUND}.isdisjoint(measure_of(metrics.find(name)).needs)
    best = measure_crawl(crawl_of(topic, topic.targets, pages[:5], pages[3:]), measured)
    assert best.values[name] is not None


def test_a_search_without_success_is_as_long_as_the_budget_and_a_page(topic: JudgedTopic) -> None:
    given_and_targets = np.concatenate([topic.start_pages, topic.targets])
    elsewhere = np.setdiff1d(topic.pool_pages, given_and_targets)[: PAGES - 1].astype(np.int32)
    half = topic.targets[: (len(topic.targets) + 1) // 2]
    assert search_length(crawl_of(topic, elsewhere)) == PAGES + 1
    assert search_length(crawl_of(topic, topic.pool_pages[:0])) == PAGES + 1
    assert search_length(crawl_of(topic, half)) == len(half)
    assert search_length(crawl_of(topic, np.concatenate([elsewhere, half]))) > PAGES - 1


def test_a_host_counts_from_its_first_target_on(topic: JudgedTopic) -> None:
    hosts = [topic.world.web.urls.host(url) for url in topic.urls(topic.targets).tolist()]
    here, there = hosts.index(hosts[0]), next(at for at, host in enumerate(hosts) if host != hosts[0])
    again = next((at for at, host in enumerate(hosts) if at != here and host == hosts[0]), here)
    elsewhere = np.setdiff1d(topic.pool_pages, np.concatenate([topic.start_pages, topic.targets]))[0]
    pages = [topic.start_pages[0], elsewhere, *topic.targets[[here, again, there]]]
    found = relevant_hosts(crawl_of(topic, np.array(pages, np.int32)))
    assert np.asarray(found).tolist() == [0, 1, 1, 2], "the seed counts neither for nor against"
    assert relevant_hosts(crawl_of(topic, topic.start_pages)) == 0


def test_a_function_is_a_measure_beside_ours(lab: Path, tmp_path: Path) -> None:
    @Measure(better=Better.LOWER, needs=(Need.PAGES,))
    def address_length(crawl: JudgedCrawl) -> list[float]:
        """Characters of the pages' URLs."""
        return [float(len(url)) for url in crawl.urls]

    results = race(lab, tmp_path, "harvest", address_length)
    assert set(results.measures) == set(results.strategies["breadth_first"]) == {"harvest", "address_length"}
    curve = results.curves["address_length"]["breadth_first"]
    assert curve.x == grid(PAGES)
    assert results.strategies["breadth_first"]["address_length"].mean == pytest.approx(curve.mean[-1])
    measure = results.measures["address_length"]
    assert (measure.title, measure.claim) == ("address length", "has the lowest address length")
    assert measure.meaning == "Characters of the pages' URLs."


def test_a_measure_that_changed_is_measured_anew(lab: Path, tmp_path: Path) -> None:
    def constant(value: float) -> Metric:
        def same(crawl: JudgedCrawl) -> float:
            return value

        return same

    means = [
        race(lab, tmp_path / "race", constant(value)).strategies["breadth_first"]["same"].mean
        for value in (1.0, 2.0, 1.0)
    ]
    assert means == [1, 2, 1]
    assert len(list((tmp_path / "race" / "measures").iterdir())) == 2 * len(list((lab / "topics").iterdir()))
    files = [tmp_path / "one.py", tmp_path / "two.py"]
    for number, file in enumerate(files):
        file.write_text(f"def same(crawl):\n    return {number}\n")
    assert len({fingerprint(f"{file}:same") for file in files}) == 2


def test_what_is_needed_and_not_there_makes_it_null_without_asking(topic: JudgedTopic) -> None:
    @Measure(needs=(Need.HALVES,))
    def careless(crawl: JudgedCrawl) -> float:
        assert crawl.halves is not None
        return 1.0

    asked = {"careless": careless}
    assert measure_crawl(crawl_of(topic, topic.pool_pages), asked).values == {"careless": None}
    both = crawl_of(topic, topic.pool_pages, topic.pool_pages, topic.pool_pages)
    assert measure_crawl(both, asked).values == {"careless": 1.0}


def gone(crawl: JudgedCrawl) -> float:
    return float("nan")


def test_what_is_not_finite_is_null(topic: JudgedTopic) -> None:
    measured = measure_crawl(crawl_of(topic, topic.pool_pages), {"gone": gone})
    assert measured.values == {"gone": None}
    assert "gone" not in measured.curves


def test_a_measure_that_raises_is_named(lab: Path, tmp_path: Path) -> None:
    def broken(crawl: JudgedCrawl) -> float:
        return 1 / 0

    with pytest.raises(UserError, match=r"the measure broken failed on .*: ZeroDivisionError: division by zero"):
        race(lab, tmp_path, broken)


def test_other_processes_get_names_and_no_code(lab: Path, tmp_path: Path) -> None:
    def inner(crawl: JudgedCrawl) -> float:
        return 1.0

    with pytest.raises(UserError, match="inner cannot be imported by other processes; define it at the top"):
        race(lab, tmp_path, inner, workers=2)


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        ("harvets", "did you mean 'harvest'?"),
        ("nowhere.py:f", "there is no file .*nowhere.py"),
        ("no_such_module:f", "cannot load no_such_module"),
        ("salticid.registry:NOTES_TABLE", "no measure in .*registry.py 'NOTES_TABLE'"),
        ("salticid.registry:LOST", "no measure in .*registry.py 'LOST'"),
        ("harvest", "two measures are named harvest"),
        (lambda crawl: 1.0, "is a measure without a name"),
        (7, "7 is no measure"),
    ],
)
def test_what_is_no_measure_is_said_so(measure: str | Callable[[JudgedCrawl], float], words: str) -> None:
    with pytest.raises(UserError, match=words.replace("?", r"\?")):
        find_measures(["harvest", measure])
