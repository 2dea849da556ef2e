"""How good a page is by its keywords and its place among the pages seen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from salticid.model import Page
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot
from salticid.strategies.parts.base import keywords_of
from salticid.strategies.parts.local_rank import LocalRank
from salticid.text.stems import Stems


@in_snapshot(_stems=Stems, _keywords=np.int32, _rank=LocalRank)
class Linkage:
    """A page's score: how many distinct keywords it has, and among equals its PageRank in the crawl.

    The PageRank is over the last pages seen, as many as links may wait (`max_buffer`), and adds less than
    half a keyword. It is the rank_KW,PR of the paper with what the crawler can know itself.

    Paper: Pant, Srinivasan, Menczer, "Exploration versus exploitation in topic driven crawlers", 2002.
    """

    def __init__(self, brief: Brief) -> None:
        self._stems = Stems.of_brief(brief)
        self._keywords = keywords_of(brief, self._stems).terms
        self._rank = LocalRank(brief.limits.max_buffer)

    def see(self, pages: Sequence[Page]) -> None:
        """These pages came in; of each its links are kept, and nothing else of it."""
        self._rank.add([(page.url, page.links.url.copy()) for page in pages])

    def score(self, page: Page) -> float:
        keywords = np.isin(self._keywords, self._stems.of(page.tokens)).sum()
        return float(keywords) + self._rank.of(page.url) / 2
