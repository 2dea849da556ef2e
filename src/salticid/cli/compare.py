"""`salticid compare`, `league` and `policies`: strategies and revisit policies under equal budgets."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from salticid.cli import options
from salticid.cli.console import Work, check_marks, err, out, print_json, print_table, put_figures, safe
from salticid.cli.interrupts import INTERRUPTED
from salticid.cli.options import Quiet
from salticid.cli.ray_cluster import racing
from salticid.errors import UserError
from salticid.topic import Limits
from salticid.topic import max_buffer as read_max_buffer

if TYPE_CHECKING:
    from salticid.lab import League, MatchResult, Results

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
    world: Annotated[str, typer.Argument(metavar="WORLD|EXPERIMENT.toml", help="A recorded world, or an experiment.")],
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
    robustness: Annotated[bool, typer.Option("--robustness", help="Crawl from either half of the seeds too.")] = False,
    sweep: Annotated[bool, typer.Option("--sweep", help="Crawl with other frontier sizes too.")] = False,
    measures: Annotated[
        str | None, typer.Option(help="Measure by these only.", metavar="NAME|FILE.py:FUNCTION,...")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes at work [default: all cores].")] = None,
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
    from salticid.lab import Experiment, read_plan
    from salticid.lab import run_experiment as run  # here: it takes its time to import
    from salticid.lab.report import write_report

    if out_dir is None:
        raise UserError("nowhere to write to; name a folder with --out, as in --out race")
    if world.endswith(".toml"):
        options.check_untyped(context, _OF_AN_EXPERIMENT, world)
        experiment = read_plan(Path(world), Experiment)
    elif topics is None:
        raise UserError(f"no topics; name a folder with --topics, made by: salticid world topics {world} --out topics")
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


# `salticid league`: the same strategies on several webs, and who wins where.

_OF_A_LEAGUE = ("strategy", "max_pages", "max_buffer", "judge", "topics_per_web", "seed")


def league(
    context: typer.Context,
    worlds: Annotated[
        list[str],
        typer.Argument(metavar="WORLD...|LEAGUE.toml", help="Recorded worlds with labels, or a league."),
    ],
    strategy: Annotated[
        list[str] | None,
        typer.Option(help="Who plays; may be given again [default: all].", metavar="NAME[:KEY=VALUE,...]|FILE"),
    ] = None,
    max_pages: Annotated[int, typer.Option(min=1, help="Good pages of each crawl.")] = 300,
    max_buffer: Annotated[str, typer.Option(help="Links a strategy may remember.", metavar="N|none")] = str(
        Limits().max_buffer
    ),
    judge: Annotated[
        str, typer.Option(help="What scores pages, the same for all.", metavar="NAME[:KEY=VALUE,...]")
    ] = "profile",
    topics_per_web: Annotated[
        int | None, typer.Option(min=1, help="Topics of each web, evenly spread [default: all].")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of all that is left to chance.")] = 0,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes at work [default: all cores].")] = None,
    out_dir: Annotated[
        Path | None,
        typer.Option("--out", help="A folder for topics, crawls, reports and tables.", metavar="DIR"),
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option(help="Put the tables between the marks of this page too.", metavar="FILE.md"),
    ] = None,
    shares: Annotated[
        Path | None,
        typer.Option(help="Write the oracle shares that the page shows to this file.", metavar="FILE.json"),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
) -> None:
    """Race strategies on several worlds, and say who wins where.

    Example: salticid league schools webkb --strategy hunter --strategy best_first --out league
    """
    from salticid.lab import League, Web, read_plan  # here, as what follows: it takes its time to import

    if out_dir is None:
        raise UserError("nowhere to write to; name a folder with --out, as in --out league")
    check_marks(into)
    if len(worlds) == 1 and worlds[0].endswith(".toml"):
        options.check_untyped(context, _OF_A_LEAGUE, worlds[0])
        played = read_plan(Path(worlds[0]), League)
    else:
        webs = tuple(Web(Path(world).resolve().name, world, most=topics_per_web) for world in worlds)
        played = League(webs, tuple(strategy or ()), max_pages, read_max_buffer(max_buffer), judge, seed)
    results = _play(played, out_dir, workers)
    report = _write(played, results, out_dir, into)
    if shares is not None:
        _write_shares(results, shares)
    if json:
        print_json({"matches": results, "out": str(out_dir)})
    else:
        _tell_league(played, results, report)


def _play(league: League, out_dir: Path, workers: int | None) -> list[MatchResult]:
    """Play what is not played yet; whoever stops it may go on later."""
    from salticid.lab import play

    try:
        with Work("playing", 0, err) as work:
            return play(league, out_dir, workers or os.cpu_count() or 1, work.part)
    except KeyboardInterrupt:
        err.print("Stopped; the same command goes on from there.")
        raise typer.Exit(INTERRUPTED) from None


def _write(league: League, results: list[MatchResult], out_dir: Path, into: Path | None) -> Path:
    """Write the report, and the tables into a page that has room for them; the report's file."""
    from salticid.lab import LEAGUE_REPORT, markdown, render

    report = out_dir / LEAGUE_REPORT
    report.write_text(render(league, results, LEAGUE_REPORT), encoding="utf-8", newline="\n")
    put_figures(into, markdown(league, results))
    return report


