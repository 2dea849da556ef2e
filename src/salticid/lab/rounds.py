"""Policies raced: the same crawls of the same webs, a round a day with the same fetches, and the truth of each day."""

from __future__ import annotations

import dataclasses
import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import msgspec
import numpy as np

from salticid.errors import UserError
from salticid.lab.compare import processes
from salticid.lab.experiment import topic_of
from salticid.lab.plots import Axes, line_plot, mean_and_error, number, p_value, stand_alone
from salticid.lab.reproduce import FigureTable, markdown_table
from salticid.lab.results import Curve, ResultCache, Score, Test, make_folder
from salticid.lab.statistics import adjust, compare, curve, summary
from salticid.model import NO_SHARD, Page, Response
from salticid.runs import FateRule, Look, MemoryLog, PageFate, Recipe, RecordedCrawl, judge_of, strategy_of
from salticid.store.news import PageVersion
from salticid.tables import Translation, excerpt
from salticid.text import SoftChanges
from salticid.topic import Limits, Topic
from salticid.version import __version__
from salticid.watching import DAY, FINDINGS, ByWorth, InTurn, Looks, Policy, RoundBrief, WatchedPages
from salticid.webs import REDIRECT, ROW, RecordedWeb
from salticid.worlds import TopicPlan, labels_of, make_topics
from salticid.worlds.generating import EPOCH, WebEdition, build_generated

# A generated web that goes on from day to day, as one web to a crawl: one table of URLs and one of words.


class DailyWeb:
    """A world for each day, asked on the day that `day` says; pages are in the ids of the first day's tables."""

    def __init__(self, worlds: Sequence[Path]) -> None:
        self._webs = [RecordedWeb(world) for world in worlds]
        self._translations = [Translation(web.urls.__getitem__, web.words.__getitem__) for web in self._webs]
        self._last: dict[int, Page] = {}
        self.urls, self.words = self._webs[0].urls, self._webs[0].words
        self.day = 0

    def fetch(self, url: int) -> Response:
        """What this URL answers on the day."""
        response = self._webs[0].fetch(url) if self.day == 0 else self._later(url)
        if response.page is not None:
            self._last[url] = self._last[response.final] = response.page
        return response

    def page_at(self, url: int) -> Page | None:
        """The page as it was last fetched."""
        return self._last.get(url)

    def _later(self, url: int) -> Response:
        web = self._webs[self.day]
        response = web.fetch(web.urls.intern(self.urls[url]))
        page = response.page and self._translations[self.day].page(response.page, self.urls, self.words)
        return dataclasses.replace(response, url=url, final=self.urls.intern(web.urls[response.final]), page=page)


def signature(page: Page) -> bytes:
    """The same for two versions of a page that say the same."""
    return blake2b(page.title.encode() + b"\0" + page.packed_text, digest_size=8).digest()


KeptPages = dict[str, bytes]
"""Pages by URL, with the signatures of what they said when they were last seen."""
_NO_BOUND = 1 << 30


@dataclass(slots=True)
class _KeptPage:
    """A page that the crawl holds: where it is by now, and how it was last seen."""

    step: int
    url: int
    day: int
    modified: float
    last: Page


