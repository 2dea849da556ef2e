"""The command that goes on with a crawl: what was typed, with a larger limit where it had come to one."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from salticid.cli.console import err, safe
from salticid.model import Limits, StopReason
from salticid.runs.live_settings import without_password, without_value

_AT_A_LIMIT = (StopReason.BUDGET, StopReason.FETCHES, StopReason.TIME)
CAN_GO_ON = (*_AT_A_LIMIT, StopReason.WAITING, StopReason.INTERRUPTED)
"""Reasons after which the same command, perhaps with a larger limit, finds something to do."""
_SECRET = {"--proxy": without_password, "--header": without_value}
"""Options of which not all may be shown."""
_FACTOR = 2
"""A limit that a crawl has come to is so many times as large in the command that goes on."""


def how_to_go_on(folder: str, reason: StopReason, limits: Limits) -> str:
    """What to type to continue the crawl in a folder, which ended for this reason under these limits."""
    words = _without_passwords([word for word in sys.argv[1:] if word != "--new"])
    if not any(word == "--out" or word.startswith("--out=") for word in words):
        words = [*words, "--out", folder]
    return shlex.join(["salticid", *_with_more_room(words, reason, limits)])


def say_how_to_go_on(folder: Path) -> None:
    """A crawl was interrupted: say on stderr what continues it."""
    command = how_to_go_on(str(folder), StopReason.INTERRUPTED, Limits())
    err.print(safe(f"Interrupted. Go on with: {command}"), soft_wrap=True)


def _with_more_room(words: Sequence[str], reason: StopReason, limits: Limits) -> list[str]:
    """What was typed, with a larger limit if the crawl has come to one.

    >>> _with_more_room(["crawl", "t.toml", "--max-pages=30"], StopReason.BUDGET, Limits(max_pages=30))
    ['crawl', 't.toml', '--max-pages', '60']
    >>> _with_more_room(["crawl", "t.toml", "--max-time", "1m"], StopReason.TIME, Limits(max_seconds=60))
    ['crawl', 't.toml', '--max-time', '120s']
    >>> _with_more_room(["crawl", "--stop-when", "seconds > 60"], StopReason.TIME, Limits(max_seconds=60))
    ['crawl', '--stop-when', 'seconds > 120']
    """
    match reason:
        case StopReason.BUDGET:
            return _with_option(words, "--max-pages", f"{_FACTOR * limits.max_pages}")
        case StopReason.FETCHES:
            return _with_option(words, "--max-fetches", f"{_FACTOR * limits.fetches}")
        case StopReason.TIME if limits.max_seconds is not None:
            seconds = f"{_FACTOR * limits.max_seconds:g}"
            if any(word.removeprefix("--stop-when=").strip().startswith("seconds") for word in words):
                return _with_option(words, "--stop-when", f"seconds > {seconds}")
            return _with_option(words, "--max-time", f"{seconds}s")
    return list(words)


def _with_option(words: Sequence[str], option: str, value: str) -> list[str]:
    """What was typed, with this value of an option where it stood, else at the end."""
    found: list[str] = []
    rest, at = iter(words), None
    for word in rest:
        if word == option or word.startswith(f"{option}="):
            at = len(found) if at is None else at
            if word == option:
                next(rest, None)
        else:
            found.append(word)
    at = len(found) if at is None else at
    return [*found[:at], option, value, *found[at:]]


def _without_passwords(words: Sequence[str]) -> list[str]:
    """What was typed, as it may be shown.

    >>> _without_passwords(["crawl", "--proxy=http://me:secret@p.example", "--header", "a.example: X-Key: secret"])
    ['crawl', '--proxy=http://***@p.example', '--header', 'a.example: X-Key: ***']
    """
    shown: list[str] = []
    before = ""
    for word in words:
        option, equals, value = word.partition("=")
        if equals and option in _SECRET:
            word = f"{option}={_SECRET[option](value)}"
        elif before in _SECRET:
            word = _SECRET[before](word)
        shown.append(word)
        before = word
    return shown
