"""What answers are worth: lists and crawls from keywords against the number of answers and how many are wrong.

The teacher is played by the truth. The table goes into docs/ask.md, between the marks.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np

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
from salticid.model import Visit
from salticid.protocols import AskingJudge
from salticid.runs.asking import AT_ONCE, FIRST_QUESTION, LIKINGS
from salticid.runs.named import strategy_of
from salticid.runs.order import Recipe
from salticid.runs.recorded import MemoryLog, RecordedCrawl
from salticid.topic import Limits
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


def run() -> None:
    """On the 16 subjects of schools-wikipedia on which nothing was tuned."""
    files = topics("examples")[1::2]
    outcomes: dict[str, list[Outcome]] = {}
    with ProcessPoolExecutor(WORKERS) as pool:
        for name, teaching in ROWS.items():
            outcomes[name] = list(pool.map(_crawl, files, [teaching] * len(files)))
            say(f"  {name}: list AP {np.mean([each.ap for each in outcomes[name]]):.3f}")
    table = _table(outcomes, len(files))
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


def _cell(found: Sequence[float], base: Sequence[float]) -> str:
    test = compare("", "", "", found, base)
    mean = summary(found).mean or 0.0
    return f"{mean:.3f}" if test is None or found == base else f"{mean:.3f} ({test.low:+.3f} to {test.high:+.3f})"


def _crawl(file: Path, teaching: Teaching) -> Outcome:
    web = RecordedWeb(world())
    topic, truth = load_topic(file)
    asked_for = topic if teaching.examples else replace(topic, examples=(), negatives=())
    judge = make_judge("profile")
    recipe = Recipe(strategy_of("hunter")[1], judge, Limits(max_pages=PAGES), seed=0)
    log = MemoryLog()
    run = RecordedCrawl(asked_for, web, recipe, log)
    due, rng, asked = Schedule(FIRST_QUESTION), random.Random(teaching.seed), dict[int, None]()
    seeds = {*topic.seeds, *topic.examples}

    def watch(visit: Visit) -> None:
        if not visit.good or not due.due() or not isinstance(judge, AskingJudge):
            return
        answers = []
        for url in judge.questions(min(AT_ONCE, teaching.answers - len(asked)), asked):
            asked[url] = None
            good = web.urls[url] in seeds or hits([web.urls[url]], topic, truth) == [True]
            liking = LIKINGS[3 if good != (rng.random() < teaching.wrong) else 0]
            answers.append(Answer(web.urls[url], liking, "truth"))
        if answers:
            run.crawl.hear([], answers)

    run.run(watch)
    visits = [visit for visit in log.visits if visit.good and web.urls[visit.final] not in seeds]
    relevant = np.array(hits([web.urls[visit.final] for visit in visits], topic, truth), np.bool_)
    scores = np.array([run.crawl.score_of(visit.step) for visit in visits])
    ranked = relevant[np.argsort(-scores, kind="stable")]
    first = float(ranked.argmax()) + 1.0 if ranked.any() else np.inf
    found = {visit.final for visit, is_target in zip(visits, relevant.tolist(), strict=True) if is_target}
    hits_in_order = [visit.final in found for visit in log.visits if visit.good]
    no_pages = np.zeros(0, np.int32)
    judged = JudgedTopic(JudgedWorld(web), topic, truth, PAGES, no_pages, np.zeros(0))
    share = share_of_area(hits_in_order, judged.oracle, PAGES)
    return Outcome(share or 0.0, average_precision(scores, relevant) or 0.0, 1.0 / first)
