"""System 1 again: three crawlers in one testbed, judged by classifiers, a retrieval system and similarity."""

from __future__ import annotations

from pathlib import Path

from salticid.lab.compare import Watch
from salticid.lab.experiment import Experiment
from salticid.lab.reproduce.findings import FigureTable, Finding, Reproduction, Verdict
from salticid.lab.reproduce.race import PaperRace
from salticid.lab.reproduce.worlds import Ground, grounds
from salticid.lab.statistics import summary
from salticid.metrics.parts.measure import Better
from salticid.worlds.topics import TopicPlan

PAPER = 'Menczer, Pant, Ruiz, Srinivasan, "Evaluating topic-driven web crawlers", SIGIR 2001'
PLAN = TopicPlan(task="examples", query="text", examples_per_topic=10)
MAX_PAGES, MAX_BUFFER = 1000, 200
ROOM = 20
"""So many times larger than a crawl the generated web is."""
MOST_TOPICS = 33
AT = (100, 500, 1000)
CLASSIFIERS = ("classifier_rocchio", "classifier_widrow_hoff", "classifier_eg")
BEST = "best_first:admit=always"
SPIDERS = "infospiders"


def reproduce(
    data: Path | None, out: Path, workers: int, watch: Watch, pages: int = MAX_PAGES
) -> Reproduction:
    """Run the experiment on the public collections in `data`, as far as they are there, and on a generated web."""
    tables: list[FigureTable] = []
    findings: list[Finding] = []
    places = grounds(data, out, watch, ROOM * pages)
    for ground in places:
        race = _race(ground, out, workers, watch, pages)
        tables += _tables(race, pages)
        findings += _findings(race)
    alone = [ground.name for ground in places if ground.one_host]
    rule = "on" if not alone else f"on, but off on {', '.join(alone)}, which is one host"
    return Reproduction(
        number=1,
        paper=PAPER,
        data=", ".join(ground.name for ground in places),
        settings={
            "pages of a crawl": str(pages),
            "links remembered": str(MAX_BUFFER),
            "topic text": "long, shared by crawler and judge",
            "seeds": "10 pages of the topic",
            "PageRank's cross-domain rule": rule,
        },
        tables=tables,
        findings=findings,
    )


def pagerank_on(ground: Ground) -> str:
    """The PageRank crawler; where no link leads to another domain, without the rule that asks for it."""
    return "pagerank:admit=always" + (",cross_domain=false" if ground.one_host else "")


def _race(ground: Ground, out: Path, workers: int, watch: Watch, pages: int) -> PaperRace:
    names = {BEST: "BestFirst", pagerank_on(ground): "PageRank", SPIDERS: "InfoSpiders"}
    topics = ground.topics(out, PLAN, MOST_TOPICS)
    experiment = Experiment(str(ground.world), str(topics), tuple(names), pages, MAX_BUFFER)
    return PaperRace.run(ground.name, experiment, names, out / f"race-{ground.name}", workers, watch)


def _tables(race: PaperRace, pages: int) -> list[FigureTable]:
    judgements = race.table("Judged by classifiers and similarity", [*CLASSIFIERS, "mean_similarity"])
    at = [n for n in AT if n <= pages]
    rows = []
    for strategy in race.experiment.strategies:
        means = [summary(race.after(strategy, "smart_rank", n)).mean for n in at]
        rows.append([race.names[strategy], *("none" if mean is None else f"{mean:.0f}" for mean in means)])
    ranks = FigureTable(
        f"Mean SMART rank of the pages so far, {race.ground} (less is better)",
        ["crawler", *(f"after {n} pages" for n in at)],
        rows,
    )
    return [judgements, ranks]


def _findings(race: PaperRace) -> list[Finding]:
    pagerank = next(name for name in race.experiment.strategies if name.startswith("pagerank"))
    findings = []
    for metric in (*CLASSIFIERS, "mean_similarity"):
        what = metric.replace("classifier_", "").replace("_", " ")
        findings.append(race.ahead(f"BestFirst before InfoSpiders by {what}", metric, BEST, SPIDERS))
        findings.append(race.ahead(f"InfoSpiders before PageRank by {what}", metric, SPIDERS, pagerank))
    best = 100
    coverages = [(name, race.top(name, "coverage_lexical", best)) for name in (BEST, SPIDERS)]
    findings.append(race.tie(f"BestFirst and InfoSpiders tie on the {best} best-ranked pages", *coverages))
    findings.append(
        race.difference(
            "PageRank drifts to popular pages off the topic: its pages are less like the topic than BestFirst's",
            Better.LOWER,
            (pagerank, race.values(pagerank, "mean_similarity")),
            (BEST, race.values(BEST, "mean_similarity")),
        )
    )
    findings.append(_precision(race))
    return findings


def _precision(race: PaperRace) -> Finding:
    """The paper's best classifier called about 13 % of BestFirst's pages positive."""
    shares = [summary(race.values(BEST, metric)) for metric in CLASSIFIERS]
    top = max(
        (share for share in shares if share.mean is not None), key=lambda share: share.mean or 0, default=None
    )
    claim = f"The best precision by a classifier is about 13 % ({race.ground})"
    if top is None or top.mean is None or top.se is None:
        return Finding(claim, "no classifier could be trained", Verdict.NOT_TESTABLE)
    low, high = top.mean - 2 * top.se, top.mean + 2 * top.se
    verdict = Verdict.HOLDS if low <= 0.13 <= high else Verdict.DOES_NOT_HOLD
    return Finding(claim, f"{top.mean:.1%} ± {top.se:.1%}", verdict, None, low, high)
