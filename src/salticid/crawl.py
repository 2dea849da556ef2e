"""The crawl, without input or output: it chooses what to fetch, takes the answers, and makes visits of them.

There is no other crawl loop. Drivers (`salticid.drivers`) carry links to a web and responses back.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from inspect import iscoroutinefunction
from itertools import islice
from math import isnan
from typing import cast

import numpy as np

from salticid.errors import ContractBroken
from salticid.languages import OtherLanguages
from salticid.messages import Answer, Extension, Move, Offer, Question, Report, Revision, SecondOffer, Sight
from salticid.model import (
    FROM_OFFER,
    FROM_SEED,
    NO_URL,
    Bools,
    Choice,
    Feedback,
    Glimpse,
    Ints,
    Link,
    Links,
    Outcome,
    Page,
    Response,
    StopReason,
    Visit,
)
from salticid.outlook import Outlook, outlook
from salticid.protocols import BatchJudge, Brief, Judge, Log, RescoringJudge, StartPageJudge, Strategy
from salticid.scope import Boundary
from salticid.snapshots import in_snapshot, numbers
from salticid.tables import CHOSEN, FAILED, KNOWN, REACHED, UNKNOWN, UrlStates, page_of_glimpse
from salticid.topic import Limits
from salticid.urls import site

HARVEST_WINDOW = 100
"""Harvest is the share of positives among this many of the last pages."""
BEST = 20
"""Whether answers change the order is measured by so many of the best pages."""
STALLED_AFTER = 1000
"""After so many revisits in a row nothing new is expected of a walker."""
MOST_RESCORES = 5_000
"""So many of the last pages are scored again when the judge has changed its mind: a second's work or so."""
RESCORED_AT_ONCE = 256
"""A judge that scores many pages at once gets so many of them."""
NOWHERE_TO_GO = (StopReason.FRONTIER_EMPTY, StopReason.EXTINCT)
"""After these ends nothing more is found, however much there is."""
LOOK_AHEAD_EVERY = 10
"""After so many pages the outlook is worked out again, if the limits ask for it."""

MOST_HELD = 100_000
"""Links to other languages that wait until there are no others; further ones are dropped."""
HELD_AT_ONCE = 100
"""So many of them are offered together."""

DEEPEST = 0xFFFF
"""Depths are counted up to here."""


