"""How often pages change, from looks that only say whether one did since the look before.

A page is taken to change at random, at a rate of its own. Of an interval in which it changed nobody knows how often:
at rate r and length w it is r w / (1 - exp(-r w)) times in the mean, so that a rate says how many changes to expect
and these say the rate (expectation maximisation). What is seen of one page says little at first; its rate is drawn to
that of its host, and that of a host to that of the whole crawl.

Paper: Cho, Garcia-Molina, "Estimating frequency of change", ACM TOIT 3(3), 2003.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from salticid.exact import expm1s
from salticid.model import Bools, Floats, Ints
from salticid.watching.round_brief import CHANGED, GONE, UNKNOWN, Looks, WatchedPages

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
