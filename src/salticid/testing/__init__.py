"""Contract checks and small webs, for our own strategies and judges and for anyone's.

>>> from salticid.strategies.breadth_first import BreadthFirst
>>> check_strategy(BreadthFirst)
"""

from salticid.testing.checks import Check, all_checks, check_strategy, rule_of
from salticid.testing.judge_checks import JudgeCheck, check_judge, judge_checks, judge_rule
from salticid.testing.small import SmallWeb, random_web, spider_web, walk_through

__all__ = [
    "Check",
    "JudgeCheck",
    "SmallWeb",
    "all_checks",
    "check_judge",
    "check_strategy",
    "judge_checks",
    "judge_rule",
    "random_web",
    "rule_of",
    "spider_web",
    "walk_through",
]
