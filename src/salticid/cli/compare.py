"""`salticid compare`: race strategies under equal budgets, and judge them by what they never saw."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from salticid.cli import options
from salticid.cli.console import err, out, print_json, safe
from salticid.cli.options import Quiet
from salticid.cli.progress import Work
from salticid.cli.ray_cluster import racing
from salticid.errors import UserError
from salticid.topic import Limits
from salticid.topic import max_buffer as read_max_buffer

if TYPE_CHECKING:
    from salticid.lab.results import Results

REPORT = "report.html"
_MAIN_MEASURES = (
    "oracle_share",
    "target_recall",
    "harvest",
    "relevant_hosts",
    "smart_rank",
    "mean_similarity",
)


_OF_AN_EXPERIMENT = (
    "topics", "strategy", "max_pages", "max_buffer", "judge", "arrivals", "repeats", "seed", "robustness", "sweep",
    "measures",
)  # fmt: skip


def compare(
    context: typer.Context,
    world: Annotated[
        str, typer.Argument(metavar="WORLD|EXPERIMENT.toml", help="A recorded world, or an experiment.")
    ],
    topics: Annotated[Path | None, typer.Option(help="A folder of topic files.", metavar="DIR")] = None,
    strategy: Annotated[
        list[str] | None,
        typer.Option(help="Who races; may be given again.", metavar="NAME[:KEY=VALUE,...]|FILE"),
    ] = None,
    max_pages: Annotated[int, typer.Option(min=1, help="Good pages of each crawl.")] = Limits().max_pages,
    max_buffer: Annotated[str, typer.Option(help="Links a strategy may remember.", metavar="N|none")] = str(
        Limits().max_buffer
    ),
    judge: Annotated[
        str | None,
        typer.Option(
            help="What scores pages [default: the strategy file's, else cosine].",
            metavar="NAME[:KEY=VALUE,...]",
        ),
    ] = None,
    arrivals: Annotated[str, typer.Option(help="Who returns first: one, window:N, roulette:100/50.")] = "one",
    repeats: Annotated[int, typer.Option(min=1, help="Crawls of each kind, with other seeds.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Of all that is left to chance.")] = 0,
    robustness: Annotated[
        bool, typer.Option("--robustness", help="Crawl from either half of the seeds too.")
    ] = False,
    sweep: Annotated[bool, typer.Option("--sweep", help="Crawl with other frontier sizes too.")] = False,
    measures: Annotated[
        str | None, typer.Option(help="Measure by these only.", metavar="NAME|FILE.py:FUNCTION,...")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes at work [default: all cores].")
    ] = None,
    ray: Annotated[str | None, typer.Option(help="Race on a Ray cluster.", metavar="ADDRESS|local")] = None,
    out_dir: Annotated[
        Path | None, typer.Option("--out", help="A folder for the report and all results.", metavar="DIR")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the means as one JSON object.")] = False,
    quiet: Quiet = False,
) -> None:
    """Race strategies on a recorded world, and write a report.

    Example: salticid compare world --topics topics --strategy best_first --strategy pagerank --out race
    """
    from salticid.lab.compare import compare as run  # here: it takes its time to import
    from salticid.lab.experiment import Experiment
    from salticid.lab.plan_file import read_plan
    from salticid.lab.report import write_report

    if out_dir is None:
        raise UserError("nowhere to write to; name a folder with --out, as in --out race")
    if world.endswith(".toml"):
        options.check_untyped(context, _OF_AN_EXPERIMENT, world)
        experiment = read_plan(Path(world), Experiment)
    elif topics is None:
        raise UserError(
            f"no topics; name a folder with --topics, made by: salticid world topics {world} --out topics"
        )
    else:
        experiment = Experiment(
            world, str(topics), tuple(strategy or ()), max_pages, read_max_buffer(max_buffer), judge, arrivals,
            repeats, seed, robustness, sweep, tuple(each.strip() for each in measures.split(",")) if measures else (),
        )  # fmt: skip
    here = nullcontext((workers or os.cpu_count() or 1, None))
    with (
        racing(experiment, ray, workers) if ray else here as (at_once, pool),
        Work("comparing", 0, err) as work,
    ):
        results = run(experiment, out_dir, at_once, work.part, pool)
        write_report(results, out_dir / REPORT)
    if json:
        print_json({"strategies": results.strategies, "out": str(out_dir)})
    else:
        _tell(results, out_dir / REPORT)


def _tell(results: Results, report: Path) -> None:
    """Say who did how well, who failed, and where to read on."""
    measures = _MAIN_MEASURES if results.measures.keys() >= set(_MAIN_MEASURES) else tuple(results.measures)
    for name, scores in results.strategies.items():
        means = ", ".join(
            f"{metric} {score.mean:.3f} ± {score.se or 0:.3f}"
            for metric in measures
            if (score := scores[metric]).mean is not None
        )
        out.print(safe(f"{name}: {means}"), soft_wrap=True)
    for topic in results.topics:
        for name, error in topic.failed.items():
            err.print(safe(f"{name} failed on {topic.name}: {error}"), soft_wrap=True)
    out.print(f"The report is in {report}", highlight=False, soft_wrap=True)
