"""Novelty: relevant pages that the words of the topic would not have led to, and relevant hosts."""

from __future__ import annotations

import numpy as np

from salticid.model import Bools, Floats, Ints
from salticid.protocols import UrlTable


def novelty(relevant: Bools, similarity: Floats, line: float) -> float | None:
    """The share of the relevant pages of a crawl whose similarity to the topic's text lies below `line`.

    One value of each per fetched page; a page on the line counts half. None when nothing relevant was found.
    The line is that of the topic, the same for all crawlers, as `novelty_line` draws it: then a crawler that
    finds its targets without regard to the topic's words gets 0.5, one that only follows these words less.

    >>> novelty(np.array([True, False, True, True]), np.array([0.1, 0.0, 0.3, 0.2]), line=0.2)
    0.5

    Paper: the "novel relevant pages with small similarity to the topic" of Menczer, Pant, Ruiz, Srinivasan,
    "Evaluating topic-driven web crawlers", SIGIR 2001, section 8, who leave the measure open.
    """
    if not relevant.any():
        return None
    found = similarity[relevant]
    return float(((found < line) + 0.5 * (found == line)).mean())


def novelty_line(similarity: Floats) -> float | None:
    """The median similarity of all targets of a topic to its text, found or not; None without targets.

    >>> novelty_line(np.array([0.1, 0.4, 0.2]))
    0.2
    """
    return float(np.median(similarity)) if len(similarity) else None


def relevant_hosts(urls: UrlTable, found: Ints) -> int:
    """How many hosts the relevant pages that were found lie on; `found` are their URL ids.

    >>> from salticid.tables import Urls
    >>> urls = Urls()
    >>> pages = [urls.intern(f"http://{at}") for at in ("a.example/1", "a.example/2", "b.example/")]
    >>> relevant_hosts(urls, np.array(pages, np.int32))
    2
    """
    return len({urls.host(url) for url in found.tolist()})
