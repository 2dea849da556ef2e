"""The four scores of links as priorities of crawls: on each university of WebKB with what the others taught."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from salticid.lab.compare import crawls_and_measures
from salticid.lab.experiment import Experiment, Instances
from salticid.lab.links.bayes import ANCHOR, NEIGHBOURHOOD, TRANSITION
from salticid.lab.links.context import CONTEXT, Context
from salticid.lab.links.examples import LabelledLinks
from salticid.lab.links.link_table_file import tables_of
from salticid.lab.links.splits import Split
from salticid.lab.links.trial import SplitSettings
from salticid.lab.plots.numbers import p_value
from salticid.lab.reproduce.race import mean_text
from salticid.lab.reproduce.reproduction import FigureTable, Setup
from salticid.lab.statistics import all_pairs
from salticid.learning.link_tables import LinkTables
from salticid.learning.link_weights import LinkWeights
from salticid.model import Topic
from salticid.protocols import Strategy
from salticid.strategies.anchor import Anchor
from salticid.strategies.breadth_first import BreadthFirst
from salticid.strategies.context import Context as ContextPriority
from salticid.strategies.neighbourhood import Neighbourhood
from salticid.strategies.transition import Transition
from salticid.truth import Truth, save_topic
from salticid.webs.world_arrays import PAGE

PAGES = 200
SOUGHT = ("course", "homepage", "project")
START = "department"
BLIND = "breadth_first"
SCORES = (BLIND, NEIGHBOURHOOD, ANCHOR, TRANSITION, CONTEXT)
MEASURES = ("target_recall", "recall_auc")


def score_race(
    links: LabelledLinks,
    splits: Sequence[Split],
    settings: Sequence[SplitSettings],
    context: Context,
    setup: Setup,
) -> Iterator[FigureTable]:
    """Crawls of each university after each class, from its department's page; and each score against each other."""
    values: dict[str, dict[str, list[float | None]]] = {
        metric: {name: [] for name in SCORES} for metric in MEASURES
    }
    total = len(splits) * len(SOUGHT)
    for at, (split, chosen) in enumerate(zip(splits, settings, strict=True)):
        tables = tables_of(links, split.pages, split.train, SOUGHT[0])
        for place, sought in enumerate(SOUGHT):
            folder = setup.out / "score-race" / f"{split.name}-{sought}"
            if _write_topic(links, split.name, sought, folder / "topics"):
                weights = context.weights(split.train, chosen.trust, sought)
                measures = _measure(links, folder, _priorities(replace(tables, target=sought), weights))
                for metric, by_name in values.items():
                    for name in SCORES:
                        by_name[name].append(measures.get(name, {}).get(metric))
            setup.watch("crawling by each score", at * len(SOUGHT) + place + 1, total)
    crawls = len(values[MEASURES[0]][BLIND])
    if not crawls:
        return
    yield FigureTable(
        f"The scores as priorities of crawls: {crawls} crawls of {PAGES} pages, each of one university after one class "
        "of page, by what the other universities taught",
        ["priority", "targets found", "area under the curve of targets found"],
        [[name, *(mean_text(values[metric][name]) for metric in MEASURES)] for name in SCORES],
    )
    tests = all_pairs(MEASURES[1], values[MEASURES[1]], 0)
    yield FigureTable(
        "Area under the curve of targets found: each priority less each other, p corrected for all pairs (Holm)",
        ["", "difference (95 %)", "p"],
        [
            [
                f"{test.b} less {test.a}",
                f"{-test.diff:+.3f} ({-test.high:+.3f} to {-test.low:+.3f})",
                p_value(test.p_adjusted),
            ]
            for test in tests
        ],
    )


def _write_topic(links: LabelledLinks, university: str, sought: str, folder: Path) -> bool:
    """A topic file: find the pages of a class from the department's page; whether there are any."""
    urls = links.web.urls.spell(links.web.arrays[PAGE.url].tolist())
    home = np.array(links.university) == university
    seeds, targets = (
        tuple(
            sorted(urls[at] for at in np.flatnonzero(home & (links.page_class == links.classes.index(label))))
        )
        for label in (START, sought)
    )
    if not seeds or not targets:
        return False
    folder.mkdir(parents=True, exist_ok=True)
    topic = Topic(f"{sought} pages of {university}", f"{sought} {university}", seeds)
    save_topic(folder / f"{sought}.toml", topic, Truth("", targets))
    return True


def _priorities(tables: LinkTables, weights: LinkWeights) -> dict[str, Strategy]:
    """A strategy for each score: what was learned elsewhere is all it knows, and nothing is learned on the way."""
    return {
        BLIND: BreadthFirst(),
        NEIGHBOURHOOD: Neighbourhood(tables=tables, learn=False),
        ANCHOR: Anchor(tables=tables, learn=False),
        TRANSITION: Transition(tables=tables, learn=False),
        CONTEXT: ContextPriority(weights=weights),
    }


def _measure(
    links: LabelledLinks, folder: Path, priorities: dict[str, Strategy]
) -> dict[str, dict[str, float | None]]:
    experiment = Experiment(
        str(links.web.folder),
        str(folder / "topics"),
        tuple(priorities),
        PAGES,
        measures=MEASURES,
        given=Instances(strategies=priorities),
    )
    return crawls_and_measures(experiment, folder / "crawls", 1, lambda what, done, of: None)[1][0].values