@in_snapshot(
    "brief", "strategy", "judge", "log", "in_flight", "stopped", "_clock", "_recall", "_owns", "_boundary",
    "_looked_ahead", "_asking_too", "_start_page", "_score_again", "_passes_over", "_newest", limits=Limits,
    pages=int, fetches=int, step=int, stalled_after=int, _urls=UrlStates, _offered_at=UrlStates,
    _depths=numbers("H"), _recent=deque[bool], _positives=numbers("Q"), _pages_by_step=numbers("i"),
    _scores=numbers("d"), _answers=dict[int, Response], _revisits_on_end=int, _other_languages=OtherLanguages,
    _held=dict[int, int], _foreign=set[int],
)  # fmt: skip
class Crawl:
    """One crawl.

    `choices` says what to fetch now, `deliver` takes each answer in the order of arrival; when
    there is nothing to fetch and nothing is in flight the crawl is over and `stopped` says why. Each call
    to the strategy goes to the log before the next one is made.

    `clock` gives seconds since the crawl began. `recall` gives the page of a URL fetched before; only
    feedback and strategies that walk need it. A shard of a larger crawl `owns` some URLs and follows no others.
    `newest` gives the page of a visit as it was seen later, None if it has not changed. One that `passes_over` takes
    a second choice of the same URL for a duplicate: its strategy was not asked for the first.
    """

    def __init__(
        self,
        brief: Brief,
        strategy: Strategy,
        judge: Judge,
        log: Log,
        clock: Callable[[], float],
        recall: Callable[[int], Page] | None = None,
        owns: Callable[[int], bool] | None = None,
        newest: Callable[[int], Page | None] | None = None,
        passes_over: bool = False,
    ) -> None:
        self.brief, self.strategy, self.judge, self.log = brief, strategy, judge, log
        self.limits = brief.limits
        self.pages = self.fetches = self.in_flight = self.step = 0
        self.stopped: StopReason | None = None
        self._clock, self._recall, self._owns = clock, recall, owns
        self._newest, self._passes_over = newest, passes_over
        self._boundary = Boundary(brief.topic.scope, brief.topic.seeds)
        self._urls = UrlStates(len(brief.urls))
        self._depths = array("H")
        self._offered_at = UrlStates(0, np.uint16)
        self._recent: deque[bool] = deque(maxlen=HARVEST_WINDOW)
        self._positives = array("Q")
        self._looked_ahead = 0
        self._pages_by_step, self._scores = array("i"), array("d")
        self._answers: dict[int, Response] = {}
        self._asking_too: dict[int, list[Choice]] = {}
        self._revisits_on_end = 0
        self._other_languages = OtherLanguages.of(brief)
        self._held: dict[int, int] = {}
        self._foreign: set[int] = set()
        self.stalled_after = STALLED_AFTER
        self._urls.learn(brief.seeds.url)
        judge.start(brief)
        self._start_page = judge.start_page if isinstance(judge, StartPageJudge) else None
        self._score_again = judge.score_again if isinstance(judge, RescoringJudge) else None
        strategy.start(brief)

    @property
    def harvest(self) -> float:
        """The share of the last pages that the judge calls positive: belief, not truth."""
        positive, pages = self.recent
        return positive / pages if pages else 0.0

    @property
    def positive(self) -> int:
        """How many pages the judge called positive when they arrived."""
        return len(self._positives)

    @property
    def recent(self) -> tuple[int, int]:
        """Of the last pages those that are positive, and all."""
        return sum(self._recent), len(self._recent)

    @property
    def last_page(self) -> int:
        """The URL of the last page that came; NO_URL if none has come yet."""
        return next((url for url in reversed(self._pages_by_step) if url != NO_URL), NO_URL)

    def outlook(self) -> Outlook | None:
        """What is still to be found, judging by how the crawl went; None while it is too early, or when it is over."""
        return None if self.stopped in NOWHERE_TO_GO else outlook(self._positives, self.pages)

    def choices(self, room: int, busy: frozenset[int] = frozenset()) -> list[Choice]:
        """Up to `room` choices to fetch now, none on a host in `busy`.

        Empty with nothing in flight and nothing busy: the crawl is over.
        """
        to_fetch: list[Choice] = []
        while (room_now := self._room(room - len(to_fetch))) > 0:
            before = self.step
            to_fetch += self.ask(room_now, busy)
            if self.step != before:
                continue
            if self.in_flight or busy or not self._held:
                break
            self._offer_held()
        if room > 0 and not to_fetch and not self.in_flight and not busy and self.stopped is None:
            self.stopped = StopReason.EXTINCT if self.strategy.walks else StopReason.FRONTIER_EMPTY
        return to_fetch

    def ask(self, room: int, busy: frozenset[int]) -> list[Choice]:
        """Ask the strategy once: those of its choices that have to be fetched.

        The others are answered at once: out of scope, reached before, or shown again.
        """
        choices = self.strategy.choose(room, busy)
        self.log.add_choices(room, busy, choices)
        if len(choices) > room:
            raise ContractBroken(f"choose({room}) gave {len(choices)} choices")
        to_fetch = [choice for choice in choices if self._must_be_fetched(choice)]
        self.in_flight += len(to_fetch)
        return to_fetch

    def deliver(self, choice: Choice, response: Response, score: float | None = None) -> Visit:
        """Apply one arrival and return the visit it makes; the judge is asked unless the `score` is known already."""
        self.in_flight -= 1
        self.fetches += response.outcome.fetched
        if (answer := self._answer_for_walkers(response)) is not None:
            self._answers[choice.link.url] = answer
            visit = self._revisit(choice)
        else:
            visit = self._settle(choice, self._admit(choice, response), score=score)
        for asker in self._asking_too.pop(choice.link.url, ()):
            self._revisit(asker)
        return visit

    def repeat(self, choice: Choice) -> None:
        """Take a choice of an earlier run for made, whatever would be chosen now."""
        url = choice.link.url
        self._urls[url] = max(self._urls[url], CHOSEN)
        self.in_flight += 1

    def deliver_again(self, choice: Choice, response: Response) -> Visit:
        """Apply an arrival of an earlier run as it was then, and return its visit: nothing is decided anew."""
        self.in_flight -= 1
        was_asked_for = response.status or response.outcome not in (Outcome.OUT_OF_SCOPE, Outcome.DUPLICATE)
        self.fetches += bool(was_asked_for) and response.outcome.fetched
        if response.outcome is Outcome.OK:
            for url in (response.final, self._canonical(response)):
                self._urls[url] = max(self._urls[url], REACHED)
        else:
            response = self._admit(choice, response)
        return self._settle(choice, response)

    def take_up_flight(self, choices: Sequence[Choice]) -> list[Choice]:
        """These choices of an earlier run are in flight: those of them that have to be fetched."""
        to_fetch: dict[int, Choice] = {}
        for choice in choices:
            if to_fetch.setdefault(choice.link.url, choice) is not choice:
                self._asking_too.setdefault(choice.link.url, []).append(choice)
        self.in_flight = len(to_fetch)
        return list(to_fetch.values())

    def set_aside(self) -> None:
        """One in flight is left for later: what it held of the budget is free for others."""
        self.in_flight -= 1

    def take_up(self) -> bool:
        """Whether the budget has room for one set aside; it is in flight again then."""
        room = self._room(1) > 0
        self.in_flight += room
        return room

    def hear(self, feedback: Sequence[Feedback], answers: Sequence[Answer] = ()) -> int | None:
        """Take feedback and answers: the judge learns, and the strategy gets the visits that now score otherwise.

        Only the last `MOST_RESCORES` pages are scored again, for the crawl waits meanwhile; older ones keep their
        scores. The new scores go to the log, so that a crawl played again gets the same. Returns how many of the best
        pages answers changed.
        """
        has_changed = self.judge.learn(self.liked_pages(feedback, answers))
        return self.revise(self._new_scores() if has_changed else [], feedback, answers)

    def liked_pages(self, feedback: Sequence[Feedback], answers: Sequence[Answer] = ()) -> list[tuple[Page, float]]:
        """The visited pages that somebody spoke about, and how; of answers those that say something."""
        pages, find = self._pages_by_step, self.brief.urls.find
        said = [(find(answer.url), answer.liking) for answer in answers if answer.liking]
        said += [(word.url, word.liking) for word in feedback]
        return [(self._page_again(url), liking) for url, liking in said if url in pages]

    def ask_about(self, urls: Sequence[int]) -> None:
        """Note that somebody is asked about these pages; nothing else changes."""
        self.log.add_message(Question(self.brief.urls.spell(urls)))

    def revise(
        self, scores: Sequence[tuple[int, float]], feedback: Sequence[Feedback], answers: Sequence[Answer] = ()
    ) -> int | None:
        """Tell the strategy that visits, by step, have new scores, and what a person said; return as `hear` does."""
        before = self.best_pages(BEST) if answers else []
        for step, score in scores:
            self._scores[step] = score
        self.strategy.revise(scores, feedback)
        likings = [(self.brief.urls[word.url], word.liking) for word in feedback]
        changed = len(set(self.best_pages(BEST)) - set(before)) if answers else None
        self.log.add_message(Revision(list(scores), likings, list(answers), changed))
        return changed

    def offer(self, links: Links, depth: int = 0) -> None:
        """Hand the strategy links that come without a visit, so many links away from a seed.

        Those chosen before, and those out of scope, are left out.
        """
        for url in links.url.tolist():
            self._held.pop(url, None)
        unchosen = links.url[self._open(links.url)].tolist()
        news = Links.to([url for url in unchosen if self._admits(url, depth)])
        self._urls.learn(news.url)
        if depth:
            for url in news.url.tolist():
                self._offered_at[url] = min(depth, DEEPEST)
        if len(news):
            self.wake()
        self.strategy.offer(news)
        self.log.add_message(Offer(self.brief.urls.spell(news.url.tolist()), depth))

    def offer_again(self, urls: Sequence[int]) -> None:
        """Hand the strategy URLs whose fetch failed: it may choose them once more."""
        failures = [url for url in urls if self._urls[url] == FAILED]
        for url in failures:
            self._answers.pop(url, None)
        links = Links.to(failures)
        self._urls.learn(links.url)
        if failures:
            self.wake()
        self.strategy.offer(links)
        self.log.add_message(SecondOffer(self.brief.urls.spell(failures)))

    def glimpse(self, glimpse: Glimpse) -> None:
        """Show the strategy what a page fetched elsewhere said around its links; nothing is charged."""
        page = page_of_glimpse(glimpse, self.brief.urls, self.brief.words)
        at = Choice(Link(page.url, FROM_OFFER))
        visit = Visit(
            step=self.step,
            choice=at,
            final=page.url,
            outcome=Outcome.ELSEWHERE,
            page=page,
            score=glimpse.score,
            positive=glimpse.positive,
            depth=glimpse.depth,
            at=self._clock(),
        )
        self._count(glimpse.depth, NO_URL, glimpse.score)
        self.wake()
        self.strategy.observe(visit, self._fresh(page, glimpse.depth))
        self.log.add_message(Sight(glimpse))
        if events := self.strategy.events():
            self.log.add_message(Report(events))

    def move(self, step: int, url: int) -> None:
        """The page of a visit has another URL by now: choosing that makes a duplicate, but for a walker."""
        if self._urls[url] in (UNKNOWN, KNOWN) and not self.strategy.walks:
            self._urls[url] = REACHED
        self.log.add_message(Move(step, self.brief.urls[url]))

    def extend(self, limits: Limits) -> None:
        """Go on with another budget, most often a larger one."""
        self.limits = limits
        if self.stopped in (StopReason.BUDGET, StopReason.FETCHES, StopReason.TIME):
            self.stopped = None
        self.strategy.extend(limits)
        self.log.add_message(Extension(limits))

    def unchosen(self, urls: Ints) -> Bools:
        """Which of these nobody has chosen so far."""
        return self._open(urls)

    def unseen(self, urls: Ints) -> Bools:
        """Which of these nobody has offered or linked to so far."""
        return self._urls.unseen(urls)

    def depth_of(self, step: int) -> int:
        """How many links a visit is away from a seed."""
        return self._depths[step]

    def score_of(self, step: int) -> float:
        """What is thought of the page of a visit by now."""
        return self._scores[step]

    def score_of_page(self, url: int) -> float:
        """What is thought by now of a page that was visited, by its URL."""
        return self._scores[self._pages_by_step.index(url)]

    def best_pages(self, most: int) -> list[int]:
        """The pages thought best by now, by URL, best first; the earliest first among equals."""
        scores = np.where(np.array(self._pages_by_step) == NO_URL, -1.0, np.array(self._scores))
        best = np.argsort(-scores, kind="stable")[: min(most, self.pages)]
        return [self._pages_by_step[step] for step in best.tolist()]

    def page_of(self, url: int) -> Page:
        """A page that was visited, by its URL."""
        return self._page_again(url)

    def knows(self, url: int) -> bool:
        """Whether the strategy has heard of a URL: as a seed, as a link of a page, or as an offer."""
        return self._urls[url] != UNKNOWN

    def has_chosen(self, url: int) -> bool:
        """Whether a URL was chosen, or reached by a redirect: it is not chosen any more then."""
        return self._urls[url] not in (UNKNOWN, KNOWN)

    @property
    def has_room(self) -> bool:
        """Whether the budget allows another choice."""
        pages_left, fetches_left = self._budget_left()
        return pages_left > 0 and fetches_left > 0

    def wake(self) -> None:
        """There may be something to do again for a crawl that had nothing left."""
        if self.stopped in (StopReason.FRONTIER_EMPTY, StopReason.WAITING):
            self.stopped = None

    def stop(self, reason: StopReason) -> None:
        """Choose nothing more. What is in flight may still be delivered."""
        if self.stopped in (None, StopReason.FRONTIER_EMPTY):
            self.stopped = reason

    def _room(self, room: int) -> int:
        """How many more choices the budget allows; sets `stopped` when it is used up."""
        if self.stopped is None:
            self.stopped = self._reason_to_stop()
        if self.stopped is not None:
            return 0
        return min(room, *self._budget_left())

    def _budget_left(self) -> tuple[int, int]:
        """The pages and the fetches that the budget still allows."""
        pages = self.limits.max_pages - self.pages - self.in_flight
        return pages, self.limits.fetches - self.fetches - self.in_flight

    def _reason_to_stop(self) -> StopReason | None:
        limits = self.limits
        if self.pages >= limits.max_pages:
            return StopReason.BUDGET
        if self.fetches >= limits.fetches:
            return StopReason.FETCHES
        if limits.max_seconds is not None and self._clock() >= limits.max_seconds:
            return StopReason.TIME
        full = len(self._recent) == HARVEST_WINDOW
        if limits.min_harvest is not None and full and self.harvest < limits.min_harvest:
            return StopReason.CONDITION
        if self._revisits_on_end >= self.stalled_after:
            return StopReason.STALLED
        return StopReason.CONDITION if self._little_is_left() else None

    def _little_is_left(self) -> bool:
        """Whether fewer positive pages seem to be left than the crawl is to go on for."""
        least = self.limits.min_remaining
        if least is None or self.pages < self._looked_ahead + LOOK_AHEAD_EVERY:
            return False
        self._looked_ahead = self.pages
        ahead = self.outlook()
        return ahead is not None and ahead.remaining is not None and ahead.remaining.mean < least

    def _must_be_fetched(self, choice: Choice) -> bool:
        """Check a choice against the contract; answer it at once where nothing need be fetched."""
        url, state = choice.link.url, self._urls[choice.link.url]
        if state == KNOWN:
            self._urls[url] = CHOSEN
            if self._in_scope(url, choice):
                return True
            self._settle(choice, Response(url, url, Outcome.OUT_OF_SCOPE))
        elif (state == REACHED or (self._passes_over and state != UNKNOWN)) and not self.strategy.walks:
            self._urls[url] = max(state, CHOSEN)
            self._settle(choice, Response(url, url, Outcome.DUPLICATE))
        elif state == UNKNOWN:
            raise ContractBroken(f"{self.brief.urls[url]} was chosen but never seen, offered or a seed")
        elif not self.strategy.walks:
            raise ContractBroken(f"{self.brief.urls[url]} was chosen twice")
        elif url in self._answers:
            self._revisit(choice)
        else:
            self._asking_too.setdefault(url, []).append(choice)
        return False

    def _answer_for_walkers(self, response: Response) -> Response | None:
        """The answer a walker may be shown again, when it was led to a page it has seen."""
        if self.strategy.walks and response.outcome is Outcome.OK:
            for url in (response.final, self._canonical(response)):
                answer = self._answers.get(url) if url != response.url else None
                if answer is not None and answer.outcome is Outcome.OK:
                    return answer
        return None

    def _admit(self, choice: Choice, response: Response) -> Response:
        """A page that turns out to be one chosen or reached before, or out of scope, is not delivered.

        It is known by the URL that answered, and by the one it gives itself.
        """
        if response.outcome is not Outcome.OK:
            if response.outcome not in (Outcome.DUPLICATE, Outcome.OUT_OF_SCOPE, Outcome.KNOWN):
                self._urls[response.url] = FAILED
            if response.outcome in (Outcome.UNREACHABLE, Outcome.REFUSED_ADDRESS):  # it may be offered again
                self._offered_at[response.url] = min(self._depth(choice), DEEPEST)
            return response
        if response.final != response.url and not self._in_scope(response.final, choice):
            return replace(response, outcome=Outcome.OUT_OF_SCOPE, page=None)
        others = [url for url in (response.final, self._canonical(response)) if url != response.url]
        for url in others:
            if self._urls[url] in (REACHED, CHOSEN):
                return replace(response, final=url, outcome=Outcome.DUPLICATE, page=None)
        for url in others:
            self._urls[url] = REACHED
        return response

    def _canonical(self, response: Response) -> int:
        """The URL a page gives itself; the one that answered, if it gives none or one of another site."""
        url = response.page.canonical if response.page is not None else NO_URL
        if url in (NO_URL, response.final):
            return response.final
        names = self.brief.urls
        return url if site(names[url]) == site(names[response.final]) else response.final

    def _settle(self, choice: Choice, response: Response, revisit: bool = False, score: float | None = None) -> Visit:
        """Make the visit, show it to the strategy, and log it."""
        page = response.page
        is_foreign = page is not None and self._is_foreign(page)
        if page is None or is_foreign:
            score = 0.0
        elif score is None:
            score = self.judge.score(page)
        if isnan(score):
            raise ContractBroken("the judge gave the score NaN; scores are numbers in 0..1")
        positive = page is not None and not is_foreign and score >= self.judge.line
        visit = Visit(
            step=self.step,
            choice=choice,
            final=response.final,
            outcome=response.outcome,
            page=page,
            score=score,
            positive=positive,
            depth=self._depth(choice),
            status=response.status,
            seconds=response.seconds,
            at=self._clock(),
            size=response.size,
            modified=response.modified,
            etag=response.etag,
            records=response.records,
            revisit=revisit,
            wall=response.wall,
        )
        if is_foreign:
            self._foreign.add(self.step)
        self._count(visit.depth, visit.final if visit.good else NO_URL, score)
        if self.strategy.walks and not revisit:
            self._remember(response)
        if visit.good:
            self.pages += 1
            self._recent.append(positive)
            if positive:
                self._positives.append(self.pages)
        self._revisits_on_end = self._revisits_on_end + 1 if revisit else 0
        self.strategy.observe(visit, self._fresh(page, visit.depth))
        self.log.add_visit(visit)
        if events := self.strategy.events():
            self.log.add_message(Report(events))
        if page is not None and choice.link.source == FROM_SEED and self._start_page is not None:
            self._start_page(page)
        if page is not None and not revisit and self.judge.watch(page, score):
            self.revise(self._new_scores(), [])
        return visit

    def _count(self, depth: int, page: int, score: float) -> None:
        """Another step; the URL of its page, if it brought one for the first time."""
        self.step += 1
        self._depths.append(min(depth, DEEPEST))
        self._pages_by_step.append(page)
        self._scores.append(score)

    def _new_scores(self) -> list[tuple[int, float]]:
        """The last visits that the judge, having changed its mind, scores otherwise now."""
        last = np.flatnonzero(np.array(self._pages_by_step) != NO_URL)[-MOST_RESCORES:].tolist()
        last = [step for step in last if step not in self._foreign]
        scores = zip(last, self._scores_now(last), strict=True)
        return [(step, score) for step, score in scores if score != self._scores[step]]

    def _scores_now(self, steps: Sequence[int]) -> Iterator[float]:
        judge = self.judge
        in_batches = isinstance(judge, BatchJudge) and not iscoroutinefunction(judge.score_many)
        for start in range(0, len(steps), RESCORED_AT_ONCE):
            batch = steps[start : start + RESCORED_AT_ONCE]
            if in_batches and self._score_again is None:
                pages = [self._newer(step) or self._page_again(self._pages_by_step[step]) for step in batch]
                yield from cast(Sequence[float], cast(BatchJudge, judge).score_many(pages))
            else:
                yield from map(self._score_now, batch)

    def _score_now(self, step: int) -> float:
        newer, url = self._newer(step), self._pages_by_step[step]
        if newer is None and self._score_again is not None:
            return self._score_again(url, self._page_again)
        return self.judge.score(self._page_again(url) if newer is None else newer)

    def _newer(self, step: int) -> Page | None:
        return None if self._newest is None else self._newest(step)

    def _remember(self, response: Response) -> None:
        """Keep what a walker may ask for again, without the page: that is recalled."""
        answer = Response(response.url, response.final, response.outcome, response.status)
        self._answers[response.url] = answer
        if response.outcome is Outcome.OK:
            self._answers.setdefault(response.final, answer)
            self._answers.setdefault(self._canonical(response), answer)

    def _revisit(self, choice: Choice) -> Visit:
        answer = self._answers[choice.link.url]
        page = self._page_again(answer.final) if answer.outcome is Outcome.OK else None
        response = Response(answer.url, answer.final, answer.outcome, answer.status, page)
        return self._settle(choice, response, revisit=True)

    def _page_again(self, url: int) -> Page:
        if self._recall is None:
            raise ContractBroken(
                "walking, feedback and judges that change their minds need a web that can show a page again"
            )
        return self._recall(url)

    def _is_foreign(self, page: Page) -> bool:
        """Whether a page is in none of the languages that a person named, if they named any."""
        if not (named := self.brief.topic.languages):
            return False
        self.brief.own_words.read([page])
        return self.brief.own_words.language(page) not in named

    def _fresh(self, page: Page | None, depth: int) -> Ints:
        """The places of the links whose URL was not chosen yet and that the page lets us follow.

        Those that lead to other languages are held until the strategy has no others; not for walkers, who go where
        the links of a page lead.
        """
        places = self._followed(page)
        if page is None or self.strategy.walks or not len(places):
            return places
        urls = page.links.url[places]
        other = self._other_languages.among(page.url, urls)
        if not other.any():
            return places
        for url in urls[other].tolist():
            if len(self._held) < MOST_HELD:
                self._held.setdefault(url, min(depth + 1, DEEPEST))
        kept: Ints = places[~other]
        return kept

    def _offer_held(self) -> None:
        """Offer the strategy some of the links that were held, the oldest first, all of one depth."""
        depth = next(iter(self._held.values()))
        held = islice((url for url, at in self._held.items() if at == depth), HELD_AT_ONCE)
        self.offer(Links.to(list(held)), depth)

    def _followed(self, page: Page | None) -> Ints:
        if page is None or page.nofollow:
            return np.zeros(0, np.int32)
        if self._owns is None:
            return self._urls.learn_fresh(page.links)
        urls = page.links.url
        fresh = np.flatnonzero(self._open(urls) & ~page.links.nofollow).astype(np.int32)
        self._urls.learn(urls[fresh])
        return fresh

    def _open(self, urls: Ints) -> Bools:
        """Which of these were not chosen yet, and are ours to choose."""
        unchosen = self._urls.unchosen(urls)
        if self._owns is not None:
            unchosen &= np.fromiter(map(self._owns, urls.tolist()), np.bool_, len(urls))
        return unchosen

    def _in_scope(self, url: int, choice: Choice) -> bool:
        return self._admits(url, self._depth(choice))

    def _admits(self, url: int, depth: int) -> bool:
        return self._boundary.open or self._boundary.admits(self.brief.urls[url], depth)

    def _depth(self, choice: Choice) -> int:
        source = choice.link.source
        if source == FROM_OFFER:
            return self._offered_at[choice.link.url]
        return 0 if source == FROM_SEED else self._depths[source] + 1
