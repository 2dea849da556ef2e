"""What the links of a world say about a topic, worked out once for all crawls."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np

from salticid.evolve.array_cache import ArrayCache
from salticid.evolve.graph import Graph, first_links
from salticid.protocols import Brief
from salticid.strategies.parts.rank_words import AROUND, LinkWords, Singles, Stretch
from salticid.webs.recorded import RecordedWeb
from salticid.webs.world_arrays import LINK, TOKEN

_VERSION = 1
_BLOCK = 5_000

Watch = Callable[[str, int, int], None]


def link_words(
    brief: Brief, web: RecordedWeb, graph: Graph, cache: ArrayCache, watch: Watch | None = None
) -> tuple[Singles, Singles]:
    """For each link of `graph.out` the anchor and the context score: the best of those to its URL on its page."""
    settings = [_VERSION, AROUND, brief.topic.keywords, brief.language]
    digest = hashlib.blake2b(repr(settings).encode(), digest_size=8).hexdigest()
    names = f"anchor-{digest}", f"context-{digest}"
    anchor, context = cache.arrays(names, lambda: _scores(LinkWords(brief), web, graph, watch))
    return anchor, context


def _scores(words: LinkWords, web: RecordedWeb, graph: Graph, watch: Watch | None) -> tuple[Singles, Singles]:
    arrays, place = web.arrays, first_links(web)
    token_ends, link_ends = (arrays[name].astype(np.int64) for name in (TOKEN.end, LINK.end))
    anchor, context = np.zeros(len(graph.out), np.float32), np.zeros(len(graph.out), np.float32)
    for first in range(0, web.pages, _BLOCK):
        last = min(first + _BLOCK, web.pages)
        token_begin, link_begin = (int(ends[first - 1]) if first else 0 for ends in (token_ends, link_ends))
        high = token_ends[first:last] - token_begin
        low = np.append(0, high[:-1])
        links = slice(link_begin, int(link_ends[last - 1]))
        page = np.repeat(np.arange(last - first), np.diff(link_ends[first:last], prepend=link_begin))
        begin, end = (arrays[name][links] + low[page] for name in (LINK.start, LINK.stop))
        spans = Stretch(begin, end, low[page], high[page])
        best_scores = words.scores(arrays[TOKEN.word][token_begin : int(token_ends[last - 1])], spans)
        usable = place[links] >= 0
        for best, scores in zip((anchor, context), best_scores, strict=True):
            np.maximum.at(best, place[links][usable], scores[usable])
        if watch is not None:
            watch("reading links", last, web.pages)
    return anchor, context
