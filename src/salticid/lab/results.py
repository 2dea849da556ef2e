"""What an experiment found: plain data that results.json holds and the report shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import msgspec
from msgspec.structs import replace

from salticid.errors import UserError
from salticid.metrics import Measure


class Score(msgspec.Struct, frozen=True):
    """A measure of one strategy: mean and standard error over `n` topics; null where it cannot be computed."""

    mean: float | None
    se: float | None
    n: int


class Test(msgspec.Struct, frozen=True):
    """Whether two strategies differ: mean of a - b over the topics both were measured on, and how sure that is.

    `p` is of the paired t-test, `p_wilcoxon` of the signed-rank test, `p_adjusted` is `p` corrected for all
    comparisons of the measure (Holm); `low` and `high` bound the difference (95 %, Student's t); a single
    topic has no bounds.
    """

    __test__: ClassVar[bool] = False  # no test of ours, pytest

    metric: str
    a: str
    b: str
    diff: float
    p: float | None
    p_wilcoxon: float | None
    p_adjusted: float | None
    low: float | None
    high: float | None
    n: int

    @property
    def width(self) -> float | None:
        """How far the bounds are apart."""
        return None if self.low is None or self.high is None else self.high - self.low

    def turned(self) -> Test:
        """The same of b - a."""
        low, high = (None if bound is None else -bound for bound in (self.high, self.low))
        return replace(self, a=self.b, b=self.a, diff=-self.diff, low=low, high=high)


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


# Results that are not worked out twice: a file each, in a folder.

T = TypeVar("T", bound=msgspec.Struct)


def make_folder(folder: Path) -> None:
    """Make the folder that results go to, before hours of work and not after them."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot write to {folder}: {error.strerror}; name another folder with --out") from None


class ResultCache(Generic[T]):
    """Results of one kind by their names, each written as a whole or not at all.

    One that says that something `failed` is found out anew the next time. Without a folder nothing is kept.
    """

    def __init__(self, folder: Path | None, kind: type[T]) -> None:
        self._folder, self._kind = folder, kind
        if folder is not None:
            make_folder(folder)

    def find(self, key: str) -> T | None:
        """The result of that name, if it was kept."""
        if self._folder is None:
            return None
        file = self._folder / f"{key}.json"
        return msgspec.json.decode(file.read_bytes(), type=self._kind) if file.is_file() else None

    def keep(self, key: str, result: T) -> None:
        if self._folder is not None and not getattr(result, "failed", None):
            partial = self._folder / f"{key}.partial"
            partial.write_bytes(msgspec.json.encode(result))
            partial.rename(self._folder / f"{key}.json")
