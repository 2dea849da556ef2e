"""What all labelled links of a world teach, as a strategy file."""

from __future__ import annotations

import numpy as np

from salticid.errors import UserError, unknown
from salticid.lab.links.bayes import ALL_WORDS, TRANSITION, train_model
from salticid.lab.links.classes import HOMEPAGE
from salticid.lab.links.examples import UNKNOWN, LabelledLinks
from salticid.learning.link_tables import save

LEAST = 2
"""A word that occurs but once in all pages, or in all anchors, is not kept."""


def strategy_file(links: LabelledLinks, target: str) -> str:
    """The text of a file for `salticid crawl --strategy`: transition, after pages of class `target`."""
    pages = np.flatnonzero(links.page_class != UNKNOWN).astype(np.int32)
    model = train_model(links, pages, np.arange(len(links), dtype=np.int32), ALL_WORDS, target)
    return save(TRANSITION, model.tables(LEAST))


def checked_target(links: LabelledLinks, name: str | None) -> str:
    """The class a crawl is after: the one named, else homepages where there are any."""
    if name is None and HOMEPAGE not in links.classes:
        raise UserError(f"name the class a crawl is after with --target: {', '.join(links.classes)}")
    target = name or HOMEPAGE
    if target not in links.classes:
        raise unknown("class", target, links.classes)
    return target
