"""Links: what a page links to, and what has become of the target since.

A page's own links are drawn once and for all editions, a few of them anew for each. Most were made on the day of
the last edit or looked after since; the others are as old as the page, and what they lead to may have vanished.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from salticid.model import Bools
from salticid.worlds.generating.chance import (
    SHARE_SERVICES,
    Keys,
    Lots,
    Reals,
    ReferenceKind,
    References,
    Whole,
    below,
    eleventh_root,
    later,
    popular,
    power,
    rolls,
)
from salticid.worlds.generating.lives import Ages, PageLives
from salticid.worlds.generating.plan import BRANCHES, WebPlan

HUB = 25
"""Own links from which on a page is a list of links."""
_FEWEST, _MOST = 2.25, 400
_TAIL = 24
"""Own links are a uniform number to the power of -24/32: with the bar and the contents, which all pages of a host have
alike, the density of out-degrees falls with an exponent of 2.7."""
_RENEWED, _KEPT = 0.1, 0.9
_TO_PORTAL, _BETWEEN_PORTALS = 0.7, 0.8
"""Links to anything that lead to a portal, from other hosts and from portals."""
_TO_LASTING = 0.85
"""Links that mean a page which lasts."""
_OLDEST = 400
"""Days after which every link has been looked at once."""
_NOFOLLOW, _TO_FORBIDDEN, _TO_GONE = 0.03, 0.08, 0.006
FORBIDDEN_PAGES = 8
_SISTER_SITES = 8

_Columns = tuple[Whole, Whole, Whole, Whole, Whole]
"""Of links: page, target, the day as of which it leads there, the day as of which it has its address, role."""


_ATTEMPTS = 2
"""Times that a page which would link to the same page twice looks for another one."""


class Role(IntEnum):
    """What a link is for."""

    BAR = 0
    TEXT = 1
    LISTED = 2
    CONTENTS = 3
    PREVIOUS = 4
    NEXT = 5
    FOOTER = 6
    SHARE = 7


@dataclass(frozen=True, eq=False)
class Outlinks:
    """Links as columns: the page (by its number among those asked for), the page the link meant when it was made, what
    it is for, the reference its address makes, and a key for whatever else is drawn for it."""

    page: Whole
    place: Whole
    generation: Whole
    role: Whole
    reference: Whole
    nofollow: Bools
    key: Keys

    @property
    def columns(self) -> tuple[npt.NDArray[Any], ...]:
        """All of them, in the order of the constructor."""
        return (self.page, self.place, self.generation, self.role, self.reference, self.nofollow, self.key)


class Linking:
    """The links of pages, many at once."""

    def __init__(self, plan: WebPlan, ages: Ages) -> None:
        self._plan, self._ages = plan, ages
        seed = plan.seed
        self._degree, self._link = Lots(seed, "degree"), Lots(seed, "link")
        self._renewal, self._detail = Lots(seed, "renewed link"), Lots(seed, "link detail")
        self._sister = Lots(seed, "sister site")
        self._size = np.diff(plan.hosts.first)
        self._root = eleventh_root(self._size + 1)
        self._index_root = eleventh_root(2 + np.maximum(self._size - 2, 0) // BRANCHES)

    def own_links(self, places: Whole, generations: Whole) -> Whole:
        """How many links each page has beside the bar of its host and its table of contents."""
        luck = 1 - self._degree.rolls(places, generations)
        return np.minimum((_FEWEST * power(1 / luck, _TAIL)).astype(np.int64), _MOST)

    def of(self, pages: PageLives, source: PageLives) -> Outlinks:
        """All links of these pages, none to itself and none twice from one page.

        A copy links to what its `source` links to, but has the bar of its own host.
        """
        parts = [self._bar(pages), self._own(pages, source), self._contents(pages)]
        if self._plan.menus:
            parts += [self._steps(pages), self._footer(pages)]
        page, place, day, since, role = (np.concatenate(column) for column in zip(*parts, strict=True))
        key = self._detail.keys(source.places[page], source.generations[page], place)
        is_frame = (role > Role.CONTENTS) | ((role == Role.BAR) & self._plan.menus)
        for number in range(_ATTEMPTS):
            again = _is_repeat(pages, page, place) & ~is_frame
            topic = self._plan.topic_of[source.places[page[again]]].astype(np.int64)
            place[again] = self._plan.topics.any_of(topic, rolls(later(key[again], 20 + number)))
        first = np.flatnonzero(~_is_repeat(pages, page, place))
        page, place, day, since, role = (column[first] for column in (page, place, day, since, role))
        key = key[first]
        generation = self._ages.generation(place, day)
        reference = References.pack(
            ReferenceKind.PAGE, place, generation, self._ages.has_moved(place, generation, since)
        )
        reference = self._led_astray(pages, page, role, reference, key)
        ours = (role == Role.TEXT) | (role == Role.LISTED)
        nofollow = ours & (rolls(later(key, 0)) < _NOFOLLOW)
        links = Outlinks(page, place, generation, role, reference, nofollow, key)
        more = [self._to_calendars(pages), *(self._shares(pages) if self._plan.menus else ())]
        columns = zip(links.columns, *(part.columns for part in more), strict=True)
        return Outlinks(*(np.concatenate(column) for column in columns))

    def _to_calendars(self, pages: PageLives) -> Outlinks:
        """The home page of a host that keeps a calendar leads into the middle of it."""
        hosts = self._plan.hosts
        page = np.flatnonzero(np.isin(pages.places, hosts.first[hosts.calendars]))
        calendar = np.argsort(hosts.calendars)[
            np.searchsorted(np.sort(hosts.calendars), self._plan.host_of[pages.places[page]])
        ]
        month = calendar * hosts.months + hosts.months // 2
        nothing = np.zeros_like(page)
        return Outlinks(
            page,
            pages.places[page],
            nothing,
            np.full_like(page, Role.BAR),
            References.pack(ReferenceKind.CALENDAR, month, nothing),
            np.zeros(len(page), np.bool_),
            self._detail.keys(pages.places[page]),
        )

    def _shares(self, pages: PageLives) -> Iterator[Outlinks]:
        """Each page may be shared by either service."""
        page = np.arange(len(pages.places))
        for service in range(SHARE_SERVICES):
            yield Outlinks(
                page,
                pages.places,
                pages.generations,
                np.full_like(page, Role.SHARE),
                References.pack(ReferenceKind.SHARE, pages.places, pages.generations, service),
                np.zeros(len(page), np.bool_),
                self._detail.keys(pages.places),
            )

    def _steps(self, pages: PageLives) -> _Columns:
        """The pages of the host before and after each one."""
        host, nth = self._plan.host_of[pages.places], self._plan.nth(pages.places)
        there = np.stack([nth > 0, nth < self._size[host] - 1], axis=1)
        page, forward = np.nonzero(there)
        place = pages.places[page] + 2 * forward - 1
        return page, place, pages.edit_day[page], pages.edit_day[page], Role.PREVIOUS + forward

    def _footer(self, pages: PageLives) -> _Columns:
        """The home pages of sister sites, the same on every page of a host."""
        host = self._plan.host_of[pages.places]
        page, number = _each(np.full(len(host), _SISTER_SITES))
        sister = self._sister.below(len(self._plan.hosts), host[page], number)
        place = self._plan.hosts.first[sister]
        return page, place, pages.edit_day[page], pages.edit_day[page], np.full(len(page), Role.FOOTER)

    def _bar(self, pages: PageLives) -> _Columns:
        """Home, and the first sections of the host."""
        host = self._plan.host_of[pages.places]
        page, section = _each(1 + self._plan.hosts.bar[host])
        place = self._plan.hosts.first[host[page]] + section
        return page, place, pages.edit_day[page], pages.edit_day[page], np.full(len(page), Role.BAR)

    def _contents(self, pages: PageLives) -> _Columns:
        """An index page lists its part of the host."""
        nth, size = self._plan.nth(pages.places), self._size[self._plan.host_of[pages.places]]
        page, branch = _each(np.clip(size - BRANCHES * nth - 1, 0, BRANCHES))
        place = pages.places[page] - nth[page] + BRANCHES * nth[page] + 1 + branch
        return page, place, pages.edit_day[page], pages.edit_day[page], np.full(len(page), Role.CONTENTS)

    def _own(self, pages: PageLives, source: PageLives) -> _Columns:
        """The links of the page's own text.

        A link that is looked after is mended when its target has vanished, but not when it has moved.
        """
        degree = self.own_links(source.places, source.generations)
        page, number = _each(degree)
        here, generation = source.places[page], source.generations[page]
        renewals = self._renewal.keys(here, generation, source.editions[page], number)
        anew = rolls(renewals) < _RENEWED
        key = np.where(anew, later(renewals, 0), self._link.keys(here, generation, number))
        listing = degree[page] >= HUB
        place = self._target(here, listing, key)
        looked_after = anew | (rolls(later(key, 9)) < _KEPT)
        since = np.maximum(pages.birth_day, pages.edit_day - _OLDEST)[page]
        day = np.where(looked_after, pages.edit_day[page], since)
        return page, place, day, since, np.where(listing, Role.LISTED, Role.TEXT)

    def _target(self, here: Whole, listing: Bools, key: Keys) -> Whole:
        """Of the own host, the circle, the topic, a topic of the same field, or anything: the farther the rarer.

        Many links to anything lead to portals, and these link to each other.
        """
        plan = self._plan
        luck, chance, lasting = rolls(key), rolls(later(key, 1)), rolls(later(key, 10)) < _TO_LASTING
        topics, wide = len(plan.tree.leaves), len(plan.tree.fields)
        topic = plan.topic_of[here].astype(np.int64)
        sibling = (topic + wide * below(later(key, 2), max(1, topics // wide))) % topics
        sibling = np.where(plan.topics.size[sibling] > 0, sibling, topic)
        steps = np.where(listing, [[0.10], [0.42], [0.77], [0.88]], [[0.45], [0.68], [0.80], [0.87]])
        in_portal = plan.hosts.is_portal[plan.host_of[here]]
        luck = np.where(in_portal & (luck >= steps[0]), 1.0, luck)
        to_portal = rolls(later(key, 12)) < np.where(in_portal, _BETWEEN_PORTALS, _TO_PORTAL)
        anywhere = (to_portal & (plan.everyone.size[1] > 0)).astype(np.int64)
        return np.select(
            [luck < step for step in steps],
            [
                self._neighbour(here, chance, lasting),
                plan.circles.one_of(plan.circle_of(here), chance, lasting),
                plan.topics.one_of(topic, chance, lasting),
                plan.topics.one_of(sibling, chance, lasting),
            ],
            plan.everyone.one_of(anywhere, chance, lasting),
        )

    def _neighbour(self, here: Whole, chance: Reals, lasting: Bools) -> Whole:
        """A page of the same host: its index pages come first."""
        host = self._plan.host_of[here]
        root = np.where(lasting, self._index_root[host], self._root[host])
        return self._plan.hosts.first[host] + popular(chance, self._size[host], root)

    def _led_astray(self, pages: PageLives, page: Whole, role: Whole, reference: Whole, key: Keys) -> Whole:
        """Some links lead to a folder that robots must not enter, a few to hosts that are no more."""
        hosts, luck = self._plan.hosts, rolls(later(key, 3))
        host = self._plan.host_of[pages.places[page]].astype(np.int64)
        own = role == Role.TEXT
        forbidden = own & (hosts.forbids[host] == 1) & (luck < _TO_FORBIDDEN)
        to_gone = own & (luck > 1 - _TO_GONE)
        which = below(later(key, 4), FORBIDDEN_PAGES)
        graves = below(later(key, 5), hosts.graves)
        reference = np.where(forbidden, References.pack(ReferenceKind.FORBIDDEN, host, which), reference)
        return np.where(to_gone, References.pack(ReferenceKind.GONE, graves, which), reference)


def _is_repeat(pages: PageLives, page: Whole, place: Whole) -> Bools:
    """Whether each link leads to its own page, or where an earlier link of the page does."""
    targets = page << 32 | place
    order = np.argsort(targets, kind="stable")
    again = np.empty(len(page), np.bool_)
    again[order] = np.diff(targets[order], prepend=-1) == 0
    again |= place == pages.places[page]
    return again


def _each(counts: Whole) -> tuple[Whole, Whole]:
    """For counts of things: whose each thing is, and its number among those of the same owner.

    >>> [column.tolist() for column in _each(np.array([2, 0, 1]))]
    [[0, 0, 2], [0, 1, 0]]
    """
    owner = np.repeat(np.arange(len(counts)), counts)
    return owner, np.arange(len(owner)) - (np.cumsum(counts) - counts)[owner]
