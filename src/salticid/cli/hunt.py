"""A crawl as a person at a terminal sees it: how far it is, what went wrong, and Ctrl-C."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from salticid.api.progress import HuntProgress
from salticid.cli.console import err, safe
from salticid.cli.progress import Work
from salticid.model import Visit
from salticid.runs.onlooker import Onlooker
from salticid.runs.order import Order, Result
from salticid.runs.run import Run, run

if TYPE_CHECKING:
    from salticid.runs.metrics_port import MetricsServer

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def hunt(order: Order, verbose: bool = False, metrics: MetricsServer | None = None) -> Result:
    """Crawl, or go on with a crawl, and show how far it is; of every visit what came of it, if that is wanted.

    `metrics` serves its numbers meanwhile.
    """
    with (VerboseTerminal if verbose else Terminal)(order.folder) as terminal:
        if metrics is not None:
            terminal.serve_metrics(metrics)
        return run(order, terminal)


class Terminal(HuntProgress):
    """Shows a crawl on a console, and ends it on signals. Use it as a context."""

    def __init__(
        self, folder: Path, console: Console = err, signals: Sequence[signal.Signals] = _SIGNALS
    ) -> None:
        super().__init__(folder, True, signals)
        self._console = console
        self._numbers = Onlooker()

    def serve_metrics(self, server: MetricsServer) -> None:
        """Let programs ask for its numbers."""
        from salticid.runs.metrics_port import MetricsPort  # here: few need it

        self._numbers = MetricsPort(server)
        self.warn(server.notice)

    def say(self, sentence: str) -> None:
        self._console.print(safe(sentence), highlight=False, soft_wrap=True)

    def work(self, what: str, total: int) -> Work:
        return Work(what, total, self._console)

    def ready(self, run: Run) -> None:
        self._numbers.ready(run)
        super().ready(run)

    def visit(self, visit: Visit) -> None:
        self._numbers.visit(visit)
        super().visit(visit)


class VerboseTerminal(Terminal):
    """Tells of every visit, too."""

    def visit(self, visit: Visit) -> None:
        start = f"{visit.step:>6} {'+' if visit.positive else ' '} {visit.score:.3f} {visit.outcome:<15} "
        url = safe(self._run.crawl.brief.urls[visit.final])
        self._console.print(Text(start) + url, highlight=False, soft_wrap=True)
        super().visit(visit)
