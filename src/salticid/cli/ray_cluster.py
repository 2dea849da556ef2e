"""Running things on a cluster for a person; apart, so that other commands need not wait for ray, or have it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from salticid.cli.console import Work, err, safe
from salticid.cli.interrupts import interruptible
from salticid.errors import not_installed

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from salticid.cluster import CrawlProgress
    from salticid.evolve import Crawlers, Stage
    from salticid.lab import Experiment
    from salticid.runs import MetricsServer, Order, Result


@contextmanager
def cluster(address: str, cpus: int | None = None) -> Iterator[int]:
    """Join the cluster; how many processors it has."""
    try:
        from salticid.cluster import engine
    except ModuleNotFoundError as error:
        raise not_installed(error, "--ray") or error from None
    err.print("Joining the cluster takes a moment.", highlight=False)
    with engine(address, cpus) as processors:
        yield processors


@contextmanager
def on_ray(stage: Stage, address: str, workers: int | None) -> Iterator[Crawlers]:
    """The crawls of a search, made by a cluster; by so many workers if it is one of this machine."""
    with cluster(address, workers) as processors:
        from salticid.cluster import OnRay

        yield OnRay(stage, workers or processors)


@contextmanager
def racing(experiment: Experiment, address: str, workers: int | None) -> Iterator[tuple[int, Executor]]:
    """How many crawls and measures of a race a cluster does at once, and what does them."""
    with cluster(address, workers) as processors:
        from salticid.cluster import Tasks

        yield workers or processors, Tasks(experiment)


def hunt_on_ray(order: Order, address: str, shards: int, metrics: MetricsServer | None = None) -> Result:
    """Crawl the live web with shards on a cluster, or go on with it; `metrics` serves its numbers."""
    from salticid.runs import ClusterGauges, Counts, CrawlFigures

    figures = CrawlFigures(order.folder.name, True, Counts(0, {}, None, 0.0), None)
    with cluster(address), interruptible() as interrupted, ExitStack() as serving:
        from salticid.cluster import crawl_on_ray

        if metrics is not None:
            serving.enter_context(metrics.in_thread(lambda: figures))
            err.print(safe(metrics.notice), highlight=False, soft_wrap=True)
        with Work("crawling", order.recipe.limits.max_pages, err) as work:

            def show(progress: CrawlProgress) -> None:
                nonlocal figures
                outcomes = {"ok": progress.pages, "failed": progress.fetches - progress.pages}
                counts = Counts(progress.pages, outcomes, None, progress.harvest)
                gauges = ClusterGauges(progress.waiting, progress.hosts)
                figures = CrawlFigures(order.folder.name, True, counts, gauges)
                if work.due:
                    failures = progress.fetches - progress.pages
                    note = (
                        f"{progress.pages} pages, {failures} failed, harvest {progress.harvest:.0%}, "
                        f"{progress.waiting} links wait, {progress.hosts} hosts, {shards} shards"
                    )
                    work.at(progress.pages, note)

            return crawl_on_ray(order, shards, interrupted, show)
