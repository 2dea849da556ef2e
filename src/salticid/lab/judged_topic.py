"""A topic as its judges see it: what is true about it, and the pool of pages that its crawls fetched."""

from __future__ import annotations

from zlib import crc32

import numpy as np

from salticid.lab.crawl_record import opened
from salticid.lab.experiment import Experiment, topic_of, truth_of
from salticid.lab.linkage import Ranked
from salticid.lab.material import oracle_of, pages_at, terms_of, url_ids
from salticid.lab.traits import heterogeneity
from salticid.metrics.bm25 import bm25
from salticid.metrics.classified import TopicClassifiers
from salticid.metrics.distance import distance
from salticid.metrics.expanded import expanded_query
from salticid.metrics.linkage import keyword_hits, keyword_pagerank_ranks
from salticid.metrics.novelty import novelty_line
from salticid.metrics.oracle_share import oracle_share
from salticid.metrics.pool_terms import PoolTerms
from salticid.metrics.ranks import averaged, ranks
from salticid.metrics.similarity import cosines, idf, similarities
from salticid.metrics.smart import atc
from salticid.model import Bools, Floats, Ints
from salticid.webs.world_arrays import PAGE, ROW, URL

Known = dict[str, list[int]]
"""The pages that each topic is known by, by topic file."""


class JudgedTopic:
    """One topic of an experiment; what belongs to the pool has a value for each of its pages.

    `told` are the seeds and examples, which count neither for nor against; `away` is, for every page of the
    world, how many links it lies from the seeds.
    """

    def __init__(
        self, experiment: Experiment, file: str, crawled: list[list[int]], known: Known, ranked: Ranked
    ) -> None:
        topic, truth = topic_of(file), truth_of(file)
        self.name, self.length = topic.name, experiment.max_pages
        self.web = opened(experiment.world)
        self._seed, self._terms = experiment.seed, terms_of(experiment.world)
        self.page_url: Ints = self.web.arrays[PAGE.url]
        self.seeds, examples = pages_at(self.web, topic.seeds), pages_at(self.web, topic.examples)
        self.told = np.unique(np.concatenate([self.seeds, examples]))
        targets = pages_at(self.web, truth.targets)
        self.targets: Ints = np.unique(targets[~np.isin(targets, self.told)])
        oracle, seeds = oracle_of(experiment.world), url_ids(self.web, topic.seeds)
        self.links = oracle.links
        self.away = oracle.links.distances(seeds)
        self._oracle = oracle.crawl(seeds, self.page_url[self.targets], self.length)
        self._judge_the_pool(crawled, truth.description or topic.keywords, topic.keywords, examples, ranked)
        self._look_at_the_targets(truth.description or topic.keywords)
        self.called = self._classified(file, known)

    def share_of_oracle(self, pages: Ints) -> float | None:
        """How near a crawl came to the oracle."""
        return oracle_share(np.isin(pages, self.targets).tolist(), self._oracle, self.length)

    def modified(self, pages: Ints) -> Floats:
        """When pages were last changed, in seconds since 1970; nan where nobody knows."""
        rows = self.web.arrays[URL.row][self.page_url[pages]]
        dates: Floats = self.web.arrays[ROW.modified][rows]
        return dates

    def _judge_the_pool(
        self, crawled: list[list[int]], description: str, keywords: str, examples: Ints, ranked: Ranked
    ) -> None:
        """Rank the pages of the pool, and say how like the description they are."""
        each = [np.zeros(0, np.int32), *(np.array(pages, np.int32) for pages in crawled)]
        self.pool = PoolTerms(self._terms, np.unique(np.concatenate(each)), [description, keywords])
        counts, text = self.pool.counts, self.pool.query(description)
        self.smart = ranks(atc(counts, text))
        self.smart_and_bm25 = averaged(self.smart, ranks(bm25(counts, text)))
        pagerank = ranked[1][ranked[0].searchsorted(self.pool.pages)]
        self.linkage = keyword_pagerank_ranks(keyword_hits(counts, self.pool.query(keywords)), pagerank)
        self.likeness = cosines(counts, text)
        self.similarity = similarities(counts, text)
        self.expanded_similarity: Floats | None = None
        if len(examples):
            expanded = expanded_query(text, self.pool.counts_of(examples), idf=idf(counts))
            self.expanded_similarity = similarities(counts, expanded)

    def _look_at_the_targets(self, description: str) -> None:
        """What the topic is like, and below which likeness to its description a target is a novel one."""
        targets = PoolTerms(self._terms, self.targets, [description])
        self.heterogeneity = heterogeneity(targets.counts, targets.counts)
        self.distance = distance(self.away, self.targets)
        self.novel_below = novelty_line(cosines(targets.counts, targets.query(description)))

    def _classified(self, file: str, known: Known) -> dict[str, Bools]:
        """By classifier which pages of the pool it calls positive; empty if too few pages are known to train with."""
        own = set(known[file])
        apart = [pages for other, pages in known.items() if other != file and own.isdisjoint(pages)]
        others = dict.fromkeys(page for pages in apart for page in pages)
        pages = np.array([*known[file], *others], np.int32)
        training = PoolTerms(self._terms, np.unique(pages))
        rng = np.random.default_rng([self._seed, crc32(self.name.encode())])
        trained = TopicClassifiers.train(training.counts_of(pages), np.arange(len(pages)) < len(own), rng)
        return {} if trained is None else trained.positives(training.counts_of(self.pool.pages))
