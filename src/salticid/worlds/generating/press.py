"""Some pages of a generated web, ready to be put into the arrays of a world."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote_plus

import numpy as np
import numpy.typing as npt
import zstandard

from salticid.model import NO_URL, Ints, Outcome
from salticid.webs import AREA, LINK, OUTCOMES, PAGE, REDIRECT, ROW, TEXT, TITLE, TOKEN, URL, WorldArray
from salticid.worlds.generating.chance import Lots, Reals, ReferenceKind, References, Whole, power
from salticid.worlds.generating.layout import Author, Draft, Form, lay_out
from salticid.worlds.generating.lives import EPOCH
from salticid.worlds.generating.plan import WebPlan
from salticid.worlds.generating.prose import NOTHING, WIDEST, word_rows

# The calendar trap: month after month of nothing, each leading to the next and the one before.

_SAYS = "nothing is planned for this month"
_DATE = EPOCH - 400 * 86_400
FIRST_YEAR = 2016


def calendar_pages(plan: WebPlan, numbers: Whole) -> Draft:
    """The months with these numbers, over all calendars."""
    months, lexicon = plan.hosts.months, plan.lexicon
    month = numbers % months
    titles = np.full((len(numbers), WIDEST), NOTHING, np.int32)
    titles[:, 0] = lexicon.words.find("calendar")
    titles[:, 1] = lexicon.months[month % 12]
    words = lexicon.say(_SAYS)
    host = plan.hosts.calendars[numbers // months]
    home = References.pack(ReferenceKind.PAGE, plan.hosts.first[host], np.zeros_like(host))
    none = np.zeros_like(numbers)
    before = References.pack(ReferenceKind.CALENDAR, np.maximum(numbers - 1, 0), none)
    after = References.pack(ReferenceKind.CALENDAR, numbers + 1, none)
    there = np.stack([np.ones(len(numbers), np.bool_), month > 0, month < months - 1], axis=1)
    page, role = np.nonzero(there)
    return Draft(
        host=host,
        generations=none,
        modified=none + _DATE,
        titles=titles,
        text=np.tile(np.array(words, np.int32), len(numbers)),
        lengths=none + len(words),
        has_description=np.zeros(len(numbers), np.bool_),
        link_page=page,
        spot=np.where(role == 0, 0, len(words)),
        reference=np.stack([home, before, after], axis=1)[there],
        anchors=word_rows(lexicon, ("home", "previous month", "next month"))[role],
        apart=np.ones(len(page), np.bool_),
        nofollow=np.zeros(len(page), np.bool_),
    )


# The URLs of a generated web. Hosts differ in how much their addresses tell.

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


# What a server answers beside the page: how many bytes, after how many seconds; and what else stands at an address.

_LINK_BYTES, _MARKUP, _MOST_MARKUP = 45, 1_500, 300_000
_PATIENCE = 10.0
"""Seconds after which nobody waits any longer for a host that is gone."""
_ERROR_BYTES = 400
_DEAD, _ROBOTS, _UNREACHABLE = (
    OUTCOMES.index(outcome) for outcome in (Outcome.DEAD, Outcome.ROBOTS, Outcome.UNREACHABLE)
)


class Service:
    """How the hosts serve: some are slow to answer, some slow to send."""

    def __init__(self, author: Author) -> None:
        hosts, seed = author.plan.hosts, author.plan.seed
        self._latency = hosts.latency
        self._bandwidth = 200_000 / (0.1 + 0.9 * Lots(seed, "bandwidth").rolls(np.arange(len(hosts))))
        self._markup, self._jitter = Lots(seed, "markup"), Lots(seed, "jitter")

    def sizes(self, numbers: Whole, generations: Whole, text: Whole, links: Whole) -> Whole:
        """Bytes of pages: their text, their links, and markup that has a heavy tail."""
        luck = 1 - self._markup.rolls(numbers, generations)
        markup = np.minimum(_MARKUP * power(1 / luck, 24), _MOST_MARKUP).astype(np.int64)
        return text + _LINK_BYTES * links + markup

    def seconds(self, numbers: Whole, host: Whole, size: Whole) -> Reals:
        """How long answers of that size take."""
        latency = self._latency[host] * (0.7 + 0.6 * self._jitter.rolls(numbers))
        seconds: Reals = np.round(latency + size / self._bandwidth[host], 4)
        return seconds


@dataclass(frozen=True, eq=False)
class AnswerColumns:
    """Answers as the columns of a world's rows."""

    kind: npt.NDArray[np.uint8]
    status: npt.NDArray[np.int16]
    target: npt.NDArray[np.int32]
    size: npt.NDArray[np.int32]
    seconds: Reals


def other_answers(author: Author, service: Service, host: Whole, packed: Whole) -> AnswerColumns:
    """What references to no page of the day answer: moved, not found, forbidden, nobody there."""
    references = References.unpack(packed)
    place = np.where(references.kind == ReferenceKind.PAGE, references.number, 0)
    now = author.ages.generation(place, np.full(len(place), author.day))
    moves = (references.kind == ReferenceKind.PAGE) & (now == references.generation)
    forbidden, is_gone = references.kind == ReferenceKind.FORBIDDEN, references.kind == ReferenceKind.GONE
    is_served = ~(forbidden | is_gone)
    at = np.where(host < len(author.plan.hosts), host, 0)
    size = np.where(is_served, _ERROR_BYTES, 0)
    seconds = service.seconds(packed, at, size)
    return AnswerColumns(
        kind=np.select([moves, forbidden, is_gone], [REDIRECT, _ROBOTS, _UNREACHABLE], _DEAD).astype(np.uint8),
        status=np.select([moves, is_served], [301, 404], 0).astype(np.int16),
        target=np.where(moves, place, NO_URL).astype(np.int32),
        size=size.astype(np.int32),
        seconds=np.where(is_served, seconds, np.where(is_gone, _PATIENCE, 0.0)),
    )


