"""On how many hosts relevant pages were found."""

import numpy as np

from salticid.metrics.parts.judged_crawl import JudgedCrawl
from salticid.metrics.parts.measure import Better, Group, Measure, Need
from salticid.model import Floats
from salticid.webs.world_arrays import URL


@Measure(
    title="hosts with targets", better=Better.HIGHER, group=Group.TARGETS, unit="hosts",
    claim="finds targets on most hosts", of="hosts", digits=1, needs=(Need.TARGETS,),
)  # fmt: skip
def relevant_hosts(crawl: JudgedCrawl) -> Floats | float:
    """Hosts on which the targets found lie.

    Paper: Kontogiannis, Kelesis, Pollatos, Giannakopoulos, Paliouras, "Tree-based focused web crawling with
    reinforcement learning", 2021.
    """
    hosts = crawl.topic.world.web.arrays[URL.host][crawl.topic.urls(crawl.pages[crawl.is_counted])]
    found = np.flatnonzero(crawl.relevant)
    first = found[np.unique(hosts[found], return_index=True)[1]]
    is_new = np.zeros(len(hosts))
    is_new[first] = 1
    return np.cumsum(is_new) if len(hosts) else 0.0
