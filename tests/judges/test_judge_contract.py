"""The contract of judges: ours keep it, and every rule of it is one that can be broken."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

import pytest

from salticid.judges import judges
from salticid.judges.cosine import Cosine
from salticid.model import Page
from salticid.testing import JudgeCheck, check_judge, judge_checks, judge_rule
from salticid.testing.judge_checks import BROKEN_JUDGES

BREACHES = [(check, broken) for check, all_broken in BROKEN_JUDGES.items() for broken in all_broken]


def _name(of: object) -> str:
    return str(getattr(of, "__name__", of))


@pytest.mark.parametrize("name", judges.names())
def test_every_judge_keeps_the_contract(name: str) -> None:
    check_judge(partial(judges.make, name))


@pytest.mark.parametrize(("check", "broken"), BREACHES, ids=_name)
def test_a_breach_is_seen_and_named(check: JudgeCheck, broken: type[Any]) -> None:
    with pytest.raises(AssertionError) as refused:
        check(broken)
    assert str(refused.value).startswith(f"{judge_rule(check)}: ")


def test_every_check_has_something_to_reject_and_a_rule_of_its_own() -> None:
    assert set(BROKEN_JUDGES) == set(judge_checks())
    assert len({judge_rule(check) for check in judge_checks()}) == len(judge_checks())


class Gambler(Cosine):
    """Scores by chance, and says so."""

    deterministic: ClassVar[bool] = False
    started = 0

    def start(self, brief: Any) -> None:
        Gambler.started += 1
        super().start(brief)

    def score(self, page: Page) -> float:
        return super().score(page) / Gambler.started

    async def score_many(self, pages: Sequence[Page]) -> list[float]:
        return [self.score(page) for page in pages]


def test_one_that_cannot_be_repeated_need_not_be() -> None:
    for check in judge_checks():
        if "forgets" not in judge_rule(check):
            check(Gambler)
