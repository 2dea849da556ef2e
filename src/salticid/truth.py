"""What is true about a topic, for those who judge crawls; a crawler never sees it.

Loading a topic file splits it in two: `Topic` for the crawler, `Truth` for the laboratory.
"""

from __future__ import annotations

import re
from dataclasses import astuple, dataclass
from pathlib import Path

import msgspec

from salticid.errors import UserError, unknown
from salticid.topic import Scope, Topic


@dataclass(frozen=True, slots=True)
class Truth:
    """The known relevant pages to be found, and a text that describes the topic."""

    description: str = ""
    targets: tuple[str, ...] = ()


class _ScopeTable(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    same_site: bool = False
    max_depth: int | None = None
    hosts: tuple[str, ...] | None = None


class _TopicFile(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    name: str
    keywords: str
    seeds: tuple[str, ...]
    about: str | None = None
    description: str = ""
    language: str | tuple[str, ...] | None = None
    examples: tuple[str, ...] = ()
    negatives: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    scope: _ScopeTable | None = None


def load_topic(path: Path) -> tuple[Topic, Truth]:
    """Read a topic file; a UserError names what is wrong with it."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UserError(f"cannot read topic file {path}: {error.strerror}; name a TOML file") from None
    try:
        file = msgspec.toml.decode(data, type=_TopicFile)
    except msgspec.ValidationError as error:
        raise _wrong(path, str(error)) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"{path} is no TOML file: {error}") from None
    for required, what in (
        ("name", "a name"),
        ("keywords", "words to look for"),
        ("seeds", "a URL to start from"),
    ):
        if not getattr(file, required):
            raise UserError(f"{path}: {required} is empty; give it {what}")
    topic = Topic(
        name=file.name,
        keywords=file.keywords,
        seeds=file.seeds,
        examples=file.examples,
        negatives=file.negatives,
        language=file.language,
        scope=Scope(*msgspec.structs.astuple(file.scope or _ScopeTable())),
        about=file.about,
    )
    return topic, Truth(file.description, file.targets)


def save_topic(path: Path, topic: Topic, truth: Truth) -> None:
    """Write a topic file that `load_topic` reads back."""
    scope = topic.scope
    file = _TopicFile(
        name=topic.name,
        keywords=topic.keywords,
        seeds=topic.seeds,
        about=topic.about,
        description=truth.description,
        language=topic.language,
        examples=topic.examples,
        negatives=topic.negatives,
        targets=truth.targets,
        scope=None if scope == Scope() else _ScopeTable(*astuple(scope)),
    )
    path.write_bytes(msgspec.toml.encode(file))


def _wrong(path: Path, message: str) -> UserError:
    """The error for a file that is TOML but no topic, in our words."""
    if match := re.search(r"unknown field `(.+?)`(?: - at `\$\.(\w+)`)?$", message, re.DOTALL):
        table = _ScopeTable if match[2] == "scope" else _TopicFile
        return UserError(f"{path}: {unknown('key', match[1], table.__struct_fields__)}")
    if match := re.search(r"missing required field `(.+?)`", message):
        return UserError(f"{path}: the key {match[1]!r} is missing; name, keywords and seeds are required")
    return UserError(f"{path}: {message}")
