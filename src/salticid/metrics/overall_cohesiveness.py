"""Overall cohesiveness: how many links lead from any page of a crawl into its community."""

from salticid.metrics.parts import community_links
from salticid.metrics.parts.judged_crawl import JudgedCrawl
from salticid.metrics.parts.measure import Group, Measure, Need


@Measure(
    group=Group.LINKS, unit="links", claim="has the pages that link to its community most", needs=(Need.PAGES,),
)  # fmt: skip
def overall_cohesiveness(crawl: JudgedCrawl) -> float | None:
    """Pages of the community (targets found, and seeds) that a fetched page links to, in the mean.

    Paper: Johnson, Tsioutsiouliklis, Giles, "Evolving strategies for focused web crawling", ICML 2003.
    """
    links = crawl.topic.world.oracle.links.among(crawl.pages)
    return community_links.overall_cohesiveness(*links, crawl.is_target | crawl.is_seed)
