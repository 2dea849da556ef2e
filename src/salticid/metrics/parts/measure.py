"""What a measure says about itself, and which of the fetched pages are targets."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec.structs import replace

from salticid.errors import UserError
from salticid.model import Floats
from salticid.registry import paper_of
from salticid.topic import Topic
from salticid.truth import Truth
from salticid.urls import canonical

if TYPE_CHECKING:
    from salticid.metrics.parts.judged import JudgedCrawl

Value = float | Sequence[float] | Floats | None
"""A number, or one after each page fetched, the last of which sums the crawl up; None where there is none."""
Metric = Callable[["JudgedCrawl"], Value]
F = TypeVar("F", bound=Callable[..., Any])


class Better(StrEnum):
    """Which of two values speaks for a strategy; some measures describe a crawl without praising it."""

    HIGHER = "higher"
    LOWER = "lower"
    NEITHER = "neither"


class Group(StrEnum):
    """What a measure looks at."""

    TARGETS = "Targets found"
    CLASSIFIERS = "Judged by classifiers"
    WORDS = "Judged by words"
    LINKS = "Judged by links"
    WHOLE = "The crawl as a whole"


class Need(StrEnum):
    """What has to be there for a measure to be computed; without it the value is null, and nobody is asked."""

    PAGES = "a crawl that fetched a page"
    TARGETS = "targets that are neither seeds nor examples"
    FOUND = "a target among the pages fetched"
    EXAMPLES = "known relevant pages of the topic"
    CLASSIFIERS = "three known relevant pages of the topic, and other topics that share none of them"
    DATES = "dates of the pages"
    HALVES = "the option --robustness, which makes crawls of their own, and two seeds"


class Measure(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One measure of a crawl, written above the function that computes it.

    `title` heads columns and axes. `claim` completes "best_first ...", said of the best; `of` follows its value.
    `digits` are the decimals shown when no standard error tells how many are worth it. `needs` are needs that are
    seen to, or texts about others, where the function returns None. A curve over the n best pages of the pool, not
    over pages fetched, has each n in `tops`, and is summed up by its value for `top` of them. The rest comes from
    the function: `name` is its own, `meaning` the first paragraph of its docstring, `paper` what follows `Paper:`.

    >>> @Measure(title="pages", better=Better.HIGHER)
    ... def pages_read(crawl: JudgedCrawl) -> float:
    ...     '''Pages fetched.'''
    ...     return len(crawl.pages)
    >>> made = measure_of(pages_read)
    >>> made.name, made.meaning, made.claim
    ('pages_read', 'Pages fetched.', 'has the highest pages')
    """

    title: str = ""
    better: Better = Better.NEITHER
    group: Group = Group.WHOLE
    unit: str = ""
    claim: str = ""
    of: str = ""
    digits: int = 2
    needs: tuple[str, ...] = ()
    tops: tuple[int, ...] = ()
    top: int | None = None
    name: str = ""
    meaning: str = ""
    paper: str = ""

    def __call__(self, function: F) -> F:
        """Declare a function to be this measure."""
        vars(function)["measure"] = self
        return function

    def with_name(self, name: str) -> Measure:
        """The same under a name, which also stands for what was not said of it."""
        title = self.title or name.replace("_", " ")
        most = "lowest" if self.better is Better.LOWER else "highest"
        claim, meaning = self.claim or f"has the {most} {title}", self.meaning or f"{name}."
        return replace(self, name=name, title=title, claim=claim, meaning=meaning)


def measure_of(function: Metric, name: str = "") -> Measure:
    """What a function says of the measure it computes; one that says nothing praises nobody."""
    name = name or getattr(function, "__name__", "<no name>")
    if not name.isidentifier():
        raise UserError(f"{function!r} is a measure without a name; write it as in def title_length(crawl)")
    measure: Measure = getattr(function, "measure", Measure())
    meaning, _, _ = inspect.cleandoc(function.__doc__ or "").partition("\n\n")
    paper = paper_of(function).removesuffix(".")
    return replace(measure, meaning=" ".join(meaning.split()), paper=paper).with_name(name)


# Which of the fetched pages were worth it.


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
