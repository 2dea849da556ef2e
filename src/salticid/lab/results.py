"""What an experiment found: plain data that results.json holds and the report shows."""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec

from salticid.metrics.parts.measure import Measure


class Score(msgspec.Struct, frozen=True):
    """A measure of one strategy: mean and standard error over `n` topics; null where it cannot be computed."""

    mean: float | None
    se: float | None
    n: int


class Test(msgspec.Struct, frozen=True):
    """Whether two strategies differ: mean of a - b over the topics both were measured on, and how sure that is.

    `p` is of the paired t-test, `p_wilcoxon` of the signed-rank test, `p_adjusted` is `p` corrected for all
    comparisons of the measure (Holm); `low` and `high` bound the difference (bootstrap, 95 %).
    """

    __test__: ClassVar[bool] = False  # no test of ours, pytest

    metric: str
    a: str
    b: str
    diff: float
    p: float | None
    p_wilcoxon: float | None
    p_adjusted: float | None
    low: float
    high: float
    n: int


class Curve(msgspec.Struct, frozen=True):
    """A measure along the crawl: mean and standard error over topics at each x."""

    x: list[float]
    mean: list[float]
    se: list[float]


class TopicResult(msgspec.Struct, frozen=True):
    """One topic: what it is like, each strategy's measures (mean of its repeats), and who failed, and why."""

    name: str
    targets: int
    heterogeneity: float | None
    values: dict[str, dict[str, float | None]]
    failed: dict[str, str]


class Results(msgspec.Struct, frozen=True):
    """All of it. `strategies`: measure by measure. `curves`: for a figure of the report, by its name, a curve
    for each strategy. `histograms`: likewise, counts for 0, 1, 2, ... `about`: the world's digest, versions,
    settings, seeds: what has to be the same for these results to come out again. `dependence`: how far a
    measure depends on what topics are like: by trait (size, heterogeneity, distance), measure and strategy a
    rank correlation over topics. `measures`: what each measure says about itself.
    """

    strategies: dict[str, dict[str, Score]]
    tests: list[Test]
    topics: list[TopicResult]
    curves: dict[str, dict[str, Curve]]
    histograms: dict[str, dict[str, list[int]]]
    dependence: dict[str, dict[str, dict[str, float]]]
    about: dict[str, Any]
    measures: dict[str, Measure] = {}
