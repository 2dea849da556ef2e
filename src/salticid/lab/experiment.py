"""What is compared: strategies x topics x repeats on one world, under one budget."""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np

from salticid.drivers import arrivals
from salticid.errors import UserError
from salticid.metrics import Metric, measure_of, metrics
from salticid.protocols import Judge, Strategy
from salticid.runs import DEFAULT_JUDGE, description, judge_in, judge_of, strategy_of
from salticid.topic import Limits, Topic
from salticid.truth import Truth, load_topic

# Measures as people name them: by the name of a file, FILE.py:FUNCTION or MODULE:FUNCTION, or as a function.


def find_measures(requests: Iterable[str | Metric]) -> dict[str, Metric]:
    """The measures asked for by their names, all there are if none is asked for; a UserError for what is none."""
    measures: dict[str, Metric] = {}
    for each in tuple(requests) or metrics.names():
        function: object = each
        if isinstance(each, str):
            function = metrics.find_code(each) if ":" in each else metrics.find(each)
        if not callable(function):
            raise UserError(f"{function!r} is no measure; give a name, or a function of one crawl")
        name = each if isinstance(each, str) and ":" not in each else measure_of(function).name
        if name in measures:
            raise UserError(f"two measures are named {name}; give another name to one of them")
        measures[name] = function
    return measures


def address_of(measure: str | Metric) -> str:
    """What a measure goes by in other processes, to which no code is sent: a name, or MODULE:FUNCTION."""
    if isinstance(measure, str):
        return measure
    name, module = measure_of(measure).name, getattr(measure, "__module__", "")
    if module == "__main__" or getattr(sys.modules.get(module), name, None) is not measure:
        raise UserError(
            f"the measure {name} cannot be imported by other processes; "
            "define it at the top of a module, or measure with one worker"
        )
    return f"{module}:{name}"


