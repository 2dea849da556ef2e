"""What the measures of all topics of a world share."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from salticid.metrics.parts.linkage import pool_pagerank
from salticid.metrics.parts.oracle import Oracle
from salticid.metrics.parts.pool_terms import WorldTerms
from salticid.model import Floats, Ints
from salticid.urls import canonical
from salticid.webs.recorded import RecordedWeb


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
