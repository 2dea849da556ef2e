"""Links are what the page around them is."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from salticid.learning import LinkModel, LinkTables, model_for
from salticid.model import Ints, Visit
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot
from salticid.strategies.parts import QueueStrategy


@in_snapshot(model=LinkModel)
class Neighbourhood(QueueStrategy):
    """Every link of a page scores the page's own probability of being on topic, by naive Bayes.

        score = P(on | page) ~ P(on) * product over areas k and words w of the page in k of P(w in k | on)

    The areas META, TITLE with H1, and the rest have vocabularies of their own; alphabetic words, no stems,
    no stop words, add-one smoothing. It differs from best_first in who reads the page: there the judge,
    here a classifier that the judge teaches.

    It starts from the examples against the negatives; without examples from the keywords, without
    negatives from the usual words of the language. Then each page, its links once queued, is learned as
    the judge calls it, unless `learn` is off. A link keeps the score it was found with, and a judge who
    later changes his mind unteaches nothing.

    Naive Bayes takes words for independent, so that long pages come out at 0 or 1 and their links
    oldest first. With `evidence` a longer page is weighed as one of so many words, and the order is
    finer; 0 is the paper's: all words count.

    `tables`, in a strategy file, are counts learned from another world (`salticid.learning.link_tables`);
    they may tell more than two classes apart and say which one is sought. The paper compares the scores
    as classifiers; ordering a crawl by them is ours.

    >>> from salticid.testing import walk_through
    >>> walk_through(Neighbourhood(), max_pages=5)
    ['seed', 'a', 'b', 'b1', 'b2']

    Paper: Passerini, Frasconi, Soda, "Evaluation methods for focused crawling", AI*IA 2001.
    """

    def __init__(
        self,
        *,
        tables: LinkTables | None = None,
        evidence: Annotated[int, Meta(ge=0, le=100_000)] = 30,
        learn: bool = True,
    ) -> None:
        self.tables = tables
        self.evidence = evidence
        self.learn = learn

    def start(self, brief: Brief) -> None:
        super().start(brief)
        self.model = model_for(brief, self.tables, self.evidence)

    def score_links(self, visit: Visit, fresh: Ints) -> float:
        page = visit.require_page()
        posterior = self.model.pages.posterior(page)
        if self.learn:
            self.model.learn_page(page, self.model.label(visit.positive, posterior))
        return float(posterior[self.model.target])
