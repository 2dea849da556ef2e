"""A hunt from Python: the crawl of the command line, with the same visits; and comparisons of strategies."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

from salticid.api.progress import HuntProgress, PlainWork
from salticid.api.showing import hunt_as_html, league_as_html, to_pandas
from salticid.api.topics import TopicFile, crawlers_half, load_topic
from salticid.errors import UserError, unknown
from salticid.judges import judges
from salticid.lab import Experiment, Instances, Results, run_experiment
from salticid.lab.report import write_report
from salticid.metrics import Metric
from salticid.model import StopReason
from salticid.protocols import Judge, Strategy
from salticid.registry import Registry, settings_of
from salticid.runs import (
    DEFAULT_STRATEGY,
    LIVE,
    WHY,
    LiveSettings,
    Order,
    Result,
    check_folder,
    keywords,
    own,
    resolve,
    run,
    run_async,
    spec_of,
)
from salticid.store import IN_MEMORY, CrawlFolder, StoredVisit
from salticid.strategies import strategies
from salticid.topic import Limits, Topic
from salticid.webs import RecordedWeb
from salticid.worlds import backlinks_from


class HuntOptions(TypedDict, total=False):
    """The options of a hunt: the fields of `CrawlSpec`, each with its meaning and its default there.

    Where a field is seconds or bytes, text as on the command line will do: "10m", "2GB".
    """

    out: str | Path | None
    """The folder in which the crawl is kept; one that is there goes on."""
    progress: bool | None
    """Whether progress is shown; by default only in a terminal and in a notebook."""
    stop_when: str
    max_time: float | str
    no_warc: bool
    no_pdf: bool
    no_traps: bool
    strategy_settings: Mapping[str, Any]
    judge: str | Judge | None
    judge_settings: Mapping[str, Any]
    backlinks: str | Path | None
    known: Sequence[str | Path]
    known_for: float | str
    arrivals: str
    ask: str | None
    ask_model: str
    ask_budget: int
    as_given: bool
    seed: int
    max_pages: int
    max_fetches: int | None
    max_buffer: int | str | None
    max_seconds: float | str | None
    min_harvest: float | None
    min_remaining: float | None
    language: str | Sequence[str] | None
    include: Sequence[str]
    exclude: Sequence[str]
    same_site: bool
    max_depth: int | None
    concurrency: int
    delay: float
    timeout: float
    per_address: int
    sitemaps: bool
    feeds: bool
    user_agent: str
    patience: float | str
    host_share: float
    max_bytes: int
    max_disk: int | str | None
    warc: bool
    pdf: bool
    render: Literal["auto", "never"]
    traps: bool
    proxy: str | None
    allow_net: Sequence[str]
    resolve: Sequence[str]
    dns: str | None
    header: Sequence[str]
    cookies: Sequence[str] | str | Path
    workers: int


@dataclass(frozen=True, slots=True, repr=False)
class Hunt:
    """What came of a hunt. `stopped` says why it ended; `pages` counts good pages, `fetches` attempts of any outcome.

    `folder` is where it is kept, None if nowhere.
    """

    topic: Topic
    strategy: str
    pages: int
    fetches: int
    stopped: str
    seconds: float
    folder: Path | None
    _result: Result

    def visits(self) -> list[StoredVisit]:
        """Every visit, in order, with all that is known of it."""
        with self._open() as crawl:
            return list(crawl.visits())

    def rows(self) -> list[dict[str, Any]]:
        """Every visit, in order: the fields of `salticid visits --json`."""
        return [visit.listing() for visit in self.visits()]

    def best(self, count: int = 10) -> list[StoredVisit]:
        """The good pages the judge liked best."""
        with self._open() as crawl:
            return crawl.best(count)

    def outcomes(self) -> dict[str, int]:
        """How many visits had which outcome."""
        with self._open() as crawl:
            return crawl.outcomes()

    def digest(self) -> str:
        """Equal for equal hunts; the same as `salticid visits --digest`."""
        with self._open() as crawl:
            return crawl.digest()

    def to_pandas(self) -> Any:
        """The rows as a data frame; a UserError where pandas is not installed."""
        return to_pandas(self.rows())

    def _open(self) -> closing[CrawlFolder]:
        return closing(CrawlFolder(self.folder or IN_MEMORY, self._result.in_memory))

    def __repr__(self) -> str:
        why = WHY[StopReason(self.stopped)]
        return f"<Hunt for {self.topic.name!r} by {self.strategy}: {self.pages} pages; {why}>"

    def _repr_html_(self) -> str:
        return hunt_as_html(repr(self)[1:-1], self.visits(), self.best())


def hunt(
    topic: Topic | TopicFile | str | Path,
    web: RecordedWeb | str | Path = LIVE,
    strategy: str | Strategy = DEFAULT_STRATEGY,
    **options: Unpack[HuntOptions],
) -> Hunt:
    """Hunt for the pages of a topic, on the live web or in a recorded world.

    Strategy and judge are given by name, as NAME:KEY=VALUE, as FILE.toml, as FILE.py:Class, or as an instance.
    With `out` the crawl is kept in that folder, and one that is there goes on; without, nothing is written.
    The options are those of the command line (`HuntOptions`); those of the live web say how it is asked.

    Ctrl-C, or a notebook's stop button, ends the hunt cleanly: what was found until then is returned. It works in
    a running event loop, too, and keeps that waiting; `hunt_async` does not.
    """
    order, progress = _order(topic, web, strategy, {**options})
    return _hunt_of(order, _interruptible(order, progress))


async def hunt_async(
    topic: Topic | TopicFile | str | Path,
    web: RecordedWeb | str | Path = LIVE,
    strategy: str | Strategy = DEFAULT_STRATEGY,
    **options: Unpack[HuntOptions],
) -> Hunt:
    """`hunt`, on the event loop that is running; if its task is cancelled, what was found until then is lost or kept
    as after a kill."""
    order, progress = _order(topic, web, strategy, {**options})
    with progress:
        return _hunt_of(order, await run_async(order, progress))


def _order(
    topic: Topic | TopicFile | str | Path,
    web: RecordedWeb | str | Path,
    strategy: str | Strategy,
    options: dict[str, Any],
) -> tuple[Order, HuntProgress]:
    """What is ordered, and who shows how far it is."""
    show, out, judge = (options.pop(name, None) for name in ("progress", "out", "judge"))
    names: dict[str, str] = {}
    made: dict[str, Any] = {}
    kinds: tuple[tuple[Registry[Any], Any], ...] = ((strategies, strategy), (judges, judge))
    for registry, given in kinds:
        if given is None or isinstance(given, str):
            names |= {} if given is None else {registry.kind: given}
        else:
            names[registry.kind], made[registry.kind] = own(given, registry)
    if web != LIVE:
        for name in options:
            if name in keywords() and keywords()[name].home is LiveSettings:
                raise UserError(f"the option {name!r} is for the live web; leave it out in a recorded world")
    opened = web if isinstance(web, RecordedWeb) else None
    place = str(web.folder if isinstance(web, RecordedWeb) else web)
    spec = spec_of(crawlers_half(topic), {**options, **names, "web": place})
    folder = IN_MEMORY if out is None else check_folder(Path(out))
    order = resolve(spec, folder, web=opened, backlinks_from=backlinks_from, files=True, **made)
    return order, HuntProgress(folder, show)


def _interruptible(order: Order, progress: HuntProgress) -> Result:
    """Crawl here, or beside the event loop that runs here already; the first Ctrl-C ends it cleanly."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        progress.hear_signals()
        with progress:
            return run(order, progress)
    with progress, ThreadPoolExecutor(1) as beside:
        work = beside.submit(run, order, progress)
        try:
            return work.result()
        except KeyboardInterrupt:
            progress.end()
            return work.result()


