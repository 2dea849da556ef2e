"""Target recall: how many of the known relevant pages were found."""

from collections.abc import Sequence

import numpy as np

from salticid.metrics.parts.judged_crawl import JudgedCrawl
from salticid.metrics.parts.measure import Better, Group, Measure, Need
from salticid.model import Floats


@Measure(
    title="targets found", better=Better.HIGHER, group=Group.TARGETS, unit="share", claim="finds most targets",
    of="of them", needs=(Need.TARGETS,),
)  # fmt: skip
def target_recall(crawl: JudgedCrawl) -> Floats | float:
    """Share of the topic's targets among the pages fetched.

    Paper: Pant, Srinivasan, Menczer, "Exploration versus exploitation in topic driven crawlers", 2002.
    """
    curve = recall_curve(crawl.relevant, len(crawl.topic.targets))
    return curve if len(curve) else 0.0


def recall_curve(relevant: Sequence[bool], targets: int) -> Floats:
    """r(n) = targets among the first n pages / all targets, for n = 1, 2, ... (spec 4, task 2).

    A topic without targets leaves nothing to find: 0 throughout.

    >>> recall_curve([True, False, True], 4).tolist()
    [0.25, 0.25, 0.5]
    """
    hits: Floats = np.cumsum(np.asarray(relevant, np.bool_), dtype=np.float64)
    return hits / max(targets, 1)
