"""Running the real program, and small worlds to run it on."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO

from tests.support.program_server import ProgramServer, Run

from salticid.judges import judges
from salticid.metrics.parts.measure import hits
from salticid.model import Outcome, Visit
from salticid.runs.order import Recipe
from salticid.runs.recorded import MemoryLog, RecordedCrawl
from salticid.strategies import strategies
from salticid.topic import Limits, Topic
from salticid.truth import Truth
from salticid.webs.recorded import RecordedWeb

PATIENCE = 600.0
"""Seconds that a command may take on a machine however busy."""
ANEW = (sys.executable, "-m", "salticid")
"""The program from the very beginning, imports, hash seed and all."""


@dataclass(frozen=True)
class Said:
    """What a command printed, and its exit status."""

    status: int
    out: str
    err: str


def salticid(*args: str | int | Path, cwd: Path | None = None) -> Said:
    """Run the command line in a process of its own, without the second that its imports take."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        run = start(*args, cwd=cwd, out=out.fileno(), err=err.fileno())
        try:
            status = run.wait(PATIENCE)
        finally:
            run.kill()
            run.wait()
        return Said(status, _text(out), _text(err))


def start(*args: str | int | Path, out: int, err: int, cwd: Path | None = None) -> Run:
    """The same, and do not wait for its end; it writes to files that are open here."""
    return _server().start([*map(str, args)], cwd, out, err)


def salticid_anew(
    *args: str | int | Path, environment: Mapping[str, str] | None = None, said: str | None = None
) -> Said:
    """The same from the very beginning."""
    command = [*ANEW, *map(str, args)]
    environment = {**os.environ, **(environment or {})}
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment, timeout=PATIENCE, check=False, input=said
    )
    return Said(done.returncode, done.stdout, done.stderr)


@lru_cache(maxsize=1)
def _server() -> ProgramServer:
    return ProgramServer()


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


PLUGIN = Path(__file__).parent / "plugin"


def with_plugin(*args: str | int | Path) -> Said:
    """The command line, as it is where the plug-in of the tests is installed."""
    return running_from(PLUGIN, *args)


def running_from(folder: Path, *args: str | int | Path) -> Said:
    """The command line, as it is where the modules of a folder come first."""
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    return salticid_anew(*args, environment={"PYTHONPATH": path})


def crawl_in_memory(
    world: Path, topic: Topic, strategy: str, limits: Limits, arrivals: str = "one"
) -> tuple[RecordedWeb, list[Visit]]:
    """The visits of one crawl, and the web that spells their URLs."""
    web, log = RecordedWeb(world), MemoryLog()
    recipe = Recipe(strategies.make(strategy), judges.make("cosine"), limits, arrivals)
    RecordedCrawl(topic, web, recipe, log).run()
    return web, log.visits


def targets_found(world: Path, topic: Topic, truth: Truth, strategy: str, limits: Limits) -> int:
    """How many targets a strategy finds within its limits."""
    web, visits = crawl_in_memory(world, topic, strategy, limits)
    return sum(hits([web.urls[visit.final] for visit in visits if visit.outcome is Outcome.OK], topic, truth))