def fingerprint(measure: str | Metric) -> str:
    """A text that changes when a measure that is not ours does; for ours, the version stands."""
    (name, function), *_ = find_measures([measure]).items()
    module = inspect.getmodule(function)
    if getattr(module, "__name__", "").startswith("salticid.metrics."):
        return name
    bound = [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
    try:
        return f"{name} {bound} {inspect.getsource(module or function)}"
    except (OSError, TypeError):  # no file holds it: it is another one each time
        return f"{name} {bound} {function!r}"


@dataclass(frozen=True, slots=True)
class Instances:
    """What a program hands over instead of naming it: topics, strategies, a judge.

    Of a topic without truth there is the topic; of all others there is None, and their key is a file. So no truth is
    in memory while a strategy crawls.
    """

    topics: Mapping[str, Topic | None] = field(default_factory=dict)
    strategies: Mapping[str, Strategy] = field(default_factory=dict)
    judge: Judge | None = None


class Experiment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An experiment, as the options of `salticid compare` or a TOML file say it.

    A strategy is written NAME or NAME:KEY=VALUE,KEY=VALUE, or is a strategy file; the judge is written like it, and
    judges for all of them. Without one, a strategy file that names a judge has that, and all others have `cosine`.
    A measure is written NAME, FILE.py:FUNCTION or MODULE:FUNCTION, or is a function; without any, all are taken. A
    TOML file names no code (`read_plan`).
    `robustness` adds crawls from either half of the seeds, `sweep` crawls with smaller and larger frontiers. `given`
    is what a program hands over as it is, if one does: `Instances`.
    """

    world: str
    topics: str
    strategies: tuple[str, ...]
    max_pages: Annotated[int, msgspec.Meta(ge=1)] = Limits().max_pages
    max_buffer: Annotated[int, msgspec.Meta(ge=1)] | None = Limits().max_buffer
    judge: str | None = None
    arrivals: str = "one"
    repeats: Annotated[int, msgspec.Meta(ge=1)] = 1
    seed: Annotated[int, msgspec.Meta(ge=0)] = 0
    robustness: bool = False
    sweep: bool = False
    measures: tuple[Any, ...] = ()
    given: Any = None

    @property
    def limits(self) -> Limits:
        """The budget of every crawl."""
        return Limits(max_pages=self.max_pages, max_buffer=self.max_buffer)

    def topic_files(self) -> list[Path]:
        """The topic files, by name; a UserError when there is none."""
        folder = Path(self.topics)
        files = sorted(folder.glob("*.toml"))
        if not files:
            raise UserError(
                f"{folder} holds no topic files; make some with: salticid world topics {self.world} --out {folder}"
            )
        return files

    def topic_keys(self) -> list[str]:
        """By what each topic is known: its file, or the name it was given under."""
        return [*self._instances.topics] or list(map(str, self.topic_files()))

    def topic(self, key: str) -> Topic:
        """The part of a topic that the crawler may know; the truth is dropped at once."""
        return self._instances.topics.get(key) or topic_of(key)

    def truth(self, key: str) -> Truth:
        """What only measures may know."""
        return truth_of(key) if self._instances.topics.get(key) is None else Truth()

    def strategy(self, spec: str) -> Strategy:
        """A new instance of a strategy that is compared."""
        instance = self._instances.strategies.get(spec)
        return strategy_of(spec, files=True)[1] if instance is None else deepcopy(instance)

    def description(self, spec: str) -> dict[str, Any]:
        """A strategy that is compared, with all that decides what it does."""
        instance = self._instances.strategies.get(spec)
        if instance is not None:
            kind = type(instance)
            return {**description(instance, kind.__name__, instance), "code": _code_of(kind)}
        return description(spec, *strategy_of(spec, files=True))

    def new_judge(self, strategy: str = "") -> Judge:
        """A new instance of the judge of a strategy that is compared, or of all that bring none."""
        instance = self._instances.judge
        return make_judge(self._judge_of(strategy)) if instance is None else deepcopy(instance)

    def judge_description(self, strategy: str = "") -> dict[str, Any]:
        """That judge, with all that decides what it says."""
        spec = self._judge_of(strategy)
        return description(spec, spec.partition(":")[0], self.new_judge(strategy))

    def _judge_of(self, strategy: str) -> str:
        own = None if strategy in self._instances.strategies else judge_in(strategy)
        return self.judge or own or DEFAULT_JUDGE

    @property
    def _instances(self) -> Instances:
        return self.given or Instances()

    def check(self) -> None:
        """UserError for a strategy, judge or topic file that cannot be."""
        least = {"max_pages": 1, "max_buffer": 1, "repeats": 1, "seed": 0}
        for name, bound in least.items():
            if (number := getattr(self, name)) is not None and number < bound:
                raise UserError(f"{name} is {number}; give at least {bound}")
        if not self.strategies:
            raise UserError("nothing to compare; name strategies with --strategy, as in --strategy best_first")
        for spec in self.strategies:
            self.description(spec)
            self.judge_description(spec)
        if len(set(self.strategies)) < len(self.strategies):
            raise UserError("a strategy is named twice; give each of them once, or with other settings")
        find_measures(self.measures)
        arrivals(self.arrivals, 1, np.random.default_rng(0))
        for key in self.topic_keys():
            self.topic(key)


class Case(msgspec.Struct, frozen=True):
    """One crawl to be made: which topic, which strategy, which repeat, and what it varies.

    `half` is 1 or 2 for a crawl from one half of the seeds, 0 from all; `max_buffer` is its own.
    """

    topic: str
    strategy: str
    repeat: int
    max_buffer: int | None
    half: int = 0

    def seeds_of(self, topic: Topic) -> tuple[str, ...]:
        """The seeds this crawl starts from."""
        return topic.seeds[self.half - 1 :: 2] if self.half else topic.seeds


def cases(experiment: Experiment) -> Iterator[Case]:
    """All crawls of an experiment, topic by topic."""
    size = experiment.max_buffer
    for key in experiment.topic_keys():
        for strategy in experiment.strategies:
            for repeat in range(experiment.repeats):
                yield Case(key, strategy, repeat, size)
            if experiment.robustness and len(experiment.topic(key).seeds) > 1:
                yield from (Case(key, strategy, 0, size, half) for half in (1, 2))
            if experiment.sweep:
                yield from (Case(key, strategy, 0, other) for other in sweep_sizes(size) if other != size)


def sweep_sizes(max_buffer: int | None) -> list[int]:
    """The sizes of the frontier that a sweep tries: a sixteenth, a quarter, itself, four and sixteen times."""
    middle = max_buffer or 100_000
    return sorted({max(1, round(middle * factor)) for factor in (1 / 16, 1 / 4, 1, 4, 16)})


def make_judge(spec: str) -> Judge:
    """The judge of NAME, NAME:KEY=VALUE,... or FILE.py:Class."""
    return judge_of(spec, files=True)[1]


def _code_of(kind: type) -> str:
    """A text that changes when a class that is not ours does; for ours, the version stands."""
    if kind.__module__.startswith("salticid."):
        return ""
    try:
        source = inspect.getsource(inspect.getmodule(kind) or kind)
    except (OSError, TypeError):  # no file holds it: it is another one each time
        return repr(kind) + str(id(kind))
    return hashlib.blake2b(source.encode(), digest_size=16).hexdigest()


def topic_of(file: str) -> Topic:
    """The part of a topic file that the crawler may know; the truth is dropped at once."""
    return load_topic(Path(file))[0]


def truth_of(file: str) -> Truth:
    """What only measures may know."""
    return load_topic(Path(file))[1]
