"""Builds the world of a generated web: pages are printed, by several processes if they are many, and kept at once."""

from __future__ import annotations

import mmap
import multiprocessing
import os
import shutil
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from salticid.errors import UserError
from salticid.model import Ints
from salticid.tables import FileHeap, Texts
from salticid.text import DEFAULT
from salticid.webs import HOST, LINK, ROW, TOKEN, URL, WORD, ArrayWriter, Manifest, WorldArray, write_index, write_texts
from salticid.worlds.answers import read_labels, write_labels
from salticid.worlds.building import WorldSummary
from salticid.worlds.directories import Entry, Leaf, write_dump
from salticid.worlds.generating.chance import Lots, Whole
from salticid.worlds.generating.lives import LAST_DAY
from salticid.worlds.generating.plan import Permanence, WebPlan
from salticid.worlds.generating.press import ELSEWHERE, PageBlock, Press, other_answers
from salticid.worlds.generating.prose import NOTHING
from salticid.worlds.writer import new_arrays, write_stems

# The directory of a generated web: for each topic a leaf, with some pages that editors listed and what they wrote.
#
# Editors list pages that last before those that pass, by lot and not by how popular they are, and none in other
# languages. Of a page they say what it speaks of most.

MOST_LISTED = 50
SAID = 5
"""So many words of the topic are said of a page, if it has them."""
_AT_ONCE = 4_096


def leaves(press: Press) -> Iterator[Leaf]:
    """The leaves of a web, topic by topic, with the addresses that its pages have on the day."""
    entries: dict[int, list[Entry]] = {}
    places = listed(press.plan)
    for begin in range(0, len(places), _AT_ONCE):
        some = places[begin : begin + _AT_ONCE]
        topics = press.plan.topic_of[some].tolist()
        for topic, entry in zip(topics, _entries(press, some), strict=True):
            entries.setdefault(topic, []).append(entry)
    for topic, label in enumerate(press.plan.tree.labels):
        yield Leaf(label.replace(".", "/"), tuple(entries.get(topic, ())))


def listed(plan: WebPlan) -> Whole:
    """The places whose pages are listed, by topic and in the editors' order: at most `MOST_LISTED` of each."""
    places = np.flatnonzero(plan.hosts.tongue[plan.host_of] == 0)
    passing = plan.standing_of[places] == Permanence.PASSING
    order = np.lexsort((Lots(plan.seed, "listed").keys(places), passing, plan.topic_of[places]))
    places = places[order]
    topic = plan.topic_of[places].astype(np.int64)
    rank = np.arange(len(places)) - np.searchsorted(topic, topic)
    return places[rank < MOST_LISTED]


def description(words: Sequence[str], of_topic: Collection[str]) -> str:
    """What an editor writes of a page with these words: those of the topic that it uses most, earlier ones first.

    >>> description("the bolting of a route is bolting and belay for a route".split(), {"route", "belay", "bolting"})
    'Bolting, route, belay.'
    >>> description(["nothing", "said"], {"route"})
    ''
    """
    counts = Counter(word for word in words if word in of_topic)
    said = ", ".join(word for word, _ in counts.most_common(SAID))
    return f"{said.capitalize()}." if said else ""


def _entries(press: Press, places: Whole) -> Iterator[Entry]:
    draft, plan = press.author.pages(places), press.plan
    texts = np.split(draft.text, np.cumsum(draft.lengths)[:-1])
    urls = press.urls_of(places, draft)
    topics = plan.topic_of[places].tolist()
    words_of = {topic: _topic_words(press, topic) for topic in set(topics)}
    for url, row, text, topic in zip(urls, draft.titles, texts, topics, strict=True):
        title = " ".join(_spell(press, row[row != NOTHING])).capitalize()
        yield Entry(url.decode(), title, description(_spell(press, text), words_of[topic]))


def _topic_words(press: Press, topic: int) -> frozenset[str]:
    """The words of a topic's own, and those of its field."""
    lexicon, fields = press.plan.lexicon, len(press.plan.tree.fields)
    return frozenset(_spell(press, np.concatenate((lexicon.own[topic], lexicon.shared[topic % fields]))))


def _spell(press: Press, words: Ints) -> list[str]:
    return [press.words[word].decode() for word in words.tolist()]


DIRECTORY = "directory.rdf"
"""The dump of the web's own directory, beside the world."""
VERSION = 2
"""Of the generator: webs of one seed and different versions are different webs, and worlds name theirs."""
AT_ONCE = 4_096
"""Pages that are printed together: what they need fits into the caches of a processor."""
_ALONE = 40_000
"""Pages up to which other processes would take longer to start than to help."""
_MOST_HELPERS = 4
_MOST_PAGES = 50_000_000
_AT_ONCE_ELSEWHERE = 100_000
_TOKEN_BYTES_AT_ONCE = 16 << 20


