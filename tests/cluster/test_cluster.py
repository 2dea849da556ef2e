"""A crawl, a race and an evolution on a cluster of two nodes, of which one is lost on the way."""

import json
import logging
import re
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
import ray
from ray.cluster_utils import Cluster
from tests.support.killing import Asked, Program, Site, served
from tests.support.running import salticid

from salticid.cli.interrupts import INTERRUPTED
from salticid.cluster.cluster_crawl import crawl_on_ray
from salticid.cluster.lab_tasks import Tasks, lend
from salticid.lab.compare import run_experiment
from salticid.lab.experiment import Experiment
from salticid.model import Outcome, StopReason
from salticid.runs.live_settings import LiveSettings
from salticid.runs.order import Order, resolve
from salticid.runs.spec import CrawlSpec
from salticid.store.crawl_folder import CrawlFolder
from salticid.topic import Limits, Topic
from salticid.urls import host
from salticid.worlds.generating.building import WebEdition, build_generated
from salticid.worlds.topics import TopicPlan, make_topics

pytestmark = pytest.mark.keeps_open
SHARDS, PAGES, DELAY = 3, 150, 0.1


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    soon = {
        "health_check_period_ms": 1000,
        "health_check_failure_threshold": 3,
        "health_check_initial_delay_ms": 0,
    }
    head = {"num_cpus": 2, "include_dashboard": False, "_system_config": soon}
    made = Cluster(initialize_head=True, head_node_args=head)
    ray.init(address=made.address, log_to_driver=False, logging_level=logging.ERROR)
    yield made
    ray.shutdown()
    made.shutdown()  # type: ignore[no-untyped-call]


def order(folder: Path, site: Site, port: int, pages: int = PAGES) -> Order:
    topic = Topic("sharded", "jumping spider", (site.url(0),), language="en")
    limits = Limits(max_pages=pages)
    spec = CrawlSpec(topic=topic, strategy="best_first", judge="rocchio", limits=limits, live=live(port))
    return resolve(spec, folder)


def live(port: int) -> LiveSettings:
    return LiveSettings(delay=DELAY, allow_net=("127.0.0.0/8",), resolve=(f"*=127.0.0.1:{port}",), traps=False)


class Disasters(threading.Thread):
    """Does each deed as soon as the site has been asked so often."""

    def __init__(self, site: Site, deeds: list[tuple[int, Callable[[], object]]]) -> None:
        super().__init__(daemon=True)
        self._site, self._deeds, self.done = site, deeds, 0

    def run(self) -> None:
        for asked, deed in self._deeds:
            while len(self._site.asked) < asked:
                time.sleep(0.01)
            deed()
            self.done += 1


def kill(kind: str) -> None:
    """Kill the process of an actor, which Ray starts anew."""
    [name] = [name for name in ray.util.list_named_actors() if name.endswith(kind)]
    ray.kill(ray.get_actor(name), no_restart=False)


def test_a_crawl_that_loses_a_shard_its_coordinator_and_a_node_loses_no_page(cluster: Cluster, tmp_path: Path) -> None:
    site, folder = Site(pages=400, hosts=40, seconds=0.02), tmp_path / "crawl"
    node = cluster.add_node(num_cpus=1)
    with served(site) as port:
        disasters = Disasters(
            site,
            [
                (60, lambda: kill("shard 1")),
                (90, lambda: kill("coordinator")),
                (120, lambda: cluster.remove_node(node, allow_graceful=False)),
            ],
        )
        disasters.start()
        hunted = crawl_on_ray(order(folder, site, port), SHARDS, threading.Event(), lambda _: None)
        disasters.join()
    assert (hunted.pages, hunted.stopped, disasters.done) == (PAGES, StopReason.BUDGET, 3)
    with closing(CrawlFolder(folder)) as crawled:
        visits = list(crawled.visits())
        good = [visit for visit in visits if visit.outcome == Outcome.OK]
        steps = {visit.step for visit in visits}
        assert [visit.step for visit in visits] == list(range(len(visits)))
        assert all(visit.source_step < visit.step for visit in visits)
        assert all(visit.source_step in steps for visit in visits if visit.depth)
        assert {visit.title for visit in good} == {site.title(site.all_urls()[visit.final_url]) for visit in good}
    assert len({visit.final_url for visit in good}) == len(good) == PAGES
    pages = [asked for asked in site.asked if not asked.url.endswith("/robots.txt")]
    found = {visit.final_url for visit in good}
    assert found <= {asked.url for asked in pages}
    in_flight = 2 * live(0).concurrency // SHARDS
    again = sum(Counter(asked.url for asked in pages).values()) - len({asked.url for asked in pages})
    assert again <= 3 * in_flight, "what was in flight is asked for again, and nothing else"
    assert impolite(pages) == []


def impolite(pages: list[Asked]) -> list[tuple[str, float]]:
    """The hosts that were asked twice within the delay."""
    by_host: dict[str, list[float]] = {}
    for asked in pages:
        by_host.setdefault(host(asked.url), []).append(asked.at)
    gaps = [(name, later - sooner) for name, times in by_host.items() for sooner, later in pairwise(times)]
    return [(name, gap) for name, gap in gaps if gap < DELAY * 0.8]


def _pages_told(program: Program) -> float:
    """The pages that the metrics port tells of, for the token that was printed."""
    ((port, token),) = re.findall(r"127\.0\.0\.2:(\d+)/metrics with the token (\S+)\.", program.err)
    request = Request(f"http://127.0.0.2:{port}/metrics", headers={"Authorization": f"Bearer {token}"})
    with urlopen(request, timeout=60) as answer:
        return float(re.findall(r"salticid_pages_total{.*} (.*)", answer.read().decode())[0])


