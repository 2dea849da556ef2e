"""The four scores under one kind of split, asked about every link that was held out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from salticid.lab.links.bayes import NEIGHBOURHOOD, stop_words_of, three_scores
from salticid.lab.links.context import CONTEXT, Context
from salticid.lab.links.examples import LabelledLinks
from salticid.lab.links.splits import Split
from salticid.model import Ints

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


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """What each score said about the links that were asked about, split after split.

    `part[i]` is the split that asked about link `questions[i]`, `answers[score][i]` the class a score gave it.
    """

    links: LabelledLinks
    settings: tuple[SplitSettings, ...]
    questions: Ints
    part: Ints
    answers: dict[str, Ints]

    @property
    def truth(self) -> Ints:
        """The classes of the links that were asked about."""
        return self.links.label[self.questions]


def run_trial(
    splits: Sequence[Split], watch: Watch, context: Context, stop_words: str | None = None
) -> Trial:
    """Learn, choose and ask about the links of a `context`, split by split.

    Whose stop words are left out is chosen unless it is said. A context that learned for another trial need not learn
    again.
    """
    links = context.links
    answers: dict[str, list[Ints]] = {}
    settings = []
    for count, split in enumerate(splits):
        watch("asking about links", count, len(splits))
        code = stop_words_of(links, split) if stop_words is None else stop_words
        setting = SplitSettings(split.name, code, context.best_trust(split))
        scores = three_scores(links, split, setting.stop_words)
        scores[CONTEXT] = context.scores(split, setting.trust)
        for name, table in scores.items():
            answers.setdefault(name, []).append(table.argmax(axis=1).astype(np.int32))
        settings.append(setting)
    watch("asking about links", len(splits), len(splits))
    return Trial(
        links,
        tuple(settings),
        np.concatenate([split.test for split in splits]),
        np.repeat(np.arange(len(splits), dtype=np.int32), [len(split.test) for split in splits]),
        {name: np.concatenate(parts) for name, parts in answers.items()},
    )


def beside_paths(plain: Trial, with_paths: Trial) -> Trial:
    """A trial with the scores of another beside its own, whose links had context paths; a page's own score has none."""
    scores = {name: answers for name, answers in with_paths.answers.items() if name != NEIGHBOURHOOD}
    return replace(
        plain, answers={**plain.answers, **{f"{name}{WITH_PATH}": one for name, one in scores.items()}}
    )
