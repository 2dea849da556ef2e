"""Why a link was followed, told in words that people use."""

from __future__ import annotations

import pytest

from salticid.judges.cosine import Cosine
from salticid.runs.explanations import FACTS, REASONS, reason, reasons
from salticid.runs.order import Recipe
from salticid.runs.recorded import MemoryLog, RecordedCrawl
from salticid.strategies import strategies
from salticid.strategies.hunter.weights import ALL_NAMES
from salticid.strategies.parts.rank_terms import TERMS
from salticid.testing.small import spider_web
from salticid.topic import Limits


@pytest.mark.parametrize("name", strategies.names())
def test_no_strategy_gives_a_reason_that_people_have_no_name_for(name: str) -> None:
    web, log = spider_web(), MemoryLog()
    RecordedCrawl(web.topic, web, Recipe(strategies.make(name), Cosine(), Limits(max_pages=9)), log).run()
    given = {feature for visit in log.visits for feature, _ in visit.choice.why}
    assert {feature for feature in given if feature not in FACTS and reason(feature) not in REASONS.values()} == set()


def test_every_feature_of_the_hunter_and_of_the_linear_rank_is_one_of_a_handful_of_reasons() -> None:
    told = {reason(name) for name in (*ALL_NAMES, *TERMS) if name != "always"}
    assert told == set(REASONS.values()) - {"how near the topic it seems"}
    assert len(told) < 10


def test_shares_add_up_and_keep_their_side() -> None:
    found = reasons([("best anchor topic", 2.0), ("away", -1.0), ("door words", 1.0), ("host", 0.0)])
    assert [(one.line, one.share) for one in found] == [
        ("the words of the link", 0.75),
        ("the page it is on", -0.25),
        ("what its site gave so far", 0.0),
    ]
    assert reasons([]) == []
