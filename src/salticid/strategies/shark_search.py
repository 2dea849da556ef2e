"""Links by what their page inherits and by the words around them."""

from __future__ import annotations

from array import array
from dataclasses import replace
from typing import Annotated

import numpy as np
from msgspec import Meta

from salticid.model import Choice, Floats, Ints, Link, Links, Visit
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot, numbers
from salticid.strategies.parts import QueueStrategy, Spans, keywords_of
from salticid.text import Bag, Stems

_SLACK = 1024
"""So many more link scores are kept than links wait, before those of links that are gone are dropped."""


@in_snapshot(_stems=Stems, _query=Bag, _passed_on=numbers("d"), _nearby=dict[tuple[int, int], tuple[float, float]])
class SharkSearch(QueueStrategy):
    """Tells the links of one page apart by their anchors and the words around them.

    sim is the cosine with the keywords, on stems. For each link of a page:

        inherited  = delta * sim(page), or delta * what the page inherited itself where sim(page) is 0
        anchor     = sim(anchor text)
        context    = 1 if the anchor has a keyword, else sim(anchor and `window` words on each side)
        nearby     = beta * anchor + (1 - beta) * context
        score      = gamma * inherited + (1 - gamma) * nearby

    So promise fades along a path of irrelevant pages, by delta a page, instead of ending with the first,
    and on one page the link that says what is wanted goes first. A URL found again keeps the higher score.
    `why` gives the three parts of the score.

    Our choices: seeds and offers inherit what links of a perfect page do, delta; the context is counted in
    words, stop words among them; the judge has no say.

    >>> from salticid.testing import walk_through
    >>> walk_through(SharkSearch(), max_pages=5)
    ['seed', 'b', 'b2', 'b1', 'b21']

    Paper: Hersovici, Jacovi, Maarek, Pelleg, Shtalhaim, Ur, "The shark-search algorithm", WWW7, 1998.
    """

    def __init__(
        self,
        *,
        delta: Annotated[float, Meta(ge=0, le=1)] = 0.5,
        beta: Annotated[float, Meta(ge=0, le=1)] = 0.8,
        gamma: Annotated[float, Meta(ge=0, le=1)] = 0.5,
        window: Annotated[int, Meta(ge=0, le=50)] = 10,
    ) -> None:
        self.delta = delta
        self.beta = beta
        self.gamma = gamma
        self.window = window

    def start(self, brief: Brief) -> None:
        super().start(brief)
        self._stems = Stems.of_brief(brief)
        self._query = keywords_of(brief, self._stems)
        self._passed_on = array("d")
        self._nearby: dict[tuple[int, int], tuple[float, float]] = {}

    def choose(self, n: int, busy: frozenset[int]) -> list[Choice]:
        choices = [self._with_reasons(choice) for choice in super().choose(n, busy)]
        for choice in choices:
            self._nearby.pop((choice.link.source, choice.link.place), None)
        return choices

    def observe(self, visit: Visit, fresh: Ints) -> None:
        if visit.page is None:
            self._passed_on.append(0.0)
        super().observe(visit, fresh)
        if len(self._nearby) > 2 * len(self.frontier) + _SLACK:
            there = [choice.link for choice in self.frontier.best(len(self.frontier))]
            keys = [(link.source, link.place) for link in there]
            self._nearby = {key: self._nearby[key] for key in keys if key in self._nearby}

    def score_links(self, visit: Visit, fresh: Ints) -> Floats:
        page = visit.require_page()
        stems = self._stems.of(page.tokens)
        relevance = self._query.cosine(Bag.of(stems))
        inheritance = self.delta * (relevance if relevance > 0 else self._inheritance(visit.choice.link))
        self._passed_on.append(inheritance)
        anchor, context = self._link_scores(stems, page.links, fresh)
        self._remember(visit.step, fresh, anchor, context)
        nearby = self.beta * anchor + (1 - self.beta) * context
        return self.gamma * inheritance + (1 - self.gamma) * nearby

    def waiting(self, k: int) -> tuple[int, list[Choice]]:
        size, best = super().waiting(k)
        return size, [self._with_reasons(choice) for choice in best]

    def _inheritance(self, link: Link) -> float:
        """What all links of a page inherit, by the page; a seed, what those of a perfect one do."""
        return self._passed_on[link.source] if link.source >= 0 else self.delta

    def _link_scores(self, stems: Ints, links: Links, fresh: Ints) -> tuple[Floats, Floats]:
        """The anchor scores and the context scores of the fresh links of a page."""
        start, end = links.start[fresh], links.end[fresh]
        spans = Spans(self._query, stems)
        anchor = spans.cosines(start, end)
        around = spans.cosines(np.maximum(start - self.window, 0), np.minimum(end + self.window, len(stems)))
        return anchor, np.where(anchor > 0, 1.0, around)

    def _remember(self, step: int, fresh: Ints, anchor: Floats, context: Floats) -> None:
        """Keep the parts of the scores until the links are chosen; most are 0 and need no place."""
        telling = np.flatnonzero(context)
        parts = zip(anchor[telling].tolist(), context[telling].tolist(), strict=True)
        for place, part in zip(fresh[telling].tolist(), parts, strict=True):
            self._nearby[step, place] = part

    def _with_reasons(self, choice: Choice) -> Choice:
        link = choice.link
        if link.source < 0:
            return choice
        anchor, context = self._nearby.get((link.source, link.place), (0.0, 0.0))
        why = (
            ("inherited", self.gamma * self._inheritance(link)),
            ("anchor", (1 - self.gamma) * self.beta * anchor),
            ("context", (1 - self.gamma) * (1 - self.beta) * context),
        )
        return replace(choice, why=why)
