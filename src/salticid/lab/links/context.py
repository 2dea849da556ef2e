"""A fourth score: all that can be read about a link, weighed by logistic regression."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from salticid.lab.links.examples import LabelledLinks
from salticid.lab.links.regression import fit_weights, probabilities
from salticid.lab.links.splits import Split
from salticid.learning.link_traits import PageTraits
from salticid.learning.link_weights import LinkWeights
from salticid.model import Floats, Ints

CONTEXT = "context"
TRUSTS = (0.03, 0.1, 0.3)
"""How much links may count against small weights; which, is chosen inside training."""
SEEN_ON = 2
"""A trait of fewer pages says something about these pages, not about links."""


class Context:
    """P(class | link) from anchor, address, surrounding words, titles and place; and from context paths, if any."""

    def __init__(self, links: LabelledLinks) -> None:
        self.links = links
        self._traits, self._names = _table(links)
        self._fits: dict[tuple[bytes, float], tuple[Ints, Floats]] = {}

    def scores(self, split: Split, trust: float) -> Floats:
        """P(class | link), a row for each link that is asked about."""
        columns, weights = self._fit(split.train, trust)
        return probabilities(self._traits[split.test][:, columns], weights)

    def weights(self, train: Ints, trust: float, target: str) -> LinkWeights:
        """What these links teach, for a crawl after pages of class `target`."""
        columns, weights = self._fit(train, trust)
        names = [self._names[column] for column in columns.tolist()]
        return LinkWeights.of(self.links.classes, target, names, weights)

    def best_trust(self, split: Split) -> float:
        """The trust with which the splits inside training are told apart best; the least of equals."""
        right = [sum(self._right(inner, trust) for inner in split.inside) for trust in TRUSTS]
        return TRUSTS[int(np.argmax(right))]

    def _right(self, split: Split, trust: float) -> int:
        guesses = self.scores(split, trust).argmax(axis=1)
        return int(np.count_nonzero(guesses == self.links.label[split.test]))

    def _fit(self, train: Ints, trust: float) -> tuple[Ints, Floats]:
        """Two universities hidden, whichever was hidden first, leave the same links: learned once."""
        key = train.tobytes(), trust
        if key not in self._fits:
            traits = self._traits[train]
            columns = _usual(traits, self.links.source[train])
            labels, classes = self.links.label[train], len(self.links.classes)
            self._fits[key] = columns, fit_weights(traits[:, columns], labels, classes, trust)
        return self._fits[key]


def _table(links: LabelledLinks) -> tuple[csr_matrix, list[str]]:
    """Links by traits, 1 where a link has one; columns in the order traits turn up, and what they are."""
    column: dict[str, int] = {}
    columns: list[int] = []
    ends = [0]
    traits, page = None, -1
    for link, (source, place) in enumerate(zip(links.source.tolist(), links.place.tolist(), strict=True)):
        if traits is None or source != page:
            traits = PageTraits.of(links.web.page(source), links.web.words, links.web.urls)
            page = source
        path = dict.fromkeys(links.paths.traits(link)) if links.paths is not None else ()
        columns += [column.setdefault(trait, len(column)) for trait in (*traits.traits(place), *path)]
        ends.append(len(columns))
    table = csr_matrix((np.ones(len(columns)), columns, ends), shape=(len(links), len(column)))
    return table, list(column)


def _usual(traits: csr_matrix, source: Ints) -> Ints:
    """The columns of traits that links of several pages have."""
    pages, which = np.unique(source, return_inverse=True)
    of_page = csr_matrix((np.ones(len(which)), (which, np.arange(len(which)))), (len(pages), len(which)))
    on = np.bincount((of_page @ traits).tocsr().indices, minlength=traits.shape[1])
    return np.flatnonzero(on >= SEEN_ON).astype(np.int32)
