"""A live crawl of a hundred thousand visits goes on, up to its next request: the log played, or a snapshot read."""

from __future__ import annotations

from dataclasses import replace

from benchmarks._written import Size, made_apart, went_on_apart
from benchmarks.material import CACHE
from benchmarks.report import figure, say
from salticid.store.schema import SNAPSHOT

SIZE = Size(visits=100_000, tokens=300, links=40, new_links=20, new_words=5, hosts=5000, max_buffer=100_000)
FOLDER = CACHE / f"resume-{SIZE.visits}-written"
HUNT = replace(SIZE, strategy="hunter", judge="profile", snapshot=True)
HUNT_FOLDER = CACHE / f"resume-{SIZE.visits}-hunt"


def run() -> None:
    """Make each crawl once, each part in a process of its own, so that the memory is its own."""
    if not FOLDER.exists():
        say(f"  making a crawl of {SIZE.visits:,} visits")
        made_apart(FOLDER, SIZE)
    on = went_on_apart(FOLDER, SIZE)
    figure(f"until a crawl of {on.visits:,} visits goes on", on.seconds, "s", target=20, at_most=True)
    figure("the same, CPU", on.cpu, "s")
    figure("visits played again", on.visits / on.cpu, "visits/CPU-s")
    figure("memory at the peak", on.memory, "MB")
    _go_on_hunting()


def _go_on_hunting() -> None:
    if not HUNT_FOLDER.exists():
        say(f"  making a hunt of {HUNT.visits:,} visits")
        made = made_apart(HUNT_FOLDER, HUNT)
        figure("until a hunt has left its snapshot", made.leaving, "s")
        figure("memory of the hunt at the peak", made.memory, "MB")
    figure("its snapshot on the disk", (HUNT_FOLDER / SNAPSHOT).stat().st_size / 1e6, "MB")
    on = went_on_apart(HUNT_FOLDER, HUNT)
    figure(f"until a hunt of {on.visits:,} visits goes on", on.seconds, "s", target=20, at_most=True)
    figure("the same, CPU", on.cpu, "s")
    figure("visits played again", on.played, "visits")
    figure("memory at the peak", on.memory, "MB")
