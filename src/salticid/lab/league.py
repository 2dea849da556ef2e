"""A league: the same strategies under the same budget on several webs, each topic begun in four ways."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, fields, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import msgspec

from salticid.errors import UserError, unknown
from salticid.lab.compare import Watch, run_experiment
from salticid.lab.crawl_record import recorded_web
from salticid.lab.experiment import Experiment
from salticid.lab.plots import MISSING, finite, number, p_value
from salticid.lab.report import LEVEL, Cell, Findings, ReportTable, Row, report_templates, write_report
from salticid.lab.reproduce import FigureTable, markdown_table
from salticid.lab.results import Results, Score, Test
from salticid.runs import judge_of, strategy_of
from salticid.strategies import LeagueShare, strategies
from salticid.strategies.hunter import Hunter
from salticid.text import content_hash
from salticid.topic import Limits
from salticid.truth import load_topic, save_topic
from salticid.worlds import TopicPlan, make_topics

Task = Literal["examples", "neighbours"]
TASKS: tuple[Task, ...] = ("examples", "neighbours")
RESULTS, LEAGUE_REPORT = "league.json", "report.html"
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
            raise UserError(f"two webs are called {twice}; give them names of their own, in a file LEAGUE.toml")
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

        found = run_experiment(match.experiment, folder, workers, show)
        write_report(found, folder / LEAGUE_REPORT)
        results.append(_result(match, found))
    (out / RESULTS).write_bytes(msgspec.json.format(msgspec.json.encode(results), indent=1))
    return results


def matches(league: League, out: Path, watch: Watch) -> Iterator[Match]:
    """The matches, web by web; the topics of each are made when it comes."""
    for web in league.webs:
        for keywords_alone in (False, True):
            for done, task in enumerate(TASKS):
                watch(f"making topics of {web.name}", done, len(TASKS))
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
    return test.turned()


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


# What came of a league, for people: who wins where, and web by web how the strategies stand.

_BEST = " best"
_MOST_NAMES = 3


def tables(results: Sequence[MatchResult]) -> list[FigureTable]:
    """Who wins where, then a table for each web."""
    webs = dict.fromkeys(match.web for match in results)
    return [
        _winners(results),
        *(_standings(web, [match for match in results if match.web == web]) for web in webs),
    ]


def markdown(league: League, results: Sequence[MatchResult]) -> str:
    """The tables as a document shows them."""
    return "\n\n".join([terms(league), *map(markdown_table, tables(results))]) + "\n"


def render(league: League, results: Sequence[MatchResult], report: str) -> str:
    """The tables as one page that needs nothing else; it leads to the `report` of each match beside it."""
    environment = report_templates("salticid.lab")
    return environment.get_template("league.html.j2").render(
        style_hash=content_hash(environment, "report.css"),
        terms=terms(league),
        tables=[(table.title, table.head[0], _report_table(table)) for table in tables(results)],
        matches=[(f"{match.web}, {begins(match)}", f"{match.folder}/{report}") for match in results],
    )


def terms(league: League) -> str:
    """Under which terms all crawled, and how to read the figures."""
    links = "any number of" if league.max_buffer is None else f"{league.max_buffer:,}"
    return (
        f"{league.max_pages:,} pages a crawl, {links} links remembered, judge {league.judge} for all, seed "
        f"{league.seed}. "
        "Shares of the oracle in %, the mean over topics. In brackets the 95 % interval of the distance to the best "
        "(Student's t over topics, paired); p is of the paired t-test. Harvest in %, and hosts with targets, in the "
        "order of the columns."
    )


def begins(match: MatchResult) -> str:
    """How the crawls of a match begin."""
    return f"{match.task}, keywords alone" if match.keywords_alone else match.task


def _winners(results: Sequence[MatchResult]) -> FigureTable:
    head = [
        "web", "task", "topics", "best", "next", "ahead by", "p", "targets on most hosts",
        "not told apart from the best",
    ]  # fmt: skip
    return FigureTable("Who wins where", head, [_winner(match) for match in results])


def _winner(match: MatchResult) -> list[str]:
    best, *others = match.places
    second = others[0] if others else None
    lead = second.behind if second else None
    near = [each.strategy for each in others if not _is_behind(each.behind)]
    widest = max(match.places, key=lambda place: finite(place.relevant_hosts.mean) or 0.0)
    return [
        match.web,
        begins(match),
        str(match.topics),
        f"{best.strategy} {_percent(best.oracle_share)}",
        f"{second.strategy} {_percent(second.oracle_share)}" if second else MISSING,
        f"{number(100 * lead.diff, 1)} ({_interval(lead)})" if lead else MISSING,
        p_value(lead.p if lead else None),
        f"{widest.strategy} {_hosts(widest)}" + ("" if widest is best else f" ({best.strategy} {_hosts(best)})"),
        _some(near),
    ]


def _some(names: Sequence[str]) -> str:
    """A few names, and how many more.

    >>> _some([]), _some(["a", "b"]), _some(["a", "b", "c", "d", "e"])
    ('none', 'a, b', 'a, b, c and 2 more')
    """
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more or "none"


def _standings(web: str, results: Sequence[MatchResult]) -> FigureTable:
    """A row a strategy, the best in the mean of all matches first."""
    by_name = [{place.strategy: place for place in match.places} for match in results]
    names = sorted(by_name[0], key=lambda name: -sum(finite(each[name].oracle_share.mean) or 0.0 for each in by_name))
    rows = []
    for name in names:
        mine = [each[name] for each in by_name]
        rows.append(
            [
                name,
                *map(_share, mine),
                " / ".join(_percent(place.harvest, 0) for place in mine),
                " / ".join(map(_hosts, mine)),
            ]
        )
    return FigureTable(web, ["strategy", *map(begins, results), "harvest", "hosts"], rows)


def _report_table(table: FigureTable) -> ReportTable:
    """The table as reports show it, the best in bold."""
    rows = [
        Row(head, [Cell(text, bold=text.partition(",")[0].endswith(_BEST)) for text in cells])
        for head, *cells in table.rows
    ]
    return ReportTable(table.head[1:], rows)


def _share(place: Place) -> str:
    """The share of a strategy, and how far it is from the best."""
    share, test = _percent(place.oracle_share), place.behind
    failed = f", failed on {place.failed}" if place.failed else ""
    if test is None:
        return f"{share}{failed}" if finite(place.oracle_share.mean) is None else f"{share}{_BEST}{failed}"
    return f"{share} ({_interval(test.turned())}){failed}"


def _is_behind(test: Test | None) -> bool:
    """Whether a strategy is behind the best by more than chance; one without a value is."""
    return test is None or (test.p is not None and test.p < LEVEL)


def _interval(test: Test) -> str:
    low, high = (None if bound is None else 100 * bound for bound in (test.low, test.high))
    return f"{number(low, 1)} to {number(high, 1)}"


def _percent(score: Score, digits: int = 1) -> str:
    mean = finite(score.mean)
    return MISSING if mean is None else number(100 * mean, digits)


def _hosts(place: Place) -> str:
    return number(finite(place.relevant_hosts.mean), 1)
