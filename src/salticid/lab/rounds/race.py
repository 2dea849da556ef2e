"""Policies raced: the same crawls of the same webs, a round a day with the same fetches, and the truth of each day."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import as_completed
from pathlib import Path

import msgspec
import numpy as np
from msgspec.structs import replace

from salticid.errors import UserError
from salticid.lab.compare import processes
from salticid.lab.experiment import topic_of
from salticid.lab.plots import Axes, line_plot, mean_and_error, number, p_value, stand_alone
from salticid.lab.reproduce import FigureTable, markdown_table
from salticid.lab.results import Curve, ResultCache, Score, Test, make_folder
from salticid.lab.rounds.watched_crawl import DailyWeb, KeptPages, SubjectDay, WatchedCrawl, subject_days
from salticid.lab.statistics import adjust, compare, curve, summary
from salticid.runs import Recipe, judge_of, strategy_of
from salticid.topic import Limits
from salticid.version import __version__
from salticid.watching import ByWorth, InTurn, Policy
from salticid.worlds import TopicPlan, make_topics
from salticid.worlds.generating import WebEdition, build_generated

OURS, EVERYTHING, HALF, NOTHING = "by worth", "everything anew", "half and half", "nothing anew"
POLICIES: Mapping[str, Policy] = {
    OURS: ByWorth(),
    HALF: InTurn(0.5),
    NOTHING: InTurn(0.0),
    EVERYTHING: InTurn(),
}
"""The shipped policy, and those it has to beat: looking again with every fetch, with every other one, with none."""
_STRATEGY = "hunter"
_RESULTS = "policies.json"


class PolicyRace(msgspec.Struct, frozen=True):
    """What is raced over: webs of so many pages from this seed on, a first hunt, and then a round a day."""

    pages: int = 5000
    webs: int = 1
    seed: int = 11
    days: int = 30
    first: int = 300
    fetches: int = 20
    topics_per_web: int | None = None

    def check(self) -> None:
        """UserError where nothing can be raced."""
        if self.pages < 1000:
            raise UserError(f"a web of {self.pages} pages has no subjects; give at least 1000 with --pages")


class WatchedSubject(msgspec.Struct, frozen=True):
    """How one policy did on one subject: the shares of it, by day from the first round on."""

    known: list[float]
    fresh: list[float]


class PolicyScore(msgspec.Struct, frozen=True):
    """The shares of the subject in the mean over the days, and of these over the subjects."""

    known: Score
    fresh: Score


class PolicyResults(msgspec.Struct, frozen=True):
    """What came out: by policy its scores and its curve over the days, and ours against each of the others."""

    race: PolicyRace
    version: str
    subjects: list[str]
    policies: dict[str, PolicyScore]
    curves: dict[str, Curve]
    tests: list[Test]


_Run = tuple[str, str]
"""A subject and a policy."""
_Task = tuple[list[Path], Path, str, PolicyRace]


def race_policies(race: PolicyRace, out: Path, workers: int, watch: Callable[[str, int, int], None]) -> PolicyResults:
    """Run what is not in `out` yet, and write policies.json there."""
    race.check()
    make_folder(out)
    runs = _runs(race, out, workers, watch)
    subjects = list(dict.fromkeys(subject for subject, _ in runs))
    of = {name: [runs[subject, name] for subject in subjects] for name in POLICIES}
    fresh = {name: [float(np.mean(run.fresh)) for run in of[name]] for name in POLICIES}
    others = [name for name in POLICIES if name != OURS]
    tests = [compare("fresh", OURS, name, fresh[OURS], fresh[name], race.seed) for name in others]
    results = PolicyResults(
        race=race,
        version=__version__,
        subjects=subjects,
        policies={
            name: PolicyScore(summary([float(np.mean(run.known)) for run in of[name]]), summary(fresh[name]))
            for name in POLICIES
        },
        curves={name: curve([np.array(run.fresh) for run in of[name]]) for name in POLICIES},
        tests=adjust([test for test in tests if test is not None]),
    )
    (out / _RESULTS).write_bytes(msgspec.json.format(msgspec.json.encode(results), indent=1) + b"\n")
    return results


def pages_by_day(worlds: list[Path], topic: Path, policy: str, race: PolicyRace) -> list[KeptPages]:
    """What a crawl that one policy watches holds after each round; it knows of the topic what a crawler may."""
    strategy = strategy_of(_STRATEGY)[1]
    limits = Limits(max_pages=race.first, max_fetches=race.first)
    recipe = Recipe(strategy, judge_of(None, strategy)[1], limits, seed=race.seed)
    crawl = WatchedCrawl(DailyWeb(worlds), topic_of(str(topic)), recipe)
    kept = []
    for day in range(1, race.days + 1):
        crawl.round(day, POLICIES[policy], race.fetches)
        kept.append(crawl.kept())
    return kept


def _runs(
    race: PolicyRace, out: Path, workers: int, watch: Callable[[str, int, int], None]
) -> dict[_Run, WatchedSubject]:
    cache = ResultCache(out / "runs", WatchedSubject)
    tasks: dict[_Run, _Task] = {}
    truth: dict[str, list[SubjectDay]] = {}
    for seed in range(race.seed, race.seed + race.webs):
        worlds = _worlds(race, seed, out, watch)
        files = make_topics(worlds[0], out / f"topics-{seed}", TopicPlan()).files
        most = min(race.topics_per_web or len(files), len(files))
        chosen = [files[at * len(files) // most] for at in range(most)]
        topics = {topic_of(str(file)).name: file for file in chosen}
        for label, days in subject_days(worlds, list(topics)).items():
            subject = f"{label} of web {seed}"
            truth[subject] = days[1:]
            tasks |= {(subject, policy): (worlds, topics[label], policy, race) for policy in POLICIES}
    runs = {task: found for task in tasks if (found := cache.find(_key(*task, race))) is not None}
    todo = {task: each for task, each in tasks.items() if task not in runs}
    for task, kept in _results(todo, workers):
        shares = [day.shares(pages) for day, pages in zip(truth[task[0]], kept, strict=True)]
        runs[task] = WatchedSubject([share.known for share in shares], [share.fresh for share in shares])
        cache.keep(_key(*task, race), runs[task])
        watch("watching", len(runs), len(tasks))
    return {task: runs[task] for task in tasks}


def _results(tasks: Mapping[_Run, _Task], workers: int) -> Iterator[tuple[_Run, list[KeptPages]]]:
    """What comes of each, as soon as it is there; one worker stays in this process."""
    if workers == 1:
        yield from ((run, pages_by_day(*task)) for run, task in tasks.items())
        return
    with processes(workers) as pool:
        waiting = {pool.submit(pages_by_day, *task): run for run, task in tasks.items()}
        yield from ((waiting[done], done.result()) for done in as_completed(waiting))


def _worlds(race: PolicyRace, seed: int, out: Path, watch: Callable[[str, int, int], None]) -> list[Path]:
    """A world for each day of a web, made if it is not there."""
    worlds = [out / "webs" / f"{race.pages}-{seed}" / str(day) for day in range(race.days + 1)]
    make_folder(worlds[0].parent)
    for day, world in enumerate(worlds):
        if not world.exists():
            build_generated(world, WebEdition(race.pages, seed, day))
        watch(f"web {seed}, day by day", day + 1, len(worlds))
    return worlds


def _key(subject: str, policy: str, race: PolicyRace) -> str:
    """The name under which a run is kept: another one when something differs that it depends on."""
    alone = replace(race, webs=1, topics_per_web=None)
    about = msgspec.json.encode([__version__, subject, policy, repr(POLICIES[policy]), alone])
    return hashlib.blake2b(about, digest_size=16).hexdigest()


# A race of policies as people read it: a table, a curve over the days, and under which terms.

FIGURE = "policies.svg"
_HEAD = ("policy", "known and as it is", "known", f"{OURS} is ahead by", "95 % interval", "p (Holm)")
_DIGITS = 3


def policy_terms(results: PolicyResults) -> str:
    """What was raced over."""
    race = results.race
    seeds = ", ".join(map(str, range(race.seed, race.seed + race.webs)))
    webs = "a generated web" if race.webs == 1 else f"{race.webs} generated webs"
    return (
        f"{len(results.subjects)} subjects of {webs} of {race.pages:,} pages (seed {seeds}); a first hunt with "
        f"{race.first} fetches on day 0, then {race.days} rounds, a day each, with {race.fetches} fetches each. "
        "Shares of the subject's pages on each day, the mean over the days and of that over the subjects, ± its "
        "standard error; differences are paired over subjects, their intervals a bootstrap over subjects, p "
        "of the paired t-test, corrected by Holm's method."
    )


def policy_table(results: PolicyResults) -> FigureTable:
    """All policies, in the order of the race."""
    tests = {test.b: test for test in results.tests}
    rows = []
    for name, score in results.policies.items():
        row = [name, mean_and_error(score.fresh, _DIGITS), mean_and_error(score.known, _DIGITS)]
        if (test := tests.get(name)) is not None:
            interval = f"{number(test.low, _DIGITS)} to {number(test.high, _DIGITS)}"
            row += [number(test.diff, _DIGITS), interval, p_value(test.p_adjusted)]
        rows.append(row + [""] * (len(_HEAD) - len(row)))
    return FigureTable("Policies of rounds", list(_HEAD), rows)


def figure(results: PolicyResults) -> str:
    """The share that is known as it is, day by day, as an SVG file."""
    axes = Axes("day", "share of the subject known as it is")
    return stand_alone(line_plot(results.curves, list(results.curves), axes, "Policies of rounds"))


def policy_markdown(results: PolicyResults, figure_at: str) -> str:
    """The table and the curve as a page of the docs shows them."""
    return (
        f"{policy_terms(results)}\n\n{markdown_table(policy_table(results))}\n\n![Policies, day by day]({figure_at})\n"
    )
