"""Experiments and leagues as TOML files."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from salticid.errors import UserError

Plan = TypeVar("Plan", bound=msgspec.Struct)


def read_plan(file: Path, form: type[Plan]) -> Plan:
    """What a file plans, which people call by the name of its form; paths are as seen from where the program runs."""
    name = form.__name__.lower()
    try:
        return msgspec.toml.decode(file.read_bytes(), type=form)
    except OSError as error:
        raise UserError(f"cannot read {name} {file}: {error.strerror}") from None
    except (msgspec.ValidationError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{file} is no {name}: {error}") from None
