"""The figures of a trial as tables of text, for a terminal and for a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np

from salticid.lab.links.significance import Difference, difference
from salticid.lab.links.table import LinkTable, link_table
from salticid.lab.links.trial import WITH_PATH, Trial
from salticid.lab.reproduce.reproduction import FigureTable


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
    '+3.1 points (+2.0 to +4.0), p = 0.0002'
    """
    diff, low, high = (f"{100 * part:+.1f}" for part in (difference.diff, difference.low, difference.high))
    return f"{diff} points ({low} to {high}), p = {difference.p:.2g}"


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
    title = "Differences of accuracy, 95 % intervals and p by a bootstrap of 10,000 draws of source pages"
    return FigureTable(title, ["", "difference"], rows)


def _pairs(scores: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each score with the one before; one that read context paths with itself without them.

    >>> list(_pairs(["anchor", "context", "anchor with path"]))
    [('anchor', 'context'), ('anchor', 'anchor with path')]
    """
    names = list(scores)
    yield from pairwise(name for name in names if not name.endswith(WITH_PATH))
    yield from ((name.removesuffix(WITH_PATH), name) for name in names if name.endswith(WITH_PATH))
