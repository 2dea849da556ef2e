"""What answers are worth: lists and crawls from keywords against the number of answers and how many are wrong.

The teacher is played by the truth. The table goes into docs/ask.md, between the marks.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks._collections import known_items
from benchmarks.material import ROOT, topics, world
from benchmarks.report import say
from salticid.lab.experiment import make_judge
from salticid.lab.statistics import compare, summary
from salticid.learning import Schedule
from salticid.messages import Answer
from salticid.metrics.parts.judged import JudgedTopic, JudgedWorld
from salticid.metrics.parts.measure import hits
from salticid.metrics.targets import share_of_area
from salticid.metrics.texts import average_precision
from salticid.model import Bools, Floats, Visit
from salticid.protocols import AskingJudge
from salticid.runs.asking import AT_ONCE, FIRST_QUESTION, LIKINGS
from salticid.runs.named import strategy_of
from salticid.runs.order import Recipe
from salticid.runs.recorded import MemoryLog, RecordedCrawl
from salticid.topic import Limits, Topic
from salticid.truth import load_topic
from salticid.version import __version__
from salticid.webs.recorded import RecordedWeb

PAGES = 200
WORKERS = 2
_PAGE = ROOT / "docs" / "ask.md"
_MARKS = re.compile(r"(<!-- asking: begin -->\n).*?(<!-- asking: end -->)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Teaching:
    """How a crawl is taught: so many answers, so large a share of them wrong; or by the topic's examples."""

    answers: int = 0
    wrong: float = 0.0
    examples: bool = False
    seed: int = 1


class Outcome(NamedTuple):
    """Oracle share, list AP, and reciprocal rank of the first target in the list."""

    share: float
    ap: float
    rank: float


ROWS = {
    "keywords alone": Teaching(),
    "five examples": Teaching(examples=True),
    **{
        f"{answers} answers, {wrong:.0%} wrong": Teaching(answers, wrong)
        for answers in (10, 20, 40)
        for wrong in (0.0, 0.1, 0.25)
    },
}
QUERY_ROWS = {name: ROWS[name] for name in ROWS if name.startswith(("keywords", "10"))}


def run() -> None:
    """On the 16 subjects of schools-wikipedia on which nothing was tuned."""
    files = topics("examples")[1::2]
    outcomes: dict[str, list[Outcome]] = {}
    with ProcessPoolExecutor(WORKERS) as pool:
        for name, teaching in ROWS.items():
            outcomes[name] = list(pool.map(_subject, files, [teaching] * len(files)))
            say(f"  {name}: list AP {np.mean([each.ap for each in outcomes[name]]):.3f}")
        items = _known_items()
        ranks = {name: list(pool.map(_query, items, [teaching] * len(items))) for name, teaching in QUERY_ROWS.items()}
    table = f"{_table(outcomes, len(files))}\n{_table_of_queries(ranks, len(items))}"
    _PAGE.write_text(_MARKS.sub(lambda marks: marks[1] + table + marks[2], _PAGE.read_text()))


def _table(outcomes: dict[str, list[Outcome]], many: int) -> str:
    lines = [
        f"Version {__version__}, {datetime.now(UTC):%Y-%m-%d}: {many} subjects of schools-wikipedia, `hunter` and "
        f"`profile`, {PAGES} pages. In\nbrackets: 95 % interval of the paired difference from keywords alone.\n",
        "| | oracle share | list AP | reciprocal rank |",
        "|---|---|---|---|",
    ]
    base = outcomes["keywords alone"]
    for name, found in outcomes.items():
        cells = [_cell([each[at] for each in found], [each[at] for each in base]) for at in range(3)]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _table_of_queries(ranks: dict[str, list[float]], many: int) -> str:
    base = ranks["keywords alone"]
    rows = [f"| {name} | {_cell(found, base)} |" for name, found in ranks.items()]
    head = f"The same for {many} of the public known-item queries, each from the home page of its sites.\n"
    return "\n".join([head, "| | mean reciprocal rank |", "|---|---|", *rows]) + "\n"


