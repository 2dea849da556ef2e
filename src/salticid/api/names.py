"""The names of what can be chosen."""

from __future__ import annotations

from salticid.judges import judges
from salticid.metrics import metrics
from salticid.strategies import strategies


def strategy_names() -> list[str]:
    """All strategies, those of other packages included."""
    return strategies.names()


def judge_names() -> list[str]:
    """All judges, those of other packages included."""
    return judges.names()


def measure_names() -> list[str]:
    """All measures, those of other packages included."""
    return metrics.names()
