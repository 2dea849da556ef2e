"""What the measures of all topics of a world share, worked out once a process."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from salticid.lab.crawl_record import opened
from salticid.lab.oracle import Oracle
from salticid.metrics.pool_terms import WorldTerms
from salticid.model import Ints
from salticid.urls import canonical
from salticid.webs.recorded import RecordedWeb


@lru_cache(maxsize=1)
def terms_of(world: str) -> WorldTerms:
    """The stems of the pages of a world."""
    return WorldTerms(opened(world))


@lru_cache(maxsize=1)
def oracle_of(world: str) -> Oracle:
    """The oracle of a world, and with it the links between its pages."""
    return Oracle(opened(world))


def url_ids(web: RecordedWeb, urls: tuple[str, ...]) -> Ints:
    """The ids of URLs that the world knows, in their order."""
    found = (web.urls.find(url) for text in urls if (url := canonical(text)) is not None)
    return np.array([at for at in found if at >= 0], np.int32)


def pages_at(web: RecordedWeb, urls: tuple[str, ...]) -> Ints:
    """The pages at these very URLs, in their order."""
    numbers = (web.number_at(at) for at in url_ids(web, urls).tolist())
    return np.array([number for number in numbers if number >= 0], np.int32)
