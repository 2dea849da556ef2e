"""The contract of a judge as checks that anyone can run on their own; each with judges that it must reject.

A check takes a function that makes the judge. It raises AssertionError with a sentence that begins with the rule.

>>> from salticid.judges.cosine import Cosine
>>> check_judge(Cosine)
>>> check_batches(LosesPages)
Traceback (most recent call last):
AssertionError: score_many gives what score gives, page by page: 8 scores for 11 pages
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import wraps
from math import isclose
from typing import Any

from salticid.judges.cosine import Cosine
from salticid.model import Page
from salticid.protocols import BatchJudge, Brief, Judge, RescoringJudge, SaysWhetherItRepeats, StartPageJudge
from salticid.runs import prepare
from salticid.testing.courses import demand
from salticid.testing.small import SmallWeb, address, random_web, spider_web
from salticid.topic import Limits

MakeJudge = Callable[[], Judge]
JudgeCheck = Callable[[MakeJudge], None]

_all: list[JudgeCheck] = []
_NAMES = ["b", "a", "b1", "a1", "b2", "a2", "seed", "a11", "b11", "a21", "b21"]
_CLOSE = 1e-9


def _check(check: JudgeCheck) -> JudgeCheck:
    """Make a check of a function: the first line of its docstring is the rule, and begins the sentence."""
    rule = judge_rule(check)

    @wraps(check)
    def run(make: MakeJudge) -> None:
        try:
            check(make)
        except AssertionError as broken:
            raise AssertionError(f"{rule}: {broken}") from broken

    _all.append(run)
    return run


def judge_rule(check: JudgeCheck) -> str:
    """The rule a check holds a judge to."""
    return (check.__doc__ or "").split("\n")[0].removesuffix(".")


def judge_checks() -> list[JudgeCheck]:
    """Every check, in the order of this file."""
    return list(_all)


def check_judge(make: MakeJudge) -> None:
    """Run every check on the judges that `make` gives."""
    for check in _all:
        check(make)


@_check
def check_scores(make: MakeJudge) -> None:
    """A score is a number in 0..1, and so is the threshold."""
    web, judge = _started(make)
    for page in _pages(web):
        score = judge.score(page)
        demand(0.0 <= score <= 1.0, f"{score} for {web.urls[page.url]}")
    demand(0.0 <= judge.line <= 1.0, f"the threshold is {judge.line}")


@_check
def check_scoring(make: MakeJudge) -> None:
    """Scoring changes nothing: the same page scores the same, however often it is asked and after whatever pages."""
    web, judge = _started(make)
    pages = _pages(web)
    first = _scores(judge, pages)
    _demand_same(first, _scores(judge, pages[::-1])[::-1])
    _demand_same(first, _scores(judge, pages))


@_check
def check_unscored(make: MakeJudge) -> None:
    """A judge learns from what it is shown, not from being asked: a resumed crawl does not ask again."""
    if not _repeats(make()):
        return
    web, asked = _started(make)
    unasked = _begin(make(), web)
    for page in _pages(web):
        score = asked.score(page)
        changes = [judge.watch(page, score) for judge in (asked, unasked)]
        demand(changes[0] == changes[1], f"watch returned {changes}")
    _demand_same(_scores(asked, _pages(web)), _scores(unasked, _pages(web)))


@_check
def check_repeats(make: MakeJudge) -> None:
    """The same calls give the same scores, unless its class says deterministic = False."""
    if _repeats(make()):
        web = spider_web()
        _demand_same(_course(make(), web), _course(make(), web))


@_check
def check_judge_restart(make: MakeJudge) -> None:
    """`start` forgets everything before."""
    web, judge = _started(make)
    first = _scores(judge, _pages(web))
    _course(judge, web)
    _demand_same(first, _scores(_begin(judge, web), _pages(web)))


@_check
def check_numbering(make: MakeJudge) -> None:
    """Ids of URLs and words decide nothing: they follow the order of files, which leaks labels."""
    if not _repeats(make()):
        return
    for seed in (1, 2):
        web = random_web(12, 3, seed)
        other = web.renumbered(seed)
        names = sorted(name for name in web.names() if web.page_at(web.id(name)) is not None)
        one, two = (
            _scores(_begin(make(), each, names[:2]), [each.page(each.id(name)) for name in names])
            for each in (web, other)
        )
        _demand_same(one, two)


@_check
def check_learning(make: MakeJudge) -> None:
    """Learning takes likings of any weight, 0 takes one back, and says whether scores may differ."""
    web, judge = _started(make)
    pages = _pages(web)
    before = _scores(judge, pages)
    for likings in ([], [(pages[0], 1), (pages[1], -0.25)], [(pages[1], 0)], [(pages[2], 0.5)]):
        changed = judge.learn(likings)
        demand(isinstance(changed, bool), f"learn returned {changed!r}")
        after = _scores(judge, pages)
        demand(changed or after == before, f"learn returned False, and scores went from {before} to {after}")
        before = after


@_check
def check_batches(make: MakeJudge) -> None:
    """score_many gives what score gives, page by page."""
    web, judge = _started(make)
    if not isinstance(judge, BatchJudge):
        return
    pages = _pages(web)
    for batch in (pages, pages[:1], pages[::-1], []):
        together, single = _many(judge, batch), _scores(judge, batch)
        demand(len(together) == len(single), f"{len(together)} scores for {len(single)} pages")
        same = all(isclose(one, two, abs_tol=_CLOSE) for one, two in zip(together, single, strict=True))
        demand(same, f"{together} instead of {single}")


@_check
def check_rescoring(make: MakeJudge) -> None:
    """score_again gives a watched page the score that score gives it."""
    web, judge = _started(make)
    if not isinstance(judge, RescoringJudge):
        return
    pages = _pages(web)
    for page in pages:
        judge.watch(page, judge.score(page))
    _demand_same(_scores(judge, pages), [judge.score_again(page.url, web.page) for page in pages])


def _started(make: MakeJudge) -> tuple[SmallWeb, Judge]:
    web = spider_web()
    return web, _begin(make(), web)


def _begin(judge: Judge, web: SmallWeb, examples: Sequence[str] = ("b", "b2")) -> Judge:
    topic = replace(web.topic, examples=tuple(map(address, examples)))
    judge.start(prepare(topic, web, Limits(), seed=0))
    return judge


def _pages(web: SmallWeb) -> list[Page]:
    return [web.page(web.id(name)) for name in _NAMES]


def _scores(judge: Judge, pages: Sequence[Page]) -> list[float]:
    return [judge.score(page) for page in pages]


def _many(judge: BatchJudge, pages: Sequence[Page]) -> list[float]:
    async def scores() -> Sequence[float]:
        given = judge.score_many(pages)
        return await given if isinstance(given, Awaitable) else given

    return list(asyncio.run(scores()))


def _course(judge: Judge, web: SmallWeb) -> list[float]:
    """The scores of a crawl in which a person spoke: each page when it came, and all of them at the end."""
    _begin(judge, web)
    pages, given = _pages(web), []
    if isinstance(judge, StartPageJudge):
        judge.start_page(pages[6])
    for number, page in enumerate(pages):
        given.append(judge.score(page))
        judge.watch(page, given[-1])
        if number == len(pages) // 2:
            judge.learn([(pages[0], 1), (pages[1], -1)])
    return given + _scores(judge, pages)


def _repeats(judge: Judge) -> bool:
    return judge.deterministic if isinstance(judge, SaysWhetherItRepeats) else True


def _demand_same(one: Sequence[float], other: Sequence[float]) -> None:
    demand(list(one) == list(other), f"{list(one)} became {list(other)}")


# Judges that break the contract, each in one way: what the checks are checked with.


class Percent(Cosine):
    """Scores in percent."""

    def score(self, page: Page) -> float:
        return 100.0 * super().score(page)


class Wearies(Cosine):
    """Likes a page less each time it is asked."""

    _asked = 0

    def score(self, page: Page) -> float:
        self._asked += 1
        return super().score(page) / self._asked


class CountsQuestions(Cosine):
    """Changes its mind after it was asked often and shown something."""

    _asked, _factor = 0, 1.0

    def score(self, page: Page) -> float:
        self._asked += 1
        return super().score(page) * self._factor

    def watch(self, page: Page, score: float) -> bool:
        self._factor = 1.0 / (1 + self._asked)
        return False


class Moody(Cosine):
    """Each instance has a mood of its own."""

    moods = 0

    def start(self, brief: Brief) -> None:
        Moody.moods += 1
        self._mood = 1.0 / Moody.moods
        super().start(brief)

    def score(self, page: Page) -> float:
        return super().score(page) * self._mood


class RemembersAll(Cosine):
    """Keeps what it watched when it starts again."""

    _watched = 0

    def score(self, page: Page) -> float:
        return super().score(page) / (1 + self._watched)

    def watch(self, page: Page, score: float) -> bool:
        self._watched += 1
        return True


class ReadsIds(Cosine):
    """Prefers pages with low ids."""

    def score(self, page: Page) -> float:
        return 1.0 / (1 + page.url)


class LearnsInSilence(Cosine):
    """Learns without saying so."""

    def start(self, brief: Brief) -> None:
        self._liked: dict[int, float] = {}
        super().start(brief)

    def score(self, page: Page) -> float:
        return 1.0 if self._liked.get(page.url, 0.0) > 0 else super().score(page)

    def learn(self, likings: Sequence[tuple[Page, float]]) -> bool:
        self._liked.update((page.url, liking) for page, liking in likings)
        return False


class Shuffles(Cosine):
    """Gives the scores of a batch in another order."""

    def score_many(self, pages: Sequence[Page]) -> list[float]:
        return sorted(map(self.score, pages))


class LosesPages(Cosine):
    """Leaves out what scores nothing, and takes its time about it."""

    async def score_many(self, pages: Sequence[Page]) -> list[float]:
        return [score for page in pages if (score := self.score(page))]


class Misremembers(Cosine):
    """Has forgotten what a page says when it scores it again."""

    def score_again(self, url: int, recall: Callable[[int], Page]) -> float:
        return 0.5


BROKEN_JUDGES: dict[JudgeCheck, list[type[Any]]] = {
    check_scores: [Percent],
    check_scoring: [Wearies],
    check_unscored: [CountsQuestions],
    check_repeats: [Moody],
    check_judge_restart: [RemembersAll],
    check_numbering: [ReadsIds],
    check_learning: [LearnsInSilence],
    check_batches: [Shuffles, LosesPages],
    check_rescoring: [Misremembers],
}
"""For each check, the judges it must reject."""
