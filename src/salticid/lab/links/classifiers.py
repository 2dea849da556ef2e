"""A fourth score: all that can be read about a link, weighed by logistic regression."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from salticid.exact import logs, shares
from salticid.lab.links.examples import UNKNOWN, LabelledLinks, Split
from salticid.learning import AnchorWords, LinkModel, LinkWeights, PageTraits
from salticid.model import Floats, Ints
from salticid.text import SHORT_LIST

# Multinomial logistic regression on traits that are there or not.

STEPS = 60
"""The most steps downhill; the last ones change little."""
_MEMORY = 8
_ENOUGH = 1e-4
_HALVINGS = 20

Slope = Callable[[Floats], tuple[float, Floats]]


def fit_weights(traits: csr_matrix, labels: Ints, classes: int, trust: float) -> Floats:
    """The weights w, a column for each class, that make the least of

        |w|^2 / 2  -  trust * sum over links of log P(class | link),    P(c | link) ~ exp(sum of w_tc over its traits)

    The larger `trust`, the more the links count against the wish for small weights.
    """
    truth = np.eye(classes)[labels]
    across = traits.T.tocsr()

    def slope(weights: Floats) -> tuple[float, Floats]:
        scores, log_sums = _scores(traits, weights)
        loss = float((log_sums - scores * truth).sum(where=truth > 0))
        wrong = np.exp(scores - log_sums) - truth
        return trust * loss + _dot(weights, weights) / 2, trust * (across @ wrong) + weights

    return least(slope, np.zeros((traits.shape[1], classes)), STEPS)


def probabilities(traits: csr_matrix, weights: Floats) -> Floats:
    """P(class | link), a row for each link."""
    scores, log_sums = _scores(traits, weights)
    probability: Floats = np.exp(scores - log_sums)
    return probability


def least(slope: Slope, start: Floats, steps: int) -> Floats:
    """Where a smooth convex function is least, by L-BFGS; `slope` gives its value and its gradient.

    Sums are numpy's own, never those of a linear algebra library, whose last bits depend on how many
    processors there are.

    >>> least(lambda x: (float(((x - 3) ** 2).sum()), 2 * (x - 3)), np.zeros(2), 10).round(3).tolist()
    [3.0, 3.0]
    """
    at, (value, gradient) = start, slope(start)
    memory: deque[tuple[Floats, Floats]] = deque(maxlen=_MEMORY)
    small = _ENOUGH * max(1.0, float(np.abs(gradient).max(initial=0.0)))
    for _ in range(steps):
        if float(np.abs(gradient).max(initial=0.0)) <= small:
            break
        way = _downhill(gradient, memory)
        slant, length = _dot(gradient, way), 1.0
        if not memory:
            length = 1.0 / max(1.0, _dot(gradient, gradient) ** 0.5)
        for _ in range(_HALVINGS):
            new = at + length * way
            new_value, new_gradient = slope(new)
            if new_value <= value + 1e-4 * length * slant:
                break
            length /= 2
        else:
            break
        step, bend = new - at, new_gradient - gradient
        if _dot(step, bend) > 0:
            memory.append((step, bend))
        at, value, gradient = new, new_value, new_gradient
    return at


def _downhill(gradient: Floats, memory: deque[tuple[Floats, Floats]]) -> Floats:
    """The direction in which a quadratic that bends as remembered is least."""
    way = -gradient
    shares = []
    for step, bend in reversed(memory):
        share = _dot(step, way) / _dot(step, bend)
        shares.append(share)
        way = way - share * bend
    if memory:
        step, bend = memory[-1]
        way = way * (_dot(step, bend) / _dot(bend, bend))
    for (step, bend), share in zip(memory, reversed(shares), strict=True):
        way = way + (share - _dot(bend, way) / _dot(step, bend)) * step
    return way


def _scores(traits: csr_matrix, weights: Floats) -> tuple[Floats, Floats]:
    """The sum of weights of each link and class, and the log of the sum of their exponentials."""
    scores: Floats = traits @ weights
    scores -= scores.max(axis=1, keepdims=True)
    return scores, np.log(np.exp(scores).sum(axis=1, keepdims=True))


def _dot(a: Floats, b: Floats) -> float:
    return float((a * b).sum())


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


# The paper's three scores, as classifiers of links.

NEIGHBOURHOOD, ANCHOR, TRANSITION = "neighbourhood", "anchor", "transition"
CALIBRATED = "transition, calibrated"
_LEAST_LOG = -700.0
"""A probability that was rounded to 0 counts as the smallest that there is."""
ALL_WORDS = ""
"""A language without stop words: nothing is left out."""


def train_model(links: LabelledLinks, pages: Ints, train: Ints, code: str, target: str | None = None) -> LinkModel:
    """A model trained on these pages and links; `code` says whose stop words are left out."""
    model = LinkModel(links.web.words, code, links.classes, target or links.classes[0])
    for number in pages.tolist():
        model.learn_page(links.web.page(number), int(links.page_class[number]))
    steps = zip(links.anchors(train), links.label[train].tolist(), links.source[train].tolist(), strict=True)
    for anchor, label, source in steps:
        page_class = int(links.page_class[source])
        model.learn_link(anchor, label, None if page_class == UNKNOWN else page_class)
    return model


EXPONENTS = tuple(2.0**-step for step in range(13))
"""Powers of a page's posterior to choose from."""


