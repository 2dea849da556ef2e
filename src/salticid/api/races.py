"""A race of strategies from Python: the comparison of the command line, with the same results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from salticid.api.progress import PlainWork
from salticid.api.showing import league_as_html, to_pandas
from salticid.api.topics import TopicFile, load_topic
from salticid.errors import UserError, unknown
from salticid.lab import Experiment, Instances, Results, run_experiment
from salticid.lab.report import write_report
from salticid.metrics import Metric
from salticid.protocols import Judge, Strategy
from salticid.registry import settings_of
from salticid.topic import Limits, Topic
from salticid.webs import RecordedWeb

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
