"""What links lead to: classes of pages, words of anchors, and steps from class to class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from salticid.exact import logs, shares
from salticid.learning.link_tables import AnchorCounts, Counts, LinkTables, PageCounts
from salticid.learning.naive_bayes import OFF, ON, MultinomialBayes, TaggedPages, Whole, WordNumbers, count_background
from salticid.model import Area, Floats, Ints, Page
from salticid.protocols import Brief, Table
from salticid.snapshots import in_snapshot, rows
from salticid.text import letter_runs

LONGEST_ANCHOR = 32
"""An anchor of more words than this was not closed by its author."""


class AnchorWords(NamedTuple):
    """The words of many anchors one after the other, and the number of the anchor each belongs to."""

    words: Ints
    owner: Ints
    many: int

    @classmethod
    def of(cls, page: Page, places: Ints) -> AnchorWords:
        """Those of some links of a page, of each its first words."""
        starts = page.links.start[places]
        ends = np.minimum(page.links.end[places], starts + LONGEST_ANCHOR)
        lengths = np.maximum(ends - starts, 0)
        owner = np.repeat(np.arange(len(places), dtype=np.int32), lengths)
        first = np.cumsum(lengths) - lengths
        at = np.arange(len(owner)) + (starts - first)[owner]
        return cls(page.tokens[at], owner, len(places))

    @classmethod
    def of_anchors(cls, anchors: Sequence[Ints]) -> AnchorWords:
        """The words of anchors that are given one by one."""
        owner = np.repeat(np.arange(len(anchors), dtype=np.int32), [len(words) for words in anchors])
        return cls(np.concatenate([np.zeros(0, np.int32), *anchors]), owner, len(anchors))


@in_snapshot(
    "classes", "target", vocabulary=WordNumbers, pages=TaggedPages, anchors=MultinomialBayes,
    _steps=rows(np.int64),
)  # fmt: skip
class LinkModel:
    """Naive Bayes on pages and on anchors, and P(class of the target | class of the page) between.

    All three count, so that a page or a link more costs what it weighs. Transitions are add-one too:
    P(Cj | Ck) = (n_kj + 1) / (n_k + number of classes).

    >>> from salticid.tables import Texts
    >>> words = Texts()
    >>> silk, moss = (np.array([words.intern(w)], np.int32) for w in ("silk", "moss"))
    >>> model = LinkModel(words, "en", ["off", "on"], "on")
    >>> model.learn_link(silk, label=ON, source=ON)
    >>> model.learn_link(moss, label=OFF, source=ON)
    >>> model.link_posteriors(AnchorWords.of_anchors([silk, moss]), model.anchor_prior()).round(4).tolist()
    [[0.3333, 0.6667], [0.6667, 0.3333]]

    Paper: Passerini, Frasconi, Soda, "Evaluation methods for focused crawling", AI*IA 2001.
    """

    def __init__(self, words: Table, code: str, classes: Sequence[str], target: str, most_words: int = 0) -> None:
        self.classes, self.target = tuple(classes), tuple(classes).index(target)
        self.vocabulary = WordNumbers(words, code)
        self.pages = TaggedPages(self.vocabulary, len(classes), most_words)
        self.anchors = MultinomialBayes(len(classes))
        self._steps: Whole = np.zeros((len(classes), len(classes)), np.int64)

    def learn_page(self, page: Page, label: int) -> None:
        """A page whose class is known."""
        self.pages.add(page, label)

    def learn_link(self, anchor: Ints, label: int, source: int | None) -> None:
        """A link whose target's class is known, by the word ids of its anchor; its page's class if known."""
        self.anchors.add(self.vocabulary.of(anchor), label)
        if source is not None:
            self._steps[source, label] += 1

    def anchor_prior(self) -> Floats:
        """log P(c), from the links alone."""
        return self.anchors.log_prior()

    def step_prior(self, posterior: Floats) -> Floats:
        """log sum_k P(Cj | Ck) P(Ck | page), of each class; `posterior` is of one page or a row for each."""
        return logs((self.transitions() * posterior[..., None]).sum(axis=-2))

    def transitions(self) -> Floats:
        """P(Cj | Ck), a row for each k."""
        counts = self._steps + 1
        probability: Floats = counts / counts.sum(axis=1, keepdims=True)
        return probability

    def link_posteriors(self, anchors: AnchorWords, log_prior: Floats) -> Floats:
        """P(Cj | anchor), a row for each anchor; `log_prior` is one for all or a row for each.

        An anchor without a known word has its prior.
        """
        words = self.vocabulary.of(anchors.words)
        return shares(log_prior + self.anchors.evidence_of_each(words, anchors.owner, anchors.many))

    def label(self, positive: bool, posterior: Floats) -> int:
        """The class a judge who knows only the target puts a page in: that, or the likeliest of the others."""
        if positive:
            return self.target
        others = np.delete(np.arange(len(self.classes)), self.target)
        return int(others[posterior[others].argmax()] if len(others) > 1 else others[0])

    def tables(self, least: int = 1) -> LinkTables:
        """All that was counted, as text; words that occur fewer than `least` times are left out."""
        texts = self.vocabulary.texts()

        def by_word(bayes: MultinomialBayes, context: int = 0) -> Counts:
            counts = bayes.counts(context).items()
            return dict(sorted((texts[word], times) for word, times in counts if sum(times) >= least))

        meta, heading, rest = (by_word(self.pages.bayes, area) for area in Area)
        return LinkTables(
            list(self.classes),
            self.classes[self.target],
            self._steps.tolist(),
            PageCounts(self.pages.bayes.documents.tolist(), meta, heading, rest),
            AnchorCounts(self.anchors.documents.tolist(), by_word(self.anchors)),
        )

    def take(self, tables: LinkTables) -> None:
        """Add what was counted elsewhere, for the same classes in the same order."""
        for area, counts in zip(Area, tables.pages.areas, strict=True):
            self._take(self.pages.bayes, counts, area)
        self._take(self.anchors, tables.anchors.words, 0)
        self.pages.bayes.documents += np.array(tables.pages.documents, np.int64)
        self.anchors.documents += np.array(tables.anchors.documents, np.int64)
        self._steps += np.array(tables.transitions, np.int64)

    def _take(self, bayes: MultinomialBayes, counts: Counts, context: int) -> None:
        if counts:
            words = np.array(self.vocabulary.numbers(list(counts)), np.int32)
            for label, times in enumerate(np.array(list(counts.values()), np.int64).T):
                bayes.add_counts(words, times, label, context)


def model_for(brief: Brief, tables: LinkTables | None, most_words: int) -> LinkModel:
    """What a crawl can know about links before its first page.

    With tables, what they say. Without, two classes. Pages: examples against negatives, or against the
    language. AnchorWords: people link to a page by what it calls itself, so the words of titles and first
    headings stand for anchors, those of each known page as one, and the keywords as one more that leads on
    topic. Links between known pages are labelled links.
    """
    if tables is not None:
        model = LinkModel(brief.words, brief.language, tables.classes, tables.target, most_words)
        model.take(tables)
        return model
    model = LinkModel(brief.words, brief.language, ("off topic", "on topic"), "on topic", most_words)
    model.pages.teach(brief.examples, brief.negatives, brief.topic.keywords, brief.language)
    keywords = np.array(model.vocabulary.numbers(list(letter_runs(brief.topic.keywords))), np.int32)
    model.anchors.add(keywords, ON)
    examples = [*((page, ON) for page in brief.examples), *((page, OFF) for page in brief.negatives)]
    for page, label in examples:
        model.learn_link(page.tokens[page.areas == Area.HEADING], label, source=None)
    if not brief.negatives:
        count_background(model.anchors, model.vocabulary, brief.language)
        model.anchors.documents[OFF] = model.anchors.documents[ON]
    label_of = {page.url: label for page, label in examples}
    for page, source in examples:
        for place, url in enumerate(page.links.url.tolist()):
            if url in label_of and url != page.url:
                model.learn_link(page.anchor(place)[:LONGEST_ANCHOR], label_of[url], source)
    return model
