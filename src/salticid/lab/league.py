"""A league: the same strategies under the same budget on several webs, each topic begun in four ways."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict, fields, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import msgspec

from salticid.errors import UserError, unknown
from salticid.lab.compare import Watch, compare
from salticid.lab.crawl_record import recorded_web
from salticid.lab.experiment import Experiment
from salticid.lab.report import write_report
from salticid.lab.report.leaders import Findings
from salticid.lab.results import Results, Score, Test
from salticid.model import Limits
from salticid.runs.specs import judge_of, strategy_of
from salticid.strategies import LeagueShare, strategies
from salticid.strategies.hunter import Hunter
from salticid.truth import load_topic, save_topic
from salticid.worlds.topics import TopicPlan, make_topics

Task = Literal["examples", "neighbours"]
TASKS: tuple[Task, ...] = ("examples", "neighbours")
RESULTS, REPORT = "league.json", "report.html"
SHARE, HARVEST, HOSTS = "oracle_share", "harvest", "relevant_hosts"
_MEASURES = (SHARE, HARVEST, HOSTS)
_TOPICS = "topics"


class Web(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A web of a league: its name, its world, and which topics of the world's labels are played.

    `plan` has options of `salticid world topics`. Of the topic files in the order of their names `places` takes those
    in even or odd places, counted from 0, where the others had a part in what is measured; of these at most `most` are
    taken, evenly spread.
    """

    name: str
    world: str
    plan: dict[str, Any] = {}
    places: Literal["all", "even", "odd"] = "all"
    most: Annotated[int, msgspec.Meta(ge=1)] | None = None

    def topic_plan(self, task: Task) -> TopicPlan:
        """How its topics are made for a task; a UserError for what is no option."""
        known = [each.name for each in fields(TopicPlan) if each.name != "task"]
        for name in self.plan:
            if name not in known:
                raise unknown("option of topics", name, known)
        try:
            return msgspec.convert({**self.plan, "task": task}, TopicPlan)
        except msgspec.ValidationError as error:
            raise UserError(f"the plan of {self.name} is none: {error}") from None

    def topics(self, out: Path, task: Task) -> Path:
        """The folder of its topic files for a task, made once."""
        plan = self.topic_plan(task)
        decides = (recorded_web(self.world).digest, asdict(plan), self.places, self.most)
        key = hashlib.blake2b(msgspec.json.encode(decides), digest_size=4).hexdigest()
        return _made_once(out / _TOPICS / f"{_file_name(self.name)}-{task}-{key}", partial(self._make, plan))

    def _make(self, plan: TopicPlan, folder: Path) -> None:
        files = sorted(make_topics(Path(self.world), folder, plan).files)
        chosen = files[{"all": slice(None), "even": slice(0, None, 2), "odd": slice(1, None, 2)}[self.places]]
        if self.most is not None and len(chosen) > self.most:
            chosen = [chosen[at * len(chosen) // self.most] for at in range(self.most)]
        for file in set(files) - set(chosen):
            file.unlink()


class League(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A league, as the options of `salticid league` or a TOML file say it; without strategies, all of them play."""

    webs: tuple[Web, ...]
    strategies: tuple[str, ...] = ()
    max_pages: Annotated[int, msgspec.Meta(ge=1)] = 300
    max_buffer: Annotated[int, msgspec.Meta(ge=1)] | None = Limits().max_buffer
    judge: str = Hunter.judge
    seed: Annotated[int, msgspec.Meta(ge=0)] = 0

    def check(self) -> None:
        """UserError for what cannot be played."""
        if not self.webs:
            raise UserError("no web to play on; name the folder of a world, made by: salticid world build")
        names = [_file_name(web.name) for web in self.webs]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise UserError(
                f"two webs are called {twice}; give them names of their own, in a file LEAGUE.toml"
            )
        for web in self.webs:
            web.topic_plan(TASKS[0])
            recorded_web(web.world)
        for spec in self.players:
            strategy_of(spec, files=True)
        judge_of(self.judge, files=True)

    @property
    def players(self) -> tuple[str, ...]:
        """The strategies that play."""
        return self.strategies or tuple(strategies.names())


class Match(NamedTuple):
    """One comparison of a league: a web, a task, and whether the crawlers are told nothing but keywords."""

    web: str
    task: Task
    keywords_alone: bool
    experiment: Experiment

    @property
    def folder(self) -> str:
        """The name of the folder that holds it."""
        return f"{_file_name(self.web)}-{self.task}{'-keywords' if self.keywords_alone else ''}"


class Place(msgspec.Struct, frozen=True):
    """A strategy in a match: the measures that count, and the test of the best strategy against it, `a` being the
    best; None for the best itself, and where it has no value."""

    strategy: str
    oracle_share: Score
    harvest: Score
    relevant_hosts: Score
    behind: Test | None
    failed: int


class MatchResult(msgspec.Struct, frozen=True):
    """What came of a match, the best strategy by the share of the oracle first."""

    web: str
    task: str
    keywords_alone: bool
    topics: int
    folder: str
    places: list[Place]


def play(league: League, out: Path, workers: int, watch: Watch) -> list[MatchResult]:
    """Play all matches that are not in `out` yet; each has its comparison there, with its report."""
    league.check()
    results = []
    for match in matches(league, out, watch):
        folder = out / match.folder

        def show(what: str, count: int, total: int, where: str = match.folder) -> None:
            watch(f"{where}: {what}", count, total)

        found = compare(match.experiment, folder, workers, show)
        write_report(found, folder / REPORT)
        results.append(_result(match, found))
    (out / RESULTS).write_bytes(msgspec.json.format(msgspec.json.encode(results), indent=1))
    return results


def matches(league: League, out: Path, watch: Watch) -> Iterator[Match]:
    """The matches, web by web; the topics of each are made when it comes."""
    for web in league.webs:
        for keywords_alone in (False, True):
            for number, task in enumerate(TASKS):
                watch(f"making topics of {web.name}", number, len(TASKS))
                topics = web.topics(out, task)
                if keywords_alone:
                    told = topics.with_name(f"{topics.name}-keywords")
                    topics = _made_once(told, partial(_without_examples, topics))
                experiment = Experiment(
                    web.world, str(topics), league.players, league.max_pages, league.max_buffer, league.judge,
                    seed=league.seed, measures=_MEASURES,
                )  # fmt: skip
                yield Match(web.name, task, keywords_alone, experiment)


def _result(match: Match, results: Results) -> MatchResult:
    findings = Findings(results)
    order = findings.in_standing()
    failed = [name for topic in results.topics for name in topic.failed]
    places = [
        Place(
            name,
            findings.score(name, SHARE),
            findings.score(name, HARVEST),
            findings.score(name, HOSTS),
            behind=None if name == order[0] else _from(order[0], findings.test(SHARE, order[0], name)),
            failed=failed.count(name),
        )
        for name in order
    ]
    return MatchResult(match.web, match.task, match.keywords_alone, len(results.topics), match.folder, places)


def shares(results: list[MatchResult]) -> dict[str, LeagueShare]:
    """The mean oracle shares of each strategy over all topics that were given with examples, the best first.

    A strategy that has no share in one of the two tasks is left out.
    """
    found: dict[str, dict[str, tuple[float, int]]] = {}
    for match in results:
        for place in match.places if not match.keywords_alone else ():
            score, tasks = place.oracle_share, found.setdefault(place.strategy, {})
            if score.mean is not None:
                total, topics = tasks.get(match.task, (0.0, 0))
                tasks[match.task] = total + score.mean * score.n, topics + score.n
    near_and_far = {
        name: LeagueShare(*(round(100 * tasks[task][0] / tasks[task][1], 1) for task in TASKS))
        for name, tasks in found.items()
        if tasks.keys() == set(TASKS)
    }
    return dict(sorted(near_and_far.items(), key=lambda pair: -pair[1].near))


def _from(best: str, test: Test | None) -> Test | None:
    """The test as the best strategy's lead."""
    if test is None or test.a == best:
        return test
    return msgspec.structs.replace(test, a=test.b, b=test.a, diff=-test.diff, low=-test.high, high=-test.low)


def _without_examples(topics: Path, folder: Path) -> None:
    """The same topics by their keywords alone."""
    folder.mkdir(parents=True)
    for file in topics.glob("*.toml"):
        topic, truth = load_topic(file)
        save_topic(folder / file.name, replace(topic, examples=()), truth)


def _made_once(folder: Path, make: Callable[[Path], None]) -> Path:
    """A folder that is there as a whole, or made anew."""
    if not folder.exists():
        partial = folder.with_name(f".{folder.name}.partial")
        shutil.rmtree(partial, ignore_errors=True)
        make(partial)
        partial.rename(folder)
    return folder


def _file_name(name: str) -> str:
    """A name that a folder can have.

    >>> _file_name("generated, heavy menus")
    'generated-heavy-menus'
    """
    return "-".join("".join(char if char.isalnum() else " " for char in name).split()) or "web"
