"""Runs an experiment: its crawls and its measures, side by side, none of them twice; then the results."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Iterable, Iterator
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
import numpy as np
from msgspec.structs import replace

from salticid.errors import UserError, shortened
from salticid.lab.crawl_record import CrawlRecord, crawl_once, key_of, recorded_web
from salticid.lab.experiment import Case, Experiment, address_of, cases, fingerprint
from salticid.lab.results import ResultCache, Results
from salticid.lab.topic_measures import (
    Crawls,
    KnownPages,
    PageRanks,
    TopicMeasures,
    gather,
    judged_world,
    measure_topic,
)
from salticid.metrics import metrics
from salticid.registry import refuse_files
from salticid.version import __version__

RESULTS, TIMINGS = "results.json", "timings.json"
_CRAWLS, _MEASURES = "crawls", "measures"
_AHEAD = 4
"""Tasks a worker has waiting for it."""

T = TypeVar("T", bound=msgspec.Struct)
Watch = Callable[[str, int, int], None]
"""Called with the progress of the work: what is being done, how much of it is done, of how much."""


def run_experiment(
    experiment: Experiment, out: Path | None, workers: int, watch: Watch, pool: Executor | None = None
) -> Results:
    """Make all crawls and measures that are not in `out` yet; write results.json and timings.json there.

    Without `out` nothing is written.

    `workers` tasks are under way at once, in processes of this machine or wherever `pool` has them done; one
    worker stays in this process.
    """
    records, topics = crawls_and_measures(experiment, out, workers, watch, pool)
    results = gather(experiment, topics, about(experiment))
    if out is None:
        return results
    (out / RESULTS).write_bytes(msgspec.json.format(msgspec.json.encode(results), indent=1))
    (out / TIMINGS).write_bytes(
        msgspec.json.format(msgspec.json.encode(timings(experiment, records, results)), indent=1)
    )
    return results


def crawls_and_measures(
    experiment: Experiment, out: Path | None, workers: int, watch: Watch, pool: Executor | None = None
) -> tuple[dict[Case, CrawlRecord], list[TopicMeasures]]:
    """All crawls of an experiment, and its topics measured one by one."""
    experiment.check()
    here = workers == 1 and pool is None
    if not here:
        experiment = replace(experiment, measures=tuple(map(address_of, experiment.measures)))
    digest = recorded_web(experiment.world).digest
    crawls = ResultCache(out and out / _CRAWLS, CrawlRecord)
    measures = ResultCache(out and out / _MEASURES, TopicMeasures)
    all_cases = list(cases(experiment))
    with nullcontext(pool) if pool or here else processes(workers) as at_work:
        crawl_records = _run_tasks(
            [Task(key_of(experiment, case, digest), crawl_once, (experiment, case)) for case in all_cases],
            crawls,
            at_work,
            workers,
            partial(watch, "crawling"),
        )
        records = dict(zip(all_cases, crawl_records, strict=True))
        ranks = pool_ranks(experiment, crawl_records)
        examples = known_pages(experiment)
        by_topic = ([each for each in records.items() if each[0].topic == key] for key in experiment.topic_keys())
        arguments = [(experiment, crawls_of_topic, examples, ranks) for crawls_of_topic in by_topic]
        topics = _run_tasks(
            [Task(measures_key(*each), measure_topic, each) for each in arguments],
            measures,
            at_work,
            workers,
            partial(watch, "measuring"),
        )
        return records, topics


def known_pages(experiment: Experiment) -> KnownPages:
    """By topic file the pages it is known by: its examples, else its seeds."""
    world = judged_world(experiment.world)
    topics = {key: experiment.topic(key) for key in experiment.topic_keys()}
    return {
        key: list(dict.fromkeys(world.pages_at(topic.examples or topic.seeds).tolist()))
        for key, topic in topics.items()
    }


def pool_ranks(experiment: Experiment, records: Iterable[CrawlRecord]) -> PageRanks:
    """The PageRank of all pages crawled, of all topics, by the links among them."""
    each = (np.array(record.pages, np.int32) for record in records)
    pages = np.unique(np.concatenate([np.zeros(0, np.int32), *each]))
    return pages, judged_world(experiment.world).pagerank(pages)


def measures_key(experiment: Experiment, crawls: Crawls, examples: KnownPages, page_ranks: PageRanks) -> str:
    """A name for the measures of a topic that is the same exactly when all that decides them is the same."""
    pages, ranks = page_ranks
    topic, truth = experiment.topic(crawls[0][0].topic), experiment.truth(crawls[0][0].topic)
    request = (
        __version__,
        recorded_web(experiment.world).digest,
        asdict(topic),
        replace(experiment, given=None, measures=tuple(map(fingerprint, experiment.measures or metrics.names()))),
        [(case, record.pages, record.scores, record.failed) for case, record in crawls],
    )
    digest = hashlib.blake2b(digest_size=16)
    for part in (
        msgspec.json.encode(request),
        msgspec.json.encode(examples),
        repr(truth).encode(),
        pages.tobytes(),
        ranks.tobytes(),
    ):
        digest.update(part)
    return digest.hexdigest()


def about(experiment: Experiment) -> dict[str, Any]:
    """What has to be the same for the same results to come out."""
    web = recorded_web(experiment.world)
    return {
        "salticid": __version__,
        "python": platform.python_version(),
        "libraries": {name: version(name) for name in ("numpy", "scipy")},
        "world": {"digest": web.digest, "pages": web.pages, "from": web.arrays.manifest.built_from},
        "strategies": {spec: _with_own_judge(experiment, spec) for spec in experiment.strategies},
        "judge": experiment.judge_description(),
        "max_pages": experiment.max_pages,
        "max_buffer": experiment.max_buffer,
        "arrivals": experiment.arrivals,
        "repeats": experiment.repeats,
        "seed": experiment.seed,
        "topics": len(experiment.topic_keys()),
    }


def _with_own_judge(experiment: Experiment, spec: str) -> dict[str, Any]:
    """A strategy with all its settings, and with its judge if that is another than the others'."""
    judge = experiment.judge_description(spec)
    own = {} if judge == experiment.judge_description() else {"judge": judge}
    return experiment.description(spec) | own


