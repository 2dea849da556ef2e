"""What a measure is given: one crawl of a topic, with what is true about the topic and the world."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from zlib import crc32

import numpy as np
from scipy.sparse import csr_array

from salticid.metrics.parts.classifiers import TopicClassifiers
from salticid.metrics.parts.graph import Oracle, keyword_hits, keyword_pagerank_ranks, pool_pagerank
from salticid.metrics.parts.measure import Need
from salticid.metrics.parts.retrieval import atc, bm25, cosines, expanded_query, idf, mean_ranks, ranks, similarities
from salticid.model import Bools, Floats, Ints
from salticid.text import Bag, Stems
from salticid.topic import Topic
from salticid.truth import Truth
from salticid.urls import canonical
from salticid.webs import PAGE, ROW, TOKEN, URL, RecordedWeb


class WorldTerms:
    """How often each stem occurs on a page of a world, in the world's main language.

    The same pages come in many pools, so what was counted is kept, up to `most` pairs of stem and count (a pair
    takes 12 bytes); then what was not asked for longest goes. Stems are numbered by the world alone, so that
    the order in which pools come changes nothing.
    """

    def __init__(self, web: RecordedWeb, most: int = 50_000_000) -> None:
        self._stems = Stems(web.words, web.arrays.manifest.stems.partition(":")[0])
        self._stems.of(np.arange(len(web.words.disk), dtype=np.int32))
        self._tokens, self._ends = web.arrays[TOKEN.word], web.arrays[TOKEN.end]
        self._most, self._size = most, 0
        self._bags: OrderedDict[int, Bag] = OrderedDict()

    def __len__(self) -> int:
        """How many stems there are by now."""
        return len(self._stems)

    def terms(self, text: str) -> list[int]:
        """The stems of a text, stop words left out, repeats kept."""
        return self._stems.terms(text)

    def bag(self, number: int) -> Bag:
        """The stems of page `number` of the world with their counts."""
        bag = self._bags.get(number)
        if bag is not None:
            self._bags.move_to_end(number)
            return bag
        begin = int(self._ends[number - 1]) if number else 0
        bag = Bag.of(self._stems.of(self._tokens[begin : int(self._ends[number])]))
        self._bags[number] = bag
        self._size += len(bag.terms)
        while self._size > self._most:
            _number, oldest = self._bags.popitem(last=False)
            self._size -= len(oldest.terms)
        return bag


class PoolTerms:
    """The pages of a pool as counts of stems; its columns are the stems of the pool and of the `texts` named.

    `pages` are numbers of pages of the world, ascending and distinct; `counts[i]` are those of `pages[i]`, and
    column j counts stem `stems[j]`.
    """

    def __init__(self, world: WorldTerms, pages: Ints, texts: Iterable[str] = ()) -> None:
        self.pages = pages
        self._world = world
        bags = [world.bag(number) for number in pages.tolist()]
        text_stems = [stem for text in texts for stem in world.terms(text)]
        occurs = np.zeros(len(world), np.bool_)
        occurs[text_stems] = True
        for bag in bags:
            occurs[bag.terms] = True
        self.stems = np.flatnonzero(occurs).astype(np.int32)
        self._column = np.full(len(world), -1, np.int32)
        self._column[self.stems] = np.arange(len(self.stems))
        self.counts = self._rows(bags)

    def query(self, text: str) -> Floats:
        """The counts of a text over the columns; words of one not named at the start may have none, and get lost."""
        terms = np.array(self._world.terms(text), np.int32)
        columns = self._column[terms[terms < len(self._column)]]
        return np.bincount(columns[columns >= 0], minlength=len(self.stems)).astype(np.float64)

    def counts_of(self, pages: Ints) -> csr_array:
        """The counts of any pages of the world, in the order given, over the columns of this pool."""
        return self._rows([self._world.bag(number) for number in pages.tolist()])

    def places(self, pages: Ints) -> Ints:
        """Which rows belong to these pages of the pool: `ranks[pool.places(fetched)]`."""
        return self.pages.searchsorted(pages).astype(np.int32)

    def _rows(self, bags: list[Bag]) -> csr_array:
        none = np.zeros(0, np.int32)
        columns = self._column[np.concatenate([none, *(bag.terms for bag in bags)])]
        counts = np.concatenate([none, *(bag.counts for bag in bags)]).astype(np.int32)
        ends = np.cumsum([0, *(len(bag.terms) for bag in bags)])
        inside = columns >= 0
        starts = np.concatenate(([0], np.cumsum(inside)))[ends].astype(np.int32)
        return csr_array((counts[inside], columns[inside], starts), (len(bags), len(self.stems)))


# What the measures of all topics of a world share.


class JudgedWorld:
    """A recorded world, with the stems of its pages and the links between them; each worked out when asked for."""

    def __init__(self, web: RecordedWeb) -> None:
        self.web = web

    @cached_property
    def terms(self) -> WorldTerms:
        """The stems of the pages."""
        return WorldTerms(self.web)

    @cached_property
    def oracle(self) -> Oracle:
        """The oracle, and with it the links between the pages."""
        return Oracle(self.web)

    def url_ids(self, urls: tuple[str, ...]) -> Ints:
        """The ids of URLs that the world knows, in their order."""
        ids = (self.web.urls.find(url) for text in urls if (url := canonical(text)) is not None)
        return np.array([at for at in ids if at >= 0], np.int32)

    def pages_at(self, urls: tuple[str, ...]) -> Ints:
        """The pages at these very URLs, in their order."""
        numbers = (self.web.number_at(at) for at in self.url_ids(urls).tolist())
        return np.array([number for number in numbers if number >= 0], np.int32)

    def pagerank(self, pages: Ints) -> Floats:
        """The PageRank of pages, by the links among them."""
        start, link = self.oracle.links.among(pages)
        return pool_pagerank(start.astype(np.int32), link)


# A topic as its judges see it: what is true about it, and the pool of pages that its crawls fetched.


@dataclass(frozen=True, eq=False)
class JudgedTopic:
    """One topic; what belongs to the pool has a value for each of its pages. All is worked out when asked for.

    `pool_pages` are the pages of the pool, ascending, `pagerank` is that of each of them, over the pages of all
    topics. Classifiers learn from `positives`, pages that the topic is known by, and `negatives`, pages of other
    topics. `length` is the number of pages that a crawl was allowed.
    """

    world: JudgedWorld
    topic: Topic
    truth: Truth
    length: int
    pool_pages: Ints
    pagerank: Floats
    positives: Sequence[int] = ()
    negatives: Sequence[int] = ()
    seed: int = 0

    @property
    def description(self) -> str:
        """What the topic is about: the description of the truth, else the keywords."""
        return self.truth.description or self.topic.keywords

    @cached_property
    def seeds(self) -> Ints:
        """The pages that crawls start from."""
        return self.world.pages_at(self.topic.seeds)

    @cached_property
    def examples(self) -> Ints:
        """Relevant pages that the crawler may know."""
        return self.world.pages_at(self.topic.examples)

    @cached_property
    def start_pages(self) -> Ints:
        """Seeds and examples, which count neither for nor against."""
        return np.unique(np.concatenate([self.seeds, self.examples]))

    @cached_property
    def targets(self) -> Ints:
        """The pages to be found, those given left out."""
        targets = self.world.pages_at(self.truth.targets)
        return np.unique(targets[~np.isin(targets, self.start_pages)])

    @cached_property
    def away(self) -> Ints:
        """For every page of the world how many links it lies from the seeds; -1 where no way leads."""
        return self.world.oracle.links.distances(self.world.url_ids(self.topic.seeds))

    @cached_property
    def oracle(self) -> list[bool]:
        """For each page of the oracle's crawl whether it is a target."""
        seeds = self.world.url_ids(self.topic.seeds)
        return self.world.oracle.crawl(seeds, self.urls(self.targets), self.length)

    def urls(self, pages: Ints) -> Ints:
        """The ids of the URLs of pages."""
        ids: Ints = self.world.web.arrays[PAGE.url][pages]
        return ids

    def dates(self, pages: Ints) -> Floats:
        """When pages were last changed, in seconds since 1970; nan where nobody knows."""
        arrays = self.world.web.arrays
        dates: Floats = arrays[ROW.modified][arrays[URL.row][self.urls(pages)]]
        return dates

    @cached_property
    def pool(self) -> PoolTerms:
        """The stems of the pages of the pool."""
        return PoolTerms(self.world.terms, self.pool_pages, [self.description, self.topic.keywords])

    @cached_property
    def target_terms(self) -> PoolTerms:
        """The stems of the targets, found or not."""
        return PoolTerms(self.world.terms, self.targets, [self.description])

    @cached_property
    def query(self) -> Floats:
        """The counts of the description's stems."""
        return self.pool.query(self.description)

    @cached_property
    def smart(self) -> Floats:
        """The ranks that SMART gives the pool."""
        return ranks(atc(self.pool.counts, self.query))

    @cached_property
    def smart_and_bm25(self) -> Floats:
        """The ranks of SMART and BM25, averaged."""
        return mean_ranks(self.smart, ranks(bm25(self.pool.counts, self.query)))

    @cached_property
    def linkage(self) -> Floats:
        """The ranks by number of keywords, among equals by PageRank."""
        hits = keyword_hits(self.pool.counts, self.pool.query(self.topic.keywords))
        return keyword_pagerank_ranks(hits, self.pagerank)

    @cached_property
    def likeness(self) -> Floats:
        """The cosine of each page of the pool and the description, on raw counts."""
        return cosines(self.pool.counts, self.query)

    @cached_property
    def similarity(self) -> Floats:
        """The same with tf * idf."""
        return similarities(self.pool.counts, self.query)

    @cached_property
    def expanded_similarity(self) -> Floats:
        """The same with the words of the examples added to the description."""
        counts = self.pool.counts
        query = expanded_query(self.query, self.pool.counts_of(self.examples), idf=idf(counts))
        return similarities(counts, query)

    @cached_property
    def called_positive(self) -> dict[str, Bools]:
        """By classifier which pages of the pool it calls positive; empty if too few are known to train with."""
        pages = np.array([*self.positives, *self.negatives], np.int32)
        training = PoolTerms(self.world.terms, np.unique(pages))
        rng = np.random.default_rng([self.seed, crc32(self.topic.name.encode())])
        positive = np.arange(len(pages)) < len(self.positives)
        classifiers = TopicClassifiers.train(training.counts_of(pages), positive, rng)
        return {} if classifiers is None else classifiers.positives(training.counts_of(self.pool_pages))


