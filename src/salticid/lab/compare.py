"""Runs an experiment: its crawls and its measures, side by side, none of them twice; then the results."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import asdict
from importlib.metadata import version
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from salticid import __version__
from salticid.errors import UserError
from salticid.lab.assess import Assessed, Crawls, assess
from salticid.lab.crawling import CrawlRecord, crawl_once, opened
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
from salticid.lab.gather import gather
from salticid.lab.linkage import Ranked, pool_ranks
from salticid.lab.material import pages_at
from salticid.lab.results import Results

RESULTS, TIMINGS = "results.json", "timings.json"
_CRAWLS, _MEASURES = "crawls", "measures"
_AHEAD = 4
"""Tasks a worker has waiting for it."""

T = TypeVar("T")
Watch = Callable[[str, int, int], None]
"""Told of progress: what is being done, how much of it is done, of how much."""


def compare(experiment: Experiment, out: Path, workers: int, watch: Watch) -> Results:
    """Make all crawls and measures that are not in `out` yet; write results.json and timings.json there."""
    records, topics = measured(experiment, out, workers, watch)
    results = gather(experiment, topics, about(experiment))
    (out / RESULTS).write_bytes(msgspec.json.format(msgspec.json.encode(results), indent=1))
    (out / TIMINGS).write_bytes(
        msgspec.json.format(msgspec.json.encode(timings(experiment, records, results)), indent=1)
    )
    return results


def measured(
    experiment: Experiment, out: Path, workers: int, watch: Watch
) -> tuple[dict[Case, CrawlRecord], list[Assessed]]:
    """All crawls of an experiment, and its topics measured one by one."""
    experiment.check()
    opened(experiment.world)
    try:
        for folder in (_CRAWLS, _MEASURES):
            (out / folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot write to {out}: {error.strerror}; name another folder with --out") from None
    wanted = list(cases(experiment))
    with _pool(workers) as pool:

        def run(what: str, tasks: list[tuple[Callable[..., T], tuple[Any, ...]]]) -> list[T]:
            made: dict[int, T] = {}
            for done, (number, result) in enumerate(_run(pool, workers, tasks), start=1):
                made[number] = result
                watch(what, done, len(tasks))
            return [made[number] for number in range(len(tasks))]

        crawled = run("crawling", [(crawl_once, (experiment, case, out / _CRAWLS)) for case in wanted])
        records = dict(zip(wanted, crawled, strict=True))
        ranked = pool_ranks(experiment.world, (record.pages for record in crawled))
        known = known_pages(experiment)
        by_topic = [_of_topic(records, str(file)) for file in experiment.topic_files()]
        parts = [(assess_once, (experiment, crawls, known, ranked, out / _MEASURES)) for crawls in by_topic]
        return records, run("measuring", parts)


def known_pages(experiment: Experiment) -> dict[str, list[int]]:
    """By topic file the pages it is known by: its examples, else its seeds."""
    web = opened(experiment.world)
    told = {str(file): topic_of(str(file)) for file in experiment.topic_files()}
    return {
        file: list(dict.fromkeys(pages_at(web, topic.examples or topic.seeds).tolist()))
        for file, topic in told.items()
    }


def assess_once(
    experiment: Experiment, crawls: Crawls, known: dict[str, list[int]], ranked: Ranked, folder: Path
) -> Assessed:
    """The measures of a topic: from the folder if they were worked out before, else now."""
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
    file = folder / f"{digest.hexdigest()}.json"
    if file.is_file():
        return msgspec.json.decode(file.read_bytes(), type=Assessed)
    assessed = assess(experiment, crawls, known, ranked)
    partial = file.with_suffix(".partial")
    partial.write_bytes(msgspec.json.encode(assessed))
    partial.rename(file)
    return assessed


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
def _pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that are gone when this ends, however it ends."""
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"))
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _run(
    pool: ProcessPoolExecutor, workers: int, tasks: list[tuple[Callable[..., T], tuple[Any, ...]]]
) -> Iterator[tuple[int, T]]:
    """The results of tasks as they come, each with its number; few are under way at once."""
    todo: Iterable[tuple[int, tuple[Callable[..., T], tuple[Any, ...]]]] = iter(enumerate(tasks))
    under_way: dict[Future[T], int] = {}
    while True:
        for number, (work, arguments) in islice(todo, workers * _AHEAD - len(under_way)):
            under_way[pool.submit(work, *arguments)] = number
        if not under_way:
            return
        for future in wait(under_way, return_when=FIRST_COMPLETED).done:
            yield under_way.pop(future), future.result()
