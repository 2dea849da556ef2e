"""Gives waiting links their features and their margins: compiled where that is at hand, else with numpy."""

from __future__ import annotations

from typing import Any

import numpy as np

from salticid.model import FROM_SEED, Ints
from salticid.native import at, lib, struct
from salticid.strategies.parts.hunter.evidence import Evidence
from salticid.strategies.parts.hunter.features import MeanByKey, Surroundings, columns
from salticid.strategies.parts.hunter.online import OnlineWeights
from salticid.strategies.parts.hunter.page_records import PageRecords
from salticid.strategies.parts.hunter.url_parts import UrlParts
from salticid.strategies.parts.hunter.waiting import NOWHERE, Waiting

_SEED_MARGIN = 1000.0
"""Seeds come before all links."""


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
        self._number = np.zeros(0, np.int32)

    def score(self, slots: Ints, first: int, around: Surroundings) -> None:
        """Score the links in these slots by the rows of evidence from the first one on."""
        if lib is None:
            self._with_numpy(slots, first, around)
        else:
            self._compiled(slots, first, around)
        from_seed = slots[self._waiting.source.held[slots] == FROM_SEED]
        self._waiting.margin.held[from_seed] = _SEED_MARGIN
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

    def _compiled(self, slots: Ints, first: int, around: Surroundings) -> None:
        rows, pages, waiting, addresses = self._evidence, self._pages, self._waiting, self._addresses
        if len(self._number) <= waiting.size:
            self._number = np.full(2 * waiting.size + 1, NOWHERE, np.int32)
        scratch = np.empty(len(slots) * lib.doubles_of_seen())
        learned, topic = addresses.weights()
        words, places = addresses.tables()
        evidence = (
            rows.page,
            rows.url,
            rows.text,
            rows.words,
            rows.early,
            rows.title,
            rows.in_list,
            rows.leaves_host,
        )
        records = (pages.score, pages.feedback, pages.away, pages.links, pages.is_example)
        worths = (
            around.host, around.folder, around.anchor, around.address, around.door_folder, around.door_anchor,
        )  # fmt: skip
        hub, beside = around.hub, around.beside
        lib.score_links(
            at(slots), len(slots),
            struct("Evidence *", [at(column.held) for column in evidence]), first, len(rows),
            struct("Pages *", [*(at(column.held) for column in records), pages.full_score()]),
            struct("Around *", [around.luck, at(hub), len(hub), at(beside), len(beside), *map(_worth, worths)]),
            struct("Addresses *", [at(words), at(places), at(learned), at(topic), min(len(learned), len(topic))]),
            struct("Waiting *", [
                at(waiting.slot_of), len(waiting.slot_of), at(waiting.url.held), at(waiting.margin.held),
                at(waiting.features),
            ]),
            at(self._weights.now), at(self._weights.bounds), at(self._number), at(scratch),
        )  # fmt: skip


def _worth(mean: MeanByKey) -> tuple[Any, int]:
    return at(mean.worth), mean.last
