"""A few pages on spiders and on other things, and a brief of which judges learn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from salticid.model import Links, Page
from salticid.protocols import Brief, Judge
from salticid.runs.brief import prepare
from salticid.testing.small import SmallWeb, address
from salticid.topic import Limits

EMPTY = Page(0, "", np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.uint8), Links.to([]), b"")

PAGES = {
    "spiders": "<title>Jumping spiders</title><p>Salticids hunt by sight and leap at their prey. They stalk a fly"
    " the way a cat stalks a mouse, turn to look at it, and jump when it is near. Courting males dance with their"
    " front legs raised.",
    "eyes": "<title>Eyes of spiders</title><p>Salticids have eight eyes and hunt by sight, spiders with vision. The"
    " two large ones in front see colours, and whether prey or a mate comes near; those at the sides notice what"
    " moves. No other spiders look at things so closely before they jump.",
    "silk": "<title>Silk</title><p>Spiders spin silk; salticids leap on a dragline. Who misses the prey hangs on it"
    " and climbs back. At night salticids sleep in a tent of silk under a leaf, where spiders of other families would"
    " weave a net.",
    "leap": "<title>The leap</title><p>How salticids leap: spiders hunt prey by sight. Blood is pressed into the"
    " hind legs, which stretch at once; such spiders jump many times their own length and seize the prey with"
    " their front legs. Before they jump they stalk it and look at it with their large eyes.",
    "web": "<title>Orb webs</title><p>Arachnids weave sticky orbs of silk on a dragline. The frame comes first, then"
    " the spokes, then a spiral of glue for moths and gnats. Every evening the old orb is eaten, and another one is"
    " woven in its place.",
    "trains": "<title>Railways</title><p>Trains run on rails; engines pull wagons to the station. Passengers wait on"
    " the platform until the doors open, and a guard with a whistle sends the carriages off. Timetables tell when"
    " the next express leaves for the coast.",
    "engines": "<title>Engines</title><p>Steam engines pull trains of wagons along rails and stop at a station. Coal"
    " heats the boiler, pistons turn the wheels, and a driver and a stoker stand on the footplate. Later railways"
    " burnt oil or took current from a wire.",
    "bread": "<title>Bread</title><p>Flour, water, yeast and salt are baked in an oven. The dough rises in a warm"
    " kitchen, is kneaded, shaped into loaves and left to rest. A brown crust that sounds hollow tells the baker that"
    " bread is done.",
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
