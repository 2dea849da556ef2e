"""Novelty: relevant pages that the words of the topic would not have led to."""

import numpy as np

from salticid.metrics.parts.judged_crawl import JudgedCrawl
from salticid.metrics.parts.measure import Better, Measure, Need
from salticid.metrics.parts.similarity import cosines
from salticid.model import Bools, Floats


@Measure(
    better=Better.HIGHER, unit="share", claim="finds most targets that the topic's words do not lead to",
    of="of them", needs=(Need.FOUND,),
)  # fmt: skip
def novelty(crawl: JudgedCrawl) -> float | None:
    """Share of the targets found that are less similar to the topic's text than half of all its targets; 0.5 for a
    crawler that does not follow the words.

    Paper: the "novel relevant pages with small similarity to the topic" of Menczer, Pant, Ruiz, Srinivasan, "Evaluating
    topic-driven web crawlers", SIGIR 2001, section 8, who leave the measure open.
    """
    topic = crawl.topic
    line = novelty_line(cosines(topic.target_terms.counts, topic.target_terms.query(topic.description)))
    return None if line is None else share_below(crawl.is_target, topic.likeness[crawl.places], line)


def share_below(relevant: Bools, similarity: Floats, line: float) -> float | None:
    """The share of the relevant pages of a crawl whose similarity to the topic's text lies below `line`.

    One value of each per fetched page; a page on the line counts half. None when nothing relevant was found.
    The line is that of the topic, the same for all crawlers, as `novelty_line` draws it: then a crawler that
    finds its targets without regard to the topic's words gets 0.5, one that only follows these words less.

    >>> share_below(np.array([True, False, True, True]), np.array([0.1, 0.0, 0.3, 0.2]), line=0.2)
    0.5
    """
    if not relevant.any():
        return None
    similarities = similarity[relevant]
    return float(((similarities < line) + 0.5 * (similarities == line)).mean())


def novelty_line(similarity: Floats) -> float | None:
    """The median similarity of all targets of a topic to its text, found or not; None without targets.

    >>> novelty_line(np.array([0.1, 0.4, 0.2]))
    0.2
    """
    return float(np.median(similarity)) if len(similarity) else None
