"""What a person's word is worth: crawls that were told about ten pages, against the same crawls left alone.

The person is played by the truth, and speaks once, about the pages the crawler itself thinks best: those that
stand on top of its list. Until then both crawls are the same, visit for visit; what counts is the share of
targets among the pages that come after. Like a person at the page, the crawler has a query and pages to start
from; examples that the topic names are taken from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from salticid.lab.experiment import make_judge
from salticid.lab.results import Test
from salticid.lab.statistics import compare
from salticid.metrics.parts.measure import hits
from salticid.model import Feedback, Visit
from salticid.runs.named import strategy_of
from salticid.runs.order import Recipe
from salticid.runs.recorded import MemoryLog, RecordedCrawl
from salticid.topic import Limits, Topic
from salticid.truth import Truth
from salticid.webs.recorded import RecordedWeb


@dataclass(frozen=True, slots=True)
class Sitting:
    """After `after` pages a person speaks about the `words` best of them."""

    after: int = 50
    words: int = 10


@dataclass(frozen=True, slots=True)
class FeedbackTrial:
    """How the crawls are made."""

    strategy: str
    judge: str = "rocchio"
    max_pages: int = 300
    sitting: Sitting = Sitting()
    seed: int = 0


def worth(trial: FeedbackTrial, web: RecordedWeb, topics: Sequence[tuple[Topic, Truth]]) -> Test | None:
    """The harvest after the sitting, with and without the person's words, topic by topic."""
    told, alone = (
        [_harvest_after(trial, web, topic, truth, speaks) for topic, truth in topics] for speaks in (True, False)
    )
    return compare("harvest after feedback", "told", "alone", told, alone)


def _harvest_after(trial: FeedbackTrial, web: RecordedWeb, topic: Topic, truth: Truth, speaks: bool) -> float | None:
    """The share of targets among the pages after the sitting; None if the crawl did not come that far."""
    recipe = Recipe(
        strategy_of(trial.strategy)[1],
        make_judge(trial.judge),
        Limits(max_pages=trial.max_pages),
        seed=trial.seed,
    )
    log = MemoryLog()
    asked = replace(topic, examples=(), negatives=())
    run = RecordedCrawl(asked, web, recipe, log)
    spoken = False

    def watch(visit: Visit) -> None:
        nonlocal spoken
        if speaks and not spoken and run.crawl.pages == trial.sitting.after:
            spoken = True
            run.crawl.hear(_words(trial.sitting, web, log.visits, topic, truth))

    run.run(watch)
    pages = [web.urls[visit.final] for visit in _good(log.visits)][trial.sitting.after :]
    found = hits(pages, topic, truth)
    return sum(found) / len(found) if found else None


def _words(sitting: Sitting, web: RecordedWeb, visits: Sequence[Visit], topic: Topic, truth: Truth) -> list[Feedback]:
    """What a person who knows the truth says about the best pages so far, start pages left out."""
    seeds = set(topic.seeds)
    shown = [visit for visit in _good(visits) if web.urls[visit.final] not in seeds]
    best = sorted(shown, key=lambda visit: -visit.score)[: sitting.words]
    return [
        Feedback(visit.final, 1 if good else -1)
        for visit, good in zip(best, hits([web.urls[v.final] for v in best], topic, truth), strict=False)
    ]


def _good(visits: Sequence[Visit]) -> list[Visit]:
    return [visit for visit in visits if visit.good]
