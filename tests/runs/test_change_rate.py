"""How often pages change, as far as looks can tell."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from salticid.model import Floats
from salticid.watching import DAY, FINDINGS, Looks, WatchedPages, change_rates, histories

START = 1_800_000_000.0


def watched(many: int, host: list[int] | None = None, age: Floats | None = None) -> WatchedPages:
    """Pages visited at once, `age` days after they last changed, where that is known."""
    return WatchedPages(
        step=np.arange(many, dtype=np.int32),
        host=np.array(range(many) if host is None else host, np.int32),
        visited=np.full(many, START),
        modified=np.full(many, np.nan) if age is None else START - age * DAY,
        score=np.ones(many),
        positive=np.ones(many, np.bool_),
        children=np.zeros(many, np.int32),
        finds=np.zeros(many, np.int32),
    )


def looks(*rows: tuple[int, float, str]) -> Looks:
    """Looks by page, day and what they found."""
    page, day, finding = zip(*rows, strict=True) if rows else ((), (), ())
    wall = START + np.array(day, np.float64) * DAY
    return Looks(np.array(page, np.int32), wall, np.array([FINDINGS.index(word) for word in finding], np.uint8))


def rates(pages: WatchedPages, seen: Looks) -> Floats:
    return change_rates(histories(pages, seen).evidence, pages.host)


def test_the_rates_of_pages_that_were_watched_for_long_are_found() -> None:
    rng, true = np.random.default_rng(5), np.array([0.05, 0.2, 0.5, 1.5])
    rows = []
    for page, rate in enumerate(true.tolist()):
        day = 0.0
        for _ in range(1000):
            gap = float(rng.choice([0.5, 1.0, 3.0]))
            day += gap
            rows.append((page, day, "changed" if rng.random() < 1 - np.exp(-rate * gap) else "same"))
    found = rates(watched(len(true)), looks(*sorted(rows, key=lambda row: row[1])))
    assert_allclose(found, true, rtol=0.2)
    changes = np.array([sum(row[0] == page and row[2] == "changed" for row in rows) for page in range(4)])
    assert changes[3] / (1500 * 1.5) < 1, "who counts changes that were seen misses those between two looks"


def test_a_page_nobody_looked_at_is_taken_to_be_as_its_host() -> None:
    pages = watched(7, host=[0, 0, 0, 1, 1, 1, 2])
    rows = [(page, day, "changed" if page < 3 else "same") for day in range(1, 11) for page in (0, 1, 3, 4)]
    found = rates(pages, looks(*rows))
    assert found[2] > 5 * found[5]
    assert found[5] < found[6] < found[2], "with no page of its host to go by, it is as pages are in this crawl"


def test_a_date_tells_how_long_a_page_has_been_as_it_is() -> None:
    old, young, untold = rates(watched(3, age=np.array([1000.0, 2.0, np.nan])), looks())
    assert old < untold < young


def test_looks_count_more_than_a_date_that_is_wrong() -> None:
    weekly = [(page, 7.0 * week, "changed") for week in range(1, 11) for page in (0, 1)]
    wrong, untold = rates(watched(2, host=[0, 0], age=np.array([20_000.0, np.nan])), looks(*weekly))
    assert untold > wrong > 1 / 7


def test_what_is_gone_has_changed_once_and_a_look_in_vain_says_nothing() -> None:
    once = looks((0, 10.0, "gone"))
    again = looks((0, 10.0, "gone"), (0, 20.0, "gone"), (0, 30.0, "unknown"))
    assert rates(watched(1), once).tolist() == rates(watched(1), again).tolist()
    past = histories(watched(1), again)
    assert (past.gone.tolist(), past.in_vain.tolist(), past.seen.tolist()) == (
        [2.0],
        [1.0],
        [START + 20 * DAY],
    )
    back = histories(watched(1), looks((0, 10.0, "gone"), (0, 20.0, "unknown"), (0, 30.0, "same")))
    assert (back.gone.tolist(), back.in_vain.tolist()) == ([0.0], [0.0])
