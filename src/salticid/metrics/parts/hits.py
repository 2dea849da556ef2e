"""Which of the fetched pages were worth it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate

from salticid.model import Topic
from salticid.truth import Truth
from salticid.urls import canonical


def hits(urls: Sequence[str], topic: Topic, truth: Truth) -> list[bool]:
    """For each fetched page in order, whether it is a target; seeds and examples are passed over.

    `fetched` holds the canonical URLs of the good pages.

    >>> topic = Topic("t", "k", seeds=("http://a.example/s",))
    >>> truth = Truth(targets=("http://a.example/1", "http://a.example/2"))
    >>> hits(["http://a.example/s", "http://a.example/1", "http://a.example/x"], topic, truth)
    [True, False]
    """
    start_urls, targets = _canonical([*topic.seeds, *topic.examples]), _canonical(truth.targets)
    return [url in targets for url in urls if url not in start_urls]


def harvest_curve(relevant: Sequence[bool]) -> list[float]:
    """h(n) = relevant pages among the first n / n, for n = 1, 2, ...

    >>> harvest_curve([True, False, True])
    [1.0, 0.5, 0.6666666666666666]
    """
    return [hits / n for n, hits in enumerate(accumulate(map(int, relevant)), start=1)]


def _canonical(urls: Iterable[str]) -> frozenset[str | None]:
    return frozenset(map(canonical, urls))
