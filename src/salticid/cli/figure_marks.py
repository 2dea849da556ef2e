"""The place for figures in a document: what stands between two marks is written anew."""

from __future__ import annotations

import re
from pathlib import Path

from salticid.errors import UserError

_BEGIN, _END = "<!-- figures -->", "<!-- /figures -->"
_FIGURES = re.compile(f"{_BEGIN}.*?{_END}", re.DOTALL)


def check_marks(file: Path | None) -> None:
    """UserError where a document was named that has no such place; before the work, not after it."""
    if file is not None and not _FIGURES.search(file.read_text() if file.is_file() else ""):
        raise UserError(f"{file} has no place for figures; mark it with {_BEGIN} and {_END}")


def put_figures(file: Path | None, figures: str) -> None:
    """Write them there, if a document was named."""
    if file is not None:
        file.write_text(_FIGURES.sub(lambda _: f"{_BEGIN}\n{figures}{_END}", file.read_text()))
