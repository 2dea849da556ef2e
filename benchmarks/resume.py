"""A live crawl of a hundred thousand visits goes on: the log read and played again, up to the next request."""

from __future__ import annotations

from benchmarks._written import Size, made_apart, went_on_apart
from benchmarks.material import CACHE
from benchmarks.report import figure, say

SIZE = Size(visits=100_000, tokens=300, links=40, new_links=20, new_words=5, hosts=5000, max_buffer=100_000)
FOLDER = CACHE / f"resume-{SIZE.visits}-written"


def run() -> None:
    """Make the crawl once, each part in a process of its own, so that the memory is its own."""
    if not FOLDER.exists():
        say(f"  making a crawl of {SIZE.visits:,} visits")
        made_apart(FOLDER, SIZE)
    on = went_on_apart(FOLDER, SIZE)
    figure(f"until a crawl of {on.visits:,} visits goes on", on.seconds, "s", target=20, at_most=True)
    figure("the same, CPU", on.cpu, "s")
    figure("visits played again", on.visits / on.cpu, "visits/CPU-s")
    figure("memory at the peak", on.memory, "MB")
