"""The four scores under one kind of split, asked about every link that was held out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import msgspec
import numpy as np

from salticid.errors import UserError, unknown
from salticid.lab.links.classifiers import (
    ALL_WORDS,
    CONTEXT,
    NEIGHBOURHOOD,
    TRANSITION,
    Context,
    Sureness,
    best_exponent,
    page_scores,
    stop_words_of,
    train_model,
)
from salticid.lab.links.examples import HOMEPAGE, UNKNOWN, LabelledLinks, Split, at_random
from salticid.lab.plots import p_text
from salticid.lab.reproduce import FigureTable
from salticid.lab.statistics import interval, p_of_mean
from salticid.learning import LinkTables, Whole, save_link_tables, save_link_weights
from salticid.model import Floats, Ints

WITH_PATH = " with path"
"""Marks a score that read the context path of a link too."""
Watch = Callable[[str, int, int], None]
"""Called with the progress of the work: what is being done, how much of it is done, of how much."""


@dataclass(frozen=True, slots=True)
class SplitSettings:
    """What was settled inside the training half of a split."""

    split: str
    stop_words: str
    trust: float
    exponent: float


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """What each score said about the links that were asked about, split after split.

    `part[i]` is the split that asked about link `questions[i]`, `answers[score][i]` the class a score gave it.
    `sureness` is how sure pages are of their own class, split by split.
    """

    links: LabelledLinks
    settings: tuple[SplitSettings, ...]
    questions: Ints
    part: Ints
    answers: dict[str, Ints]
    sureness: tuple[Sureness, ...]

    @property
    def truth(self) -> Ints:
        """The classes of the links that were asked about."""
        return self.links.label[self.questions]


def run_trial(
    splits: Sequence[Split],
    watch: Watch,
    context: Context,
    stop_words: str | None = None,
    exponents: dict[tuple[str, str], float] | None = None,
) -> Trial:
    """Learn, choose and ask about the links of a `context`, split by split.

    Whose stop words are left out is chosen unless it is said. A context that learned for another trial need not learn
    again. `exponents` has those of earlier trials of the same splits, by split and stop words, for paths change none.
    """
    links, exponents = context.links, {} if exponents is None else exponents
    answers: dict[str, list[Ints]] = {}
    settings, sureness = [], []
    for count, split in enumerate(splits):
        watch("asking about links", count, len(splits))
        code = stop_words_of(links, split) if stop_words is None else stop_words
        trust = context.best_trust(split)
        if (split.name, code) not in exponents:
            exponents[split.name, code] = best_exponent(links, split, code)
        exponent = exponents[split.name, code]
        scores, sure = page_scores(links, split, code, exponent)
        scores[CONTEXT] = context.scores(split, trust)
        for name, table in scores.items():
            answers.setdefault(name, []).append(table.argmax(axis=1).astype(np.int32))
        settings.append(SplitSettings(split.name, code, trust, exponent))
        sureness.append(sure)
    watch("asking about links", len(splits), len(splits))
    return Trial(
        links,
        tuple(settings),
        np.concatenate([split.test for split in splits]),
        np.repeat(np.arange(len(splits), dtype=np.int32), [len(split.test) for split in splits]),
        {name: np.concatenate(parts) for name, parts in answers.items()},
        tuple(sureness),
    )


def beside_paths(plain: Trial, with_paths: Trial) -> Trial:
    """A trial with the scores of another beside its own, whose links had context paths; a page's own score has none."""
    scores = {name: answers for name, answers in with_paths.answers.items() if name != NEIGHBOURHOOD}
    return replace(plain, answers={**plain.answers, **{f"{name}{WITH_PATH}": one for name, one in scores.items()}})


# How sure it is that one score is right more often than another.


class Difference(NamedTuple):
    """Accuracy of one score less that of another, its 95 % interval, and p (two-sided); of one page there are none."""

    diff: float
    low: float | None
    high: float | None
    p: float | None


def difference(trial: Trial, a: str, b: str, among: Whole | None = None, margin: float = 0.0) -> Difference:
    """a less b on all links that were asked about, or on some of them, named by their places in the trial.

    p is of the claim that the difference is not `margin`.
    """
    right = {name: trial.answers[name] == trial.truth for name in (a, b)}
    gains = right[a].astype(np.int64) - right[b]
    places = np.arange(len(trial.questions)) if among is None else among
    return mean_over_pages(gains[places], trial.links.source[trial.questions[places]], margin)


def mean_over_pages(gains: Whole | Floats, page: Ints, margin: float = 0.0) -> Difference:
    """The mean of `gains`, its 95 % interval, and p of a mean that is not `margin`; pages are the units.

    Links of one page depend on each other. So the error is that of a ratio of sums over pages (W. Cochran, Sampling
    Techniques, 1977, 6.3): with g the gain of a page and l its links, that of the mean of (g - mean * l) / mean of l.

    >>> mean_over_pages(np.array([1, 1, 1, 0]), np.array([5, 5, 6, 7])).diff
    0.75
    """
    _, which = np.unique(page, return_inverse=True)
    links, page_gains = np.bincount(which).astype(np.float64), np.bincount(which, gains).astype(np.float64)
    mean = float(gains.mean())
    shares = (page_gains - mean * links) / links.mean()
    low, high = interval(mean + shares)
    if low is None or high is None:
        return Difference(mean, None, None, None)
    return Difference(mean, low, high, p_of_mean(mean - margin + shares))


# How often a score was right, class by class.


class ScoreTable(msgspec.Struct, frozen=True):
    """Accuracy, recall by class (null for a class nobody asked about), confusion: rows are true, columns said."""

    accuracy: float
    recall: dict[str, float | None]
    confusion: list[list[int]]


