"""Best-N-First that adapts its N, against a crawl worked out by hand."""

from __future__ import annotations

import pytest

from salticid.errors import UserError
from salticid.model import Event
from salticid.strategies import strategies
from salticid.strategies.adaptive_n import AdaptiveN
from salticid.testing.checks import check_strategy
from salticid.testing.courses import Course, drive, watch
from salticid.testing.small import SmallWeb, random_web
from salticid.topic import Limits

GOOD, FAIR, BAD = "jumping spiders", "spiders", "rain"
"""Texts that the judge scores 1, .7071 and 0."""


def a_dozen_pages() -> SmallWeb:
    return SmallWeb(
        {
            "seed": (GOOD, ["a", "b", "c", "d"]),
            "a": (FAIR, ["e", "f"]),
            "b": (BAD, ["g"]),
            "c": (BAD, []),
            "d": (GOOD, ["h", "i"]),
            "e": (GOOD, ["j"]),
            "f": (BAD, []),
            "g": (BAD, []),
            "h": (BAD, []),
            "i": (GOOD, ["k"]),
            "j": (BAD, []),
            "k": (BAD, []),
        }
    )


def crawl(strategy: AdaptiveN, web: SmallWeb, limits: Limits | None = None) -> tuple[list[str], list[Event]]:
    events: list[Event] = []
    watched = watch(strategy)
    watched.after = lambda it: events.extend(it.events())
    run = drive(watched, Course(web, limits or Limits()))
    return [web.name(visit.url) for visit in run.visits], events


def n_of(events: list[Event]) -> list[object]:
    assert all(event.name == "n" for event in events)
    return [dict(event.values)["n"] for event in events]


def test_a_crawl_worked_out_on_paper() -> None:
    """A look after every two pages, any change counts:

    batches    scores       harvest         N from here  waiting, best first
    seed | a   1, .7071     .8536, first    1            b c d (1)  e f (.7071)
    b | c      0, 0         0, lower        2            d (1)  e f (.7071)  g (0)
    d e        1, 1         1, higher       1            h i j (1)  f (.7071)  g (0)
    h | i      0, 1         .5, lower       2            j k (1)  f  g
    j k        0, 0         0, lower        4            f (.7071)  g (0)
    f g        0, 0         0, the same     4

    A greedy crawl would have taken h and i, found on d, before e.
    """
    visited, events = crawl(AdaptiveN(window=2, margin=0.0, n_max=4), a_dozen_pages())
    assert visited == ["seed", "a", "b", "c", "d", "e", "h", "i", "j", "k", "f", "g"]
    assert n_of(events) == [2, 1, 2, 4]


def test_within_the_margin_n_stays() -> None:
    """.8536 to 0 is a fall of all of it, 0 to 1 a rise, 1 to .5 a fall of half: within a margin of .5."""
    _, events = crawl(AdaptiveN(window=2, margin=0.5, n_max=4), a_dozen_pages())
    assert n_of(events) == [2, 1, 2]
    _, events = crawl(AdaptiveN(window=100), a_dozen_pages())
    assert events == []


def test_n_keeps_its_bounds() -> None:
    web = random_web(pages=120, hosts=3, seed=2)
    for low, high, allowed in (
        (1, 8, {1, 2, 4, 8}),
        (3, 5, {3, 5, 2}),
        (4, 4, set[int]()),
        (6, 2, set[int]()),
    ):
        _, events = crawl(AdaptiveN(n_min=low, n_max=high, window=3, margin=0.0), web)
        found = set(n_of(events))
        assert found <= {n for n in allowed if low <= n <= high}
        assert bool(found) == (low < high)


def test_with_one_n_it_is_best_n_first() -> None:
    web = random_web(pages=60, hosts=3, seed=2)
    fixed = drive(watch(strategies.make("best_n_first", {"n": 4})), Course(web)).visits
    assert crawl(AdaptiveN(n_min=4, n_max=4), web)[0] == [web.name(visit.url) for visit in fixed]


def test_events_are_told_once() -> None:
    watched, told = watch(AdaptiveN(window=2, margin=0.0)), []
    watched.after = lambda it: told.append((it.events(), it.events()))
    drive(watched, Course(a_dozen_pages()))
    assert [len(first) for first, _ in told if first] == [1, 1, 1, 1]
    assert all(again == [] for _, again in told)


@pytest.mark.parametrize(
    "settings", [{"n_min": 0}, {"n_max": 5000}, {"window": 0}, {"margin": 1.5}, {"admit": "never"}]
)
def test_settings_have_their_bounds(settings: dict[str, object]) -> None:
    with pytest.raises(UserError, match=f"setting {next(iter(settings))}="):
        strategies.make("adaptive_n", settings)


def test_it_keeps_the_contract_while_n_changes() -> None:
    check_strategy(lambda: AdaptiveN(n_min=2, n_max=9, window=2, margin=0.0))
