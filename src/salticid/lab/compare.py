"""Runs an experiment: its crawls and its measures, side by side, none of them twice; then the results."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from functools import partial
from importlib.metadata import version
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from salticid.lab.assess import Assessed, Crawls, assess
from salticid.lab.crawl_record import CrawlRecord, crawl_once, key_of, opened
from salticid.lab.experiment import (
    Case,
    Experiment,
    cases,
    described,
    make_judge,
    make_strategy,
    topic_of,
    truth_of,
)
from salticid.lab.league import gather
from salticid.lab.linkage import Ranked, pool_ranks
from salticid.lab.material import pages_at
from salticid.lab.result_cache import Kept
from salticid.lab.results import Results
from salticid.version import __version__

RESULTS, TIMINGS = "results.json", "timings.json"
_CRAWLS, _MEASURES = "crawls", "measures"
_AHEAD = 4
"""Tasks a worker has waiting for it."""

T = TypeVar("T", bound=msgspec.Struct)
Watch = Callable[[str, int, int], None]
"""Told of progress: what is being done, how much of it is done, of how much."""


def compare(
    experiment: Experiment, out: Path, workers: int, watch: Watch, pool: Executor | None = None
) -> Results:
    """Make all crawls and measures that are not in `out` yet; write results.json and timings.json there.

    `workers` tasks are under way at once, in processes of this machine or wherever `pool` has them done.
    """
    records, topics = measured(experiment, out, workers, watch, pool)
    results = gather(experiment, topics, about(experiment))
    (out / RESULTS).write_bytes(msgspec.json.format(msgspec.json.encode(results), indent=1))
    (out / TIMINGS).write_bytes(
        msgspec.json.format(msgspec.json.encode(timings(experiment, records, results)), indent=1)
    )
    return results


def measured(
    experiment: Experiment, out: Path, workers: int, watch: Watch, pool: Executor | None = None
) -> tuple[dict[Case, CrawlRecord], list[Assessed]]:
    """All crawls of an experiment, and its topics measured one by one."""
    experiment.check()
    digest = opened(experiment.world).digest
    crawls, measures = Kept(out / _CRAWLS, CrawlRecord), Kept(out / _MEASURES, Assessed)
    wanted = list(cases(experiment))
    with nullcontext(pool) if pool is not None else _processes(workers) as at_work:
        crawled = _done(
            [Task(key_of(experiment, case, digest), crawl_once, (experiment, case)) for case in wanted],
            crawls,
            at_work,
            workers,
            partial(watch, "crawling"),
        )
        records = dict(zip(wanted, crawled, strict=True))
        ranked = pool_ranks(experiment.world, (record.pages for record in crawled))
        known = known_pages(experiment)
        by_topic = [_of_topic(records, str(file)) for file in experiment.topic_files()]
        topics = _done(
            [
                Task(
                    measures_key(experiment, of_topic, known, ranked),
                    assess,
                    (experiment, of_topic, known, ranked),
                )
                for of_topic in by_topic
            ],
            measures,
            at_work,
            workers,
            partial(watch, "measuring"),
        )
        return records, topics


def known_pages(experiment: Experiment) -> dict[str, list[int]]:
    """By topic file the pages it is known by: its examples, else its seeds."""
    web = opened(experiment.world)
    told = {str(file): topic_of(str(file)) for file in experiment.topic_files()}
    return {
        file: list(dict.fromkeys(pages_at(web, topic.examples or topic.seeds).tolist()))
        for file, topic in told.items()
    }


def measures_key(experiment: Experiment, crawls: Crawls, known: dict[str, list[int]], ranked: Ranked) -> str:
    """A name for the measures of a topic that is the same exactly when all that decides them is the same."""
    pages, ranks = ranked
    topic, truth = topic_of(crawls[0][0].topic), truth_of(crawls[0][0].topic)
    asked = (
        __version__,
        opened(experiment.world).digest,
        asdict(topic),
        experiment,
        [(case, record.pages, record.scores, record.failed) for case, record in crawls],
    )
    digest = hashlib.blake2b(digest_size=16)
    for part in (
        msgspec.json.encode(asked),
        msgspec.json.encode(known),
        repr(truth).encode(),
        pages.tobytes(),
        ranks.tobytes(),
    ):
        digest.update(part)
    return digest.hexdigest()


def about(experiment: Experiment) -> dict[str, Any]:
    """What has to be the same for the same results to come out."""
    web = opened(experiment.world)
    return {
        "salticid": __version__,
        "python": platform.python_version(),
        "libraries": {name: version(name) for name in ("numpy", "scipy")},
        "world": {"digest": web.digest, "pages": web.pages, "from": web.arrays.manifest.built_from},
        "strategies": {spec: described(spec, make_strategy(spec)) for spec in experiment.strategies},
        "judge": described(experiment.judge, make_judge(experiment.judge)),
        "max_pages": experiment.max_pages,
        "max_buffer": experiment.max_buffer,
        "arrivals": experiment.arrivals,
        "repeats": experiment.repeats,
        "seed": experiment.seed,
        "topics": len(experiment.topic_files()),
    }


def timings(asked: Experiment, records: dict[Case, CrawlRecord], results: Results) -> dict[str, Any]:
    """What the crawls cost, and what that bought; apart from the results, for it is never the same twice."""
    costs: dict[str, list[float]] = {}
    spent: dict[str, float] = {}
    for case, record in records.items():
        if record.pages and not case.half and case.max_buffer == asked.max_buffer:
            costs.setdefault(case.strategy, []).append(1000 * record.cpu / len(record.pages))
            spent[case.strategy] = spent.get(case.strategy, 0.0) + record.cpu
    made: dict[str, Any] = {}
    for name, each in costs.items():
        found = sum(
            (topic.values.get(name, {}).get("target_recall") or 0.0) * topic.targets
            for topic in results.topics
        )
        made[name] = {
            "cpu_ms_per_page": {"mean": sum(each) / len(each), "n": len(each)},
            "targets_per_cpu_second": {
                "mean": found / (spent[name] / len(each) * len(results.topics)),
                "n": len(each),
            },
        }
    return {"strategies": made}


def _of_topic(records: dict[Case, CrawlRecord], topic: str) -> list[tuple[Case, CrawlRecord]]:
    return [(case, record) for case, record in records.items() if case.topic == topic]


@contextmanager
def _processes(workers: int) -> Iterator[Executor]:
    """Processes that are gone when this ends, however it ends."""
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"))
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


class Task(NamedTuple, Generic[T]):
    """Something to be done once: the name under which it is kept, and the call that does it."""

    key: str
    work: Callable[..., T]
    arguments: tuple[Any, ...]


def _done(
    tasks: list[Task[T]], kept: Kept[T], pool: Executor, workers: int, watch: Callable[[int, int], None]
) -> list[T]:
    """The results of tasks in their order; few are under way at once, and each is kept as soon as it is there."""
    made = [kept.find(task.key) for task in tasks]
    todo = iter([number for number, found in enumerate(made) if found is None])
    under_way: dict[Future[T], int] = {}
    while True:
        for number in islice(todo, workers * _AHEAD - len(under_way)):
            under_way[pool.submit(tasks[number].work, *tasks[number].arguments)] = number
        watch(sum(each is not None for each in made), len(tasks))
        if not under_way:
            return [each for each in made if each is not None]
        for future in wait(under_way, return_when=FIRST_COMPLETED).done:
            number = under_way.pop(future)
            made[number] = future.result()
            kept.keep(tasks[number].key, future.result())
