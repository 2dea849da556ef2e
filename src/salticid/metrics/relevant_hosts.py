"""On how many hosts relevant pages were found."""

from salticid.metrics.parts.judged_crawl import JudgedCrawl
from salticid.metrics.parts.measure import Better, Measure, Need


@Measure(
    title="hosts with targets", better=Better.HIGHER, unit="hosts", claim="finds targets on most hosts", of="hosts",
    digits=1, needs=(Need.TARGETS,),
)  # fmt: skip
def relevant_hosts(crawl: JudgedCrawl) -> float:
    """Hosts on which the targets found lie."""
    host = crawl.topic.world.web.urls.host
    return len({host(url) for url in crawl.topic.urls(crawl.pages[crawl.is_target]).tolist()})