def _hunt_of(order: Order, result: Result) -> Hunt:
    folder = None if order.folder == IN_MEMORY else order.folder
    return Hunt(
        order.topic,
        order.spec.strategy,
        result.pages,
        result.fetches,
        result.stopped.value,
        result.seconds,
        folder,
        result,
    )


_USUAL = Limits()
_OPTIONS = ("max_buffer", "arrivals", "repeats", "robustness", "sweep")


@dataclass(frozen=True, slots=True, repr=False)
class Race:
    """What came of a race. `results` holds all of it: values by topic, tests, curves."""

    results: Results

    @property
    def means(self) -> dict[str, dict[str, float | None]]:
        """By strategy and measure the mean over the topics; None where it could not be worked out."""
        return {
            strategy: {measure: score.mean for measure, score in scores.items()}
            for strategy, scores in self.results.strategies.items()
        }

    def to_pandas(self) -> Any:
        """A data frame, a row a strategy and topic, a column a measure; a UserError where pandas is not installed."""
        return to_pandas(
            [
                {"strategy": strategy, "topic": topic.name, **values}
                for topic in self.results.topics
                for strategy, values in topic.values.items()
            ]
        )

    def report(self, path: str | Path) -> Path:
        """Write the report, one HTML file that needs nothing else; its path."""
        write_report(self.results, Path(path))
        return Path(path)

    def __repr__(self) -> str:
        names = ", ".join(self.results.strategies)
        return f"<Race of {names} over {len(self.results.topics)} topics>"

    def _repr_html_(self) -> str:
        return league_as_html(self.means)


