"""The paper's three scores, as classifiers of links."""

from __future__ import annotations

import numpy as np

from salticid.lab.links.examples import UNKNOWN, LabelledLinks
from salticid.lab.links.splits import Split
from salticid.learning.link_model import AnchorWords, LinkModel
from salticid.model import Floats, Ints

NEIGHBOURHOOD, ANCHOR, TRANSITION = "neighbourhood", "anchor", "transition"
ALL_WORDS = ""
"""A language without stop words: nothing is left out."""


def train_model(
    links: LabelledLinks, pages: Ints, train: Ints, code: str, target: str | None = None
) -> LinkModel:
    """A model trained on these pages and links; `code` says whose stop words are left out."""
    model = LinkModel(links.web.words, code, links.classes, target or links.classes[0])
    for number in pages.tolist():
        model.learn_page(links.web.page(number), int(links.page_class[number]))
    steps = zip(links.anchors(train), links.label[train].tolist(), links.source[train].tolist(), strict=True)
    for anchor, label, source in steps:
        page_class = int(links.page_class[source])
        model.learn_link(anchor, label, None if page_class == UNKNOWN else page_class)
    return model


def three_scores(links: LabelledLinks, split: Split, code: str) -> dict[str, Floats]:
    """P(class | link) by each score, a row for each link that is asked about; all words of a page count."""
    model = train_model(links, split.pages, split.train, code)
    sources, which = np.unique(links.source[split.test], return_inverse=True)
    posteriors = np.stack([model.pages.posterior(links.web.page(number)) for number in sources.tolist()])
    neighbourhood = posteriors[which]
    anchors = AnchorWords.of_anchors(links.anchors(split.test))
    return {
        NEIGHBOURHOOD: neighbourhood,
        ANCHOR: model.link_posteriors(anchors, model.anchor_prior()),
        TRANSITION: model.link_posteriors(anchors, model.step_prior(neighbourhood)),
    }


def transition_by_class(links: LabelledLinks, split: Split, code: str) -> Floats:
    """What transition would say were the class of the page a link is on known, and not guessed from its words."""
    model = train_model(links, split.pages[:0], split.train, code)
    classes = links.page_class[links.source[split.test]]
    certain = np.where(
        (classes == UNKNOWN)[:, None], 1 / len(links.classes), np.eye(len(links.classes))[classes]
    )
    return model.link_posteriors(AnchorWords.of_anchors(links.anchors(split.test)), model.step_prior(certain))


def stop_words_of(links: LabelledLinks, split: Split) -> str:
    """The code of the stop words to leave out: the language's, or none where anchors then tell more inside training.

    Lists of stop words made for search hold "home", "course" and "research", which is what anchors say.
    """
    codes = (links.language, ALL_WORDS)
    right = [sum(_right_by_anchor(links, inner, code) for inner in split.inside) for code in codes]
    return codes[int(np.argmax(right))]


def _right_by_anchor(links: LabelledLinks, split: Split, code: str) -> int:
    model = train_model(links, split.pages[:0], split.train, code)
    anchors = AnchorWords.of_anchors(links.anchors(split.test))
    posteriors = model.link_posteriors(anchors, model.anchor_prior())
    return int(np.count_nonzero(posteriors.argmax(axis=1) == links.label[split.test]))
