"""How the default judge ranks known pages of documentation sites, and steers hunts for labeled subjects, from keywords.

SALTICID_JUDGE_OUT names a file for the results, SALTICID_JUDGE_BEFORE one to compare with, paired, and
SALTICID_JUDGE_SET constants to change, such as "learning.keyword_match.ENOUGH=*2".
"""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import cache
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from scipy import stats

from benchmarks._collections import known_items
from benchmarks.material import CACHE, world
from benchmarks.report import say
from salticid.judges import judges
from salticid.metrics.parts.graph import Oracle
from salticid.metrics.targets import share_of_area
from salticid.metrics.texts import average_precision
from salticid.model import Visit
from salticid.runs.order import Recipe
from salticid.runs.recorded import MemoryLog, RecordedCrawl
from salticid.strategies import strategies
from salticid.topic import Limits, Topic
from salticid.truth import load_topic
from salticid.urls import canonical
from salticid.webs import RecordedWeb
from salticid.worlds.topics import TopicPlan, make_topics

WORKERS = 2
QUERY_PAGES, TOPIC_PAGES, LISTED = 200, 300, 200
MOST = 5
"""Among so many first rows a person looks for a page."""


@dataclass(frozen=True, slots=True)
class Task:
    """A hunt from keywords; `wanted` are pages by grade, 3 for the one wanted first, 1 for a page of the subject."""

    group: str
    name: str
    world: str
    topic: Topic
    wanted: dict[str, int]


@dataclass(frozen=True, slots=True)
class Worth:
    """What it was worth: the reciprocal rank of the page wanted first, or oracle share and precision of the list.

    `above` is the share of all pages found above the threshold, `wanted_above` that of the wanted ones.
    """

    group: str
    name: str
    worth: float
    precision: float
    above: float
    wanted_above: float


def run() -> None:
    """Measure all that is at hand; say means, and differences with 95 % intervals where there are earlier results."""
    for setting in filter(None, os.environ.get("SALTICID_JUDGE_SET", "").split(",")):
        _change(setting)
    with get_context("fork").Pool(WORKERS) as pool:
        found = pool.map(_hunted, [*_queries(), *_subjects()], chunksize=4)
    if out := os.environ.get("SALTICID_JUDGE_OUT"):
        Path(out).write_text(json.dumps([asdict(each) for each in found], indent=1))
    before = os.environ.get("SALTICID_JUDGE_BEFORE")
    _say(found, [Worth(**row) for row in json.loads(Path(before).read_text())] if before else [])


def _queries() -> Iterator[Task]:
    folder, queries = known_items()
    if not queries:
        say("  the known items are absent: no queries")
    for query in queries:
        topic = Topic(query.name, query.keywords, query.starts)
        yield Task(f"queries, {query.kind}", query.name, str(folder), topic, query.grades)


def _subjects() -> Iterator[Task]:
    """The subjects of schools-wikipedia at odd places by file name: on the others constants were chosen."""
    for task in ("examples", "neighbours"):
        files = make_topics(world(), CACHE / f"topics-{task}", TopicPlan(task=task)).files
        for file in sorted(files)[1::2]:
            topic, truth = load_topic(file)
            given = {canonical(url) for url in (*topic.seeds, *topic.examples)}
            targets = {url: 1 for each in truth.targets if (url := canonical(each)) and url not in given}
            yield Task(f"subjects, {task}", file.stem, str(world()), replace(topic, examples=()), targets)


@cache
def _web(folder: str) -> RecordedWeb:
    return RecordedWeb(Path(folder))


@cache
def _oracle(folder: str) -> Oracle:
    return Oracle(_web(folder))


class _Listed(MemoryLog):
    """Remembers the scores of the first pages when there are enough of them for a list."""

    crawl: RecordedCrawl
    rows: list[tuple[str, float]] | None = None

    def add_visit(self, visit: Visit) -> None:
        super().add_visit(visit)
        good = [each for each in self.visits if each.good]
        if len(good) == LISTED:
            self.rows = scored(self.crawl, good)