@dataclass(frozen=True, eq=False)
class JudgedCrawl:
    """The good pages of a crawl in the order in which they were fetched, and all that is true of them.

    `pages` are numbers of the world's pages, `scores` what the judge gave them. `halves` are the pages of two other
    crawls of the strategy, from either half of the seeds, where these were made.
    """

    topic: JudgedTopic
    pages: Ints
    scores: Floats
    halves: tuple[Ints, Ints] | None = None

    @cached_property
    def urls(self) -> list[str]:
        """Where the pages are."""
        urls = self.topic.world.web.urls
        return [urls[url] for url in self.topic.urls(self.pages).tolist()]

    @cached_property
    def places(self) -> Ints:
        """Where the pages stand in the pool: `crawl.topic.smart[crawl.places]`."""
        return self.topic.pool.places(self.pages)

    @cached_property
    def is_target(self) -> Bools:
        return np.isin(self.pages, self.topic.targets)

    @cached_property
    def is_seed(self) -> Bools:
        return np.isin(self.pages, self.topic.seeds)

    @cached_property
    def is_counted(self) -> Bools:
        """Which pages count for or against: all but seeds and examples."""
        return ~np.isin(self.pages, self.topic.start_pages)

    @cached_property
    def relevant(self) -> list[bool]:
        """For each page that counts whether it is a target."""
        relevant: list[bool] = self.is_target[self.is_counted].tolist()
        return relevant

    def has(self, need: Need) -> bool:
        """Whether a need is met."""
        topic = self.topic
        checks: dict[Need, Callable[[], object]] = {
            Need.PAGES: lambda: len(self.pages),
            Need.TARGETS: lambda: len(topic.targets),
            Need.FOUND: self.is_target.any,
            Need.EXAMPLES: lambda: len(topic.examples),
            Need.CLASSIFIERS: lambda: topic.called_positive,
            Need.DATES: lambda: np.isfinite(topic.dates(self.pages)).any(),
            Need.HALVES: lambda: self.halves,
        }
        return bool(checks[need]())