def timings(experiment: Experiment, records: dict[Case, CrawlRecord], results: Results) -> dict[str, Any]:
    """What the crawls cost, and what that bought; apart from the results, for it is never the same twice."""
    costs: dict[str, list[float]] = {}
    seconds: dict[str, float] = {}
    for case, record in records.items():
        if record.pages and not case.half and case.max_buffer == experiment.max_buffer:
            costs.setdefault(case.strategy, []).append(1000 * record.cpu / len(record.pages))
            seconds[case.strategy] = seconds.get(case.strategy, 0.0) + record.cpu
    figures: dict[str, Any] = {}
    for name, each in costs.items():
        figures[name] = {"cpu_ms_per_page": {"mean": sum(each) / len(each), "n": len(each)}}
        if "target_recall" in results.measures:
            targets = sum(
                (topic.values.get(name, {}).get("target_recall") or 0.0) * topic.targets for topic in results.topics
            )
            figures[name]["targets_per_cpu_second"] = {
                "mean": targets / (seconds[name] / len(each) * len(results.topics)),
                "n": len(each),
            }
    return {"strategies": figures}


@contextmanager
def processes(workers: int) -> Iterator[Executor]:
    """Processes that are gone when this ends, however it ends."""
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"))
    try:
        yield pool
    except BaseException:  # told at once: what is under way may take its time
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()


class Task(NamedTuple, Generic[T]):
    """Something to be done once: the name under which it is kept, and the call that does it."""

    key: str
    work: Callable[..., T]
    arguments: tuple[Any, ...]


def _run_tasks(
    tasks: list[Task[T]],
    cache: ResultCache[T],
    pool: Executor | None,
    workers: int,
    watch: Callable[[int, int], None],
) -> list[T]:
    """The results of tasks in their order; each is kept as soon as it is there."""
    results = [cache.find(task.key) for task in tasks]
    todo = [number for number, result in enumerate(results) if result is None]
    before = len(tasks) - len(todo)
    watch(before, len(tasks))
    for count, (number, result) in enumerate(_results(tasks, todo, pool, workers), start=before + 1):
        results[number] = result
        cache.keep(tasks[number].key, result)
        watch(count, len(tasks))
    return [each for each in results if each is not None]


def _results(tasks: list[Task[T]], todo: list[int], pool: Executor | None, workers: int) -> Iterator[tuple[int, T]]:
    """The results of some tasks as they come, few of them under way at once; without a pool, made here."""
    if pool is None:
        yield from ((number, tasks[number].work(*tasks[number].arguments)) for number in todo)
        return
    waiting = iter(todo)
    under_way: dict[Future[T], int] = {}
    while True:
        for number in islice(waiting, workers * _AHEAD - len(under_way)):
            under_way[pool.submit(tasks[number].work, *tasks[number].arguments)] = number
        if not under_way:
            return
        for future in wait(under_way, return_when=FIRST_COMPLETED).done:
            yield under_way.pop(future), future.result()


# Experiments and leagues as TOML files.

Plan = TypeVar("Plan", bound=msgspec.Struct)


def read_plan(file: Path, form: type[Plan]) -> Plan:
    """What a file plans, which people call by the name of its form; paths are as seen from where the program runs."""
    name = form.__name__.lower()
    try:
        plan = msgspec.toml.decode(file.read_bytes(), type=form)
    except OSError as error:
        raise UserError(f"cannot read {name} {file}: {error.strerror}") from None
    except (msgspec.ValidationError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{file} is no {name}: {error}") from None
    _refuse_code(file, plan)
    return plan


def _refuse_code(file: Path, plan: msgspec.Struct) -> None:
    """UserError if a plan names code, or holds what only a program can hand over; it may name strategy files."""
    told = msgspec.structs.asdict(plan)
    if told.get("given") is not None:
        raise UserError(f"{file}: only a Python program can hand over instances; leave out given")
    for spec in told["strategies"]:
        refuse_files(file, "strategy", spec.removesuffix(".toml"))
    refuse_files(file, "judge", told["judge"] or "")
    for measure in told.get("measures", ()):
        if not isinstance(measure, str) or ":" in measure:
            raise UserError(
                f"{file} names the measure {shortened(str(measure))!r}; a file cannot run code. Name a built-in or "
                "installed measure in it, or name your own on the command line, as in --measures FILE.py:FUNCTION"
            )
