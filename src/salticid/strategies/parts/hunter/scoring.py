"""Gives waiting links their features and their margins: compiled where that is at hand, else with numpy."""

from __future__ import annotations

from typing import Any

import numpy as np

from salticid.model import FROM_SEED, Ints
from salticid.native import at, lib, struct
from salticid.snapshots import in_snapshot
from salticid.strategies.parts.hunter.evidence import Evidence
from salticid.strategies.parts.hunter.features import MeanByKey, Surroundings, columns
from salticid.strategies.parts.hunter.online import OnlineWeights
from salticid.strategies.parts.hunter.page_records import PageRecords
from salticid.strategies.parts.hunter.url_parts import UrlParts
from salticid.strategies.parts.hunter.waiting import NOWHERE, Waiting

_SEED_MARGIN = 1000.0
"""Seeds come before all links."""


@in_snapshot(
    _waiting=Waiting, _evidence=Evidence, _pages=PageRecords, _addresses=UrlParts, _weights=OnlineWeights
)
class Scoring:
    """Scores links by rows of the evidence, the records of pages, addresses and weights, as they are now."""

    def __init__(
        self,
        waiting: Waiting,
        evidence: Evidence,
        pages: PageRecords,
        addresses: UrlParts,
        weights: OnlineWeights,
    ) -> None:
        self._waiting, self._evidence, self._pages = waiting, evidence, pages
        self._addresses, self._weights = addresses, weights

    def score(self, slots: Ints, first: int, around: Surroundings) -> None:
        """Score the links in these slots by the rows of evidence from the first one on."""
        if lib is None:
            self._with_numpy(slots, first, around)
        else:
            self._compiled(slots, first, around)
        self._waiting.has_scored(slots)

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