def _write_shares(results: list[MatchResult], file: Path) -> None:
    import msgspec

    from salticid.lab import shares

    try:
        file.write_bytes(msgspec.json.format(msgspec.json.encode(shares(results)), indent=1) + b"\n")
    except OSError as error:
        raise UserError(f"cannot write {file}: {error.strerror}; name another file with --shares") from None


def _tell_league(league: League, results: list[MatchResult], report: Path) -> None:
    """Show who won where, and where to read on."""
    from salticid.lab import tables, terms

    for table in tables(results):
        print_table(table.title, table.head, table.rows)
    out.print(safe(terms(league)), soft_wrap=True)
    out.print(f"The report is in {report}", highlight=False, soft_wrap=True)


# `salticid policies`: rules for rounds of watching, raced on generated webs with days.


def policies(
    out_dir: Annotated[Path, typer.Option("--out", help="A folder for webs, runs and figures.", metavar="DIR")],
    pages: Annotated[int, typer.Option(min=1000, help="Pages of each web.")] = 5000,
    webs: Annotated[int, typer.Option(min=1, help="How many webs.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Of the first web; the others follow.")] = 11,
    topics_per_web: Annotated[
        int | None, typer.Option(min=1, help="Topics of each web, evenly spread [default: all].")
    ] = None,
    days: Annotated[int, typer.Option(min=1, help="Rounds, a day each.")] = 30,
    first: Annotated[int, typer.Option(min=1, help="Fetches of the first hunt.")] = 300,
    fetches: Annotated[int, typer.Option(min=1, help="Fetches of each round.")] = 20,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes at work [default: all cores].")] = None,
    into: Annotated[
        Path | None,
        typer.Option(help="Put the figures between the marks of this page too.", metavar="FILE.md"),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
) -> None:
    """Race the policy of `salticid watch` against simpler ones on generated webs with days.

    Example: salticid policies --topics-per-web 5 --out policies
    """
    from salticid.lab import (  # here: it takes its time to import
        FIGURE,
        PolicyRace,
        figure,
        policy_markdown,
        policy_table,
        policy_terms,
        race_policies,
    )

    check_marks(into)
    race = PolicyRace(pages, webs, seed, days, first, fetches, topics_per_web)
    try:
        with Work("racing", 0, err) as work:
            results = race_policies(race, out_dir, workers or os.cpu_count() or 1, work.part)
    except KeyboardInterrupt:
        err.print("Stopped; the same command goes on from there.")
        raise typer.Exit(INTERRUPTED) from None
    (out_dir / FIGURE).write_text(figure(results))
    if into is not None:
        images = into.parent / "images"
        images.mkdir(exist_ok=True)
        (images / FIGURE).write_text(figure(results))
        put_figures(into, policy_markdown(results, f"{images.name}/{FIGURE}"))
    if json:
        print_json(results)
        return
    table = policy_table(results)
    print_table(table.title, table.head, table.rows)
    out.print(safe(policy_terms(results)), soft_wrap=True)
    out.print(f"The curves are in {out_dir / FIGURE}", highlight=False, soft_wrap=True)
