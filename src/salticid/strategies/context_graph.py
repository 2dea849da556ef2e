"""Links by how far their page seems to be from the topic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from math import ceil
from typing import Annotated

from msgspec import Meta

from salticid.model import Choice, Event, Ints, Page, Visit
from salticid.protocols import Backlinks, Brief
from salticid.snapshots import in_snapshot
from salticid.strategies.parts.base import QueueStrategy, keywords_of
from salticid.strategies.parts.layers import Layers
from salticid.text.bags import Bag
from salticid.text.page_bags import PageBags
from salticid.text.stems import Stems

_SPARE = 3
"""So many times the pages a layer needs are asked for, since some will be in a lower layer already."""


@in_snapshot(_stems=Stems, _bags=PageBags, _layers=Layers, _nearness=bytearray, _news=list[Event])
class ContextGraph(QueueStrategy):
    """Learns from backlinks what pages look like that are one, two, three links away from the topic.

    The examples are layer 0, the pages that link to them layer 1, those that link to these layer 2, and so on;
    each page is in the lowest layer it can be in, and each page of a layer adds a page to the next by turns
    until there are `pages_per_layer`. A visited page is put into the layer it is most like
    (`strategies/parts/layers.py`). Its links wait in the queue of that layer, the most typical page's first; the
    queue nearest to the topic is emptied first. All queues are one frontier: the score is
    (nearness + likeness) / (number of layers + 1), nearness counting from 0 for pages of no layer to the
    number of layers for layer 0. `why` gives the two parts.

    It needs a source of backlinks, `--backlinks WORLD|DIR`. Without one, or with examples nobody links to,
    layer 0 is the only one; without examples it is made of the keywords alone. Then it is a best-first crawl
    by likeness to the examples or keywords, and the event "no backlinks" says so. "layers" gives the sizes.

    Deviations: the paper sends a page to the queue of no layer where its likelihood is below a threshold, we
    where it shares no telling word with the layers or is more like the topic's negatives; and it orders a
    queue by likelihood, we by likeness, for a likelihood falls with every word. The judge has no say.

    >>> from salticid.testing import walk_through
    >>> walk_through(ContextGraph(), max_pages=5)
    ['seed', 'a', 'b', 'b1', 'b2']

    Paper: Diligenti, Coetzee, Lawrence, Giles, Gori, "Focused crawling using context graphs", VLDB 2000.
    """

    def __init__(
        self,
        *,
        layers: Annotated[int, Meta(ge=1, le=10)] = 3,
        pages_per_layer: Annotated[int, Meta(ge=1, le=10_000)] = 100,
    ) -> None:
        self.layers = layers
        self.pages_per_layer = pages_per_layer

    def start(self, brief: Brief) -> None:
        super().start(brief)
        self._stems = Stems.of_brief(brief)
        self._bags = PageBags(self._stems)
        graph = [list(brief.examples), *self._context(brief.backlinks, brief.examples)]
        layers = [[bag for page in layer if (bag := self._bag(page)).norm] for layer in graph]
        layers = [layers[0] or [keywords_of(brief, self._stems)], *filter(None, layers[1:])]
        others = [bag for page in brief.negatives if (bag := self._bag(page)).norm]
        self._layers = Layers(layers, others)
        self._nearness = bytearray()
        self._news = [Event("layers", tuple((str(at), len(bags)) for at, bags in enumerate(layers)))]
        if len(layers) == 1:
            self._news.append(Event("no backlinks"))

    def choose(self, n: int, busy: frozenset[int]) -> list[Choice]:
        return [self._with_reasons(choice) for choice in super().choose(n, busy)]

    def observe(self, visit: Visit, fresh: Ints) -> None:
        if visit.page is None:
            self._nearness.append(0)
        super().observe(visit, fresh)

    def score_links(self, visit: Visit, fresh: Ints) -> float:
        layer, likeness = self._layers.place(self._bag(visit.require_page()))
        nearness = 0 if layer is None else self._layers.count - layer
        self._nearness.append(nearness)
        return (nearness + likeness) / (self._layers.count + 1)

    def events(self) -> list[Event]:
        news, self._news = self._news, []
        return news

    def waiting(self, k: int) -> tuple[int, list[Choice]]:
        size, best = super().waiting(k)
        return size, [self._with_reasons(choice) for choice in best]

    def _context(self, backlinks: Backlinks | None, examples: tuple[Page, ...]) -> Iterator[list[Page]]:
        """The layers around the examples, as many as there are up to `layers`."""
        if backlinks is None:
            return
        urls = {page.url for page in examples}
        layer = list(examples)
        for _ in range(self.layers):
            if not layer:
                return
            most = ceil(_SPARE * self.pages_per_layer / len(layer))
            pages: dict[int, Page] = {}
            for round_ in zip_longest(*(backlinks.sources(page.url, most) for page in layer)):
                for page in round_:
                    if page is not None and page.url not in urls and len(pages) < self.pages_per_layer:
                        pages.setdefault(page.url, page)
            layer = list(pages.values())
            urls.update(pages)
            yield layer

    def _bag(self, page: Page) -> Bag:
        return self._bags.of(page)

    def _with_reasons(self, choice: Choice) -> Choice:
        if choice.link.source < 0:
            return choice
        nearness = self._nearness[choice.link.source] / (self._layers.count + 1)
        return replace(choice, why=(("nearness", nearness), ("likeness", choice.score - nearness)))
