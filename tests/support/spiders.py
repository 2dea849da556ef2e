"""What the tests of both kinds of agents share: a web about spiders, loaded dice, a step at a time."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from tests.support.scripted import Crawled

from salticid.model import Choice, Event
from salticid.testing.small import SmallWeb
from salticid.topic import Limits

TEN = Limits(max_pages=10)
FORK = "<p>spider rain <a href=a>spider</a> rain <a href=b>rain</a></p>"
"""Near a are two spiders at distance 1, near b the same two at distance 2. 2 spiders, 3 rains."""


class Loaded(np.random.Generator):
    """Dice that always draw the first link."""

    def random(self, *shape: Any) -> Any:  # type: ignore[override]
        return super().random(*shape) if shape else 0.0


def web_about_spiders(pages: dict[str, Any], **more: Any) -> SmallWeb:
    """A small web whose topic is the one word `spider`."""
    web = SmallWeb(pages, **more)
    web.topic = replace(web.topic, keywords="spider")
    return web


def step(done: Crawled) -> Choice:
    """One choice, delivered."""
    (choice,) = done.crawl.choices(1)
    done.deliver(choice)
    return choice


def named(events: Sequence[Event], name: str) -> list[dict[str, str | float | int]]:
    """The values of the events of a name."""
    return [dict(event.values) for event in events if event.name == name]
