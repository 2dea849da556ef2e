"""Which of the fetched pages were worth it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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


def _canonical(urls: Iterable[str]) -> frozenset[str | None]:
    return frozenset(map(canonical, urls))