def test_a_crawl_of_shards_that_is_interrupted_goes_on_and_is_one_crawl_to_those_who_read_it(
    cluster: Cluster, tmp_path: Path
) -> None:
    site, folder = Site(pages=80, hosts=12, seconds=0.05), tmp_path / "crawl"
    with served(site) as port:
        options = (
            "--delay",
            0,
            "--resolve",
            f"*=127.0.0.1:{port}",
            "--allow-net",
            "127.0.0.0/8",
            "--out",
            folder,
        )
        ordered = ("crawl", site.write_topic(tmp_path / "t.toml"), *options)
        on_ray = (*ordered, "--ray", cluster.address, "--shards", 2)
        with Program(*on_ray, "--metrics-port", 0, "--bind", "127.0.0.2") as program:
            program.until(lambda: len(site.asked) > 30, "30 requests")
            assert program.until(lambda: _pages_told(program) > 0, "its numbers")
            site.seconds = 8.0  # so that it does not come to its end before it is interrupted
            assert "not gathered yet" in salticid("visits", folder).err
            program.send(signal.SIGINT)
            assert program.ends() == INTERRUPTED
            assert "Go on with: salticid crawl" in program.out
        site.seconds = 0.05
        kept = len(salticid("visits", folder).out.splitlines())
        asked = len(site.asked)
        assert 0 < kept < 80
        more = salticid(*on_ray, "--json")
        assert more.out, more.err
        assert json.loads(more.out)["pages"] == 80, more.err
        assert json.loads(more.out)["stopped"] == StopReason.FRONTIER_EMPTY
        assert len(site.asked) <= asked + 80 - kept + 2 * 12, "pages that were kept are not asked for again"
        assert "its web shards is 2" in salticid(*ordered).err, "it is not continued as another crawl"
        assert "max pages" in salticid(*on_ray, "--max-pages", 5).err
        assert "agents" in salticid(*on_ray, "--strategy", "infospiders").err
    assert site.title(7) in salticid("search", folder, site.words(7).split()[1]).out
    said = salticid("export", folder, "--to", "warc", "--out", tmp_path / "all.warc.gz")
    assert said.status == 0, said.err
    built = salticid("world", "build", tmp_path / "world", "--crawl", folder)
    assert built.status == 0, built.err
    assert '"pages":80' in salticid("world", "info", tmp_path / "world", "--json").out.replace(" ", "")


def slow_or_dead(work: Callable[..., Any], mark: str, *arguments: Any) -> Any:
    """The first try of a task kills its worker."""
    import os
    import signal

    if not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return work(*arguments)


class Deadly(Tasks):
    """Kills the first worker that takes a task."""

    def __init__(self, experiment: Experiment, mark: Path) -> None:
        super().__init__(experiment)
        self._mark = str(mark)

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Any:
        return super().submit(slow_or_dead, work, self._mark, *arguments)


@pytest.fixture(scope="module")
def race(tmp_path_factory: pytest.TempPathFactory) -> Experiment:
    folder = tmp_path_factory.mktemp("race")
    world, topics = folder / "world", folder / "topics"
    build_generated(world, WebEdition(800, seed=2))
    files = make_topics(world, topics, TopicPlan(task="examples", min_pages=15)).files
    for file in sorted(files)[2:]:
        file.unlink()
    return Experiment(str(world), str(topics), ("best_first", "breadth_first"), max_pages=30)


def test_a_race_on_a_cluster_ends_as_it_does_here_though_a_worker_dies(
    cluster: Cluster, tmp_path: Path, race: Experiment
) -> None:
    run_experiment(race, tmp_path / "here", 1, lambda *_: None)
    run_experiment(race, tmp_path / "there", 2, lambda *_: None, Deadly(race, tmp_path / "mark"))
    assert (tmp_path / "mark").exists()
    assert (tmp_path / "there/results.json").read_bytes() == (tmp_path / "here/results.json").read_bytes()
    typed = ("--strategy", "best_first", "--strategy", "breadth_first", "--max-pages", 30)
    where = ("--ray", cluster.address, "--out", tmp_path / "typed")
    said = salticid("compare", race.world, "--topics", race.topics, *typed, *where)
    assert said.status == 0, said.err
    assert (tmp_path / "typed/results.json").read_bytes() == (tmp_path / "here/results.json").read_bytes()


def test_what_evolves_on_a_cluster_is_what_evolves_here(cluster: Cluster, tmp_path: Path, race: Experiment) -> None:
    topic = race.topic_files()[0]
    small = ("--population", 4, "--generations", 1, "--crawl-length", 30, "--runs", 1)
    ordered = ("evolve", race.world, "--topic", topic, *small)
    for where in (
        ("--workers", 1, "--out", tmp_path / "a.toml"),
        ("--ray", cluster.address, "--out", tmp_path / "b.toml"),
    ):
        said = salticid(*ordered, *where)
        assert said.status == 0, said.err
    assert (tmp_path / "a.toml").read_bytes() == (tmp_path / "b.toml").read_bytes()


def test_a_folder_reaches_a_node_that_does_not_see_it(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "folder"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep/a.bin").write_bytes(bytes(range(256)) * 40_000)
    (folder / "b.txt").write_text("b")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    lent = lend(folder)
    assert lent.here() == folder
    away = replace(lent, folder=str(tmp_path / "not here")).here()
    assert away != folder
    assert {str(file.relative_to(away)): file.read_bytes() for file in away.rglob("*") if file.is_file()} == {
        name: (folder / name).read_bytes() for name, _, _ in lent.files
    }
