"""Strategies that break the contract, each in one way: what the checks are checked with.

They show what the rules mean, too. None is in the registry.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import numpy as np
from msgspec import Meta

from salticid.model import Choice, Event, Feedback, Ints, Link, Links, Visit
from salticid.protocols import Brief, Strategy
from salticid.strategies.best_first import BestFirst
from salticid.strategies.parts import Frontier
from salticid.testing import checks
from salticid.testing.checks import Check
from salticid.topic import Limits


class RoundsItsSettings(BestFirst):
    """Stores another number than it was given."""

    def __init__(self, *, depth: Annotated[int, Meta(ge=1, le=9)] = 4) -> None:
        self.depth = max(depth, 2)


class TakesPlaces(BestFirst):
    """Its setting needs no name."""

    def __init__(self, depth: int = 4) -> None:
        self.depth = depth


class BornWithState(BestFirst):
    """Holds more than its settings before the crawl began."""

    def __init__(self) -> None:
        self.seen: list[int] = []


class OwnDice(BestFirst):
    """Throws dice that nobody handed in."""

    def observe(self, visit: Visit, fresh: Ints) -> None:
        super().observe(visit, np.array(random.Random().sample(fresh.tolist(), len(fresh)), np.int32))


class LowestIdFirst(BestFirst):
    """Settles ties by id."""

    def observe(self, visit: Visit, fresh: Ints) -> None:
        if visit.page is not None:
            fresh = fresh[np.argsort(visit.page.links.url[fresh])]
        super().observe(visit, fresh)


class NeverDone(BestFirst):
    """Queues again what it has just visited."""

    def observe(self, visit: Visit, fresh: Ints) -> None:
        super().observe(visit, fresh)
        self.frontier.push([visit.url], 0.0)


class StartsFromExamples(BestFirst):
    """Takes the links of an example for seeds."""

    def start(self, brief: Brief) -> None:
        super().start(brief)
        self.frontier.push(brief.examples[0].links.url, 1.0)


class ForgetsTheSource(BestFirst):
    """Chooses a link found on a page as if it were a seed."""

    def choose(self, n: int, busy: frozenset[int]) -> list[Choice]:
        return [replace(choice, link=Link(choice.link.url)) for choice in super().choose(n, busy)]


class Generous(BestFirst):
    """Gives one more than was asked for."""

    def choose(self, n: int, busy: frozenset[int]) -> list[Choice]:
        return super().choose(n + 1, busy)


class Rude(BestFirst):
    """Does not mind who is busy."""

    def choose(self, n: int, busy: frozenset[int]) -> list[Choice]:
        return super().choose(n, frozenset())


class GivesUp(BestFirst):
    """Says there is nothing left while links wait."""

    def start(self, brief: Brief) -> None:
        super().start(brief)
        self._visits = 0

    def choose(self, n: int, busy: frozenset[int]) -> list[Choice]:
        return super().choose(n, busy) if self._visits < 5 else []

    def observe(self, visit: Visit, fresh: Ints) -> None:
        super().observe(visit, fresh)
        self._visits += 1


class NeverForgets(BestFirst):
    """Begins a second crawl with the frontier of the first."""

    def start(self, brief: Brief) -> None:
        if not hasattr(self, "frontier"):
            super().start(brief)
        self.frontier.push(brief.seeds.url, 1.0)


class _CountsItsPages(BestFirst):
    def start(self, brief: Brief) -> None:
        super().start(brief)
        self._budget = brief.limits.max_pages

    def observe(self, visit: Visit, fresh: Ints) -> None:
        super().observe(visit, fresh)
        self._budget -= visit.page is not None


class Overdraws(_CountsItsPages):
    """Takes all it can get when the budget ends."""

    def choose(self, n: int, busy: frozenset[int]) -> list[Choice]:
        return super().choose(n if self._budget > 1 else n + 5, busy)


class Hoards(BestFirst):
    """Its frontier has no bound."""

    def start(self, brief: Brief) -> None:
        self.frontier = Frontier(brief.urls, None)
        self.frontier.push(brief.seeds.url, 1.0)


class HoardsInSecret(Hoards):
    """Its frontier has no bound, and it does not say so."""

    def waiting(self, k: int) -> tuple[int, list[Choice]]:
        return 0, []


class ShyOfLooks(BestFirst):
    """Loses what it shows."""

    def waiting(self, k: int) -> tuple[int, list[Choice]]:
        return len(self.frontier), self.frontier.pop(k)


class MovedByQuestions(BestFirst):
    """Changes its mind each time it is asked what happened."""

    def start(self, brief: Brief) -> None:
        super().start(brief)
        self._mood = 1.0

    def score_links(self, visit: Visit, fresh: Ints) -> float:
        return visit.score * self._mood

    def events(self) -> list[Event]:
        self._mood = -self._mood
        return []


class RefusesRevision(BestFirst):
    """Knows no other score than the first."""

    def revise(self, scores: Sequence[tuple[int, float]], feedback: Sequence[Feedback]) -> None:
        raise NotImplementedError


class KeepsToTheFirstBudget(_CountsItsPages):
    """Counts its pages itself and never hears of a larger budget."""

    def choose(self, n: int, busy: frozenset[int]) -> list[Choice]:
        return super().choose(n, busy) if self._budget > 0 else []

    def extend(self, limits: Limits) -> None:
        """As if nothing had been said."""


class Declines(BestFirst):
    """Takes no offers."""

    def offer(self, links: Links) -> None:
        """As if nothing had been said."""


class Resigned(BestFirst):
    """Does not try twice."""

    def start(self, brief: Brief) -> None:
        super().start(brief)
        self._tries: set[int] = set()

    def observe(self, visit: Visit, fresh: Ints) -> None:
        super().observe(visit, fresh)
        self._tries.add(visit.url)

    def offer(self, links: Links) -> None:
        super().offer(Links.to([url for url in links.url.tolist() if url not in self._tries]))


class KnowsOnlyItsOwn(BestFirst):
    """Looks up what it knew of a link when it chose it."""

    def start(self, brief: Brief) -> None:
        super().start(brief)
        self._flying: dict[int, float] = {}

    def choose(self, n: int, busy: frozenset[int]) -> list[Choice]:
        choices = super().choose(n, busy)
        self._flying.update((choice.link.url, choice.score) for choice in choices)
        return choices

    def observe(self, visit: Visit, fresh: Ints) -> None:
        del self._flying[visit.url]
        super().observe(visit, fresh)


BROKEN: dict[Check, list[type[Strategy]]] = {
    checks.check_constructor: [RoundsItsSettings, TakesPlaces, BornWithState],
    checks.check_same_seed: [OwnDice],
    checks.check_ids: [LowestIdFirst],
    checks.check_never_twice: [NeverDone],
    checks.check_known_links: [StartsFromExamples, ForgetsTheSource],
    checks.check_at_most_n: [Generous],
    checks.check_busy_hosts: [Rude],
    checks.check_ends: [GivesUp],
    checks.check_restart: [NeverForgets],
    checks.check_budget: [Overdraws],
    checks.check_bounded: [Hoards, HoardsInSecret],
    checks.check_looking: [ShyOfLooks, MovedByQuestions],
    checks.check_told_midway: [RefusesRevision, KeepsToTheFirstBudget],
    checks.check_visits_of_others: [KnowsOnlyItsOwn],
    checks.check_replay: [MovedByQuestions],
    checks.check_offers: [Declines],
    checks.check_offered_again: [Resigned],
}
"""For each check, the strategies it must reject."""
