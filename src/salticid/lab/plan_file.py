"""Experiments and leagues as TOML files."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from salticid.errors import UserError, shortened
from salticid.registry import refuse_files

Plan = TypeVar("Plan", bound=msgspec.Struct)


def read_plan(file: Path, form: type[Plan]) -> Plan:
    """What a file plans, which people call by the name of its form; paths are as seen from where the program runs."""
    name = form.__name__.lower()
    try:
        plan = msgspec.toml.decode(file.read_bytes(), type=form)
    except OSError as error:
        raise UserError(f"cannot read {name} {file}: {error.strerror}") from None
    except (msgspec.ValidationError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{file} is no {name}: {error}") from None
    _refuse_code(file, plan)
    return plan


def _refuse_code(file: Path, plan: msgspec.Struct) -> None:
    """UserError if a plan names code, or holds what only a program can hand over; it may name strategy files."""
    told = msgspec.structs.asdict(plan)
    if told.get("given") is not None:
        raise UserError(f"{file}: only a Python program can hand over instances; leave out given")
    for spec in told["strategies"]:
        refuse_files(file, "strategy", spec.removesuffix(".toml"))
    refuse_files(file, "judge", told["judge"] or "")
    for measure in told.get("measures", ()):
        if not isinstance(measure, str) or ":" in measure:
            raise UserError(
                f"{file} names the measure {shortened(str(measure))!r}; a file cannot run code. Name a built-in or "
                "installed measure in it, or name your own on the command line, as in --measures FILE.py:FUNCTION"
            )
