"""How often a score was right, class by class."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from salticid.lab.links.trial import Trial
from salticid.model import Ints


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
