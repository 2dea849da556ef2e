"""The area under the recall curve: how soon targets are found, and how many."""

from collections.abc import Sequence

from salticid.metrics.parts.judged_crawl import JudgedCrawl
from salticid.metrics.parts.measure import Better, Group, Measure, Need
from salticid.metrics.target_recall import recall_curve


@Measure(
    title="area under recall", better=Better.HIGHER, group=Group.TARGETS, unit="share",
    claim="finds targets earliest", of="of the targets in the mean over the crawl", needs=(Need.TARGETS,),
)  # fmt: skip
def recall_auc(crawl: JudgedCrawl) -> float:
    """Mean of the share of targets found over all pages of the crawl: high when targets are found early."""
    return area_under_recall(crawl.relevant, len(crawl.topic.targets), crawl.topic.length)


def area_under_recall(relevant: Sequence[bool], targets: int, length: int) -> float:
    """The mean of r(n) over n = 1..length; a crawl that ended sooner keeps its last value.

    1 would be all targets on the first page; no crawl gets there.

    >>> area_under_recall([True, False, True], 4, length=3)
    0.3333333333333333
    >>> area_under_recall([True, False, True], 4, length=5)
    0.4
    """
    curve = recall_curve(relevant, targets)[:length]
    if not len(curve):
        return 0.0
    return float(curve.sum() + curve[-1] * (length - len(curve))) / length
