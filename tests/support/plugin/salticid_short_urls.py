"""A measure of another package: what a plug-in author writes."""

from __future__ import annotations

from salticid.metrics.parts.judged import JudgedCrawl
from salticid.metrics.parts.measure import Better, Measure, Need


@Measure(title="short addresses", better=Better.HIGHER, unit="share", needs=(Need.PAGES,))
def short_urls(crawl: JudgedCrawl) -> float:
    """Share of the fetched pages whose URL is short, because they glitter.

    Paper: Magpie, "On things that glitter", 2026.
    """
    return sum(len(url) < 40 for url in crawl.urls) / len(crawl.urls)
