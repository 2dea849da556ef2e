"""The judge of a simulation, and what it says about every page of a world."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from salticid.errors import UserError
from salticid.evolve.graph import ArrayCache
from salticid.exact import logistic, logs_of_counts
from salticid.judges.cosine import Cosine
from salticid.judges.svm import Svm
from salticid.learning import STOP_NUMBER
from salticid.model import Bools, Floats, Ints
from salticid.protocols import Brief
from salticid.registry import settings_of
from salticid.runs import url_ids
from salticid.topic import Topic
from salticid.webs import PAGE, TOKEN, RecordedWeb

# Sums that come out as numpy's do, bit for bit, for compiled code.

_SUM_BLOCK = 128


@njit(cache=True)
def pairwise(numbers: Any) -> Any:
    """The sum of some floats in the order in which `numpy.sum` adds them.

    Up to 128 numbers by eight running sums, more by halves.

    >>> import numpy as np
    >>> numbers = np.random.default_rng(0).random(1000)
    >>> bool(pairwise(numbers) == numbers.sum())
    True
    """
    size = len(numbers)
    if size < 8:
        total = 0.0
        for at in range(size):
            total += numbers[at]
        return total
    if size > _SUM_BLOCK:
        half = size // 2
        half -= half % 8
        return pairwise(numbers[:half]) + pairwise(numbers[half:])
    sums = numbers[:8].copy()
    whole = size - size % 8
    for begin in range(8, whole, 8):
        for at in range(8):
            sums[at] += numbers[begin + at]
    total = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]))
    for at in range(whole, size):
        total += numbers[at]
    return total


LEARNING, BY_KEYWORDS = "svm", "cosine"
"""The judges that a simulation knows."""
NEGATIVES_A_PAGE = 5
"""So many random pages of the world stand against each example, as in the paper."""
FEWEST_NEGATIVES = 20
_VERSION = 1
_BLOCK = 20_000
_SHOWN = 1000
_MOST_TIMES = 4096
"""Logarithms of counts below this are looked up; a hostile page with a word more often is left to the judge."""

Watch = Callable[[str, int, int], None]


def known_pages(topic: Topic, web: RecordedWeb) -> Topic:
    """The topic with the pages that its judge learns from: without examples the seeds are these, and without
    negatives random pages of the world, always the same ones.
    """
    examples = topic.examples or topic.seeds
    if topic.negatives:
        return replace(topic, examples=examples)
    exempt = {web.number_at(url) for url in url_ids((*examples, *topic.seeds), web.urls)}
    count = max(NEGATIVES_A_PAGE * len(examples), FEWEST_NEGATIVES)
    order = np.random.default_rng(int(web.digest, 16)).permutation(web.pages)[: count + len(exempt)]
    pages = [page for page in order.tolist() if page not in exempt][:count]
    if not pages:
        raise UserError(f"{web.folder} has no page besides those topic {topic.name!r} names to tell them from")
    urls = web.urls.spell(web.arrays[PAGE.url][pages].tolist())
    return replace(topic, examples=examples, negatives=tuple(urls))


def judge_for(topic: Topic) -> str:
    """The name of the judge of a topic's crawls: one that learns from its examples, or else goes by its keywords."""
    return LEARNING if topic.examples else BY_KEYWORDS


def page_scores(
    judge: Svm | Cosine, brief: Brief, web: RecordedWeb, cache: ArrayCache, watch: Watch | None = None
) -> Floats:
    """The score of each page of the world by the judge once it has learned from `brief`: what `score` gives."""
    told: list[Any] = [_VERSION, settings_of(judge), brief.language]
    if isinstance(judge, Svm):
        told += [brief.topic.examples, brief.topic.negatives]
        make = partial(_scores, judge, brief, web, watch)
    else:
        judge.start(brief)
        told += [brief.topic.keywords]
        make = partial(_similarities, judge, web, watch)
    name = f"scores-{hashlib.blake2b(repr(told).encode(), digest_size=8).hexdigest()}"
    (scores,) = cache.arrays((name,), lambda: (make(),))
    return scores


def _similarities(judge: Cosine, web: RecordedWeb, watch: Watch | None) -> Floats:
    """All pages, one after the other."""
    scores = np.zeros(web.pages)
    for page in range(web.pages):
        scores[page] = judge.score(web.page(page))
        if watch is not None and page % _SHOWN == 0:
            watch("scoring pages", page, web.pages)
    return scores


def _scores(judge: Svm, brief: Brief, web: RecordedWeb, watch: Watch | None) -> Floats:
    """All pages, in blocks, on all cores."""
    judge.start(brief)
    model = _Model.of(judge, web)
    tokens, ends = web.arrays[TOKEN.word], web.arrays[TOKEN.end]

    def margins_from(first: int) -> Floats:
        last = min(first + _BLOCK, web.pages)
        begin = int(ends[first - 1]) if first else 0
        margins: Floats = _margins(model, tokens[begin : int(ends[last - 1])], ends[first:last] - np.uint64(begin))
        return margins

    scores = np.zeros(web.pages)
    blocks = range(0, web.pages, _BLOCK)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for first, margins in zip(blocks, pool.map(margins_from, blocks), strict=True):
            last = first + len(margins)
            scores[first:last] = [logistic(margin) for margin in margins.tolist()]
            for page in (first + np.flatnonzero(np.isnan(margins))).tolist():
                scores[page] = judge.score(web.page(page))
            if watch is not None:
                watch("scoring pages", last, web.pages)
    return scores


