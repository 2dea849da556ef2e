"""Contract checks and small webs, for our own strategies and for anyone's.

>>> from salticid.strategies.breadth_first import BreadthFirst
>>> check_strategy(BreadthFirst)
"""

from salticid.testing.checks import Check, all_checks, check_strategy, rule_of
from salticid.testing.small import SmallWeb, random_web, spider_web, walk_through

__all__ = [
    "Check",
    "SmallWeb",
    "all_checks",
    "check_strategy",
    "random_web",
    "rule_of",
    "spider_web",
    "walk_through",
]