@dataclass(frozen=True)
class WebEdition:
    """Which web, which day of it, and whether its sites have heavy menus."""

    pages: int
    seed: int = 0
    day: int = 0
    menus: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.pages <= _MOST_PAGES:
            raise UserError(f"no web of {self.pages} pages; ask for 1 to {_MOST_PAGES:,}")
        if self.seed < 0:
            raise UserError(f"{self.seed} is no seed; give a whole number from 0 on")
        if not 0 <= self.day <= LAST_DAY:
            raise UserError(f"no day {self.day}; name one from 0 to {LAST_DAY:,}")

    @property
    def name(self) -> str:
        """What the manifest calls it."""
        menus = " with heavy menus" if self.menus else ""
        return f"generated web{menus}, version {VERSION}, {self.pages} pages from seed {self.seed} on day {self.day}"

    def press(self) -> Press:
        """What prints it."""
        return Press(self.pages, self.seed, self.day, self.menus)


def build_generated(
    out: Path,
    edition: WebEdition,
    labels: Path | None = None,
    watch: Callable[[int, int], None] | None = None,
) -> WorldSummary:
    """Make the new world folder `out`; whatever goes wrong, it is whole or not there.

    The file `labels` adds to the labels of the web's own. `watch(done, pages)` is shown the progress.
    """
    extra_labels = [pair for pair in read_labels(labels) if pair is not None] if labels else []
    arrays = new_arrays(out)
    try:
        with _Writer(arrays, edition.press()) as writer:
            with _printers(edition, writer.press) as blocks:
                for block in blocks:
                    writer.add(block)
                    if watch is not None:
                        watch(writer.pages, writer.pages)
            label_count = writer.label(extra_labels)
            write_dump(arrays.folder / DIRECTORY, leaves(writer.press))
            manifest = writer.close(edition.name)
        arrays.folder.rename(out)
    except BaseException:
        shutil.rmtree(arrays.folder, ignore_errors=True)
        raise
    return WorldSummary(manifest, edition.pages, label_count, [])


