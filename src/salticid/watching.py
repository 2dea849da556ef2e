"""Revisits: how often pages change, and which of them a round of `watch` fetches again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from salticid.exact import expm1s, exps
from salticid.model import Bools, Floats, Ints

# What is known when a round begins: the pages of the crawl, and what became of them at each look.

FINDINGS: Final = ("same", "changed", "gone", "unknown")
"""What a look may find; `Looks.finding` holds places in it."""
SAME, CHANGED, GONE, UNKNOWN = range(len(FINDINGS))


@dataclass(frozen=True, slots=True, eq=False)
class WatchedPages:
    """Good pages as columns of equal length, a row a page, in order of their steps.

    `visited` is when it was visited, `modified` since when it had been as it was then (NaN where nobody said), both in
    seconds since 1970. `score` is what the judge thinks of it by now; only what is `positive` is collected. `children`
    are the positive pages that its links brought when it was visited, `finds` those that they brought in rounds.
    """

    step: Ints
    host: Ints
    visited: Floats
    modified: Floats
    score: Floats
    positive: Bools
    children: Ints
    finds: Ints

    def __len__(self) -> int:
        return len(self.step)


@dataclass(frozen=True, slots=True, eq=False)
class Looks:
    """The looks at watched pages after their visits, in the order in which they were made.

    `page` is a row of the watched pages, `wall` seconds since 1970, `finding` a place in `FINDINGS`.
    """

    page: Ints
    wall: Floats
    finding: npt.NDArray[np.uint8]

    @classmethod
    def none(cls) -> Looks:
        """Nobody has looked again so far."""
        return cls(np.zeros(0, np.int32), np.zeros(0), np.zeros(0, np.uint8))

    def __len__(self) -> int:
        return len(self.page)


@dataclass(frozen=True, slots=True, eq=False)
class RoundBrief:
    """All that decides the plan of a round: what is known, what time it is, how many fetches there are (None: any).

    `hunted` are the fetches that the first hunt took, and each round's after it, `found` the positive pages these
    brought.
    """

    pages: WatchedPages
    looks: Looks
    now: float
    fetches: int | None
    hunted: Ints
    found: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The steps of the pages to look at again, in order, and the fetches for hunting on (None: any)."""

    again: Ints
    hunt: int | None


class Policy(Protocol):
    """A rule for rounds. The same brief gives the same plan; `again` and `hunt` together are `fetches` at the most."""

    def plan(self, brief: RoundBrief) -> Plan: ...


@dataclass(frozen=True, slots=True)
class InTurn:
    """Looks at pages with a share of the fetches, those not seen for longest first, and hunts with what is left."""

    share: float = 1.0

    def plan(self, brief: RoundBrief) -> Plan:
        pages, looks = brief.pages, brief.looks
        seen = pages.visited.copy()
        np.maximum.at(seen, looks.page, looks.wall)
        order = np.lexsort((pages.step, seen))
        if brief.fetches is None:
            return Plan(pages.step[order], None)
        order = order[: int(self.share * brief.fetches)]
        return Plan(pages.step[order], brief.fetches - len(order))


# How often pages change, from looks that only say whether one did since the look before.
#
# A page is taken to change at random, at a rate of its own. Of an interval in which it changed nobody knows how
# often: at rate r and length w it is r w / (1 - exp(-r w)) times in the mean, so that a rate says how many changes to
# expect and these say the rate (expectation maximisation). What is seen of one page says little at first; its rate is
# drawn to that of its host, and that of a host to that of the whole crawl.
#
# Paper: Cho, Garcia-Molina, "Estimating frequency of change", ACM TOIT 3(3), 2003.

