"""The contract of strategies: ours keep it, and every rule of it is one that can be broken."""

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

import pytest

from salticid.model import FROM_OFFER, Choice, Event, Feedback, Ints, Link, Links, Visit
from salticid.protocols import Brief, Strategy
from salticid.strategies import strategies
from salticid.testing.broken import BROKEN, Generous
from salticid.testing.checks import Check, all_checks, check_strategy, rule_of
from salticid.testing.courses import Make
from salticid.topic import Limits

MAKES: list[Make] = [partial(strategies.make, name) for name in strategies.names()]
"""One function per strategy, because the checks of one function share their crawls."""
BREACHES = [(check, broken) for check, all_broken in BROKEN.items() for broken in all_broken]


def _name(of: object) -> str:
    return str(getattr(of, "__name__", of))


@pytest.mark.parametrize("check", all_checks(), ids=_name)
@pytest.mark.parametrize("make", MAKES, ids=strategies.names())
def test_every_strategy_keeps_the_contract(make: Make, check: Check) -> None:
    check(make)


@pytest.mark.parametrize(("n", "admit"), [(1, "always"), (7, "compete")])
def test_best_n_first_keeps_it_with_other_settings(n: int, admit: str) -> None:
    check_strategy(lambda: strategies.make("best_n_first", {"n": n, "admit": admit}))


def test_best_first_keeps_it_with_the_eviction_of_the_papers() -> None:
    check_strategy(lambda: strategies.make("best_first", {"admit": "always"}))


@pytest.mark.parametrize(("check", "broken"), BREACHES, ids=_name)
def test_a_breach_is_seen_and_named(check: Check, broken: type[Strategy]) -> None:
    with pytest.raises(AssertionError) as refused:
        check(broken)
    assert str(refused.value).startswith(f"{rule_of(check)}: ")


def test_every_check_has_something_to_reject() -> None:
    assert set(BROKEN) == set(all_checks())
    assert all(BROKEN.values())


def test_each_rule_is_a_sentence_of_its_own() -> None:
    rules = [rule_of(check) for check in all_checks()]
    assert all(rules)
    assert len(set(rules)) == len(rules)


def test_all_checks_run_as_one() -> None:
    with pytest.raises(AssertionError, match="It gives at most n choices"):
        check_strategy(Generous)


class Wanderer:
    """One agent that follows a random link of the page it stands on, and goes home from a dead end."""

    walks: ClassVar[bool] = True

    def start(self, brief: Brief) -> None:
        self._rng, self._urls = brief.rng, brief.urls
        self._home = [Link(url) for url in brief.seeds.url.tolist()]
        self._most = brief.limits.max_buffer
        self._offers: list[Link] = []
        self._drawn: Link | None = None
        self._next, self._out = self._home, False

    def choose(self, n: int, busy: frozenset[int]) -> list[Choice]:
        if self._out:
            return []
        if self._drawn is None:
            ways = self._offers or self._next
            self._drawn = ways[self._rng.integers(len(ways))]
        if self._urls.host(self._drawn.url) in busy:
            return []
        self._out = True
        return [Choice(self._drawn)]

    def observe(self, visit: Visit, fresh: Ints) -> None:
        self._offers = [link for link in self._offers if link != self._drawn]
        self._drawn, self._out = None, False
        links = [] if visit.page is None else visit.page.links.url.tolist()
        self._next = [Link(url, visit.step, place) for place, url in enumerate(links)] or self._home

    def revise(self, scores: Sequence[tuple[int, float]], feedback: Sequence[Feedback]) -> None: ...

    def offer(self, links: Links) -> None:
        self._offers += [Link(url, FROM_OFFER) for url in links.url.tolist()]
        self._offers = self._offers[: self._most]

    def extend(self, limits: Limits) -> None: ...

    def events(self) -> list[Event]:
        return []

    def waiting(self, k: int) -> tuple[int, list[Choice]]:
        return len(self._offers), [Choice(link) for link in self._offers[:k]]


@pytest.mark.parametrize("check", all_checks(), ids=_name)
def test_one_that_walks_can_keep_it_too(check: Check) -> None:
    check(Wanderer)
