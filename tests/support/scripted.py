"""Crawls asked and answered by hand: a strategy that does as it is told, and small webs to tell it about."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from salticid.crawl import Crawl
from salticid.drivers.replay import VirtualClock, Window, replay
from salticid.judges.cosine import Cosine
from salticid.model import Choice, Event, Feedback, Ints, Link, Links, Page, StopReason, Visit
from salticid.protocols import Brief, Strategy
from salticid.runs.brief import prepare
from salticid.runs.recorded import MemoryLog
from salticid.testing.small import SmallWeb
from salticid.topic import Limits, Topic

ENOUGH = Limits(max_pages=100)


class Script:
    """Chooses by name what it was told to, turn by turn; keeps what it is told about each visit."""

    walks: ClassVar[bool] = False

    def __init__(self, web: SmallWeb, *turns: str) -> None:
        self.web, self.turns = web, list(turns)
        self.rooms: list[int] = []
        self.fresh: dict[str, list[str]] = {}

    def start(self, brief: Brief) -> None: ...

    def choose(self, n: int, busy: frozenset[int]) -> list[Choice]:
        self.rooms.append(n)
        names = self.turns.pop(0).split() if self.turns else []
        return [Choice(Link(self.web.id(name)), agent=len(self.rooms)) for name in names]

    def observe(self, visit: Visit, fresh: Ints) -> None:
        links = [] if visit.page is None else visit.page.links.url[fresh].tolist()
        self.fresh[self.web.name(visit.url)] = [self.web.name(url) for url in links]

    def revise(self, scores: Sequence[tuple[int, float]], feedback: Sequence[Feedback]) -> None: ...

    def offer(self, links: Links) -> None:
        self.fresh["offered"] = [self.web.name(url) for url in links.url.tolist()]

    def extend(self, limits: Limits) -> None: ...

    def events(self) -> list[Event]:
        return []

    def waiting(self, k: int) -> tuple[int, list[Choice]]:
        return 0, []


class WalkingScript(Script):
    walks: ClassVar[bool] = True


class Crawled:
    """A crawl, the web it crawls and what it logged."""

    def __init__(
        self,
        web: SmallWeb,
        strategy: Strategy,
        limits: Limits = ENOUGH,
        topic: Topic | None = None,
        newest: Callable[[int], Page | None] | None = None,
    ):
        self.web, self.log, self.clock = web, MemoryLog(), VirtualClock()
        brief = prepare(topic or web.topic, web, limits, seed=0)
        web.asked.clear()
        self.crawl = Crawl(brief, strategy, Cosine(), self.log, self.clock, web.page, newest=newest)

    def to_the_end(self, window: int = 1) -> StopReason:
        return replay(self.crawl, self.web, Window(window), self.clock)

    def deliver(self, choice: Choice) -> Visit:
        return self.crawl.deliver(choice, self.web.fetch(choice.link.url))

    def visits(self) -> list[tuple[str, str]]:
        return [(self.web.name(visit.url), visit.outcome.value) for visit in self.log.visits]


def star(*names: str, **more: tuple[str, list[str]]) -> dict[str, tuple[str, list[str]]]:
    """A seed that links to all of these, and each of them a page that links nowhere."""
    return {"seed": ("spiders", list(names)), **{name: ("spiders", []) for name in names}, **more}


def chain(length: int, text: str = "spiders") -> SmallWeb:
    return SmallWeb({f"p{n}": (text, [f"p{n + 1}"]) for n in range(length)})
