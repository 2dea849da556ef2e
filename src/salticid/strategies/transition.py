"""Links are what they say they are, on a page like this."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta

from salticid.learning import LinkTables
from salticid.model import Floats
from salticid.snapshots import in_snapshot
from salticid.strategies.parts import LinkScoring


@in_snapshot()
class Transition(LinkScoring):
    """A link scores by its anchor, and by where pages like the one it is on usually lead.

        score = P(Cj | link) ~ P(anchor | Cj) * sum_k P(Cj | Ck) P(Ck | page),    Cj on topic

    P(anchor | Cj) as in anchor, P(Ck | page) as in neighbourhood; P(Cj | Ck) = (n_kj + 1) / (n_k + classes)
    counts the labelled links from class to class. An anchor without a word seen before leaves the sum.
    The score is normalised over the classes, so that it is a probability.

    How it starts and learns is as in these two. Of the links between known pages it also counts the
    steps; as long as none is labelled all steps are equally likely, and the anchor decides alone. A
    waiting link keeps the score it was found with; with `rescore` all are scored anew after every so many
    pages, by the anchors and steps known then and their page's probabilities of when it was read. With
    `evidence` a page of more words is weighed as one of so many, which keeps P(Ck | page) from 0 and 1;
    0 is the paper's: all words count.

    `tables`, in a strategy file, are counts learned from another world (`salticid.learning.link_tables`);
    with more than two classes a page that the judge rejects counts as of the likeliest other class.
    The paper compares the scores as classifiers; ordering a crawl by them, learning on the way and
    smoothing the steps are ours.

    >>> from salticid.testing import walk_through
    >>> walk_through(Transition(), max_pages=5)
    ['seed', 'b', 'b2', 'b21', 'b1']

    Paper: Passerini, Frasconi, Soda, "Evaluation methods for focused crawling", AI*IA 2001.
    """

    reads_pages: ClassVar[bool] = True

    def __init__(
        self,
        *,
        tables: LinkTables | None = None,
        evidence: Annotated[int, Meta(ge=0, le=100_000)] = 30,
        learn: bool = True,
        rescore: Annotated[int, Meta(ge=0, le=1_000_000)] = 0,
    ) -> None:
        self.tables = tables
        self.evidence = evidence
        self.learn = learn
        self.rescore = rescore

    def log_prior(self, posterior: Floats) -> Floats:
        return self.model.step_prior(posterior)
