"""What labelled links of a world teach, as a strategy file."""

from __future__ import annotations

import numpy as np

from salticid.errors import UserError, unknown
from salticid.lab.links.bayes import ALL_WORDS, TRANSITION, train_model
from salticid.lab.links.classes import HOMEPAGE
from salticid.lab.links.context import Context
from salticid.lab.links.examples import UNKNOWN, LabelledLinks
from salticid.lab.links.splits import at_random
from salticid.learning import link_weights
from salticid.learning.link_tables import LinkTables, save
from salticid.model import Ints

LEAST = 2
"""A word that occurs but once in all pages, or in all anchors, is not kept."""


def strategy_file(links: LabelledLinks, target: str) -> str:
    """The text of a file for `salticid crawl --strategy`: transition, after pages of class `target`."""
    return save(TRANSITION, tables_of(links, *_everything(links), target))


def context_file(links: LabelledLinks, target: str) -> str:
    """The same for context; it trusts links as much as the most of the splits by chance would."""
    context = Context(links)
    trust = context.best_trust(at_random(links, 0)[0])
    return link_weights.save(context.weights(_everything(links)[1], trust, target))


def tables_of(links: LabelledLinks, pages: Ints, train: Ints, target: str) -> LinkTables:
    """The counts of some pages and links."""
    return train_model(links, pages, train, ALL_WORDS, target).tables(LEAST)


def _everything(links: LabelledLinks) -> tuple[Ints, Ints]:
    """All pages whose class is known, and all links."""
    pages = np.flatnonzero(links.page_class != UNKNOWN).astype(np.int32)
    return pages, np.arange(len(links), dtype=np.int32)


def checked_target(links: LabelledLinks, name: str | None) -> str:
    """The class a crawl is after: the one named, else homepages where there are any."""
    if name is None and HOMEPAGE not in links.classes:
        raise UserError(f"name the class a crawl is after with --target: {', '.join(links.classes)}")
    target = name or HOMEPAGE
    if target not in links.classes:
        raise unknown("class", target, links.classes)
    return target