class Sureness(NamedTuple):
    """The mean of the largest posterior of pages, that of the calibrated one, and how often these are right."""

    plain: float
    calibrated: float
    right: float


def page_scores(links: LabelledLinks, split: Split, code: str, exponent: float) -> tuple[dict[str, Floats], Sureness]:
    """P(class | link) by the three scores, and by transition once more with a calibrated posterior.

    A row for each link that is asked about; all words of a page count. Beside them how sure the posteriors are of the
    pages with these links whose class is known.
    """
    model = train_model(links, split.pages, split.train, code)
    sources, which = np.unique(links.source[split.test], return_inverse=True)
    evidence = _evidence(links, model, sources)
    posteriors, calibrated = shares(evidence), shares(exponent * evidence)
    anchors = AnchorWords.of_anchors(links.anchors(split.test))
    known = links.page_class[sources] != UNKNOWN
    right = posteriors.argmax(axis=1) == links.page_class[sources]
    scores = {
        NEIGHBOURHOOD: posteriors[which],
        ANCHOR: model.link_posteriors(anchors, model.anchor_prior()),
        TRANSITION: model.link_posteriors(anchors, model.step_prior(posteriors[which])),
        CALIBRATED: model.link_posteriors(anchors, model.step_prior(calibrated[which])),
    }
    columns = (posteriors.max(axis=1), calibrated.max(axis=1), right)
    return scores, Sureness(*(float(column.mean(where=known)) if known.any() else 0.0 for column in columns))


def best_exponent(links: LabelledLinks, split: Split, code: str) -> float:
    """The power of a page's posterior that foretells best what pages are, inside training.

    Words of a page hang together, which naive Bayes does not know: its posterior is far too sure. Each split inside
    training learns from its pages and is asked about those it left out; the likeliest power of all is taken. No link
    has a part in it.
    """
    losses = np.zeros(len(EXPONENTS))
    for inner in split.inside:
        asked = np.setdiff1d(split.pages, inner.pages)
        if not len(asked):
            continue
        evidence = _evidence(links, train_model(links, inner.pages, inner.train[:0], code), asked)
        truth = np.arange(len(asked)), links.page_class[asked]
        losses += [
            -float(logs(shares(exponent * evidence)[truth]).clip(min=_LEAST_LOG).sum()) for exponent in EXPONENTS
        ]
    return EXPONENTS[int(np.argmin(losses))]


def _evidence(links: LabelledLinks, model: LinkModel, pages: Ints) -> Floats:
    """log P(c) P(page | c), a row for each page."""
    prior = model.pages.bayes.log_prior()
    return np.stack([prior + model.pages.weigh(links.web.page(number))[0] for number in pages.tolist()])


def transition_by_class(links: LabelledLinks, split: Split, code: str) -> Floats:
    """What transition would say were the class of the page a link is on known, and not guessed from its words."""
    model = train_model(links, split.pages[:0], split.train, code)
    classes = links.page_class[links.source[split.test]]
    certain = np.where((classes == UNKNOWN)[:, None], 1 / len(links.classes), np.eye(len(links.classes))[classes])
    return model.link_posteriors(AnchorWords.of_anchors(links.anchors(split.test)), model.step_prior(certain))


def short_list(links: LabelledLinks) -> str:
    """The code of the function words of the links' language."""
    return links.language + SHORT_LIST


def stop_words_of(links: LabelledLinks, split: Split) -> str:
    """The code of the stop words to leave out, by what anchors then tell inside training; the fewest of equals.

    Lists of stop words made for search hold "home", "course" and "research", which is what anchors say.
    """
    codes = dict.fromkeys((ALL_WORDS, short_list(links), links.language))
    right = {code: sum(_right_by_anchor(links, inner, code) for inner in split.inside) for code in codes}
    return max(right, key=lambda code: right[code])


def _right_by_anchor(links: LabelledLinks, split: Split, code: str) -> int:
    model = train_model(links, split.pages[:0], split.train, code)
    anchors = AnchorWords.of_anchors(links.anchors(split.test))
    posteriors = model.link_posteriors(anchors, model.anchor_prior())
    return int(np.count_nonzero(posteriors.argmax(axis=1) == links.label[split.test]))
