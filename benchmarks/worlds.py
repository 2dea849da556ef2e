"""Building a world, its peak memory, and opening it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator

from benchmarks.material import CACHE, SITE, schools
from benchmarks.report import cpu_seconds, figure, peak_memory
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.answers import Answer, Unread
from salticid.worlds.building import build
from salticid.worlds.sources import HtmlFolder

MANY_URLS = 2_000_000


def run() -> None:
    """Build from the collection, then from a stream of pages with a great many URLs."""
    out = CACHE / "built"
    shutil.rmtree(out, ignore_errors=True)
    source = schools()
    spent = cpu_seconds(lambda: build(out, HtmlFolder(source, SITE)))
    figure("building, one core", RecordedWeb(out).pages / spent, "pages/s", target=250)
    begin = time.perf_counter()
    RecordedWeb(out)
    figure("opening", 1000 * (time.perf_counter() - begin), "ms", target=1000, at_most=True)
    code = f"from benchmarks.worlds import build_many; build_many({MANY_URLS})"
    peak = float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
    bound = 500 + 150 * MANY_URLS / 1e6
    figure(f"peak memory with {MANY_URLS:,} distinct URLs", peak, "MB", target=bound, at_most=True)


def build_many(urls: int) -> None:
    """Build a world of so many distinct URLs and print the peak memory in MB; meant for a fresh process."""
    out = CACHE / "many"
    shutil.rmtree(out, ignore_errors=True)
    build(out, _ManyUrls(urls))
    begin = time.perf_counter()
    RecordedWeb(out)
    opened = time.perf_counter() - begin
    if opened > 1:
        sys.stderr.write(f"opening took {opened:.2f} s\n")
    shutil.rmtree(out)
    sys.stdout.write(f"{peak_memory():.1f}")


class _ManyUrls:
    """Pages of a hundred links each, no link twice."""

    def __init__(self, urls: int) -> None:
        self.name, self.size, self.done = "many URLs", urls // 100, 0

    def __iter__(self) -> Iterator[Answer | Unread]:
        for number in range(self.size):
            self.done += 1
            first = 100 * number
            links = (
                f"<a href=/section-{at % 97}/an-article-about-{at}.html>{at}</a>" for at in range(first, first + 100)
            )
            html = f"<title>{number}</title>{''.join(links)}".encode()
            yield Answer(f"http://host-{number % 1000}.example/{number}", html=html)
