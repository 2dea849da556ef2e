"""Numbers of crawls as OpenMetrics text, which Prometheus and others read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from salticid.runs.gauges import ClusterGauges, Counts, Gauges

MEDIA_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"


@dataclass(frozen=True, slots=True)
class CrawlFigures:
    """What is told of one crawl; `gauges` are those of its run, if it has one that can be asked."""

    name: str
    running: bool
    counts: Counts
    gauges: Gauges | ClusterGauges | None


@dataclass(frozen=True, slots=True)
class _Family:
    kind: str
    line: str
    unit: str = ""


FAMILIES = {
    "salticid_running": _Family("gauge", "Whether the crawl has a process that works on it."),
    "salticid_pages": _Family("counter", "Good pages read."),
    "salticid_fetches": _Family("counter", "Links chosen, by what became of them."),
    "salticid_received_bytes": _Family("counter", "Bytes of answers, as they were sent.", "bytes"),
    "salticid_harvest_ratio": _Family(
        "gauge", "Share of the last 100 pages that the judge calls positive.", "ratio"
    ),
    "salticid_frontier_links": _Family("gauge", "Links that wait to be chosen."),
    "salticid_fetching": _Family("gauge", "Links that are being fetched."),
    "salticid_hosts_active": _Family("gauge", "Hosts that have something under way."),
    "salticid_hosts_waiting": _Family("gauge", "Hosts that want to be left alone for now."),
    "salticid_parser_restarts": _Family("counter", "Processes that died of a page, of this run."),
    "salticid_log_unwritten_visits": _Family("gauge", "Visits that a kill would lose now."),
    "salticid_log_lag_seconds": _Family("gauge", "How old the oldest of them may be.", "seconds"),
}
"""Every name there is."""


def openmetrics(crawls: Iterable[CrawlFigures]) -> str:
    """The text about some crawls; what is not known of one is left out."""
    samples: dict[str, list[str]] = {name: [] for name in FAMILIES}
    for crawl in crawls:
        for name, labels, value in _samples(crawl):
            written = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
            total = "_total" if FAMILIES[name].kind == "counter" else ""
            samples[name].append(f"{name}{total}{{{written}}} {value}")
    lines = [line for name, family in FAMILIES.items() for line in (*_head(name, family), *samples[name])]
    return "\n".join([*lines, "# EOF\n"])


def _head(name: str, family: _Family) -> Iterator[str]:
    yield f"# TYPE {name} {family.kind}"
    if family.unit:
        yield f"# UNIT {name} {family.unit}"
    yield f"# HELP {name} {family.line}"


def _samples(crawl: CrawlFigures) -> Iterator[tuple[str, Mapping[str, str], float]]:
    labels = {"crawl": crawl.name}
    counts, gauges = crawl.counts, crawl.gauges
    yield "salticid_running", labels, int(crawl.running)
    yield "salticid_pages", labels, counts.pages
    for outcome, count in sorted(counts.outcomes.items()):
        yield "salticid_fetches", {**labels, "outcome": outcome}, count
    if counts.received is not None:
        yield "salticid_received_bytes", labels, counts.received
    yield "salticid_harvest_ratio", labels, counts.harvest
    if gauges is None:
        return
    yield "salticid_frontier_links", labels, gauges.frontier
    yield "salticid_hosts_active", labels, gauges.hosts_active
    if isinstance(gauges, Gauges):
        yield "salticid_fetching", labels, gauges.fetching
        yield "salticid_hosts_waiting", labels, gauges.hosts_waiting
        yield "salticid_parser_restarts", labels, gauges.parser_restarts
        yield "salticid_log_unwritten_visits", labels, gauges.unwritten_visits
        yield "salticid_log_lag_seconds", labels, round(gauges.log_lag, 3)


def _escaped(text: str) -> str:
    r"""A text as the value of a label.

    >>> print(_escaped('a "b"\n'))
    a \"b\"\n
    """
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