ELSEWHERE = -1
"""Stands for the URL of a link that leads to no page of the day; `PageBlock.elsewhere` says where to."""
_OK = OUTCOMES.index(Outcome.OK)
_FORMS = len(Form)


@dataclass(frozen=True, eq=False)
class PageBlock:
    """Arrays of a world, and for those that are cut by page how much each page has of them.

    `link_url` counts places and months as the URLs they are; `elsewhere` are references, in the order of the links
    marked `ELSEWHERE`.
    """

    arrays: dict[WorldArray[Any], npt.NDArray[Any]]
    counts: dict[WorldArray[np.uint64], Whole]
    tokens: Ints
    link_url: npt.NDArray[np.int32]
    elsewhere: Whole
    urls: list[bytes]


class Press:
    """Prints the pages of one day."""

    def __init__(self, pages: int, seed: int, day: int, menus: bool = False) -> None:
        self.plan = WebPlan.of(pages, seed, menus)
        self.author = Author(self.plan, day)
        self.words = self.plan.lexicon.words.between(0, len(self.plan.lexicon.words))
        self.addresses = PageUrls(self.author, [word.decode() for word in self.words])
        self.service = Service(self.author)
        self._spellings = [form for word in self.words for form in _forms(word)]
        self._zstd = zstandard.ZstdCompressor(level=1)

    def print(self, first: int, last: int) -> PageBlock:
        """Pages number `first` up to `last`, which are all of places or all of calendars."""
        numbers, places = np.arange(first, last), self.plan.places
        if first < places:
            draft = self.author.pages(numbers)
            urls = self.urls_of(numbers, draft)
        else:
            draft = calendar_pages(self.plan, numbers - places)
            months = References.pack(ReferenceKind.CALENDAR, numbers - places, draft.generations)
            urls = self.addresses.spell(months)
        return self._block(draft, numbers, urls)

    def urls_of(self, places: Whole, draft: Draft) -> list[bytes]:
        """The URLs that drafted pages of places have on the day."""
        days = np.full(len(places), self.author.day)
        has_moved = self.author.ages.has_moved(places, draft.generations, days)
        return self.addresses.spell(References.pack(ReferenceKind.PAGE, places, draft.generations, has_moved))

    def _block(self, draft: Draft, numbers: Whole, page_urls: list[bytes]) -> PageBlock:
        layout = lay_out(draft)
        spellings, zstd = self._spellings, self._zstd
        pieces = [spellings[form] for form in (layout.tokens * np.int32(_FORMS) + layout.forms).tolist()]
        texts, titles, sizes = [], [], []
        ends = layout.begin + layout.length
        for body, end, words in zip(
            (layout.begin + layout.body).tolist(), ends.tolist(), layout.title.tolist(), strict=True
        ):
            text = b" ".join(pieces[body:end])
            titles.append(b" ".join(pieces[body - words : body]))
            texts.append(zstd.compress(text))
            sizes.append(len(text))
        urls = self._urls_of_links(draft.reference)
        pages, size = (
            len(numbers),
            self.service.sizes(numbers, draft.generations, np.array(sizes), layout.links),
        )
        return PageBlock(
            arrays={
                ROW.kind: np.full(pages, _OK, np.uint8),
                ROW.status: np.full(pages, 200, np.int16),
                ROW.target: np.full(pages, NO_URL, np.int32),
                ROW.page: numbers.astype(np.int32),
                ROW.size: size.astype(np.int32),
                ROW.seconds: self.service.seconds(numbers, draft.host, size),
                ROW.modified: draft.modified.astype(np.float64),
                PAGE.url: numbers.astype(np.int32),
                PAGE.canonical: np.full(pages, NO_URL, np.int32),
                PAGE.refresh: np.full(pages, NO_URL, np.int32),
                PAGE.flags: np.zeros(pages, np.uint8),
                AREA.kind: layout.area,
                AREA.start: layout.area_start,
                LINK.start: layout.link_start,
                LINK.stop: layout.link_stop,
                LINK.nofollow: draft.nofollow,
                TITLE.byte: np.frombuffer(b"".join(titles), np.uint8),
                TEXT.byte: np.frombuffer(b"".join(texts), np.uint8),
                URL.host: draft.host.astype(np.int32),
            },
            counts={
                TOKEN.end: layout.length,
                AREA.end: layout.areas,
                LINK.end: layout.links,
                TITLE.end: np.array([len(title) for title in titles]),
                TEXT.end: np.array([len(text) for text in texts]),
            },
            tokens=layout.tokens,
            link_url=urls,
            elsewhere=draft.reference[urls == ELSEWHERE],
            urls=page_urls,
        )

    def _urls_of_links(self, packed: Whole) -> npt.NDArray[np.int32]:
        """The URL of each page of the day that is linked to: that of its place, or its month."""
        refs, ages = References.unpack(packed), self.author.ages
        is_page = refs.kind == ReferenceKind.PAGE
        place = np.where(is_page, refs.number, 0)
        today = np.full(len(place), self.author.day)
        now = ages.generation(place, today)
        alive = is_page & (now == refs.generation) & (ages.has_moved(place, now, today) == refs.moved)
        month = self.plan.places + refs.number
        urls = np.select([alive, refs.kind == ReferenceKind.CALENDAR], [place, month], ELSEWHERE)
        return urls.astype(np.int32)


def _forms(word: bytes) -> tuple[bytes, bytes, bytes, bytes]:
    """A word as the text spells it, by `Form`."""
    return word, word.decode().capitalize().encode(), word + b",", word + b"."
