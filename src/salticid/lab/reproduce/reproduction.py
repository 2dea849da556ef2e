"""A paper's experiment, run again: how it is asked for, and what it is made of."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec
from markupsafe import Markup

from salticid.lab.compare import Watch
from salticid.lab.plots import DASHED, Axes, bar_plot, line_plot
from salticid.lab.reproduce.findings import Finding
from salticid.lab.results import Curve
from salticid.worlds import (
    COLLECTIONS,
    Collection,
    TopicPlan,
    WithContextPaths,
    WorldSource,
    build,
    make_topics,
    unpack,
)
from salticid.worlds.generating import DIRECTORY, WebEdition, build_generated

# The figures of a paper, drawn anew from what came out here.


class PaperFigure(msgspec.Struct, frozen=True):
    """One figure of a paper with our numbers: curves, or bars where the places on the x axis have names (`groups`).

    `number` is the paper's, "Figure 2a"; `quote` what the paper says of it; `levels` are numbers it prints, drawn
    across the plot. `x_errors` has standard errors along the x axis, where both axes were measured. `main`: shown in
    the docs too.
    """

    number: str
    title: str
    where: str
    quote: str
    x: str
    y: str
    curves: dict[str, Curve]
    groups: list[str] = []
    levels: dict[str, float] = {}
    x_errors: dict[str, list[float]] = {}
    from_zero: bool = True
    log: bool = False
    main: bool = False

    @property
    def name(self) -> str:
        """A name for a file that needs no escape in a link."""
        return "-".join(re.findall(r"[a-z0-9]+", f"{self.number} {self.where}".lower()))


def draw(figure: PaperFigure) -> Markup:
    """The figure as SVG that the style of a report colours; "" when there is nothing to draw."""
    order = [*figure.curves, *[""] * (DASHED - len(figure.curves)), *figure.levels]
    axes = Axes(figure.x, figure.y, figure.from_zero, figure.log)
    title = f"{figure.number}, {figure.title}"
    if figure.groups:
        return bar_plot(figure.curves, figure.groups, figure.levels, axes, title)
    curves = {**figure.curves, **_levels(figure)}
    return line_plot(curves, order, axes, title, figure.x_errors)


def _levels(figure: PaperFigure) -> Mapping[str, Curve]:
    places = [x for curve in figure.curves.values() for x in curve.x]
    if not places:
        return {}
    ends = [min(places), max(places)]
    return {name: Curve(ends, [value] * 2, [0.0] * 2) for name, value in figure.levels.items()}


MOST_TOPICS = 100
"""As many topics as the papers have are raced on, where a web has them."""


@dataclass(frozen=True, slots=True)
class Setup:
    """How an experiment is run again: on which collections, where its worlds and crawls are kept, how long crawls are.

    `letter` sets every switch as the paper does, beside our own settings; `full` adds what takes long; `topics` is how
    many topics of a web are raced on at most.
    """

    data: Path | None
    out: Path
    workers: int
    watch: Watch
    pages: int
    letter: bool = False
    full: bool = False
    topics: int = MOST_TOPICS


class FigureTable(msgspec.Struct, frozen=True):
    """Figures that came out, for people: a title, the heads of the columns, rows of text."""

    title: str
    head: list[str]
    rows: list[list[str]]


class Reproduction(msgspec.Struct, frozen=True):
    """A paper's experiment, run again: on what, how, its figures, its tables and its findings.

    `caution` says why the verdicts may be none, where the experiment is not the paper's.
    """

    number: int
    paper: str
    data: str
    settings: dict[str, str]
    tables: list[FigureTable]
    findings: list[Finding]
    figures: list[PaperFigure] = []
    caution: str = ""


def too_few_pages(pages: int, asked_by_paper: int) -> str:
    """A caution for crawls that are shorter than the paper's; "" where they are not.

    >>> too_few_pages(100, 100)
    ''
    >>> too_few_pages(10, 1000)
    "Crawls of 10 pages are too short, the paper's had 1,000: what holds or not below may be otherwise at that length."
    """
    if pages >= asked_by_paper:
        return ""
    return (
        f"Crawls of {pages:,} pages are too short, the paper's had {asked_by_paper:,}: what holds or not below may be "
        "otherwise at that length."
    )


# The webs on which the papers' experiments are run again.

SCHOOLS, WEBKB = COLLECTIONS["schools-wikipedia"], COLLECTIONS["webkb"]
GENERATED_PAGES, LEAST_PAGES = 20_000, 5_000
EDITED = (
    "on the generated web what editors of its directory wrote of ten pages that a leaf lists, and the leaf's pages are "
    "the topic's; elsewhere titles and telling words of ten pages, as an editor would write"
)
"""Where the description of a topic comes from."""


@dataclass(frozen=True, slots=True)
class Ground:
    """A world to race on. On one with a single host no link leads to another domain.

    Topics whose description is to be an editor's come from the leaves of its `directory`, if it has one.
    """

    name: str
    world: Path
    one_host: bool = False
    directory: Path | None = None

    def topics(self, out: Path, plan: TopicPlan, most: int | None = None) -> Path:
        """A folder of topic files, made as the plan says; of many, `most` that are spread evenly over their names."""
        ways = [
            plan.task,
            plan.query,
            str(plan.examples_per_topic),
            plan.targets,
            plan.description,
            *(["on-topic"] if plan.on_topic else []),
        ]
        folder = out / "-".join(["topics", self.world.name, *ways])
        directory = self.directory if plan.description == "editor" else None
        files = sorted(make_topics(self.world, folder, plan, directory=directory).files)
        if most is not None and len(files) > most:
            sample = {files[at * len(files) // most] for at in range(most)}
            for file in files:
                if file not in sample:
                    file.unlink()
        return folder


def grounds(data: Path | None, out: Path, watch: Watch, generated_pages: int = GENERATED_PAGES) -> list[Ground]:
    """The worlds of the public collections in `data`, as far as they are there, and always a generated one."""
    worlds = []
    labels = None if data is None or SCHOOLS.labels is None else data / SCHOOLS.labels.name
    if labels is not None and labels.is_file() and (schools := pages_of(SCHOOLS, data, out)) is not None:
        worlds.append(Ground("schools", world_of(out, "schools", schools, watch, labels), one_host=True))
    if (webkb := pages_of(WEBKB, data, out)) is not None:
        worlds.append(Ground("webkb", world_of(out, "webkb", webkb, watch)))
    return [*worlds, generated_ground(out, generated_pages, watch)]


def generated_ground(out: Path, pages: int, watch: Watch) -> Ground:
    """A generated web of so many pages, or a few thousand if that is more: a smaller one has too few a topic."""
    pages = max(pages, LEAST_PAGES)
    world = out / f"world-generated-{pages}"
    if not world.exists():
        out.mkdir(parents=True, exist_ok=True)
        build_generated(world, WebEdition(pages), watch=lambda count, _: watch("building generated", count, pages))
    return Ground("generated", world, directory=world / DIRECTORY)


def world_of(
    out: Path,
    name: str,
    source: Callable[[], WorldSource],
    watch: Watch,
    labels: Path | None = None,
    context_paths: bool = False,
) -> Path:
    """The world of a source, made once; with the context paths of its links beside it, if asked for."""
    world = out / f"world-{name}"
    if not world.exists():
        out.mkdir(parents=True, exist_ok=True)
        pages = source()

        def told(count: int, _: int) -> None:
            watch(f"building {name}", count, pages.size)

        if context_paths:
            with WithContextPaths(pages) as noting:
                build(world, noting, labels, told)
        else:
            build(world, pages, labels, told)
    return world


def pages_of(collection: Collection, data: Path | None, out: Path) -> Callable[[], WorldSource] | None:
    """What reads the pages of a collection whose file is in `data`; None if it is not there."""
    file = None if data is None else collection.file_in(data)
    if file is None:
        return None
    return lambda: collection.read(unpack(file, out / "data" / collection.name))