class _Writer:
    """Puts what is printed into the arrays of a world; what links lead to elsewhere comes after all pages."""

    def __init__(self, arrays: ArrayWriter, press: Press) -> None:
        self.press, self.pages, self._arrays = press, 0, arrays
        self._urls = FileHeap(self._arrays.path(URL.text))
        self._tokens = self._arrays.path(TOKEN.word).open("w+b")
        self._ends: Counter[WorldArray[np.uint64]] = Counter()
        self._unknown = 0
        self._link_urls: list[npt.NDArray[np.int32]] = []
        self._elsewhere: list[Whole] = []

    def add(self, part: PageBlock) -> None:
        """Keep some more pages."""
        self._append(part.arrays)
        self._tokens.write(part.tokens.data)
        for end, counts in part.counts.items():
            ends = self._ends[end] + np.cumsum(counts)
            self._ends[end] = int(ends[-1])
            self._arrays.append(end, ends.astype(np.uint64))
        self._link_urls.append(part.link_url)
        self._elsewhere.append(part.elsewhere)
        self._urls.extend(part.urls)
        self.pages += len(part.urls)

    def label(self, extra: list[tuple[str, str]]) -> int:
        """Label the pages of places with their topics, and any page with its extra labels.

        Nobody has labelled foreign pages, nor calendars. How many labels there are.
        """
        plan = self.press.plan
        topics = plan.topic_of.tolist()
        has_label: list[bool] = (plan.hosts.tongue[plan.host_of] == 0).tolist()
        extra_urls = {url.encode() for url, _ in extra}
        urls: set[str] = set()

        def pairs() -> Iterator[tuple[str, str]]:
            labels = plan.tree.labels
            for url, topic, its_own in zip_longest(self._urls, topics, has_label):
                if url in extra_urls:
                    urls.add(url.decode())
                if its_own:
                    yield url.decode(), labels[topic]
            yield from (pair for pair in extra if pair[0] in urls)

        write_labels(self._arrays.folder, pairs())
        self._unknown = sum(url not in urls for url, _ in set(extra))
        return has_label.count(True) + len(set(extra)) - self._unknown

    def close(self, built_from: str) -> Manifest:
        """Write everything that can only be known at the end."""
        self._write_elsewhere()
        self._arrays.append(URL.row, np.arange(len(self._urls.ends), dtype=np.int32))
        write_texts(self._arrays, HOST, [name.encode() for name in self.press.addresses.host_names()])
        rules = self._write_words()
        write_index(self._arrays, URL, self._urls.ends, self._urls)
        self._urls.close()
        left_out = {"label for an unknown URL": self._unknown} if self._unknown else {}
        return self._arrays.close(built_from, rules, left_out)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Let go of all files."""
        self._urls.close()
        self._tokens.close()
        self._arrays.abandon()

    def _append(self, arrays: dict[WorldArray[Any], npt.NDArray[Any]]) -> None:
        for array, values in arrays.items():
            self._arrays.append(array, values)

    def _write_elsewhere(self) -> None:
        """The URLs that lead to no page, each once, their answers, and with these the links that wait for them."""
        press = self.press
        references, where = np.unique(np.concatenate(self._elsewhere), return_inverse=True)
        self._elsewhere = []
        numbers = (self.pages + where).astype(np.int32)
        for urls in self._link_urls:
            waiting = np.flatnonzero(urls == ELSEWHERE)
            urls[waiting], numbers = numbers[: len(waiting)], numbers[len(waiting) :]
            self._arrays.append(LINK.url, urls)
        self._link_urls = []
        for begin in range(0, len(references), _AT_ONCE_ELSEWHERE):
            some = references[begin : begin + _AT_ONCE_ELSEWHERE]
            host = press.addresses.host_of(some)
            answers = other_answers(press.author, press.service, host, some)
            self._append(
                {
                    ROW.kind: answers.kind,
                    ROW.status: answers.status,
                    ROW.target: answers.target,
                    ROW.page: np.full(len(some), -1, np.int32),
                    ROW.size: answers.size,
                    ROW.seconds: answers.seconds,
                    ROW.modified: np.full(len(some), np.nan),
                    URL.host: host.astype(np.int32),
                }
            )
            self._urls.extend(press.addresses.spell(some))

    def _write_words(self) -> str:
        """The words that occur, in the order of the lexicon, and their stems; and their numbers into the streams."""
        occurs = np.zeros(len(self.press.words), np.bool_)
        for tokens in self._streams():
            occurs[tokens] = True
        number = (np.cumsum(occurs) - 1).astype(np.int32)
        for tokens in self._streams():
            tokens[:] = number[tokens]
        self._tokens.close()
        words = Texts()
        words.intern_all([self.press.words[at] for at in np.flatnonzero(occurs).tolist()])
        write_texts(self._arrays, WORD, words.between(0, len(words)))
        return write_stems(self._arrays, words, DEFAULT)

    def _streams(self) -> Iterator[npt.NDArray[np.int32]]:
        """All streams written so far, a piece at a time, as they stand in their file."""
        self._tokens.flush()
        data = mmap.mmap(self._tokens.fileno(), 0)
        for begin in range(0, len(data), _TOKEN_BYTES_AT_ONCE):
            count = min(_TOKEN_BYTES_AT_ONCE, len(data) - begin) // 4
            yield np.frombuffer(data, np.int32, count, begin)


@contextmanager
def _printers(edition: WebEdition, press: Press) -> Iterator[Iterator[PageBlock]]:
    """The pages in order, printed here or, if they are many, by processes beside this one."""
    parts = list(_parts(press.plan.places, edition.pages))
    helpers = min(len(os.sched_getaffinity(0)), _MOST_HELPERS)
    if edition.pages <= _ALONE or helpers == 1:
        yield (press.print(*part) for part in parts)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(helpers, context, _start, (edition,)) as pool:
        yield _in_order(pool, parts, 3 * helpers)


def _in_order(pool: Executor, parts: list[tuple[int, int]], ahead: int) -> Iterator[PageBlock]:
    """What the pool prints, in order, and never more than so many parts ahead of the reader."""
    waiting: deque[Future[PageBlock]] = deque()
    for part in parts:
        waiting.append(pool.submit(_print, part))
        if len(waiting) > ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _parts(places: int, pages: int) -> Iterator[tuple[int, int]]:
    """All pages, in parts that hold either places or months.

    >>> list(_parts(5_000, 5_200))
    [(0, 4096), (4096, 5000), (5000, 5200)]
    """
    for begin, end in ((0, places), (places, pages)):
        for first in range(begin, end, AT_ONCE):
            yield first, min(first + AT_ONCE, end)


_press: Press


def _start(edition: WebEdition) -> None:
    global _press
    _press = edition.press()


def _print(part: tuple[int, int]) -> PageBlock:
    return _press.print(*part)
