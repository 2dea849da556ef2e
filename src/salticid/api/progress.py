"""How long work shows itself: in a terminal and in a notebook, and nowhere else."""

from __future__ import annotations

import signal
import threading
import warnings
from pathlib import Path

from rich.console import Console

from salticid.cli.hunt import Terminal


def console(show: bool | None) -> Console:
    """Where progress goes; by default only to a terminal or a notebook."""
    usual = Console(stderr=True)
    return Console(
        stderr=not usual.is_jupyter,
        quiet=not (usual.is_terminal or usual.is_jupyter if show is None else show),
    )


class HuntProgress(Terminal):
    """Shows a hunt on the console; where that is quiet, warnings are Python warnings."""

    def __init__(self, folder: Path, show: bool | None) -> None:
        super().__init__(folder, console(show), signals=())

    def hear_signals(self) -> None:
        """End the hunt cleanly on Ctrl-C, where that can be heard."""
        if threading.current_thread() is threading.main_thread():
            self._signals = (signal.SIGINT,)

    def warn(self, sentence: str) -> None:
        if self._console.quiet:
            warnings.warn(sentence, stacklevel=2)
        else:
            super().warn(sentence)
