"""What could not be read, as the page shows it: each start point's fate, and the hosts that failed."""

from __future__ import annotations

from typing import Any

from salticid.runs.fates import failures_by_host, fates_of_start_points
from salticid.store.crawl_folder import CrawlFolder

MOST_HOSTS = 100
_OPTION, _OF_THE_SERVER = " with --", " by starting salticid serve with --"


def what_failed(crawl: CrawlFolder) -> dict[str, Any]:
    """The start points as they were given, and the hosts with most failures; `left_off` counts the other hosts."""
    hosts = failures_by_host(crawl)
    starts = [
        {
            "url": fate.url,
            "state": fate.state,
            "cause": fate.cause,
            "advice": fate.advice and fate.advice.replace(_OPTION, _OF_THE_SERVER),
        }
        for fate in fates_of_start_points(crawl)
    ]
    return {"starts": starts, "hosts": hosts[:MOST_HOSTS], "left_off": len(hosts[MOST_HOSTS:])}
