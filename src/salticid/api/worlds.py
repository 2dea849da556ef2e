"""Recorded webs."""

from __future__ import annotations

from pathlib import Path

from salticid.webs.recorded import RecordedWeb


def open_world(path: str | Path) -> RecordedWeb:
    """The recorded web in a folder that `salticid world build` made."""
    return RecordedWeb(Path(path))
