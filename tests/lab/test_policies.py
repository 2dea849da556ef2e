"""What a round looks at again: single decisions, and a race on a small web with days."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.runs.test_change_rate import START, looks, watched
from tests.support.running import salticid

from salticid.lab.rounds import EVERYTHING, NOTHING, OURS, DailyWeb, signature
from salticid.watching import DAY, FINDINGS, ByWorth, InTurn, Looks, Policy, RoundBrief, WatchedPages

RACE = (
    "--pages",
    1500,
    "--webs",
    1,
    "--seed",
    6,
    "--topics-per-web",
    2,
    "--days",
    8,
    "--first",
    80,
    "--fetches",
    10,
)


def brief(
    pages: WatchedPages, seen: Looks, day: float, fetches: int | None, hunted: int = 1000, found: int = 0
) -> RoundBrief:
    hunts = np.array([hunted], np.int32), np.array([found], np.int32)
    return RoundBrief(pages, seen, START + day * DAY, fetches, *hunts)


def every_day(page: int, days: int, finding: str) -> list[tuple[int, float, str]]:
    return [(page, float(day), finding) for day in range(1, days + 1)]


def test_a_page_that_always_changes_is_not_chased() -> None:
    weekly = [(1, float(day), "changed" if day % 7 == 0 else "same") for day in range(1, 43)]
    seen = looks(*sorted(every_day(0, 42, "changed") + weekly + every_day(2, 42, "same"), key=lambda row: row[1]))
    assert ByWorth().plan(brief(watched(3), seen, 49.0, None)).again.tolist()[0] == 1
    restless, weekly_worth, still = ByWorth().worth(brief(watched(3), seen, 49.0, None))
    assert weekly_worth > 2 * restless > 0, "what was learned by a look would be old at once"
    assert weekly_worth > 2 * still


def test_a_page_that_is_gone_is_asked_for_rarely_and_one_that_matters_before_others() -> None:
    pages = replace(watched(3), score=np.array([1.0, 1.0, 0.01]), positive=np.array([True, True, False]))
    seen = looks((0, 10.0, "same"), (1, 10.0, "gone"), (2, 10.0, "same"))
    assert ByWorth().plan(brief(pages, seen, 40.0, None)).again.tolist() == [0, 2, 1]


def test_pages_whose_links_brought_new_ones_come_first() -> None:
    pages = replace(watched(3), finds=np.array([0, 4, 0], np.int32), children=np.array([0, 0, 9], np.int32))
    seen = looks(*((page, 10.0, "same") for page in range(3)))
    assert ByWorth().plan(brief(pages, seen, 12.0, None)).again.tolist() == [1, 2, 0]


def test_fetches_go_where_they_bring_more() -> None:
    pages, seen = watched(50), looks()
    rich = ByWorth().plan(brief(pages, seen, 5.0, 20, hunted=300, found=200))
    poor = ByWorth().plan(brief(pages, seen, 60.0, 20, hunted=300, found=0))
    assert (len(rich.again), rich.hunt) == (0, 20)
    assert (len(poor.again), poor.hunt) == (16, 4), "a fifth is for hunting on, whatever it brings"


@settings(max_examples=50, deadline=None)
@given(
    many=st.integers(0, 6),
    rows=st.lists(st.tuples(st.integers(0, 5), st.floats(0, 400), st.sampled_from(FINDINGS)), max_size=30),
    fetches=st.none() | st.integers(0, 12),
    policy=st.sampled_from([ByWorth(), InTurn(), InTurn(0.5), InTurn(0.0)]),
)
def test_a_plan_keeps_to_its_fetches_and_names_a_page_once(
    many: int, rows: list[tuple[int, float, str]], fetches: int | None, policy: Policy
) -> None:
    seen = looks(*sorted((row for row in rows if row[0] < many), key=lambda row: row[1]))
    told = brief(watched(many), seen, 401.0, fetches, hunted=10, found=1)
    plan, same = policy.plan(told), policy.plan(told)
    again = plan.again.tolist()
    assert (again, plan.hunt) == (same.again.tolist(), same.hunt)
    assert len(set(again)) == len(again)
    assert set(again) <= set(range(many))
    if fetches is None:
        assert (sorted(again), plan.hunt) == (list(range(many)), None)
    else:
        assert plan.hunt is not None
        assert len(again) + plan.hunt == fetches


@pytest.fixture(scope="module")
def raced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("race")
    page = out / "page.md"
    page.write_text("<!-- figures --><!-- /figures -->")
    said = salticid("policies", *RACE, "--workers", 1, "--out", out, "--into", page)
    assert said.status == 0, said.err
    assert OURS in said.out
    return out


def test_the_shipped_policy_is_ahead_of_asking_everything_and_of_asking_nothing(raced: Path) -> None:
    results = json.loads((raced / "policies.json").read_text())
    fresh = {name: score["fresh"]["mean"] for name, score in results["policies"].items()}
    assert fresh[OURS] > fresh[NOTHING] + 0.02
    assert fresh[OURS] > fresh[EVERYTHING] + 0.02
    assert {test["b"]: test["diff"] > 0 for test in results["tests"]}[NOTHING]
    assert len(results["curves"][OURS]["mean"]) == 8


def test_a_race_is_not_run_twice_and_its_figures_are_put_into_a_page(raced: Path) -> None:
    before = (raced / "policies.json").read_bytes()
    webs = (raced / "webs").stat().st_mtime_ns
    said = salticid("policies", *RACE, "--workers", 1, "--out", raced, "--json")
    assert json.loads(said.out) == json.loads(before)
    assert (raced / "webs").stat().st_mtime_ns == webs
    page = (raced / "page.md").read_text()
    assert f"| {OURS} |" in page
    assert "](images/policies.svg)" in page
    assert (raced / "images" / "policies.svg").read_text().startswith("<svg")


def test_a_daily_web_is_one_web(raced: Path) -> None:
    """Its pages keep their ids from day to day; what was edited, and only that, says something else."""
    web = DailyWeb(sorted((raced / "webs" / "1500-6").iterdir(), key=lambda world: int(world.name)))
    first = [web.fetch(url) for url in range(300)]
    web.day = 8
    later = [web.fetch(url) for url in range(300)]
    both = [(old, new) for old, new in zip(first, later, strict=True) if old.page and new.page]
    for old, new in both:
        assert new.url == old.url
        if old.modified == new.modified:
            assert old.page is not None
            assert new.page is not None
            assert signature(old.page) == signature(new.page)
            assert old.page.tokens.tolist() == new.page.tokens.tolist()
    changed = sum(signature(old.page) != signature(new.page) for old, new in both if old.page and new.page)
    gone = sum(old.page is not None and new.page is None for old, new in zip(first, later, strict=True))
    assert changed > 0
    assert gone > 0


def test_a_web_without_subjects_is_a_mistake() -> None:
    said = salticid("policies", "--pages", 500, "--out", "never")
    assert said.status == 2
    assert "--pages" in said.err
