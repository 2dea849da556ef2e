"""File names as text that can be printed and stored, whatever bytes they are made of."""

from __future__ import annotations

import os
from pathlib import PurePath


def shown(path: PurePath) -> str:
    r"""A path with slashes, bytes that are no UTF-8 written as escapes.

    >>> shown(PurePath("caf\udce9", "x.htm"))
    'caf\\xe9/x.htm'
    """
    return os.fsencode(path.as_posix()).decode("utf-8", "backslashreplace")
