"""A glimpse of a page, which is all text, as a page: texts become ids."""

from __future__ import annotations

import numpy as np

from salticid.model import Area, Glimpse, Links, Page
from salticid.protocols import Table, UrlTable


def glimpsed(glimpse: Glimpse, urls: UrlTable, words: Table) -> Page:
    """The page that a glimpse shows, as far as it does."""
    tokens = words.intern_all([word.encode() for word in glimpse.words])
    to = urls.intern_all([url.encode() for url, _, _ in glimpse.links])
    spans = np.array([(start, end) for _, start, end in glimpse.links], np.int32).reshape(-1, 2)
    return Page(
        url=urls.intern(glimpse.url),
        title=glimpse.title,
        tokens=np.array(tokens, np.int32),
        area_start=np.zeros(1, np.int32),
        area=np.array([Area.REST], np.uint8),
        links=Links(np.array(to, np.int32), spans[:, 0], spans[:, 1], np.zeros(len(to), np.bool_)),
        packed_text=b"",
    )
