"""Where each word of a page stands."""

from __future__ import annotations

import numpy as np

from salticid.model import Area, Ints, Page


def areas_of(page: Page) -> Ints:
    """The area of each token; a token before the first run of areas belongs to the rest.

    >>> from salticid.testing import spider_web
    >>> web = spider_web()
    >>> areas_of(web.page(web.id("a11"))).tolist()    # More birds | Sparrows and starlings
    [1, 1, 2, 2, 2]
    """
    starts = np.concatenate(([0], page.area_start, [len(page.tokens)]))
    kinds = np.concatenate(([Area.REST], page.area))
    return np.repeat(kinds.astype(np.int32), np.diff(starts))
