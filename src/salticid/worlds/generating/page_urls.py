"""The URLs of a generated web. Hosts differ in how much their addresses tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from urllib.parse import quote_plus

import numpy as np

from salticid.worlds.generating.calendars import FIRST_YEAR
from salticid.worlds.generating.chance import Whole
from salticid.worlds.generating.draft import Author
from salticid.worlds.generating.references import ReferenceKind, References
from salticid.worlds.generating.titles import NOTHING

FORBIDDEN_FOLDER = "/members/"
_SHARING = ("share.example/page", "post.test/new")
"""Where the services stand that would share a page."""
_MOST_GENERATIONS = 2_000


class PageUrls:
    """Spells references."""

    def __init__(self, author: Author, words: list[str]) -> None:
        self._author, self._plan = author, author.plan
        self._names, self._words = self._plan.hosts.names, words

    def spell(self, packed: Whole) -> list[bytes]:
        """The URLs of these references, each in its canonical form."""
        references = References.unpack(packed)
        urls = [b""] * len(packed)
        ways: dict[ReferenceKind, Callable[[References], list[str]]] = {
            ReferenceKind.PAGE: self._pages,
            ReferenceKind.FORBIDDEN: self._forbidden,
            ReferenceKind.GONE: self._gone,
            ReferenceKind.CALENDAR: self._calendar,
            ReferenceKind.SHARE: self._share,
        }
        for kind, way in ways.items():
            here = np.flatnonzero(references.kind == kind)
            some = References.unpack(packed[here])
            for at, url in zip(here.tolist(), way(some) if len(here) else (), strict=True):
                urls[at] = url.encode()
        return urls

    def host_of(self, packed: Whole) -> Whole:
        """The number of each reference's host; hosts that are gone are numbered after the others, then services."""
        references, hosts = References.unpack(packed), self._plan.hosts
        place = np.where(references.kind == ReferenceKind.PAGE, references.number, 0)
        month = np.where(references.kind == ReferenceKind.CALENDAR, references.number, 0)
        of_calendar = hosts.calendars[month // hosts.months] if len(hosts.calendars) else month
        return np.select(
            [
                references.kind == ReferenceKind.PAGE,
                references.kind == ReferenceKind.FORBIDDEN,
                references.kind == ReferenceKind.GONE,
                references.kind == ReferenceKind.SHARE,
            ],
            [
                self._plan.host_of[place].astype(np.int64),
                references.number,
                len(hosts) + references.number,
                len(hosts) + hosts.graves + references.moved,
            ],
            of_calendar,
        )

    def host_names(self) -> list[str]:
        """All hosts by number."""
        services = [service.partition("/")[0] for service in _SHARING] if self._plan.menus else []
        gone = [f"gone-{grave}.example" for grave in range(self._plan.hosts.graves)]
        return [*self._names, *gone, *services]

    def _pages(self, references: References) -> list[str]:
        plan, places = self._plan, references.number
        host, nth = plan.host_of[places], plan.nth(places)
        number = nth * _MOST_GENERATIONS + references.generation
        year = 2026 + self._author.ages.birth_day(places, references.generation) // 365
        style = np.where(plan.hosts.tongue[host] > 0, 1 + host % 2, host % 3)
        style = np.where(references.moved == 1, 3, np.where(nth == 0, 4, style))
        titles = self._author.titles.of(places, references.generation)
        return [
            self._page(*page)
            for page in zip(
                style.tolist(),
                host.tolist(),
                plan.topic_of[places].tolist(),
                number.tolist(),
                year.tolist(),
                titles.tolist(),
                strict=True,
            )
        ]

    def _page(self, style: int, host: int, topic: int, number: int, year: int, title: list[int]) -> str:
        name = self._names[host]
        match style:
            case 0:
                words = self._words
                slug = "-".join([words[word] for word in title if word != NOTHING])
                return f"http://{name}/{self._plan.tree.leaves[topic]}/{slug}-{number}.html"
            case 1:
                return f"http://{name}/read?id={number}&view=full"
            case 2:
                return f"http://{name}/{year}/p{number}.html"
            case 3:
                return f"http://{name}/archive/{number}.html"
        return f"http://{name}/"

    def _forbidden(self, references: References) -> list[str]:
        pairs = zip(references.number.tolist(), references.generation.tolist(), strict=True)
        return [f"http://{self._names[host]}{FORBIDDEN_FOLDER}{page}.html" for host, page in pairs]

    def _gone(self, references: References) -> list[str]:
        pairs = zip(references.number.tolist(), references.generation.tolist(), strict=True)
        return [f"http://gone-{grave}.example/{page}.html" for grave, page in pairs]

    def _share(self, references: References) -> list[str]:
        """The title and the address of the page, in the query."""
        places, generations = references.number, references.generation
        words = self._words
        return [
            f"http://{_SHARING[service]}?title={quote_plus(' '.join(words[word] for word in title if word != NOTHING))}"
            f"&url={quote_plus(page)}"
            for service, title, page in zip(
                references.moved.tolist(),
                self._author.titles.of(places, generations).tolist(),
                self._pages(replace(references, moved=np.zeros_like(places))),
                strict=True,
            )
        ]

    def _calendar(self, references: References) -> list[str]:
        hosts, urls = self._plan.hosts, []
        for number in references.number.tolist():
            calendar, month = divmod(number, hosts.months)
            name = self._names[hosts.calendars[calendar]]
            urls.append(f"http://{name}/calendar/{FIRST_YEAR + month // 12}-{month % 12 + 1:02}.html")
        return urls
