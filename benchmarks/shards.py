"""What sharding costs: targets found against one crawl, what travels, what dealing costs; races on two workers."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np

from benchmarks._shard_rehearsal import Rehearsal
from benchmarks.material import CACHE
from benchmarks.report import figure, say
from salticid.cluster.actors import engine
from salticid.cluster.lab_tasks import Tasks
from salticid.cluster.shard import ASKED_FOR, ShardReport, allowances, batch, leases
from salticid.judges import judges
from salticid.lab.compare import run_experiment
from salticid.lab.experiment import Experiment, topic_of, truth_of
from salticid.lab.reproduce.reproduction import generated_ground
from salticid.model import Visit
from salticid.runs.order import Recipe
from salticid.runs.recorded import MemoryLog, RecordedCrawl
from salticid.strategies import strategies
from salticid.topic import Limits
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.topics import TopicPlan

PAGES, EVERY = 500, 5
STRATEGIES = (("best_first", "profile"), ("anchor", "profile"), ("hunter", "profile"))
SHARDS = (4, 16, 100)
RACED = 40
ROUNDS = 20


def run() -> None:
    """Rehearsals on the generated web, then the same race by one worker and by two."""
    out = CACHE / "shards"
    ground = generated_ground(out, 20_000, lambda *_: None)
    folder = ground.topics(out, TopicPlan(task="neighbours"))
    files = sorted(folder.glob("*.toml"))
    web = RecordedWeb(ground.world)
    for strategy, judge in STRATEGIES:
        say(f"  {strategy}, {len(files[::EVERY])} topics, {PAGES} pages:")
        alone = [_area(_alone(strategy, judge, file, web), file, web) for file in files[::EVERY]]
        for shards in SHARDS:
            _rehearsed(strategy, judge, files[::EVERY], web, shards, alone)
    for shards in SHARDS:
        _dealt(shards)
    _raced(ground.world, folder)


def _dealt(shards: int) -> None:
    """What the coordinator works out in a round, messages apart."""
    scores = np.random.default_rng(0).random((shards, ASKED_FOR))
    reports = {number: ShardReport(100, 90, own.tolist(), 1000) for number, own in enumerate(scores)}
    began = time.process_time()
    for _ in range(ROUNDS):
        dealt = leases(reports, 10**9, batch(10**6, shards))
        allowances(reports, dealt, Limits(max_pages=10**9))
    figure(f"{shards} shards: leases of a round", 1000 * (time.process_time() - began) / ROUNDS, "ms")


def _rehearsed(strategy: str, judge: str, files: list[Path], web: RecordedWeb, shards: int, alone: list[float]) -> None:
    made = [Rehearsal(topic_of(str(file)), web, _recipe(strategy, judge), shards) for file in files]
    areas = [_area(each.run(), file, web) for each, file in zip(made, files, strict=True)]
    share = 100 * sum(areas) / sum(alone)
    figure(f"{shards} shards: share of the oracle, one crawl = 100", share, "%", 90 if shards == 4 else None)
    pages = PAGES * len(files)
    post = [glimpse for each in made for glimpse in each.post]
    figure("  glimpses a page", len(post) / pages, "")
    figure("  links in them a page", sum(len(glimpse.links) for glimpse in post) / pages, "")
    figure("  bytes a page, as JSON", sum(len(msgspec.json.encode(glimpse)) for glimpse in post) / pages, "B")


def _recipe(strategy: str, judge: str) -> Callable[[], Recipe]:
    return lambda: Recipe(strategies.make(strategy), judges.make(judge), Limits(max_pages=PAGES))


def _alone(strategy: str, judge: str, file: Path, web: RecordedWeb) -> list[Visit]:
    log = MemoryLog()
    RecordedCrawl(topic_of(str(file)), web, _recipe(strategy, judge)(), log).run()
    return log.visits


def _area(visits: list[Visit], file: Path, web: RecordedWeb) -> float:
    """The area under the curve of targets found; the oracle's is the same for all."""
    targets = {web.urls.find(url) for url in truth_of(str(file)).targets}
    found = [visit.final in targets for visit in visits if visit.good]
    return float(np.cumsum(found).sum())


def _raced(world: Path, topics: Path) -> None:
    seconds = {}
    with tempfile.TemporaryDirectory() as scratch:
        some = Path(scratch) / "topics"
        some.mkdir()
        for file in sorted(topics.glob("*.toml"))[:RACED]:
            (some / file.name).write_bytes(file.read_bytes())
        race = Experiment(str(world), str(some), ("best_first", "shark_search", "anchor"), PAGES)
        for workers in (1, 2):
            with engine("local", workers):
                tasks = Tasks(race)
                warm = Experiment(str(world), str(some), ("breadth_first",), 10)
                run_experiment(warm, Path(scratch) / f"warm-{workers}", workers, lambda *_: None, tasks)
                begin = time.perf_counter()
                run_experiment(race, Path(scratch) / f"race-{workers}", workers, lambda *_: None, tasks)
                seconds[workers] = time.perf_counter() - begin
        same = [(Path(scratch) / f"race-{workers}" / "results.json").read_bytes() for workers in (1, 2)]
        assert same[0] == same[1], "one worker and two must give the same results"
    figure("a race by one worker of Ray", seconds[1], "s")
    figure("by two: times as fast", seconds[1] / seconds[2], "x", 1.7)
