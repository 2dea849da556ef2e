"""What is known about waiting links, as columns of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from salticid.columns import grow
from salticid.model import Floats, Ints
from salticid.native import at, lib
from salticid.snapshots import in_snapshot, rows
from salticid.strategies.hunter.evidence import Evidence
from salticid.strategies.hunter.page_records import NO_PAGE, PageRecords
from salticid.strategies.hunter.topic_profile import EARLY, IN_LIST, LEAVES_HOST, PROFILES, SPANS, TEXTS, TITLE
from salticid.strategies.hunter.url_parts import UrlParts
from salticid.text import STOP as NO_KEY

_TEXT = [f"{span} {profile}" for span, _ in SPANS for profile in PROFILES]
NAMES = (
    *(f"{kind} {text}" for text in _TEXT for kind in ("all", "best")),
    *(f"address {profile}" for profile in PROFILES),
    "links in", "from examples", "from good pages", "pages all", "pages best", "pages mean", "away", "links beside",
    "early", "hubs all", "hubs best", "hubs mean", "beside all", "beside best", "beside mean", "host", "folder",
    "anchor words all", "anchor words best", "address words", "door folder", "door words", "title best", "title mean",
    "in lists", "in text", "from elsewhere", "luck", "always",
)  # fmt: skip
"""The features of a link. `all` is the root of a sum over all links to it, `best` the highest, `mean` the mean."""

_BESIDE = 4
"""So many links before and after a link are beside it."""
_HUB_DOUBT, _BESIDE_DOUBT, _PLACE_DOUBT, _WORD_DOUBT = 3.0, 0.7, 3.0, 2.0
"""So many usual rewards are mixed in before rewards are believed."""
_FIRST_LUCK = 0.3
_GOOD, _ENOUGH_EXAMPLES = 0.5, 3.0


@in_snapshot(_keys=rows(np.int32), last=int, worth=rows(np.float64), _many=np.int32)
class MeanByKey:
    """By key the means of the two values it came with, drawn to 0 by doubt. Key 0 is no key, and worth nothing.

    The table is as long as the largest key and mostly empty. It is taken over from what was known `before`, which is
    of no use any more: only what stands in it is wiped.
    """

    def __init__(self, keys: npt.NDArray[Any], values: Floats, doubt: float, before: MeanByKey | None = None) -> None:
        self._keys = np.ascontiguousarray(keys, np.int32)
        self.last = int(keys.max(initial=NO_KEY)) + 1
        self.worth: Floats = np.zeros((1, 2))
        self._many: Ints = np.zeros(1, np.int32)
        old = self._keys[:0]
        if before is not None:
            self.worth, self._many, old = before.worth, before._many, before._keys
        self.worth, self._many = grow(self.worth, self.last + 1), grow(self._many, self.last + 1)
        if lib is not None:
            lib.wipe_keys(at(old), old.size, at(self.worth))
            lib.mean_by_key(at(self._keys), *keys.shape, at(values), doubt, at(self._many), at(self.worth))
            return
        self.worth[old] = 0.0
        flat = keys.ravel()
        many = np.bincount(flat, minlength=self.last + 1)
        for worth, value in zip(self.worth.T, values.T, strict=True):
            total = np.bincount(flat, np.repeat(value, keys.shape[1]), self.last + 1)
            worth[flat] = total[flat] / (many[flat] + doubt)
        self.worth[NO_KEY] = 0.0

    def of(self, keys: npt.NDArray[Any]) -> list[Floats]:
        """For each row of keys the sum of what they are worth, by either value."""
        known = np.minimum(keys, self.last)
        return [worth[known].sum(axis=1) for worth in self.worth.T]


@in_snapshot()
@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """What the rewards of pages say about the places they were found at; made anew from time to time.

    luck: the mean reward. lists: the mean share of a page's links that stand in lists. hub: for each page the mean
    reward of the pages it links to. beside: for each row of the evidence that of the links beside it. The others are
    kept as what they add to luck, for hosts, folders and words: the rewards of the pages that were found there; and as
    doors the hubs that were found there, which is what was gained by going through a page, whatever it was itself.
    """

    luck: float
    lists: float
    reward: Floats
    hub: Floats
    beside: Floats
    host: MeanByKey
    folder: MeanByKey
    anchor: MeanByKey
    address: MeanByKey

    def _means(self) -> tuple[MeanByKey, ...]:
        return self.host, self.folder, self.anchor, self.address

    @classmethod
    def of(cls, evidence: Evidence, pages: PageRecords, before: Surroundings | None = None) -> Surroundings:
        """The surroundings by all that is known now; those `before` are of no use any more."""
        reward = pages.rewards()
        is_visit = ~pages.is_example.held
        luck = float((reward[is_visit].sum() + _FIRST_LUCK) / (is_visit.sum() + 1.0))
        tally, beside = (_tally if lib is None else _compiled_tally)(evidence, pages, reward, luck)
        gain, many_pages, links, in_lists = tally.T
        hub = _cautious_mean(gain, many_pages, luck, _HUB_DOUBT)
        rows, ways = pages.link_targets()
        values = np.stack((reward[rows] - luck, hub[rows] - luck), axis=1)
        host, folder, anchor, address = (None,) * 4 if before is None else before._means()
        return cls(
            luck,
            _mean_share(in_lists, links),
            reward,
            hub,
            beside,
            MeanByKey(ways.places[:, :1], values, _PLACE_DOUBT, host),
            MeanByKey(ways.places[:, 1:], values, _PLACE_DOUBT, folder),
            MeanByKey(ways.anchor, values, _WORD_DOUBT, anchor),
            MeanByKey(ways.address, values, _WORD_DOUBT, address),
        )


def columns(
    urls: Ints,
    leads_to: Ints,
    rows: slice,
    evidence: Evidence,
    pages: PageRecords,
    around: Surroundings,
    addresses: UrlParts,
) -> list[Floats]:
    """The features of links, of each its values by URL; `leads_to` says where each of the `rows` leads, or -1."""
    links = np.flatnonzero(leads_to >= 0)
    of_link = _Sums(leads_to[links], len(urls))
    page = evidence.page.held[rows][links]
    told = evidence.told.held[rows][links].astype(np.float64)
    columns: list[Floats] = []
    for column in range(TEXTS):
        columns += of_link.all_and_best(told[:, column])
    places, words = addresses.places(urls), addresses.words(urls)
    columns += addresses.likeness(words)
    reward = pages.rewards(page)
    hub = _or_usual(around.hub, page, around.luck)
    beside = _or_usual(around.beside, links + rows.start, around.luck)
    title, in_list = told[:, TITLE], told[:, IN_LIST]
    anchors = evidence.words.held[rows][links]
    (host, _), (address, _) = around.host.of(places[:, :1]), around.address.of(words)
    (folder, door_folder), (gain, doors) = around.folder.of(places[:, 1:]), around.anchor.of(anchors)
    columns += [
        _root(of_link.many),
        np.minimum(of_link.sum(pages.is_example.held[page]), _ENOUGH_EXAMPLES),
        _root(of_link.sum(reward >= _GOOD)),
        *of_link.all_and_best(reward),
        of_link.mean(reward),
        of_link.best(1.0 / (1.0 + pages.away.held[page])),
        of_link.mean(1.0 / (1.0 + np.sqrt(pages.links.held[page]))),
        of_link.mean(told[:, EARLY]),
        _root(of_link.sum(np.maximum(hub - around.luck, 0.0))),
        of_link.best(hub),
        of_link.mean(hub),
        _root(of_link.sum(np.maximum(beside - around.luck, 0.0))),
        of_link.best(beside),
        of_link.mean(beside),
        host,
        folder,
        of_link.sum(gain),
        of_link.best(gain),
        address,
        door_folder,
        of_link.best(doors),
        of_link.best(title),
        of_link.mean(title),
        of_link.mean(in_list),
        _root(of_link.many - of_link.sum(in_list)),
        of_link.mean(told[:, LEAVES_HOST]),
        np.full(len(urls), around.luck),
        np.ones(len(urls)),
    ]
    return columns


class _Sums:
    """Sums, means and highest values over the rows that lead to each link."""

    def __init__(self, owner: Ints, many: int) -> None:
        self._owner, self._size = owner, many
        self.many = np.bincount(owner, minlength=many).astype(np.float64)

    def sum(self, values: npt.NDArray[Any]) -> Floats:
        total: Floats = np.bincount(self._owner, values, self._size).astype(np.float64)
        return total

    def mean(self, values: npt.NDArray[Any]) -> Floats:
        return self.sum(values) / np.maximum(self.many, 1.0)

    def best(self, values: Floats) -> Floats:
        """The highest value, 0 at least."""
        highest = np.zeros(self._size)
        np.maximum.at(highest, self._owner, values)
        return highest

    def all_and_best(self, values: Floats) -> tuple[Floats, Floats]:
        return _root(self.sum(values)), self.best(values)


def _root(sums: Floats) -> Floats:
    """The root: the tenth link to a page says less than the first."""
    return np.sqrt(np.maximum(sums, 0.0))


def _cautious_mean(total: npt.NDArray[Any], many: npt.NDArray[Any], usual: float, doubt: float) -> Floats:
    means: Floats = (total + doubt * usual) / (many + doubt)
    return means


def _mean_share(marked: Floats, many: Floats) -> float:
    """Of each page the share of its rows that are marked, the mean over pages that have any; 0 without these."""
    shares = marked[many > 0] / many[many > 0]
    return float(shares.mean()) if len(shares) else 0.0


def _tally(evidence: Evidence, pages: PageRecords, reward: Floats, luck: float) -> tuple[Floats, Floats]:
    """By page what its links led to in sum, and how many led to a page, are there, stand in lists; `_beside` by row."""
    led_to, page = pages.rows(evidence.url.held), evidence.page.held
    has_page = (led_to != NO_PAGE).astype(np.float64)
    gain = np.where(led_to != NO_PAGE, reward[led_to], 0.0) if len(reward) else has_page
    sums = (gain, has_page, np.ones(len(page)), evidence.told.held[:, IN_LIST])
    tally = np.stack([np.bincount(page, each, len(pages)) for each in sums], axis=1)
    return tally.astype(np.float64), _beside(page, gain, has_page, luck)


def _compiled_tally(evidence: Evidence, pages: PageRecords, reward: Floats, luck: float) -> tuple[Floats, Floats]:
    page, url, told, row_of = evidence.page.held, evidence.url.held, evidence.told.held, pages.row_of_url
    tally, beside, scratch = np.zeros((len(pages), 4)), np.empty(len(page)), np.empty(2 * len(page))
    lib.look_around(
        at(page), at(url), at(told), len(page), at(row_of), len(row_of), at(reward), _BESIDE, luck, _BESIDE_DOUBT,
        at(tally), at(scratch), at(beside),
    )  # fmt: skip
    return tally, beside


def _or_usual(values: Floats, at: npt.NDArray[Any], usual: float) -> Floats:
    """The values there, the usual one for what came after one looked around."""
    result = np.full(len(at), usual)
    inside = at < len(values)
    result[inside] = values[at[inside]]
    return result


def _beside(page: Ints, gain: Floats, has_page: Floats, luck: float) -> Floats:
    """For each row the mean gain of the rows beside it on its page, the nearer ones weighing more."""
    total, many = np.zeros(len(page)), np.zeros(len(page))
    for far in range(1, min(_BESIDE, len(page) - 1) + 1):
        share = (page[far:] == page[:-far]) / far
        for one, other in ((slice(far, None), slice(None, -far)), (slice(None, -far), slice(far, None))):
            total[one] += share * gain[other]
            many[one] += share * has_page[other]
    return _cautious_mean(total, many, luck, _BESIDE_DOUBT)
