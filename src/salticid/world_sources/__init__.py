"""Sources of `salticid world build`: a file each, found by its name, or the entry point of another package.

`html.py` holds the class `Html`, and `--html` is its option. These files say what options there are before anything is
read, so whatever takes its time to import is imported in `open`.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from salticid.registry import Registry

if TYPE_CHECKING:
    from salticid.worlds import WorldSource, WorldSummary

__all__ = ["At", "Option", "PageSource", "Source", "WorldPlan", "world_sources"]


class Option(NamedTuple):
    """An option of the command line. `kind` is a type, as in `Path | None`."""

    kind: Any
    help: str
    metavar: str | None = None
    default: Any = None
    min: int | None = None


class At(Enum):
    """What `--at` means to a source: nothing, the day of a web that has days, or a date."""

    NOTHING = 0
    DAY = 1
    DATE = 2


@dataclass(frozen=True, slots=True)
class WorldPlan:
    """What a person asked for: values by option, and `at` as a day, or in seconds since 1970.

    `watching(size)` is a context that gives a function `watch(done, pages)`, which shows the progress.
    """

    out: Path
    options: Mapping[str, Any]
    at: float | None
    labels: Path | None
    context_paths: bool
    watching: Callable[[int], AbstractContextManager[Callable[[int, int], None]]]


class Source(ABC):
    """Where the pages of a world come from."""

    option: ClassVar[Option]
    """Its own option, which has its name; whoever gives it chooses this source."""
    more: ClassVar[Mapping[str, Option]] = {}
    """Other options, by name."""
    at: ClassVar[At] = At.NOTHING
    has_html: ClassVar[bool] = True
    """Whether what stands above a link can be read (`--context-paths`)."""

    @abstractmethod
    def build(self, plan: WorldPlan) -> WorldSummary:
        """Make the world."""


class PageSource(Source):
    """A source that is a stream of pages."""

    @abstractmethod
    def open(self, plan: WorldPlan) -> WorldSource:
        """The pages, to be read once."""

    def build(self, plan: WorldPlan) -> WorldSummary:
        from salticid.worlds import WithContextPaths, build

        source = self.open(plan)
        with (
            WithContextPaths(source) if plan.context_paths else nullcontext(source) as pages,
            plan.watching(source.size) as watch,
        ):
            return build(plan.out, pages, plan.labels, watch)


world_sources: Registry[Source] = Registry("world source", sys.modules[__name__], "build", takes_code=False)