def scored(crawl: RecordedCrawl, visits: list[Visit]) -> list[tuple[str, float]]:
    """Addresses and scores of visits, as the judge sees them now."""
    return [(crawl.crawl.brief.urls[visit.final], crawl.crawl.score_of(visit.step)) for visit in visits if visit.good]


def _hunted(task: Task) -> Worth:
    is_query = 3 in task.wanted.values()
    log, web = _Listed(), _web(task.world)
    limits = Limits(max_pages=QUERY_PAGES if is_query else TOPIC_PAGES)
    log.crawl = RecordedCrawl(task.topic, web, Recipe(strategies.make("hunter"), judges.make("profile"), limits), log)
    log.crawl.run()
    pages = scored(log.crawl, log.visits)
    first = log.rows or pages
    rows = [row for row in first if row[0] not in task.topic.seeds or row[0] in task.wanted]
    rows.sort(key=lambda row: -row[1])
    above = [url for url, score in rows if score >= 0.5]
    there = [url for url, _ in rows if url in task.wanted]
    is_wanted = np.array([url in task.wanted for url, _ in rows], np.bool_)
    precision = average_precision(np.array([score for _, score in rows]), is_wanted) or 0.0
    if is_query:
        ranks = [at for at, (url, _) in enumerate(rows, 1) if task.wanted.get(url) == 3]
        worth = 1 / ranks[0] if ranks else 0.0
    else:
        seeds, targets = (_ids(web, urls) for urls in (task.topic.seeds, tuple(task.wanted)))
        best = _oracle(task.world).crawl(seeds, targets, TOPIC_PAGES)
        worth = share_of_area([url in task.wanted for url, _ in pages], best, TOPIC_PAGES) or 0.0
    shares = len(above) / max(len(rows), 1), len({*above} & {*there}) / max(len(there), 1)
    return Worth(task.group, task.name, worth, precision, *shares)


def _ids(web: RecordedWeb, urls: tuple[str, ...]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.array([at for url in urls if (at := web.urls.find(canonical(url) or url)) >= 0], np.int32)


def _say(found: list[Worth], before: list[Worth]) -> None:
    old = {(each.group, each.name): each for each in before}
    for group in dict.fromkeys(each.group for each in found):
        rows = [each for each in found if each.group == group]
        means = [float(np.mean([getattr(each, name) for each in rows])) for name in ("worth", "precision")]
        line = f"  {group}, {len(rows)}: {means[0]:.3f}, precision of the list {means[1]:.3f}"
        if group.startswith("queries"):
            firsts = [np.mean([each.worth >= 1 / most for each in rows]) for most in (1, MOST)]
            line += f", first {100 * firsts[0]:.0f} %, among {MOST} {100 * firsts[1]:.0f} %"
        shares = [100 * float(np.mean([getattr(each, name) for each in rows])) for name in ("above", "wanted_above")]
        say(f"{line}, above the threshold {shares[0]:.0f} % of all, {shares[1]:.0f} % of those wanted")
        for name in ("worth", "precision"):
            pairs = [
                getattr(each, name) - getattr(old[group, each.name], name) for each in rows if (group, each.name) in old
            ]
            if len(pairs) > 1:
                half = stats.t.ppf(0.975, len(pairs) - 1) * np.std(pairs, ddof=1) / len(pairs) ** 0.5
                mean = float(np.mean(pairs))
                say(f"    {name}: {mean:+.3f} ({mean - half:+.3f} to {mean + half:+.3f})")


def _change(setting: str) -> None:
    name, _, value = setting.partition("=")
    module, _, constant = name.rpartition(".")
    target = importlib.import_module(f"salticid.{module}")
    old = getattr(target, constant)
    new = old * float(value[1:]) if value.startswith("*") else float(value)
    setattr(target, constant, type(old)(new))
    say(f"  {name} = {new:g} instead of {old:g}")
