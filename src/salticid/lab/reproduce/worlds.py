"""The webs on which the papers' experiments are run again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from salticid.lab.compare import Watch
from salticid.worlds.answers import WorldSource
from salticid.worlds.archives import unpack
from salticid.worlds.build import build
from salticid.worlds.context_path_file import WithContextPaths
from salticid.worlds.generating.building import DIRECTORY, WebEdition, build_generated
from salticid.worlds.public_collections import COLLECTIONS, Collection
from salticid.worlds.topics import TopicPlan, make_topics

SCHOOLS, WEBKB = COLLECTIONS["schools-wikipedia"], COLLECTIONS["webkb"]
GENERATED_PAGES, LEAST_PAGES = 20_000, 5_000
MOST_TOPICS = 100
"""As many topics as the papers have are raced on, where a web has them."""

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


def grounds(
    data: Path | None, out: Path, watch: Watch, generated_pages: int = GENERATED_PAGES
) -> list[Ground]:
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
        build_generated(
            world, WebEdition(pages), watch=lambda count, _: watch("building generated", count, pages)
        )
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
