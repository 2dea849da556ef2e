"""What was stored may have been damaged since: then reading it raises an error that says so."""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

import msgspec
import zstandard

from salticid.errors import SalticidError

UNREADABLE = (sqlite3.DatabaseError, zstandard.ZstdError, msgspec.MsgspecError, UnicodeDecodeError)
"""What only stored data can be the cause of, wherever it is raised."""
_SENSELESS = (*UNREADABLE, ValueError, TypeError, LookupError, ArithmeticError, RecursionError, struct.error)

P = ParamSpec("P")
R = TypeVar("R")


class Damaged(SalticidError):
    """Something stored is not what was written, or makes no sense."""

    def __init__(self, what: object, file: Path | None = None) -> None:
        super().__init__(
            f"{file or 'what is stored there'} is damaged ({what}); take a copy that is whole, or crawl into a new "
            "folder"
        )


def unpacks(function: Callable[P, R]) -> Callable[P, R]:
    """A function that makes something of stored data and nothing else: whatever it raises is damage."""

    @wraps(function)
    def checked_function(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except _SENSELESS as error:
            raise Damaged(error) from error

    return checked_function
