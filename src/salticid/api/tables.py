"""Rows as data frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from salticid.errors import UserError


def to_pandas(rows: Sequence[Mapping[str, Any]]) -> Any:
    """A data frame of rows; a UserError where pandas is not installed."""
    try:
        from pandas import DataFrame  # type: ignore[import-untyped, unused-ignore]
    except ModuleNotFoundError as error:
        if error.name != "pandas":
            raise
        raise UserError("to_pandas() needs pandas, which is not installed; pip install pandas") from None
    return DataFrame(list(rows))
