"""Links are what they say they are."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta

from salticid.learning import LinkTables
from salticid.model import Floats
from salticid.snapshots import in_snapshot
from salticid.strategies.parts import LinkScoring


@in_snapshot()
class Anchor(LinkScoring):
    """A link scores the probability that anchors like its own lead on topic, by naive Bayes.

        score = P(on | anchor) ~ P(on) * product over words w of the anchor of P(w | on)

    Learned from labelled links: links whose target has been judged. P(w | on) = (n_w + 1) / (n + |V|) over
    the anchors of links to pages on topic, P(on) their share; alphabetic words, no stems, no stop words;
    for an image its ALT text. An anchor without a word seen before has the prior P(on). The page around the
    link plays no part.

    Before the first link is labelled, the titles and first headings of examples and negatives stand for
    anchors, the keywords for one more that leads on topic, and links between known pages are labelled
    links; without negatives, the usual words of the language are counted in both classes. Then each visit
    labels the link that led to it, unless `learn` is off. A waiting link keeps the score it was found
    with; with `rescore` all are scored anew after every so many pages.

    `tables`, in a strategy file, are counts learned from another world (`salticid.learning.link_tables`).
    Of an anchor the first 32 words are read. The paper compares the scores as classifiers; ordering a crawl
    by them and learning on the way are ours.

    >>> from salticid.testing import walk_through
    >>> walk_through(Anchor(), max_pages=5)
    ['seed', 'b', 'b2', 'b21', 'a2']

    Paper: Passerini, Frasconi, Soda, "Evaluation methods for focused crawling", AI*IA 2001.
    """

    reads_pages: ClassVar[bool] = False

    def __init__(
        self,
        *,
        tables: LinkTables | None = None,
        learn: bool = True,
        rescore: Annotated[int, Meta(ge=0, le=1_000_000)] = 0,
    ) -> None:
        self.tables = tables
        self.learn = learn
        self.rescore = rescore

    def log_prior(self, posterior: Floats) -> Floats:
        return self.model.anchor_prior()
