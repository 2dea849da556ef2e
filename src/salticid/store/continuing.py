"""Whether an order goes on with the crawl that a folder holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from salticid.errors import UserError, shortened
from salticid.messages import Extension
from salticid.store.archive import FORGOTTEN, veil_of, without_urls
from salticid.store.database import Database
from salticid.store.record import all_messages
from salticid.topic import Limits

_BUDGET = ("max_pages", "max_fetches", "max_seconds")
"""Limits that may be larger when a crawl goes on."""


AS_GIVEN = "as_given"
"""The fact that the past of a crawl is taken as given, and by which version of the program."""
MERGED = "merged"
"""The fact about a merge of crawls that names the folders it was made of."""


def check_same(folder: Path, before: Mapping[str, Any], now: Mapping[str, Any], any_version: bool = False) -> None:
    """UserError with the first difference between the facts of a crawl and those of an order, limits apart.

    With `any_version` it may have been made by another version of the program, with settings that there are no more.
    """
    another_version = now["version"] not in (before["version"], before.get(AS_GIVEN))
    if another_version and not any_version:
        raise UserError(
            f"the crawl in {folder} was made by salticid {before['version']}, this is {now['version']}, which may "
            "choose otherwise; go on with that version, watch it by salticid watch, or crawl into a new folder with "
            "--out"
        )
    if FORGOTTEN in before and "world" in before["web"]:
        raise UserError(
            f"pages of the crawl in {folder} were forgotten, which its world still holds; crawl into a new folder with "
            "--out"
        )
    if (veil := veil_of(before)) is not None:
        now = {**now, "topic": without_urls(now["topic"], veil)}
    for fact in ("topic", "strategy", "judge", "web", "arrivals", "seed", "backlinks", "known_crawls"):
        for name, there, here in _differences(fact, before.get(fact), now.get(fact)):
            if now["version"] == before["version"] or None not in (there, here):
                raise _another(folder, name, there, here)


def new_limits(folder: Path, before: Limits, now: Limits, *, may_shrink: bool = False) -> Limits | None:
    """The limits to go on with; None where they are the same, a UserError where they are not merely larger.

    With `may_shrink` a budget may be smaller as well.
    """
    for name in Limits.__dataclass_fields__:
        there, here = getattr(before, name), getattr(now, name)
        if name == "max_fetches":
            there, here = before.fetches, now.fetches
        grows = there is not None and (here is None or here > there)
        if there != here and not (name in _BUDGET and (grows or may_shrink)):
            raise _another(folder, name, there, here)
    return None if before == now else now


def current_limits(db: Database, before: Mapping[str, Any]) -> Limits:
    """The limits a crawl has come to: those it began with, or the last it was given."""
    extensions = [message.limits for _, message in all_messages(db) if isinstance(message, Extension)]
    return extensions[-1] if extensions else first_limits(before)


def first_limits(before: Mapping[str, Any]) -> Limits:
    """The limits a crawl began with."""
    return msgspec.convert(before["limits"], Limits)


def _differences(name: str, there: Any, here: Any) -> Iterator[tuple[str, Any, Any]]:
    """The innermost names under which two facts differ."""
    if isinstance(there, dict) and isinstance(here, dict):
        for key in {**there, **here}:
            yield from _differences(f"{name} {key}", there.get(key), here.get(key))
    elif there != here:
        yield name, there, here


def _another(folder: Path, name: str, there: Any, here: Any) -> UserError:
    same = "order the same to go on with it"
    if (kind := name.removesuffix(" name")) in ("strategy", "judge"):
        option = f"--{kind} {shortened(str(there).rpartition(':')[2])}"
        same = f"to resume it, add {option}, or {option.replace(' ', ' FILE.py:')} if it is a class of your own"
    return UserError(
        f"{folder} holds another crawl: its {name.replace('_', ' ')} is {_short(there)}, not {_short(here)}; "
        f"{same}, or crawl into a new folder with --out"
    )


def _short(value: Any) -> str:
    return shortened(msgspec.json.encode(value).decode())


def check_not_merged(folder: Path, about: Mapping[str, Any]) -> None:
    """UserError if a folder holds a merge, in which nothing goes on."""
    if MERGED in about:
        raise UserError(
            f"{folder} is a merge of other crawls, and is only read; go on with one of them, such as "
            f"{about[MERGED][0]}, and merge them again into a new folder"
        )
