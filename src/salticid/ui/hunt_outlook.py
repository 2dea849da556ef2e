"""What is still to be found by a hunt, from its log: for one that no process can be asked about."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from salticid.crawl import NOWHERE_TO_GO
from salticid.outlook import outlook
from salticid.store.crawl_folder import CrawlFolder

UNKNOWN: dict[str, Any] = {"remaining": None, "harvest": None}
"""What is said where nothing can be foretold."""


def outlook_of(crawl: CrawlFolder) -> dict[str, Any]:
    """The outlook as a running hunt tells it; nothing can be foretold of one that has nowhere to go."""
    if crawl.about().get("stopped") in NOWHERE_TO_GO:
        return UNKNOWN
    positives = crawl.positive()
    ahead = outlook([page for page, positive in enumerate(positives, 1) if positive], len(positives))
    return UNKNOWN if ahead is None else asdict(ahead)
