"""What is compared: strategies x topics x repeats on one world, under one budget."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np

from salticid.drivers.arrivals import arrivals
from salticid.errors import UserError
from salticid.judges import judges
from salticid.lab.measure_names import find_measures
from salticid.model import Limits, Topic
from salticid.protocols import Judge, Strategy
from salticid.registry import read_strategy_file, settings_of
from salticid.strategies import strategies
from salticid.truth import Truth, load_topic


class Experiment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An experiment, as the options of `salticid compare` or a TOML file say it.

    A strategy is written NAME or NAME:KEY=VALUE,KEY=VALUE, or is a strategy file; the judge is written like it.
    A measure is written NAME, FILE.py:FUNCTION or MODULE:FUNCTION, or is a function; without any, all are taken.
    `robustness` adds crawls from either half of the seeds, `sweep` crawls with smaller and larger frontiers.
    """

    world: str
    topics: str
    strategies: tuple[str, ...]
    max_pages: Annotated[int, msgspec.Meta(ge=1)] = 1000
    max_buffer: Annotated[int, msgspec.Meta(ge=1)] | None = 100_000
    judge: str = "cosine"
    arrivals: str = "one"
    repeats: Annotated[int, msgspec.Meta(ge=1)] = 1
    seed: Annotated[int, msgspec.Meta(ge=0)] = 0
    robustness: bool = False
    sweep: bool = False
    measures: tuple[Any, ...] = ()

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

    def check(self) -> None:
        """UserError for a strategy, judge or topic file that cannot be."""
        if not self.strategies:
            raise UserError(
                "nothing to compare; name strategies with --strategy, as in --strategy best_first"
            )
        for spec in self.strategies:
            make_strategy(spec)
        if len(set(self.strategies)) < len(self.strategies):
            raise UserError("a strategy is named twice; give each of them once, or with other settings")
        make_judge(self.judge)
        find_measures(self.measures)
        arrivals(self.arrivals, 1, np.random.default_rng(0))
        for file in self.topic_files():
            load_topic(file)


def read_experiment(file: Path) -> Experiment:
    """The experiment of a TOML file; paths in it are as seen from where the program runs."""
    try:
        return msgspec.toml.decode(file.read_bytes(), type=Experiment)
    except OSError as error:
        raise UserError(f"cannot read experiment {file}: {error.strerror}") from None
    except (msgspec.ValidationError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{file} is no experiment: {error}") from None


def make_strategy(spec: str) -> Strategy:
    """The strategy of NAME, NAME:KEY=VALUE,... or a strategy file."""
    name, settings = _parts(spec)
    if name == "oracle":
        raise UserError("the oracle is what every strategy is measured against; see oracle_share")
    return strategies.make(name, settings)


def make_judge(spec: str) -> Judge:
    """The judge of NAME or NAME:KEY=VALUE,..."""
    return judges.make(*_parts(spec))


def described(spec: str, made: Strategy | Judge) -> dict[str, Any]:
    """A strategy or judge with all its settings, also those that nobody wrote down."""
    return {"name": _parts(spec)[0], **settings_of(made)}


class Case(msgspec.Struct, frozen=True):
    """One crawl to be made: which topic file, which strategy, which repeat, and what it varies.

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
    for file in map(str, experiment.topic_files()):
        for strategy in experiment.strategies:
            for repeat in range(experiment.repeats):
                yield Case(file, strategy, repeat, size)
            if experiment.robustness and len(topic_of(file).seeds) > 1:
                yield from (Case(file, strategy, 0, size, half) for half in (1, 2))
            if experiment.sweep:
                yield from (Case(file, strategy, 0, other) for other in swept(size) if other != size)


def swept(max_buffer: int | None) -> list[int]:
    """The sizes of the frontier that a sweep tries: a sixteenth, a quarter, itself, four and sixteen times."""
    middle = max_buffer or 100_000
    return sorted({max(1, round(middle * factor)) for factor in (1 / 16, 1 / 4, 1, 4, 16)})


def _parts(spec: str) -> tuple[str, dict[str, Any]]:
    if spec.endswith(".toml"):
        return read_strategy_file(Path(spec))
    name, _, told = spec.partition(":")
    settings: dict[str, Any] = {}
    for pair in told.split(",") if told else []:
        key, equals, value = pair.partition("=")
        if not equals:
            raise UserError(f"{pair!r} in {spec!r} is no KEY=VALUE; write it as in best_n_first:n=64")
        settings[key.strip()] = value.strip()
    return name, settings


def topic_of(file: str) -> Topic:
    """What the crawler is told of a topic file; the other half is forgotten at once."""
    return load_topic(Path(file))[0]


def truth_of(file: str) -> Truth:
    """What only measures may know."""
    return load_topic(Path(file))[1]
