"""The demonstration: three strategies hunt over HTTP for one topic of a generated web; the truth is shown."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from salticid.lab.plots import Axes, line_plot, simple_curve, stand_alone
from salticid.metrics import harvest_curve, hits
from salticid.model import Outcome, StopReason, Visit
from salticid.runs import CrawlSpec, Onlooker, Run, changed, resolve, run_async
from salticid.store import CrawlFolder, StoredVisit
from salticid.text import templates
from salticid.topic import Limits
from salticid.truth import load_topic
from salticid.webs import ADDRESS, RecordedWeb, serve
from salticid.worlds import TopicPlan, make_topics
from salticid.worlds.generating import WebEdition, build_generated

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


def demo_crawl(
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
    curves = {each.strategy: simple_curve(each.curve) for each in crawls}
    axes = Axes("pages fetched", "share on topic so far")
    plot = stand_alone(line_plot(curves, STRATEGIES, axes, "Three crawlers"))
    file.with_suffix(".svg").write_text(plot, encoding="utf-8")
    page = templates("salticid.lab").get_template("demo.html.j2")
    shown = {"topic": TOPIC, "pages": PAGES, "budget": LIMITS.max_pages, "targets": targets}
    file.write_text(page.render(crawls=crawls, plot=plot, **shown), encoding="utf-8")