def compare(
    world: RecordedWeb | str | Path,
    topics: str | Path | Sequence[Topic | TopicFile | str | Path],
    strategies: Sequence[str | Strategy],
    max_pages: int = _USUAL.max_pages,
    measures: Sequence[str | Metric] | None = None,
    workers: int = 1,
    judge: str | Judge | None = None,
    seed: int = 0,
    out: str | Path | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Race:
    """Race strategies over topics of a recorded world, under equal budgets, judged by what they never see.

    Topics are a folder, or a list of topic files, of what `load_topic` gave, or of topics made by hand, which have no
    truth: measures that need it are None for them. Strategies and the judge are given as for `hunt`; an instance is
    named by its class. Measures are names or functions, all there are by default. With `out` what is done is kept
    there, and not done twice; without, nothing is written. One worker stays in this process. Further options are those
    of the command line: `max_buffer`, `arrivals`, `repeats`, `robustness`, `sweep`.
    """
    if workers < 1:
        raise UserError(f"workers is {workers}; give at least 1")
    if isinstance(measures, str):
        raise UserError(f"measures are a list, as in [{measures!r}]")
    for name in options:
        if name not in _OPTIONS:
            raise unknown("option", name, _OPTIONS)
    by_name = _by_name(strategies)
    instances = {name: each for name, each in by_name.items() if not isinstance(each, str)}
    objects = Instances(_topics(topics), instances, judge if judge is not None and not isinstance(judge, str) else None)
    if workers > 1:
        _check_travel([*instances.values(), *([objects.judge] if objects.judge is not None else [])])
    experiment = Experiment(
        world=str(world.folder if isinstance(world, RecordedWeb) else world),
        topics="",
        strategies=tuple(by_name),
        max_pages=max_pages,
        judge=judge if judge is None or isinstance(judge, str) else type(judge).__name__,
        seed=seed,
        measures=tuple(measures or ()),
        given=objects,
        **options,
    )
    with PlainWork("comparing", 0, progress) as work:
        return Race(run_experiment(experiment, None if out is None else Path(out), workers, work.part))


def _topics(topics: str | Path | Sequence[Topic | TopicFile | str | Path]) -> dict[str, Topic | None]:
    """By file, or by name, what a program may hand over of each topic."""
    if isinstance(topics, str | Path):
        folder = Path(topics)
        topics = sorted(folder.glob("*.toml")) if folder.is_dir() else [folder]
        if not topics:
            raise UserError(f"{folder} holds no topic files; make some with: salticid world topics")
    if not topics:
        raise UserError("no topics; give a folder of topic files, or a list of topics")
    keys: dict[str, Topic | None] = {}
    for each in topics:
        if isinstance(each, Topic):
            key, topic = each.name, each
        else:
            file = each.path if isinstance(each, TopicFile) else load_topic(each).path
            key, topic = str(file), None
        if key in keys:
            raise UserError(f"the topic {key} is given twice; give each once, under a name of its own")
        keys[key] = topic
    return keys


def _by_name(strategies: Sequence[str | Strategy]) -> dict[str, str | Strategy]:
    """The strategies by name: as written, or by the class; with its settings where a class races against itself."""
    if isinstance(strategies, str):
        raise UserError(f"strategies are a list, as in [{strategies!r}]")
    kinds = [type(each).__name__ for each in strategies if not isinstance(each, str)]
    by_name: dict[str, str | Strategy] = {}
    for each in strategies:
        name = each if isinstance(each, str) else type(each).__name__
        if not isinstance(each, str) and kinds.count(name) > 1:
            name = f"{name}:{','.join(f'{key}={value}' for key, value in settings_of(each).items())}"
        if name in by_name:
            raise UserError(f"{name} is given twice; give each strategy once, or with other settings")
        by_name[name] = each
    return by_name


def _check_travel(instances: Sequence[object]) -> None:
    """Classes that other processes cannot import would only be missed there."""
    for each in instances:
        if type(each).__module__ == "__main__":
            name = type(each).__name__
            raise UserError(
                f"{name} cannot be imported by other processes; put it into a file of its own, or race with workers=1"
            )
