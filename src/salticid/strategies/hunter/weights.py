"""The hunter's weights: the prior fitted on other topics, what the crawl taught, and the scores of links."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from math import sqrt
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from salticid.errors import UserError
from salticid.model import FROM_SEED, Floats, Ints
from salticid.native import at, lib, struct
from salticid.snapshots import in_snapshot, rows
from salticid.strategies.hunter.evidence import Evidence
from salticid.strategies.hunter.features import NAMES, MeanByKey, Surroundings, columns
from salticid.strategies.hunter.meaning import SEMANTIC, LinkMeanings
from salticid.strategies.hunter.page_records import PageRecords
from salticid.strategies.hunter.url_parts import UrlParts
from salticid.strategies.hunter.waiting import NOWHERE, Waiting

FILE, SEMANTIC_FILE = "prior.toml", "prior_semantic.toml"
ALL_NAMES = (*NAMES, *SEMANTIC)
"""All features; those that need a sentence encoder come last."""


FEW_LISTS, MANY_LISTS = 0.2, 0.6
"""Up to the first share of links in lists a web counts as one of texts, from the second on as one of menus."""


class Prior(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """For each feature of a link its weight in the margin, on a web of texts and on one of menus; and its habits.

    On a page of an encyclopedia most links stand in the text, and each was set because of what it says; on a site with
    menus most stand in lists that are the same on every page. What speaks for a link differs, so there are two
    weights, and `weights_in` mixes them by the share of links that stand in lists. `most` is what a feature counts at
    most, `spread` its usual spread up to there. `provenance` tells where all of it comes from.
    """

    provenance: str
    texts: dict[str, float]
    menus: dict[str, float]
    most: dict[str, float]
    spread: dict[str, float]

    def __post_init__(self) -> None:
        for table in (self.texts, self.menus, self.most, self.spread):
            if other := sorted(set(table) ^ set(self.names)):
                raise UserError(f"a prior of the hunter needs each of its features once; wrong: {', '.join(other)}")

    def weights_in(self, lists: float) -> Floats:
        """The weights, in the order of the features, where this share of links stands in lists."""
        menu_like = menu_share(lists)
        return (1.0 - menu_like) * self._row(self.texts) + menu_like * self._row(self.menus)

    def bounds(self) -> Floats:
        """What each feature counts at most."""
        return self._row(self.most)

    def spreads(self) -> Floats:
        """The spreads in the order of the features."""
        return self._row(self.spread)

    @property
    def is_semantic(self) -> bool:
        """Whether it has weights for the features that need a sentence encoder."""
        return SEMANTIC[0] in self.texts

    def of_words(self) -> Prior:
        """The same without the features that need a sentence encoder."""
        tables = (self.texts, self.menus, self.most, self.spread)
        return Prior(self.provenance, *({name: table[name] for name in NAMES} for table in tables))

    @property
    def names(self) -> tuple[str, ...]:
        """The features that it has weights for, in their order."""
        return ALL_NAMES if self.is_semantic else NAMES

    def _row(self, table: dict[str, float]) -> Floats:
        return np.array([table[name] for name in self.names])


def menu_share(lists: float) -> float:
    """How much a web is one of menus, 0..1, where this share of links stands in lists.

    >>> [round(menu_share(lists), 2) for lists in (0.1, 0.3, 0.9)]
    [0.0, 0.25, 1.0]
    """
    return min(max((lists - FEW_LISTS) / (MANY_LISTS - FEW_LISTS), 0.0), 1.0)


@cache
def default_prior(semantic: bool = False) -> Prior:
    """The prior that comes with the program: that for a crawl with a sentence encoder, or without."""
    text = (files(__package__) / (SEMANTIC_FILE if semantic else FILE)).read_bytes()
    return msgspec.convert(msgspec.toml.decode(text)["prior"], Prior)


def strategy_file(prior: Prior) -> str:
    """The text of a strategy file for `salticid crawl --strategy FILE`."""
    return msgspec.toml.encode({"strategy": "hunter", "prior": msgspec.to_builtins(prior)}).decode()


# Weights that follow what the crawl finds, held back by what was known before.

MOST_LINKS = 512
"""So many links whose pages were judged, the last, are learned from."""
_FEWEST, _NEWS = 20, 10
_ROUNDS = 2
_USUAL_SLOPE, _LEAST_SLOPE, _DOUBT = 0.12, 0.05, 20.0
"""What one standard deviation of the margins is worth in rewards: before much is known, and at least."""
_FARTHEST = 0.5
"""The weight of a semantic feature moves at most so much, for one spread of it; less, the more a web is of menus."""


@in_snapshot(
    "_of_prior", "_pull", _spread=np.float64, bounds=np.float64, _prior=np.float64,
    _features=rows(np.float64), _page=np.int32, _count=int, _last_count=int, _shift=np.float64,
    _slope=float, now=np.float64,
)  # fmt: skip
class OnlineWeights:
    """The prior weights, and what the judged links add to them.

    The rewards of pages are first explained by the margins that the prior gave their links, as a straight
    line. What that leaves is explained by the features, in units of their spread, by ridge regression:

        minimise sum of (reward - line - d . features / spread)^2 + pull * |d|^2

    with a few rounds over the features, each time they are learned. The weights in use are the prior's plus d,
    brought to the scale of the margins by the slope of the line. The higher `pull`, the nearer they stay. The prior's
    are those for a web with this share of links in lists; no feature counts more than it says.
    """

    def __init__(self, prior: Prior, pull: float) -> None:
        self._of_prior, self._pull = prior, pull
        self._spread, self.bounds = prior.spreads(), prior.bounds()
        self._prior = prior.weights_in(0.0)
        self._features = np.zeros((MOST_LINKS, len(self._prior)))
        self._page = np.zeros(MOST_LINKS, np.int32)
        self._count = self._last_count = 0
        self._shift, self._slope = np.zeros(len(self._prior)), 1.0
        self.now = self._prior
        """The weights in use."""

    def margins(self, columns: Sequence[Floats]) -> Floats:
        """What the features of links come to, given as a column each."""
        margins = np.zeros(len(columns[0]))
        for weight, bound, column in zip(self.now.tolist(), self.bounds.tolist(), columns, strict=True):
            margins += weight * np.minimum(column, bound)
        return margins

    def strongest(self, features: npt.NDArray[np.float32], most: int) -> list[tuple[int, float]]:
        """The features of one link that add or take most, by their places, and what each adds to its margin.

        The last without an encoder, which all links have alike, does not count.
        """
        shown = len(features) - (len(features) == len(NAMES))
        if lib is None:
            parts = self.now * np.minimum(features.astype(np.float64), self.bounds)
            places = np.argsort(-np.abs(parts[:shown]), kind="stable")[:most]
            return list(zip(places.tolist(), parts[places].tolist(), strict=True))
        places, parts = np.empty(most, np.int32), np.empty(most)
        lib.strongest_parts(at(features), at(self.now), at(self.bounds), shown, most, at(places), at(parts))
        return list(zip(places.tolist(), parts.tolist(), strict=True))

    def add(self, features: Floats, page: int) -> None:
        """A link led to page number `page`; these were its features."""
        row = self._count % MOST_LINKS
        self._features[row], self._page[row] = np.minimum(features, self.bounds), page
        self._count += 1

    def learn(self, rewards: Floats, lists: float) -> None:
        """Follow the web, and if enough links were judged since, the rewards of all pages, as they are now."""
        self._prior = self._of_prior.weights_in(lists)
        if self._count >= max(_FEWEST, self._last_count + _NEWS):
            self._explain(rewards)
        shift = self._shift / (self._slope * self._spread)
        farthest = _FARTHEST * (1.0 - menu_share(lists)) / self._spread[len(NAMES) :]
        shift[len(NAMES) :] = np.clip(shift[len(NAMES) :], -farthest, farthest)
        self.now = self._prior + shift

    def _explain(self, rewards: Floats) -> None:
        """Fit the shift to what the links were worth that were judged."""
        self._last_count = self._count
        size = min(self._count, MOST_LINKS)
        features, reward = self._features[:size], rewards[self._page[:size]]
        reward = reward - reward.mean()
        margin = (features * self._prior).sum(axis=1)
        margin -= margin.mean()
        unit = sqrt(float((margin * margin).mean())) or 1.0
        agreement = float((margin * reward).sum()) / unit
        slope = max((agreement + _DOUBT * _USUAL_SLOPE) / (size + _DOUBT), _LEAST_SLOPE) / unit
        columns = np.ascontiguousarray(((features - features.mean(axis=0)) / self._spread).T)
        residual = reward - slope * margin - (columns * self._shift[:, None]).sum(axis=0)
        strength = (columns * columns).sum(axis=1) + self._pull
        for _ in range(_ROUNDS):
            for place, column in enumerate(columns):
                step = ((column * residual).sum() - self._pull * self._shift[place]) / strength[place]
                self._shift[place] += step
                residual -= step * column
        self._slope = slope


# Gives waiting links their features and their margins: compiled where that is at hand, else with numpy.

_SEED_MARGIN = 1000.0
"""Seeds come before all links."""


@in_snapshot(
    _waiting=Waiting, _evidence=Evidence, _pages=PageRecords, _addresses=UrlParts, _weights=OnlineWeights,
    _meanings=LinkMeanings | None,
)  # fmt: skip
class Scoring:
    """Scores links by rows of the evidence, the records of pages, addresses and weights, as they are now."""

    def __init__(
        self,
        waiting: Waiting,
        evidence: Evidence,
        pages: PageRecords,
        addresses: UrlParts,
        weights: OnlineWeights,
        meanings: LinkMeanings | None = None,
    ) -> None:
        self._waiting, self._evidence, self._pages = waiting, evidence, pages
        self._addresses, self._weights, self._meanings = addresses, weights, meanings

    def score(self, slots: Ints, first: int, around: Surroundings) -> None:
        """Score the links in these slots by the rows of evidence from the first one on."""
        if lib is None:
            self._with_numpy(slots, first, around)
        else:
            self._compiled(slots, first, around)
        if self._meanings is not None:
            self._meanings.score(slots, *self._semantic())
        self._waiting.has_scored(slots)

    def refine(self) -> None:
        """Let an encoder read the best links, a few at a time, and score these anew."""
        if self._meanings is not None:
            self._waiting.has_scored(self._meanings.refine(*self._semantic()))

    def features(self, slot: int) -> Floats:
        """All features of the link in a slot."""
        parts = [self._waiting.features[slot]]
        if self._meanings is not None:
            parts.append(self._meanings.features[slot])
        features: Floats = np.concatenate(parts).astype(np.float64)
        return features

    def _semantic(self) -> tuple[Floats, Floats]:
        return self._weights.now[len(NAMES) :], self._weights.bounds[len(NAMES) :]

    def _with_numpy(self, slots: Ints, first: int, around: Surroundings) -> None:
        waiting, rows = self._waiting, slice(first, len(self._evidence))
        number = np.full(waiting.size + 1, NOWHERE, np.int32)
        number[slots] = np.arange(len(slots))
        leads_to = number[waiting.slots(self._evidence.url.held[rows])]
        urls = waiting.url.held[slots]
        features = columns(urls, leads_to, rows, self._evidence, self._pages, around, self._addresses)
        waiting.features[slots] = np.stack(features, axis=1)
        waiting.margin.held[slots] = self._weights.margins(features)
        waiting.margin.held[slots[waiting.source.held[slots] == FROM_SEED]] = _SEED_MARGIN

    def _compiled(self, slots: Ints, first: int, around: Surroundings) -> None:
        rows, pages, waiting, addresses = self._evidence, self._pages, self._waiting, self._addresses
        stems, (words, places) = addresses.weights(), addresses.tables()
        rings, page = rows.rings(), rows.page.held
        records = (pages.score, pages.feedback, pages.away, pages.links, pages.is_example)
        worths = (around.host, around.folder, around.anchor, around.address)
        hub, beside = around.hub, around.beside
        sources = int(page[-1] - page[first]) + 1 if first < len(page) else 0
        scratch = np.empty(sources * lib.doubles_of_source())
        lib.score_links(
            at(slots), len(slots),
            struct("Evidence *", [
                at(page), at(rows.told.held), at(rows.words.held), at(rings.last),
                at(rings.following), len(rings.last),
            ]),
            first, len(rows),
            struct("Pages *", [*(at(column.held) for column in records), pages.full_score()]),
            struct("Around *", [around.luck, at(hub), len(hub), at(beside), len(beside), *map(_worth, worths)]),
            struct("Addresses *", [at(words), at(places), at(stems), len(stems)]),
            struct("Waiting *", [
                at(waiting.url.held), at(waiting.source.held), at(waiting.margin.held), at(waiting.features),
            ]),
            at(self._weights.now), at(self._weights.bounds), _SEED_MARGIN, at(scratch),
        )  # fmt: skip


def _worth(mean: MeanByKey) -> tuple[Any, int]:
    return at(mean.worth), mean.last
