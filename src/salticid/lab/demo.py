"""The demonstration: three strategies hunt over HTTP for one topic of a generated web; the truth is shown."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from html import escape
from pathlib import Path

from salticid.lab.chart import line_chart
from salticid.metrics.parts.hits import harvest_curve, hits
from salticid.model import Limits, Outcome, StopReason, Visit
from salticid.runs.onlooker import Onlooker
from salticid.runs.order import resolve
from salticid.runs.run import Run, run_async
from salticid.runs.spec import CrawlSpec, changed
from salticid.store.crawl_folder import CrawlFolder, StoredVisit
from salticid.truth import load_topic
from salticid.webs.recorded import RecordedWeb
from salticid.webs.served import ADDRESS, serve
from salticid.worlds.generating.building import WebEdition, build_generated
from salticid.worlds.topics import TopicPlan, make_topics

PAGES = 15_000
TOPIC = "science.astronomy"
STRATEGIES = ("breadth_first", "best_first", "hunter")
JUDGE = "profile"
LIMITS = Limits(max_pages=300, max_buffer=1000)
PARTS = ("world", "topics", *STRATEGIES)


@dataclass(frozen=True, slots=True)
class DemoCrawl:
    """One crawl of the demonstration: how its harvest went, why it stopped, its best pages."""

    strategy: str
    curve: list[float]
    targets: int
    stopped: StopReason
    best: list[StoredVisit]


def make_world(out: Path, watch: Callable[[int, int], None]) -> tuple[Path, Path, int]:
    """A fresh generated world in `out`, and a topic of it; their paths and the number of targets."""
    for part in PARTS:
        shutil.rmtree(out / part, ignore_errors=True)
    out.mkdir(parents=True, exist_ok=True)
    build_generated(out / "world", WebEdition(PAGES, seed=0), watch=watch)
    topics = make_topics(out / "world", out / "topics", TopicPlan(task="neighbours"))
    topic = next(file for file in topics.files if file.stem == TOPIC)
    return out / "world", topic, len(load_topic(topic)[1].targets)


def crawl(
    world: Path, topic_file: Path, strategy: str, out: Path, watch: Callable[[int, float], None]
) -> DemoCrawl:
    """Serve the world over HTTP, crawl it with one strategy into `out`, then look at the truth."""
    topic, truth = load_topic(topic_file)
    spec = CrawlSpec(topic=topic, strategy=strategy, judge=JUDGE, limits=LIMITS)
    reason = asyncio.run(_crawl_over_http(RecordedWeb(world), spec, out, watch))
    with closing(CrawlFolder(out)) as folder:
        pages = [visit.final_url for visit in folder.visits() if visit.outcome == Outcome.OK]
        relevant = hits(pages, topic, truth)
        return DemoCrawl(strategy, harvest_curve(relevant), sum(relevant), reason, folder.best(20))


async def _crawl_over_http(
    world: RecordedWeb, spec: CrawlSpec, out: Path, watch: Callable[[int, float], None]
) -> StopReason:
    """One request at a time, without a pause: the server is our own."""
    server = await serve(world)
    here = f"*={ADDRESS}:{server.port}"
    near = changed(spec, concurrency=1, delay=0.0, allow_net=(f"{ADDRESS}/32",), resolve=(here,), warc=False)
    try:
        return (await run_async(resolve(near, out), _Shows(watch))).stopped
    finally:
        await server.close()


class _Shows(Onlooker):
    """Shows how far a crawl is, and how well it does."""

    def __init__(self, watch: Callable[[int, float], None]) -> None:
        self._watch = watch

    def ready(self, run: Run) -> None:
        self._crawl = run.crawl

    def visit(self, visit: Visit) -> None:
        self._watch(self._crawl.pages, self._crawl.harvest)


def write_page(file: Path, crawls: list[DemoCrawl], targets: int) -> None:
    """The plot and the ranked pages as one HTML file that needs nothing else; the plot beside it as SVG."""
    chart = line_chart(
        {each.strategy: each.curve for each in crawls}, "pages fetched", "share on topic so far"
    )
    file.with_suffix(".svg").write_text(chart, encoding="utf-8")
    summaries = "".join(
        f"<li><b>{escape(each.strategy)}</b> found {each.targets} of {targets} pages about the topic among "
        f"{len(each.curve)} fetched; stopped: {escape(each.stopped)}.</li>"
        for each in crawls
    )
    rows = "".join(
        f'<tr><td>{visit.current_score:.3f}</td><td><a href="{escape(visit.final_url, quote=True)}" '
        f'rel="noopener noreferrer">{escape(visit.title or visit.final_url)}</a></td></tr>'
        for visit in crawls[-1].best
    )
    file.write_text(
        f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Salticid: a hunt for {escape(TOPIC)}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; }}
td, th {{ text-align: left; padding: 0.1rem 1rem 0.1rem 0; vertical-align: top; }}
</style>
<h1>A hunt for {escape(TOPIC)}</h1>
<p>A generated web of {PAGES} pages, served over HTTP; three crawlers start two links away from the topic, each with
{LIMITS.max_pages} pages to spend. Higher is better: the share of what was fetched that is truly on topic,
which no crawler can see.</p>
{chart}
<ul>{summaries}</ul>
<h2>What {escape(crawls[-1].strategy)} liked best</h2>
<table><tr><th>score</th><th>page</th></tr>{rows}</table>
</html>
""",
        encoding="utf-8",
    )
