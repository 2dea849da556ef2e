"""A few pages on spiders and on other things, and a brief of which judges learn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from salticid.model import Limits, Links, Page
from salticid.protocols import Brief, Judge
from salticid.runs.brief import prepare
from salticid.testing import SmallWeb
from salticid.testing.small import address

EMPTY = Page(0, "", np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.uint8), Links.to([]), b"")

PAGES = {
    "spiders": "<title>Jumping spiders</title><p>Salticids hunt by sight and leap at their prey.",
    "eyes": "<title>Eyes of spiders</title><p>Salticids have eight eyes and hunt by sight, spiders with vision.",
    "silk": "<title>Silk</title><p>Spiders spin silk; salticids leap on a dragline.",
    "leap": "<title>The leap</title><p>How salticids leap: spiders hunt prey by sight.",
    "web": "<title>Orb webs</title><p>Arachnids weave sticky orbs of silk on a dragline.",
    "trains": "<title>Railways</title><p>Trains run on rails; engines pull wagons to the station.",
    "engines": "<title>Engines</title><p>Steam engines pull trains of wagons along rails and stop at a station.",
    "bread": "<title>Bread</title><p>Flour, water, yeast and salt are baked in an oven.",
}


def briefed(
    examples: tuple[str, ...] = ("spiders", "eyes"),
    negatives: tuple[str, ...] = (),
    keywords: str = "jumping spiders",
    pages: dict[str, str] | None = None,
) -> tuple[SmallWeb, Brief]:
    """A web of these pages, and the brief of a topic with some of them as known ones."""
    web = SmallWeb(pages or PAGES)
    web.topic = replace(
        web.topic,
        keywords=keywords,
        examples=tuple(map(address, examples)),
        negatives=tuple(map(address, negatives)),
    )
    return web, prepare(web.topic, web, Limits(), seed=0)


def page(web: SmallWeb, name: str) -> Page:
    """A page by its name."""
    return web.page(web.id(name))


def scores(judge: Judge, web: SmallWeb) -> dict[str, float]:
    """What a judge says of each of the pages."""
    return {name: judge.score(page(web, name)) for name in PAGES}
