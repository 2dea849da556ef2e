"""The links whose address names the topic first."""

from __future__ import annotations

from urllib.parse import unquote

import numpy as np

from salticid.model import Floats, Ints, Visit
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot
from salticid.strategies.parts import QueueStrategy
from salticid.text import letter_runs, stop_words


@in_snapshot("_urls", "_keywords")
class UrlKeyword(QueueStrategy):
    """A link scores the share of the topic's keywords that occur in its URL, and nothing else counts.

    What a page says, how it was judged and what stands in an anchor is not looked at: this is the best-first
    of tools that rank by the URL string alone, here to show what that is worth.

    A keyword occurs where its letters stand in a row, in upper or lower case, anywhere in the URL, host
    included: `spider` is in /spiderman. Keywords are taken as they were typed, not stemmed, so `spiders` is not
    in /spider; stop words and repeats do not count. Escapes are read as what they stand for. Seeds and
    offered links score 1, as if all keywords were in them.

    >>> from salticid.testing import walk_through
    >>> walk_through(UrlKeyword(), max_pages=5)
    ['seed', 'a', 'b', 'a1', 'a2']

    Paper: none; compare Cho, Garcia-Molina, Page, "Efficient crawling through URL ordering", WWW 1998, who
    order by the URL among other things.
    """

    def start(self, brief: Brief) -> None:
        super().start(brief)
        self._urls = brief.urls
        stop = stop_words(brief.language)
        words = list(dict.fromkeys(letter_runs(brief.topic.keywords)))
        self._keywords = [word for word in words if word not in stop] or words

    def score_links(self, visit: Visit, fresh: Ints) -> Floats:
        urls = visit.require_page().links.url[fresh]
        texts = [_plain(url) for url in self._urls.spell(urls.tolist())]
        counts = [sum(word in text for word in self._keywords) for text in texts]
        return np.array(counts, np.float64) / max(len(self._keywords), 1)


def _plain(url: str) -> str:
    """A URL as people read it, in lower case.

    >>> _plain("http://example.org/Fu%C3%9F")
    'http://example.org/fuß'
    """
    return (unquote(url) if "%" in url else url).lower()