class WatchedCrawl:
    """The first hunt, on day 0 and as the recipe says, and then rounds."""

    def __init__(self, web: DailyWeb, topic: Topic, recipe: Recipe) -> None:
        self._web, self._run = web, RecordedCrawl(topic, web, recipe, MemoryLog())
        self._kept: list[_KeptPage] = []
        self._row_of: dict[int, int] = {}
        self._row_at: dict[int, int] = {}
        self._shown: dict[int, int] = {}
        self._children, self._finds = Counter[int](), Counter[int]()
        self._looks: list[tuple[int, float, int]] = []
        self._hunted: list[int] = []
        self._found: list[int] = []
        soft_changes = SoftChanges(web.words, self._run.brief.own_words.of)
        self._fate_of = FateRule(soft_changes, lambda step, url: url in self._row_at)
        self._hunt()

    def kept(self) -> KeptPages:
        """The pages it holds by now."""
        return {self._web.urls[page.url]: signature(page.last) for page in self._kept}

    def round(self, day: int, policy: Policy, fetches: int) -> None:
        """Look again as the policy plans it, and hunt on."""
        self._web.day = day
        plan = policy.plan(self._brief(fetches))
        looked = [self._look(self._row_of[step]) for step in plan.again.tolist()]
        if scores := [score for score in looked if score is not None]:
            self._run.crawl.revise(scores, [])
        crawl, left = self._run.crawl, fetches - len(plan.again)
        crawl.extend(dataclasses.replace(crawl.limits, max_pages=_NO_BOUND, max_fetches=crawl.fetches + left))
        self._hunt()

    @property
    def _now(self) -> float:
        """The end of the day, in seconds since 1970."""
        return EPOCH + (self._web.day + 1) * DAY

    def _brief(self, fetches: int) -> RoundBrief:
        kept, crawl = self._kept, self._run.crawl
        steps = np.array([page.step for page in kept], np.int32)
        score = np.array([crawl.score_of(page.step) for page in kept])
        pages = WatchedPages(
            step=steps,
            host=np.array([self._web.urls.host(page.url) for page in kept], np.int32),
            visited=np.array([EPOCH + (page.day + 1) * DAY for page in kept]),
            modified=np.array([page.modified for page in kept]),
            score=score,
            positive=score >= crawl.judge.line,
            children=np.array([self._children[row] for row in range(len(kept))], np.int32),
            finds=np.array([self._finds[row] for row in range(len(kept))], np.int32),
        )
        page, wall, finding = zip(*self._looks, strict=True) if self._looks else ((), (), ())
        looks = Looks(np.array(page, np.int32), np.array(wall), np.array(finding, np.uint8))
        hunts = np.array(self._hunted, np.int32), np.array(self._found, np.int32)
        return RoundBrief(pages, looks, self._now, fetches, *hunts)

    def _hunt(self) -> None:
        crawl = self._run.crawl
        fetches, found = crawl.fetches, 0
        for visit in self._run.visits():
            if visit.page is None or not visit.good:
                continue
            self._row_of[visit.step] = self._row_at[visit.final] = len(self._kept)
            modified = np.nan if visit.modified is None else visit.modified
            self._kept.append(_KeptPage(visit.step, visit.final, self._web.day, modified, visit.page))
            if visit.positive:
                found += 1
                source = visit.choice.link.source
                if source in self._shown:
                    self._finds[self._shown[source]] += 1
                elif source in self._row_of:
                    self._children[self._row_of[source]] += 1
        self._hunted.append(crawl.fetches - fetches)
        self._found.append(found)

    def _look(self, row: int) -> tuple[int, float] | None:
        """Ask for a page again; its step and its new score, if it changed."""
        kept, crawl = self._kept[row], self._run.crawl
        response = self._web.fetch(kept.url)
        fate = self._fate_of(Look(kept.step, PageVersion(kept.modified, None, kept.last), response))
        self._looks.append((row, self._now, FINDINGS.index(fate)))
        if response.page is None or fate not in (PageFate.SAME, PageFate.CHANGED):
            return None
        if response.final not in self._row_at:
            self._row_at[response.final] = row
            kept.url = response.final
            crawl.move(kept.step, response.final)
        score = crawl.judge.score(response.page)
        self._show(row, response.page, score)
        kept.last = response.page
        return (kept.step, score) if fate is PageFate.CHANGED else None

    def _show(self, row: int, page: Page, score: float) -> None:
        """Show the crawl the links of a page that are new there."""
        kept, crawl, links = self._kept[row], self._run.crawl, page.links
        are_new = crawl.unchosen(links.url) & ~np.isin(links.url, kept.last.links.url) & ~links.nofollow
        if page.nofollow or not are_new.any():
            return
        self._shown[crawl.step] = row
        crawl.glimpse(
            excerpt(
                page, np.flatnonzero(are_new).tolist(), crawl.brief, origin=NO_SHARD, step=crawl.step, score=score,
                positive=score >= crawl.judge.line, depth=crawl.depth_of(kept.step),
            )
        )  # fmt: skip


# What is true of the subjects of a web day by day, and how much of one a crawl has.


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares of the pages of a subject on a day: known at all, and known as they are."""

    known: float
    fresh: float


@dataclass(frozen=True, slots=True)
class SubjectDay:
    """The pages of a subject on a day: the signature of each by its URL; and where URLs of moved pages lead."""

    pages: Mapping[str, bytes]
    moved: Mapping[str, str]

    def shares(self, kept: Mapping[str, bytes]) -> Shares:
        """How much of it a crawl has that keeps these pages, by URL, as their signatures say.

        >>> SubjectDay({"a": b"new", "b": b"old"}, {"z": "b"}).shares({"a": b"old", "z": b"old", "c": b"old"})
        Shares(known=1.0, fresh=0.5)
        """
        there = [(self.moved.get(url, url), said) for url, said in kept.items()]
        known = {url for url, _ in there if url in self.pages}
        fresh = {url for url, said in there if self.pages.get(url) == said}
        return Shares(len(known) / len(self.pages), len(fresh) / len(self.pages))


def subject_days(worlds: Sequence[Path], labels: Sequence[str]) -> dict[str, list[SubjectDay]]:
    """By label, what is true on each day."""
    days: dict[str, list[SubjectDay]] = {label: [] for label in labels}
    for world in worlds:
        web, urls = RecordedWeb(world), labels_of(world)
        rows = np.flatnonzero(web.arrays[ROW.kind] == REDIRECT).tolist()
        moved = {web.urls[at]: web.urls[web.fetch(at).final] for at in rows}
        for label, of_label in days.items():
            found = ((url, web.page_at(web.urls.find(url))) for url in urls.get(label, ()))
            pages = {url: signature(page) for url, page in found if page is not None}
            of_label.append(SubjectDay(pages, moved))
    return days


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
    tests = [compare("fresh", OURS, name, fresh[OURS], fresh[name]) for name in others]
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
    alone = msgspec.structs.replace(race, webs=1, topics_per_web=None)
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
        "standard error; differences are paired over subjects, their intervals and p those "
        "of the paired t-test, p corrected by Holm's method."
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