def _cell(found: Sequence[float], base: Sequence[float]) -> str:
    test = compare("", "", "", found, base)
    mean = summary(found).mean or 0.0
    return f"{mean:.3f}" if test is None or found == base else f"{mean:.3f} ({test.low:+.3f} to {test.high:+.3f})"


def _subject(file: Path, teaching: Teaching) -> Outcome:
    """A crawl of a subject."""
    web = RecordedWeb(world())
    topic, truth = load_topic(file)
    given = {*topic.seeds, *topic.examples}
    asked_for = topic if teaching.examples else replace(topic, examples=(), negatives=())
    run, log = _crawl(web, asked_for, lambda url: url in given or hits([url], topic, truth) == [True], teaching)
    visits = [visit for visit in log.visits if visit.good and web.urls[visit.final] not in given]
    relevant = np.array(hits([web.urls[visit.final] for visit in visits], topic, truth), np.bool_)
    scores = np.array([run.crawl.score_of(visit.step) for visit in visits])
    found = {visit.final for visit, is_target in zip(visits, relevant.tolist(), strict=True) if is_target}
    in_order = [visit.final in found for visit in log.visits if visit.good]
    judged = JudgedTopic(JudgedWorld(web), topic, truth, PAGES, np.zeros(0, np.int32), np.zeros(0))
    share = share_of_area(in_order, judged.oracle, PAGES)
    return Outcome(share or 0.0, average_precision(scores, relevant) or 0.0, _reciprocal_rank(scores, relevant))


def _query(query: KnownItem, teaching: Teaching) -> float:
    """The reciprocal rank of the page wanted first, after a crawl from a query; good answers are for graded pages."""
    web = RecordedWeb(query.world)
    topic = Topic(query.keywords, query.keywords, query.starts)
    run, log = _crawl(web, topic, lambda url: url in query.graded, teaching)
    visits = [visit for visit in log.visits if visit.good]
    wanted = np.array([web.urls[visit.final] in query.wanted for visit in visits], np.bool_)
    return _reciprocal_rank(np.array([run.crawl.score_of(visit.step) for visit in visits]), wanted)


def _reciprocal_rank(scores: Floats, relevant: Bools) -> float:
    ranked = relevant[np.argsort(-scores, kind="stable")]
    return 1.0 / (float(ranked.argmax()) + 1.0) if ranked.any() else 0.0


def _crawl(
    web: RecordedWeb, topic: Topic, is_good: Callable[[str], bool], teaching: Teaching
) -> tuple[RecordedCrawl, MemoryLog]:
    """A crawl that asks as `salticid crawl --ask` does, and is answered at once."""
    judge = make_judge("profile")
    log = MemoryLog()
    run = RecordedCrawl(topic, web, Recipe(strategy_of("hunter")[1], judge, Limits(max_pages=PAGES), seed=0), log)
    due, rng, asked = Schedule(FIRST_QUESTION), random.Random(teaching.seed), dict[int, None]()

    def watch(visit: Visit) -> None:
        if not visit.good or not due.due() or not isinstance(judge, AskingJudge):
            return
        answers = []
        for url in judge.questions(min(AT_ONCE, teaching.answers - len(asked)), asked):
            asked[url] = None
            liking = LIKINGS[3 if is_good(web.urls[url]) != (rng.random() < teaching.wrong) else 0]
            answers.append(Answer(web.urls[url], liking, "truth"))
        if answers:
            run.crawl.hear([], answers)

    run.run(watch)
    return run, log


@dataclass(frozen=True, slots=True)
class KnownItem:
    """A query with the pages that answer it, and those of them that are wanted first."""

    world: Path
    keywords: str
    starts: tuple[str, ...]
    graded: frozenset[str]
    wanted: frozenset[str]


def _known_items() -> list[KnownItem]:
    """Every second of the public queries; none where they, or the world of their sites, are absent."""
    folder, queries = known_items()
    return [
        KnownItem(
            folder,
            query.keywords,
            query.starts,
            frozenset(query.grades),
            frozenset(url for url, grade in query.grades.items() if grade == 3),
        )
        for query in queries[::2]
    ]