DAY = 86_400.0
USUAL = 1 / 100
"""Changes a day of a page on a web nobody has looked at."""
PAGE_WEIGHT, HOST_WEIGHT, CRAWL_WEIGHT = 0.5, 2.0, 1.0
"""How many changes the rate of the host counts for against what was seen of a page, and so on."""
LONGEST = 365.0
"""Days that a date may tell of, for there are pages that say 1970."""
_TURNS = 12
"""After so many turns a rate hardly moves any more."""
_SHORTEST = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What was seen of pages, in days.

    By page: `days` for which something is known of it, and how many changes are `dated`, as the last one before the
    visit where its server told; such a date is believed less with each look. By interval between two looks in which
    there was at least one change: whose it is (`page`), and how long (`width`).
    """

    days: Floats
    dated: Floats
    page: Ints
    width: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Histories:
    """How each page was last seen: when, in seconds since 1970; how often it was gone, or asked for in vain, since."""

    evidence: Evidence
    seen: Floats
    gone: Floats
    in_vain: Floats


def histories(pages: WatchedPages, looks: Looks) -> Histories:
    """What the looks at each page come to. A page that is gone has changed once, and no more."""
    many = len(pages)
    told = looks.finding != UNKNOWN
    order = np.argsort(looks.page[told], kind="stable")
    page, wall = looks.page[told][order], looks.wall[told][order]
    finding = looks.finding[told][order]
    first = np.diff(page, prepend=-1) != 0
    before = np.where(first, pages.visited[page], np.roll(wall, 1))
    was_gone = ~first & (np.roll(finding, 1) == GONE)
    days = np.where(was_gone, 0.0, np.maximum(wall - before, 0.0) / DAY)
    changed = ((finding == CHANGED) | (finding == GONE)) & ~was_gone
    age = (pages.visited - pages.modified) / DAY
    belief = np.where(age >= 0.0, 1.0 / (1.0 + np.bincount(page, minlength=many)), 0.0)
    evidence = Evidence(
        days=_sums(page, days, many) + belief * np.clip(np.nan_to_num(age), 0.0, LONGEST),
        dated=belief,
        page=page[changed],
        width=days[changed],
    )
    seen = pages.visited.copy()
    np.maximum.at(seen, page, wall)
    return Histories(
        evidence=evidence,
        seen=seen,
        gone=_since(finding == GONE, page, many),
        in_vain=_since(looks.finding == UNKNOWN, looks.page, many),
    )


def change_rates(evidence: Evidence, host: Ints) -> Floats:
    """Changes a day of each page, by what was seen of it, of its host and of all."""
    hosts, of_host = np.unique(host, return_inverse=True)
    crawl = _rates(evidence, np.zeros_like(of_host), np.full(1, USUAL), CRAWL_WEIGHT)
    by_host = _rates(evidence, of_host, np.full(len(hosts), crawl[0]), HOST_WEIGHT)
    return _rates(evidence, np.arange(len(host)), by_host[of_host], PAGE_WEIGHT)


def _rates(evidence: Evidence, group: npt.NDArray[np.int64], usual: Floats, weight: float) -> Floats:
    """The rates of groups of pages that fit what was seen, and a usual rate that counts for so many changes."""
    many = len(usual)
    days = _sums(group, evidence.days, many) + weight / usual
    known = _sums(group, evidence.dated, many) + weight
    of_interval = group[evidence.page]
    rates = usual
    for _ in range(_TURNS):
        within = np.maximum(rates[of_interval] * evidence.width, _SHORTEST)
        rates = (known + _sums(of_interval, within / -expm1s(-within), many)) / days
    return rates


def _since(which: Bools, page: Ints, many: int) -> Floats:
    """How many of the last looks at each page, without a break, are such."""
    others = np.zeros(many, np.int64)
    places = np.arange(1, len(page) + 1)
    np.maximum.at(others, page[~which], places[~which])
    return _sums(page, (which & (places > others[page])).astype(np.float64), many)


def _sums(group: Ints | npt.NDArray[np.int64], values: Floats, many: int) -> Floats:
    """The sum of the values of each group, added up in their order."""
    return np.bincount(group, values, many).astype(np.float64)


# The policy of `salticid watch`: it looks at the pages whose look is worth more than a fetch that hunts on.

_DOUBT = 0.1
"""How much a page matters that the judge thinks nothing of."""
_FEW_CHILDREN = 0.1
"""What a page is given besides its children, so that one without any is not given up."""
_BACK_AGAIN = 2.0
"""A page that is gone is worth e to the power of so much less, with each look that finds it gone."""


@dataclass(frozen=True, slots=True)
class ByWorth:
    """Worth is counted in days for which a page of the subject is known as it is.

    At rate r and t days after the last look, a look brings (1 - exp(-r t) (1 + r t)) / r such days: what is gained by
    it, less what is lost as it is not made later. So pages that hardly change are worth little, and so are those that
    change again as soon as they were seen. Looks bring new pages, too: as many a day as its links have brought, and
    before they had a chance to, as those of all pages do, by how many they brought when the page was visited.
    A new page counts for `find_days`. That is also what hunting on is worth, by what it found, the rounds before the
    last one counting for `fade` of the next. Of all fetches `least_hunt` is for hunting on, whatever it is worth.

    Paper: Cho, Garcia-Molina, "Effective page refresh policies for Web crawlers", ACM TODS 28(4), 2003.
    """

    find_days: float = 30.0
    find_weight: float = 10.0
    least_hunt: float = 0.2
    fade: float = 0.7

    def plan(self, brief: RoundBrief) -> Plan:
        worth = self.worth(brief)
        order = np.lexsort((brief.pages.step, -worth))
        if brief.fetches is None:
            return Plan(brief.pages.step[order], None)
        most = brief.fetches - round(self.least_hunt * brief.fetches)
        above = int(np.count_nonzero(worth > self.worth_of_hunting(brief)))
        again = order[: min(above, most)]
        return Plan(brief.pages.step[again], brief.fetches - len(again))

    def worth(self, brief: RoundBrief) -> Floats:
        """What a look at each page is worth."""
        pages = brief.pages
        past = histories(pages, brief.looks)
        rates = change_rates(past.evidence, pages.host)
        days = np.maximum(brief.now - past.seen, 0.0) / DAY
        fresh_days = (1.0 - exps(-rates * days) * (1.0 + rates * days)) / rates
        finds = days * self._finds_a_day(pages, (past.seen - pages.visited) / DAY)
        answers = exps(-_BACK_AGAIN * past.gone - past.in_vain)
        worth: Floats = (_matters(pages) * fresh_days + self.find_days * finds) * answers
        return worth

    def worth_of_hunting(self, brief: RoundBrief) -> float:
        """What a fetch is worth that hunts on."""
        hunted, found = 5.0, 0.5
        for fetches, pages in zip(brief.hunted.tolist(), brief.found.tolist(), strict=True):
            hunted, found = self.fade * hunted + fetches, self.fade * found + pages
        return self.find_days * found / hunted

    def _finds_a_day(self, pages: WatchedPages, watched: Floats) -> Floats:
        """New pages on topic that each page's links bring a day, by the days for which it was watched."""
        usual = (int(pages.finds.sum()) + 1.0) / (float(watched.sum()) + 100.0)
        many = max(len(pages), 1)
        children = (pages.children + _FEW_CHILDREN) / (int(pages.children.sum()) / many + _FEW_CHILDREN)
        finds: Floats = (pages.finds + self.find_weight * usual * children) / (watched + self.find_weight)
        return finds


def _matters(pages: WatchedPages) -> Floats:
    """How likely each page is one of the subject: surely when it is positive, and less with a lower score."""
    line = pages.score[pages.positive].min(initial=1.0)
    near = np.sqrt(np.clip(pages.score / line, 0.0, 1.0))
    return np.where(pages.positive, 1.0, _DOUBT + (1.0 - _DOUBT) * near)
