"""`salticid world build`: make a recorded world from pages."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from salticid.cli.console import err, out, print_json, safe
from salticid.cli.options import Quiet, moment
from salticid.cli.progress import Work
from salticid.errors import UserError
from salticid.world_sources import At, Option, Source, WorldPlan, world_sources

_SOURCES = {name: world_sources.make(name) for name in world_sources.names()}


def build_world(
    world: Annotated[Path, typer.Argument(metavar="OUT", help="The new folder of the world.")],
    at: Annotated[
        str | None,
        typer.Option(
            help="The day of the generated web, a number; or the date at which a crawl's pages are wanted.",
            metavar="DAY|DATE",
        ),
    ] = None,
    context_paths: Annotated[
        bool, typer.Option("--context-paths", help="Keep the headings and list items above links beside it.")
    ] = False,
    labels: Annotated[Path | None, typer.Option(help="Lines of URL, tab, label.", metavar="TSV")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
    **options: Any,
) -> None:
    """Make a recorded world, on which any strategy can crawl.

    Example: salticid world build world/ --html pages/ --base-url http://example.org/ --labels labels.tsv
    """
    source = _chosen(options)
    if context_paths and not source.has_html:
        raise UserError("--context-paths are read from HTML, which this source has not; leave them out")
    result = source.build(WorldPlan(world, options, _at(source, at), labels, context_paths, _watching))
    for remark in result.remarks:
        err.print(safe(remark), soft_wrap=True)
    digest, left_out = result.manifest.digest, result.manifest.left_out
    if json:
        facts = {"world": str(world), "pages": result.pages, "labels": result.label_count}
        print_json({**facts, "left_out": left_out, "digest": digest})
        return
    out.print(f"{world}: {result.pages} pages, {result.label_count} labels, digest {digest}", highlight=False)
    for why, count in left_out.items():
        out.print(f"  left out: {count} x {why}", highlight=False)
    out.print(f"Look into it with: salticid world info {world}", highlight=False)


def _chosen(options: dict[str, Any]) -> Source:
    given = [source for name, source in _SOURCES.items() if options[name]]
    if len(given) != 1:
        *names, last = (f"--{_dashed(name)}" for name in _SOURCES)
        raise UserError(f"give exactly one source: {', '.join(names)} or {last}")
    return given[0]


def _at(source: Source, text: str | None) -> float | None:
    """The moment or the day that a person named."""
    if text is None:
        return None
    if source.at is At.NOTHING:
        raise UserError("--at says nothing to this source, which is of one day; leave it out")
    if source.at is At.DATE:
        return moment(text)
    if not text.isdecimal():
        raise UserError(
            f"no --at {text!r}: days of a generated web are counted from 0; write a number, as in --at 30"
        )
    return int(text)


@contextmanager
def _watching(size: int) -> Iterator[Callable[[int, int], None]]:
    with Work("building", size, err) as work:
        yield lambda count, pages: work.at(count, f"{pages} pages")


def _dashed(name: str) -> str:
    return name.replace("_", "-")


def _parameter(name: str, option: Option) -> inspect.Parameter:
    about = typer.Option(f"--{_dashed(name)}", help=option.help, metavar=option.metavar, min=option.min)
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=Annotated[option.kind, about]
    )


def _signature() -> inspect.Signature:
    """The signature of the command with the options of all sources, behind the folder."""
    first, *others, _ = inspect.signature(build_world, eval_str=True).parameters.values()
    added: dict[str, Option] = {}
    for name, source in _SOURCES.items():
        added |= {name: source.option, **source.more}
    own = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in others]
    return inspect.Signature([first, *(_parameter(*pair) for pair in added.items()), *own])


build_world.__signature__ = _signature()  # type: ignore[attr-defined]
