"""Who says that a person's word counts means it, and who says that it does not means that."""

from __future__ import annotations

import pytest
from tests.support.judging import briefed

from salticid.judges import judges
from salticid.judges.cosine import Cosine
from salticid.model import Feedback
from salticid.runs.named import unheeded
from salticid.runs.order import Recipe
from salticid.runs.recorded import MemoryLog, RecordedCrawl
from salticid.strategies import strategies
from salticid.testing.small import random_web
from salticid.topic import Limits

TALKS_AT = 12


def order(strategy: str, *, spoken: bool) -> list[int]:
    """What a crawl fetches; after some pages it may be told that all it liked is bad, and the rest good."""
    web = random_web(pages=120, hosts=4, seed=2)
    recipe = Recipe(strategies.make(strategy), Cosine(), Limits(max_pages=60))
    run, fetched = RecordedCrawl(web.topic, web, recipe, MemoryLog()), []
    for visit in run.visits():
        fetched.append(visit.final)
        if spoken and len(fetched) == TALKS_AT:
            known = [seen for seen in run.crawl.log.visits if seen.good]  # type: ignore[attr-defined]
            scores = [(seen.step, 1.0 - seen.score) for seen in known]
            run.crawl.revise(scores, [Feedback(seen.final, -1 if seen.positive else 1) for seen in known])
    return fetched


@pytest.mark.parametrize("name", strategies.names())
def test_a_strategy_goes_another_way_exactly_if_it_heeds(name: str) -> None:
    heeds = getattr(strategies.find(name), "heeds", True)
    assert (order(name, spoken=True) != order(name, spoken=False)) == heeds


@pytest.mark.parametrize("name", judges.names())
def test_a_judge_thinks_otherwise_exactly_if_it_heeds(name: str) -> None:
    web, brief = briefed(negatives=("trains",))
    judge = judges.make(name)
    judge.start(brief)
    page = web.page(web.id("web"))
    before = judge.score(page)
    judge.learn([(page, 1)])
    assert (judge.score(page) != before) == getattr(judges.find(name), "heeds", True)


def test_what_will_not_change_is_told() -> None:
    assert unheeded("hunter", "profile") is None
    assert "not this list: the judge cosine never learns" in str(unheeded("hunter", "cosine"))
    assert "the strategy breadth-first" in str(unheeded("breadth_first", "profile"))
    assert "changes nothing else" in str(unheeded("opic", "cosine"))
    assert unheeded("one that is gone", "profile") is None
