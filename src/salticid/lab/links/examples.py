"""The labelled links of a world: links between its pages whose target's class is known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from salticid.errors import UserError
from salticid.lab.links.classes import kinds_by_url
from salticid.lab.links.link_paths import LinkPaths
from salticid.lab.links.link_targets import NOWHERE, Addresses
from salticid.learning.link_model import LONGEST_ANCHOR
from salticid.model import Ints
from salticid.webs.recorded import RecordedWeb
from salticid.webs.world_arrays import PAGE
from salticid.worlds.labels import labels_of

UNKNOWN = -1
"""The class of a page that has none, or two."""


@dataclass(frozen=True, slots=True, eq=False)
class LabelledLinks:
    """Links as columns of equal length, and what is known of all pages, by their numbers in the recording.

    Link i is number `place[i]` of page `source[i]`; it leads to page `target[i]`, which is of class `label[i]`.
    A page of a world that names no universities has "" for its own; so has a page without a label. With `paths`, a
    context path of each link, these are part of what is read of a link.
    """

    web: RecordedWeb
    classes: tuple[str, ...]
    page_class: Ints
    university: tuple[str, ...]
    source: Ints
    place: Ints
    target: Ints
    label: Ints
    paths: LinkPaths | None = None

    def __len__(self) -> int:
        return len(self.source)

    @property
    def language(self) -> str:
        """The code of the world's main language."""
        return self.web.arrays.manifest.stems.partition(":")[0]

    def anchors(self, links: Ints) -> list[Ints]:
        """The word ids of the anchors of some links, of each its first words; and with paths theirs behind them."""
        anchors = []
        for link in links.tolist():
            page = self.web.page(int(self.source[link]))
            anchor = page.anchor(int(self.place[link]))[:LONGEST_ANCHOR]
            anchors.append(anchor if self.paths is None else np.append(anchor, self.paths.words(link)))
        return anchors


def labelled_links(world: Path) -> LabelledLinks:
    """All labelled links of a world, in the order of recording; a page's links to itself are none."""
    web = RecordedWeb(world)
    kinds_of = kinds_by_url(labels_of(world))
    if not kinds_of:
        raise UserError(f"{world} has no labels, so no link is labelled; build it with --labels or --webkb")
    classes = tuple(sorted({kind.label for kinds in kinds_of.values() for kind in kinds}))
    if len(classes) < 2:
        raise UserError(f"all pages of {world} are of class {classes[0]}, so there is nothing to tell apart")
    page_class = np.full(web.pages, UNKNOWN, np.int32)
    university = [""] * web.pages
    for number, url in enumerate(web.urls.spell(web.arrays[PAGE.url].tolist())):
        kinds = kinds_of.get(url, [])
        if len({kind.label for kind in kinds}) == 1:
            page_class[number] = classes.index(kinds[0].label)
        if len({kind.university for kind in kinds}) == 1:
            university[number] = kinds[0].university
    source, place, target = _links(web, page_class)
    if not len(source):
        raise UserError(f"no page of {world} links to a labelled one; label more of its pages")
    return LabelledLinks(
        web, classes, page_class, tuple(university), source, place, target, page_class[target]
    )


def with_paths(links: LabelledLinks, world: Path) -> LabelledLinks:
    """The same links with the context paths that were kept beside their world."""
    return replace(links, paths=LinkPaths(links.web, world, links.source, links.place))


def _links(web: RecordedWeb, page_class: Ints) -> tuple[Ints, Ints, Ints]:
    addresses = Addresses(web)
    rows = [
        (number, at, leads_to)
        for number in range(web.pages)
        for at, url in enumerate(web.page(number).links.url.tolist())
        if (leads_to := addresses.page(url)) not in (NOWHERE, number) and page_class[leads_to] != UNKNOWN
    ]
    source, place, target = np.array(rows, np.int32).reshape(-1, 3).T
    return source, place, target