class _Model(NamedTuple):
    """A trained judge as arrays: `word` numbers words, STOP for none; features of single words by that number, -1
    for none; of pairs in an open hash table; the weight of each feature.
    """

    word: Ints
    single: npt.NDArray[np.int64]
    pair_key: npt.NDArray[np.int64]
    pair_column: npt.NDArray[np.int64]
    weight: Floats
    bias: float
    log: Floats

    @classmethod
    def of(cls, judge: Svm, web: RecordedWeb) -> _Model:
        vocabulary, features, plane = judge.model()
        word = vocabulary.of(np.arange(len(web.words), dtype=np.int32)).astype(np.int32)
        keys, columns = features.table()
        singles = keys < 1 << 32
        single = np.full(max(int(word.max(initial=0)), int(keys[singles].max(initial=0))) + 1, -1, np.int64)
        single[keys[singles]] = columns[singles]
        size = 1 << max(int(len(keys) * 4 - 1).bit_length(), 4)
        pair_key, pair_column = np.full(size, -1, np.int64), np.zeros(size, np.int64)
        _fill_table(keys[~singles], columns[~singles], pair_key, pair_column)
        logs = logs_of_counts(np.arange(1, _MOST_TIMES))
        return cls(word, single, pair_key, pair_column, plane.weights, plane.bias, np.append(0.0, logs))


@njit(cache=True)
def _place(key: Any, size: int) -> Any:
    """Where in a table of a power of two a pair is looked for first."""
    product = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64(product >> np.uint64(32)) & (size - 1)


@njit(cache=True)
def _fill_table(keys: Any, columns: Any, pair_key: Any, pair_column: Any) -> None:
    size = len(pair_key)
    for number in range(len(keys)):
        at = _place(keys[number], size)
        while pair_key[at] >= 0:
            at = (at + 1) & (size - 1)
        pair_key[at], pair_column[at] = keys[number], columns[number]


@njit(cache=True, nogil=True)
def _margins(model: _Model, stream: Any, ends: Any) -> Any:
    """The margin of each page of a stream, as in `Svm.score`; minus infinity where nothing in it is known."""
    margins = np.full(len(ends), -np.inf)
    size = len(model.pair_key)
    begin = np.int64(0)
    for page in range(len(ends)):
        end = np.int64(ends[page])
        columns = np.empty(2 * (end - begin), np.int64)
        many = 0
        before = np.int64(STOP_NUMBER)
        for at in range(begin, end):
            word = np.int64(model.word[stream[at]])
            if word == STOP_NUMBER:
                continue
            if model.single[word] >= 0:
                columns[many] = model.single[word]
                many += 1
            if before != STOP_NUMBER:
                key = before << 32 | word
                place = _place(key, size)
                while model.pair_key[place] >= 0:
                    if model.pair_key[place] == key:
                        columns[many] = model.pair_column[place]
                        many += 1
                        break
                    place = (place + 1) & (size - 1)
            before = word
        begin = end
        if many:
            margins[page] = _margin(model, np.sort(columns[:many]))
    return margins


@njit(cache=True, error_model="numpy")
def _margin(model: _Model, page_columns: Any) -> Any:
    """weights . row + bias, for the columns that occur in a page, ascending, repeats kept; or nan, to be asked."""
    columns, values = np.empty(len(page_columns), np.int64), np.empty(len(page_columns))
    many, at = 0, 0
    while at < len(page_columns):
        after = at + 1
        while after < len(page_columns) and page_columns[after] == page_columns[at]:
            after += 1
        if after - at >= len(model.log):
            return np.nan
        columns[many], values[many] = page_columns[at], 1.0 + model.log[after - at]
        many += 1
        at = after
    columns, values = columns[:many], values[:many]
    length = np.sqrt(pairwise(values * values))
    products = np.empty(many)
    for place in range(many):
        products[place] = model.weight[columns[place]] * (values[place] / length)
    return pairwise(products) + model.bias


# Which pages of a world are good: what the judge calls positive, or its best, so that there is enough to find.


def good_pages(scores: Floats, line: float, least: int = 0) -> Bools:
    """Those that reach the line; where these are fewer than `least`, so many of the best, and all as good as the last.

    A page that scores nothing is never good. A judge that knows five pages calls few others positive, and every
    crawl finds those few: then none would be better than another.

    >>> scores = np.array([0.9, 0.4, 0.4, 0.1, 0.0])
    >>> [good_pages(scores, 0.5, least).astype(int).tolist() for least in (1, 2, 5)]
    [[1, 0, 0, 0, 0], [1, 1, 1, 0, 0], [1, 1, 1, 1, 0]]
    """
    least = min(least, len(scores))
    if least:
        line = min(line, float(np.partition(scores, -least)[-least]))
    good: Bools = (scores >= line) & (scores > 0)
    return good