class LinkTable(msgspec.Struct, frozen=True):
    """How many labelled links there are, and how each score did on those that were asked about."""

    links: int
    scores: dict[str, ScoreTable]
    classes: list[str]


def link_table(trial: Trial) -> LinkTable:
    """All scores of a trial."""
    classes = trial.links.classes
    scores = {name: score_table(trial.truth, answers, classes) for name, answers in trial.answers.items()}
    return LinkTable(len(trial.links), scores, list(classes))


def score_table(truth: Ints, answers: Ints, classes: Sequence[str]) -> ScoreTable:
    """One score against the truth.

    >>> score_table(np.array([0, 0, 1]), np.array([0, 1, 1]), ["course", "other"]).recall
    {'course': 0.5, 'other': 1.0}
    """
    many = len(classes)
    confusion = np.bincount(truth * many + answers, minlength=many * many).reshape(many, many)
    right, totals = confusion.diagonal().tolist(), confusion.sum(axis=1).tolist()
    recall = {name: r / a if a else None for name, r, a in zip(classes, right, totals, strict=True)}
    return ScoreTable(sum(right) / max(1, sum(totals)), recall, confusion.tolist())


# The figures of a trial as tables of text, for a terminal and for a page.


def figures(trial: Trial) -> Iterator[FigureTable]:
    """How often each score is right, part by part, each against the one before or without paths, and the confusions."""
    table = link_table(trial)
    yield _accuracy(table, len(trial.questions))
    if len(trial.settings) > 1:
        yield _parts(trial)
    yield _differences(trial)
    for name, score in table.scores.items():
        rows = [[label, *map(str, row)] for label, row in zip(table.classes, score.confusion, strict=True)]
        title = f"What {name} said (columns) of links to each class (rows)"
        yield FigureTable(title, ["", *table.classes], rows)


def percent(share: float | None) -> str:
    """A share as people read it.

    >>> percent(0.7171), percent(None)
    ('71.7', '—')
    """
    return "—" if share is None else f"{share:.1%}".removesuffix("%")


def difference_text(difference: Difference) -> str:
    """A difference in points with its interval and p.

    >>> difference_text(Difference(0.031, 0.02, 0.04, 0.0002))
    '+3.1 points (+2.0 to +4.0), p < 0.001'
    """
    if difference.low is None or difference.high is None:
        return f"{100 * difference.diff:+.1f} points"
    diff, low, high = (f"{100 * part:+.1f}" for part in (difference.diff, difference.low, difference.high))
    return f"{diff} points ({low} to {high}), {p_text(difference.p)}"


def _accuracy(table: LinkTable, questions: int) -> FigureTable:
    rows = [
        [name, percent(score.accuracy), *(percent(score.recall[label]) for label in table.classes)]
        for name, score in table.scores.items()
    ]
    title = f"{questions:,} of {table.links:,} labelled links asked about: % right, and % right of those to each class"
    return FigureTable(title, ["score", "accuracy", *table.classes], rows)


def _parts(trial: Trial) -> FigureTable:
    names = [setting.split for setting in trial.settings]
    links = np.bincount(trial.part, minlength=len(names)).tolist()
    rows = []
    for score, answers in trial.answers.items():
        right = np.bincount(trial.part, answers == trial.truth, len(names)).tolist()
        rows.append([score, *(percent(r / n) for r, n in zip(right, links, strict=True))])
    rows.append(["links", *(f"{n:,}" for n in links)])
    return FigureTable("% right, by what was left out", ["score", *names], rows)


def _differences(trial: Trial) -> FigureTable:
    rows = [[f"{b} less {a}", difference_text(difference(trial, b, a))] for a, b in _pairs(trial.answers)]
    title = "Differences of accuracy, 95 % intervals and p of a t-test over source pages"
    return FigureTable(title, ["", "difference"], rows)


def _pairs(scores: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each score with the one before; one that read context paths with itself without them.

    >>> list(_pairs(["anchor", "context", "anchor with path"]))
    [('anchor', 'context'), ('anchor', 'anchor with path')]
    """
    names = list(scores)
    yield from pairwise(name for name in names if not name.endswith(WITH_PATH))
    yield from ((name.removesuffix(WITH_PATH), name) for name in names if name.endswith(WITH_PATH))


# What labelled links of a world teach, as a strategy file.

LEAST = 2
"""A word that occurs but once in all pages, or in all anchors, is not kept."""


def link_strategy_file(links: LabelledLinks, target: str) -> str:
    """The text of a file for `salticid crawl --strategy`: transition, after pages of class `target`."""
    return save_link_tables(TRANSITION, tables_of(links, *_everything(links), target))


def context_file(links: LabelledLinks, target: str) -> str:
    """The same for context; it trusts links as much as the most of the splits by chance would."""
    context = Context(links)
    trust = context.best_trust(at_random(links, 0)[0])
    return save_link_weights(context.weights(_everything(links)[1], trust, target))


def tables_of(links: LabelledLinks, pages: Ints, train: Ints, target: str) -> LinkTables:
    """The counts of some pages and links."""
    return train_model(links, pages, train, ALL_WORDS, target).tables(LEAST)


def _everything(links: LabelledLinks) -> tuple[Ints, Ints]:
    """All pages whose class is known, and all links."""
    pages = np.flatnonzero(links.page_class != UNKNOWN).astype(np.int32)
    return pages, np.arange(len(links), dtype=np.int32)


def checked_target(links: LabelledLinks, name: str | None) -> str:
    """The class a crawl is after: the one named, else homepages where there are any."""
    if name is None and HOMEPAGE not in links.classes:
        raise UserError(f"name the class a crawl is after with --target: {', '.join(links.classes)}")
    target = name or HOMEPAGE
    if target not in links.classes:
        raise unknown("class", target, links.classes)
    return target
