"""Strategies and judges as people name them: by a name with settings, by a file, or as an instance.

NAME                     a file of the room, or an entry point of another package
NAME:KEY=VALUE,...       with settings
FILE.toml                a strategy file: a name, settings, perhaps a judge
FILE.py:Class            a class of your own; settings may follow as above

Files are read, and code is run, only where the caller says `files=True`: for a spec that a user typed on a command
line, in a program or in a settings file.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from salticid.errors import UserError
from salticid.judges import judges
from salticid.protocols import Judge, NamesJudge, SaysWhetherItHeeds, SaysWhetherItRepeats, Strategy
from salticid.registry import Registry, instance_of, names_a_file, read_strategy_file, settings_of
from salticid.runs.spec import DEFAULT_JUDGE as DEFAULT_JUDGE
from salticid.runs.spec import DEFAULT_STRATEGY as DEFAULT_STRATEGY
from salticid.runs.spec import LEARNING_JUDGE as LEARNING_JUDGE
from salticid.strategies import strategies
from salticid.topic import pairs

T = TypeVar("T")


def strategy_of(
    spec: str | Strategy, settings: Mapping[str, object] | None = None, *, files: bool = False
) -> tuple[str, Strategy]:
    """The strategy that a spec means, changed by the settings, and its name."""
    if not isinstance(spec, str):
        return own(spec, strategies)
    if spec.partition(":")[0] == "oracle":
        raise UserError(
            "the oracle knows which pages are relevant, so it cannot crawl; the lab measures every strategy "
            "against it (oracle_share). Choose another strategy, see: salticid strategies"
        )
    return _instance(spec, strategies, settings or {}, files)


def judge_of(
    spec: str | Judge | None,
    strategy: Strategy | None = None,
    talks: bool = False,
    settings: Mapping[str, object] | None = None,
    *,
    files: bool = False,
) -> tuple[str, Judge]:
    """The judge that a spec means, changed by the settings, and its name.

    Without a spec it is the strategy's own, else the usual one.

    `talks`: a person will say what is good, so the usual one is a judge that learns.
    """
    if spec is None:
        usual = LEARNING_JUDGE if talks else DEFAULT_JUDGE
        spec = strategy.judge if isinstance(strategy, NamesJudge) else usual
    return _instance(spec, judges, settings or {}, files) if isinstance(spec, str) else own(spec, judges)


def judge_in(spec: str | Strategy) -> str | None:
    """The judge that a strategy file names; None where there is no file, or it names none."""
    if not isinstance(spec, str) or not spec.endswith(".toml"):
        return None
    return read_strategy_file(Path(spec)).judge


def description(spec: str | Strategy | Judge, name: str, instance: Strategy | Judge) -> dict[str, Any]:
    """A strategy or judge with all its settings, defaults included; of a Python file also its digest."""
    facts = {"name": name, **settings_of(instance)}
    file = None if not isinstance(spec, str) or spec.endswith(".toml") else _python_file(spec)[0]
    return facts if file is None else {**facts, "file": hashlib.blake2b(file.read_bytes()).hexdigest()}


def own(instance: T, registry: Registry[T]) -> tuple[str, T]:
    """An instance that a program hands over, and its name."""
    if not registry.fits(type(instance)):
        raise UserError(f"{instance!r} is no {registry.kind}; give a name, or an instance of a {registry.kind}")
    return type(instance).__name__, instance


def _instance(spec: str, registry: Registry[T], settings: Mapping[str, object], files: bool) -> tuple[str, T]:
    name, cls, own = class_of(spec, registry, files=files)
    return name, instance_of(name, cls, {**own, **settings})


def class_of(spec: str, registry: Registry[T], *, files: bool = False) -> tuple[str, type[T], dict[str, Any]]:
    """The name, the class and the settings that a spec means."""
    if names_a_file(spec) and not files:
        registry.find(spec)  # there is none, and the error says why
    if spec.endswith(".toml"):
        told = read_strategy_file(Path(spec))
        return told.name, registry.find(told.name), told.settings
    file, name, text = _python_file(spec)
    own: dict[str, Any] = {**pairs(text.split(","))} if text else {}
    return name, registry.find(name) if file is None else registry.find_code(f"{file}:{name}"), own


def _python_file(spec: str) -> tuple[Path | None, str, str]:
    """The Python file that a spec names, if it does, the name, and the settings as they were written."""
    match = re.fullmatch(r"(?:(.+\.py):)?([^:]*)(?::(.*))?", spec, re.DOTALL)
    if match is None:
        raise UserError(f"{spec!r} is no NAME, NAME:KEY=VALUE,..., FILE.toml or FILE.py:Class")
    return Path(match[1]) if match[1] else None, match[2], match[3] or ""


# Who learns from what a person says of pages, and who does not.


def unheeded(strategy: str, judge: str) -> str | None:
    """What a person's word will not change in a crawl of these, as a sentence; None where it counts throughout.

    >>> unheeded("hunter", "profile")
    >>> unheeded("breadth_first", "profile")
    'What you say of pages ranks this list anew, but the strategy breadth-first fetches what it would have anyway.'
    """
    path_changes, list_changes = _heeds(strategies, strategy), _heeds(judges, judge)
    if path_changes and list_changes:
        return None
    name = strategy.replace("_", "-")
    if list_changes:
        return f"What you say of pages ranks this list anew, but the strategy {name} fetches what it would have anyway."
    if path_changes:
        return f"What you say of pages may change what is fetched next, not this list: the judge {judge} never learns."
    return (
        f"What you say of pages is kept, and changes nothing else: the judge {judge} never learns, and the strategy "
        f"{name} fetches what it would have anyway."
    )


def repeats_itself(part: Strategy | Judge) -> bool:
    """Whether the same calls to a strategy or judge give the same results; one that says nothing of it is taken to."""
    return part.deterministic if isinstance(part, SaysWhetherItRepeats) else True


def _heeds(room: Registry[Any], name: str) -> bool:
    """Whether one of a room learns; one that is gone, or says nothing of it, is taken to."""
    kind: object = room.find(name) if name in room.names() else None
    return kind.heeds if isinstance(kind, SaysWhetherItHeeds) else True
