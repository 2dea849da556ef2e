"""Building generated webs, small and large: time, memory of all processes, and opening them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.material import CACHE
from benchmarks.report import figure, say
from salticid.webs.recorded import RecordedWeb

SMALL, LARGE = 5_000, 3_000_000
_LOOKING_EVERY = 0.5


def run() -> None:
    """The small web must be there at once, the large one while one waits; set GENERATED_PAGES for another size."""
    large = int(os.environ.get("GENERATED_PAGES", LARGE))
    _measure(SMALL, 5.0)
    _measure(large, 600.0 * large / LARGE if large > LARGE // 10 else None)


def _measure(pages: int, seconds: float | None) -> None:
    out = CACHE / "generated-web"
    shutil.rmtree(out, ignore_errors=True)
    out.parent.mkdir(parents=True, exist_ok=True)
    begin = time.perf_counter()
    command = [sys.executable, "-m", "salticid", "world", "build", str(out), "--synthetic", str(pages)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as building:
        peaks: dict[int, float] = {}
        while building.poll() is None:
            for process in (building.pid, *_children(building.pid)):
                peaks[process] = max(peaks.get(process, 0.0), _peak(process))
            time.sleep(_LOOKING_EVERY)
    if building.returncode:
        say(f"  building {pages:,} pages failed")
        return
    figure(f"building {pages:,} pages", time.perf_counter() - begin, "s", target=seconds, at_most=True)
    figure("peak memory, its processes added up", sum(peaks.values()), "MB", target=6_000, at_most=True)
    begin = time.perf_counter()
    web = RecordedWeb(out)
    figure("opening", 1000 * (time.perf_counter() - begin), "ms", target=1000, at_most=True)
    figure("links", web.links, "")
    figure("on disk", sum(file.stat().st_size for file in out.iterdir()) / 1e6, "MB")
    del web
    shutil.rmtree(out)


def _children(process: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:
        return []


def _peak(process: int) -> float:
    """The most resident memory a process has had, in MB; 0 once it is gone."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:"))
