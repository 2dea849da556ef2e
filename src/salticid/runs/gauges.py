"""The numbers of a crawl that those who run it watch."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from salticid.runs.run import Run


class Counts(msgspec.Struct, frozen=True):
    """What was counted since the crawl began, over all its runs; and the harvest of its last pages."""

    pages: int
    outcomes: Mapping[str, int]
    received: int | None
    """None where nobody counts the bytes: on a cluster."""
    harvest: float


class ClusterGauges(msgspec.Struct, frozen=True):
    """How a crawl on a cluster stands, as its shards reported last."""

    frontier: int
    hosts_active: int


class Gauges(msgspec.Struct, frozen=True):
    """How things stand in a run just now; of the parsers, how often one had to be replaced since it began."""

    frontier: int
    fetching: int
    hosts_active: int
    hosts_waiting: int
    parser_restarts: int
    unwritten_visits: int
    log_lag: float

    @classmethod
    def of(cls, run: Run) -> Gauges:
        """Those of a run whose onlooker was told that it is ready."""
        urls = run.crawl.brief.urls
        return cls(
            frontier=run.crawl.strategy.waiting(0)[0],
            fetching=sum(url >= 0 for url in run.doing),
            hosts_active=run.active_hosts,
            hosts_waiting=len({urls.host(url) for url, _ in run.resting()}),
            parser_restarts=run.parser_restarts,
            unwritten_visits=run.log.unwritten,
            log_lag=run.log.lag,
        )
