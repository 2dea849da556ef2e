"""`salticid evolve`: find the weights of a rank function by crawls that are simulated on a recorded world."""

from __future__ import annotations

import os
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from salticid.cli.console import Work, err, out, print_json, safe
from salticid.cli.interrupts import INTERRUPTED
from salticid.cli.options import Quiet
from salticid.cli.ray_cluster import on_ray
from salticid.errors import SalticidError, UserError

MOST_PARENTS = 5
"""So many generations of pages above a link can be counted."""

if TYPE_CHECKING:
    from salticid.evolve import Evolution, SearchPlan, Stage, State, Weights
    from salticid.lab import EvolvedStrategy


def evolve(
    world: Annotated[Path, typer.Argument(metavar="WORLD", help="The folder of a recorded world.")],
    topic: Annotated[Path | None, typer.Option(help="What is looked for.", metavar="TOPIC.toml")] = None,
    population: Annotated[int, typer.Option(min=2, help="Strategies of a generation.")] = 50,
    generations: Annotated[int, typer.Option(min=0, help="How often the population is renewed.")] = 50,
    crawl_length: Annotated[
        int | None,
        typer.Option(min=1, help="Pages of a simulated crawl [default: a tenth of the world, 10000 at the most]."),
    ] = None,
    runs: Annotated[int, typer.Option(min=1, help="Crawls by which a strategy is judged.")] = 3,
    seed: Annotated[int, typer.Option(min=0, help="Of all that is left to chance.")] = 0,
    letter: Annotated[bool, typer.Option("--letter", help="To the letter of the paper, from a random start.")] = False,
    reach: Annotated[
        float, typer.Option(min=0.01, max=1, help="How much of a strategy is sought; the rest is Best-First.")
    ] = 1.0,
    search: Annotated[
        Literal["genetic", "real"] | None,
        typer.Option(help="Bit strings or numbers [default: real; genetic with --letter]."),
    ] = None,
    terms: Annotated[
        Literal["all", "paper"] | None,
        typer.Option(help="What the rank function is made of [default: all; the paper's with --letter]."),
    ] = None,
    parents: Annotated[
        int, typer.Option(min=1, max=MOST_PARENTS, help="How far above a link pages count: k of parent_k.")
    ] = MOST_PARENTS,
    margin: Annotated[
        bool | None,
        typer.Option("--margin/--no-margin", help="Parents count by the SVM's raw margin [default: with --letter]."),
    ] = None,
    phases: Annotated[int, typer.Option(min=1, max=9, help="Parts of a crawl, each with weights of its own.")] = 1,
    phases_by: Annotated[
        Literal["pages", "distance"],
        typer.Option(help="Phases follow each other, or are for links 1, 2, ... from the seeds."),
    ] = "pages",
    reward_hosts: Annotated[
        float, typer.Option(min=0, help="More for the first good page of a new host.", metavar="X")
    ] = 0.0,
    reward_distance: Annotated[
        float, typer.Option(min=0, help="More for good pages far from the seeds.", metavar="X")
    ] = 0.0,
    reward_length: Annotated[
        float, typer.Option(min=0, help="More for good pages late in the crawl.", metavar="X")
    ] = 0.0,
    begin_with: Annotated[
        list[Path] | None,
        typer.Option("--from", help="An evolved file to begin with; may be given again.", metavar="FILE.toml"),
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes at work [default: all cores].")] = None,
    ray: Annotated[str | None, typer.Option(help="Crawl on a Ray cluster.", metavar="ADDRESS|local")] = None,
    out_file: Annotated[
        Path | None, typer.Option("--out", help="The strategy file to write.", metavar="FILE.toml")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
) -> None:
    """Evolve a strategy for a topic, and write it to a file that any crawl takes.

    Example: salticid evolve world --topic topic.toml --out evolved.toml
    """
    if topic is None:
        raise UserError("no topic; name a topic file with --topic, as in --topic topic.toml")
    file, folder = _outputs(out_file)

    from salticid.truth import load_topic  # here, as what follows: it takes its time to import

    subject, _ = load_topic(topic)

    from salticid.evolve import (
        PAPER_TERMS,
        Goal,
        SearchPlan,
        Simulation,
        Stage,
        digest_of,
        enough_good,
        judge_for,
        prepare_worker,
        versions,
        with_parents,
        within_reach,
    )
    from salticid.lab import SEARCH_REPORT, render_search, strategy_file, summary, weights_in
    from salticid.strategies.parts import Ranking
    from salticid.webs import RecordedWeb

    ranking = Ranking(letter if margin is None else margin, phases_by == "distance")
    all_terms = PAPER_TERMS if (terms or ("paper" if letter else "all")) == "paper" else Simulation.terms
    search_terms = with_parents(all_terms, parents)
    given = tuple(
        within_reach(weights_in(each, search_terms, phases), search_terms, reach) for each in begin_with or ()
    )
    first_weights = given if letter else _with_known_starts(given, search_terms, phases)
    length = crawl_length or _fitting_length(RecordedWeb(world).pages)
    stage = Stage(world.absolute(), subject, judge_for(subject), None if letter else enough_good(length), ranking)
    with Work("preparing", 0, err) as work:
        simulation = prepare_worker(stage, search_terms, work.part)
    plan = SearchPlan(
        simulation.digest, subject.name, digest_of(subject), subject.seeds, simulation.terms, search_terms,
        search or ("genetic" if letter else "real"), population, generations, length, runs, seed, phases,
        Goal(reward_hosts, reward_distance, reward_length), first_weights, versions(), stage.judge, letter,
        stage.least_good, ranking, reach,
    )  # fmt: skip
    state, evolved = _evolve(plan, stage, folder, ray, workers)
    _write(folder / SEARCH_REPORT, render_search(state, evolved))
    _write(file, strategy_file(evolved))
    if json:
        print_json(summary(state, evolved) | {"out": str(file), "report": str(folder / SEARCH_REPORT)})
    else:
        _tell(evolved, topic, file, folder / SEARCH_REPORT)


def _with_known_starts(given: tuple[Weights, ...], terms: tuple[str, ...], phases: int) -> tuple[Weights, ...]:
    """Weights to begin with: Best-First's, then those that were given, then what else is known to be good."""
    from salticid.evolve import known_starts

    best_first, *others = known_starts(terms, phases)
    return best_first, *given, *others


def _evolve(
    plan: SearchPlan, stage: Stage, folder: Path, ray: str | None, workers: int | None
) -> tuple[State, EvolvedStrategy]:
    """Search on this machine or on a cluster; whoever stops it may go on later."""
    from salticid.evolve import Checkpoint, Evolution, crawlers

    with on_ray(stage, ray, workers) if ray else crawlers(stage, workers or os.cpu_count() or 1) as pool:
        evolution = Evolution(plan, pool, Checkpoint(folder))
        try:
            return _search(evolution)
        except KeyboardInterrupt:
            err.print(f"Stopped in generation {evolution.generation}; the same command goes on from there.")
            raise typer.Exit(INTERRUPTED) from None


def _fitting_length(pages: int) -> int:
    """How long a crawl is simulated where nobody said it; said where it is shorter than usual."""
    from salticid.evolve import LONGEST, fitting_length

    length = fitting_length(pages)
    if length < LONGEST:
        err.print(
            f"The world has {pages:,} pages, so crawls of {length:,} are simulated; --crawl-length says otherwise.",
            highlight=False,
            soft_wrap=True,
        )
    return length


def _search(evolution: Evolution) -> tuple[State, EvolvedStrategy]:
    """Search, showing how it goes on; then test what was found."""
    from salticid.lab import with_evidence

    before, start = evolution.trial_count, time.monotonic()
    with Work("evolving", evolution.total - before, err) as work:

        def show(crawls: int) -> None:
            seconds_left = (time.monotonic() - start) / (crawls - before) * (evolution.total - crawls)
            work.at(crawls - before, _note(evolution, seconds_left))

        state = evolution.run(show)
        return state, with_evidence(state, evolution.crawlers, work.part)


def _note(evolution: Evolution, seconds: float) -> str:
    """How a search stands, in half a line."""
    plan, state = evolution.plan, evolution.state
    at = f"generation {evolution.generation} of {plan.generations}"
    if state.history:
        at += f", best {state.history[-1].best:.4f}, mean {state.history[-1].mean:.4f}"
    return f"{at}, {seconds / 60:.0f} min left" if seconds >= 90 else f"{at}, {seconds:.0f} s left"


def _tell(evolved: EvolvedStrategy, topic: Path, file: Path, report: Path) -> None:
    """Say what was found, how to crawl with it, and where to read on."""
    out.print(safe(evolved.verdict()), soft_wrap=True)
    out.print(safe(evolved.what_matters()), soft_wrap=True)
    hint = f"salticid crawl {shlex.quote(str(topic))} --strategy {shlex.quote(str(file))}"
    out.print(safe(f"Crawl with it: {hint}"), highlight=False, soft_wrap=True)
    out.print(f"The report is in {report}", highlight=False, soft_wrap=True)


def _outputs(file: Path | None) -> tuple[Path, Path]:
    """The strategy file, and the folder beside it that holds the search."""
    if file is None:
        raise UserError("nowhere to write to; name a file with --out, as in --out evolved.toml")
    if file.suffix != ".toml":
        raise UserError(f"{file} is no name for a strategy file; let it end in .toml")
    if not file.parent.is_dir():
        raise UserError(f"there is no folder {file.parent} to write {file.name} to; name one that exists")
    folder = file.with_suffix(".search")
    if file.exists() and not folder.exists():
        raise UserError(f"{file} exists already; name another file with --out, or remove it")
    return file, folder


def _write(file: Path, text: str) -> None:
    """Put a text in the place of what the file held; whole at every moment."""
    partial = file.with_name(f".{file.name}.partial")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(file)
    except OSError as error:
        raise SalticidError(f"cannot write {file}: {error.strerror}") from None
