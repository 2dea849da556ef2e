"""Cohesiveness: how many links lead from a page of a community into it."""

from salticid.metrics.parts import community_links
from salticid.metrics.parts.judged_crawl import JudgedCrawl
from salticid.metrics.parts.measure import Group, Measure


@Measure(
    group=Group.LINKS, unit="links", claim="has the community that hangs together most",
    needs=("a target or seed among the pages fetched",),
)  # fmt: skip
def cohesiveness(crawl: JudgedCrawl) -> float | None:
    """Pages of the community (targets found, and seeds) that a page of the community links to, in the mean.

    Paper: Johnson, Tsioutsiouliklis, Giles, "Evolving strategies for focused web crawling", ICML 2003.
    """
    links = crawl.topic.world.oracle.links.among(crawl.pages)
    return community_links.cohesiveness(*links, crawl.is_target | crawl.is_seed)
