"""`salticid world build`: make a recorded world from pages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from salticid.cli.console import err, out, print_json, safe
from salticid.cli.options import Quiet, moment
from salticid.cli.progress import Work
from salticid.errors import UserError

if TYPE_CHECKING:
    from salticid.worlds.answers import WorldSource
    from salticid.worlds.build import WorldSummary
    from salticid.worlds.generating.building import WebEdition
    from salticid.worlds.html_folder import HtmlFolder


def build_world(
    world: Annotated[Path, typer.Argument(metavar="OUT", help="The new folder of the world.")],
    warc: Annotated[
        list[Path] | None, typer.Option(help="A WARC file; may be given again.", metavar="FILE")
    ] = None,
    html: Annotated[Path | None, typer.Option(help="A folder of HTML files.", metavar="DIR")] = None,
    base_url: Annotated[str | None, typer.Option(help="Where that folder is served.", metavar="URL")] = None,
    webkb: Annotated[Path | None, typer.Option(help="The CMU 4 Universities tree.", metavar="DIR")] = None,
    crawl: Annotated[Path | None, typer.Option(help="The folder of a crawl.", metavar="DIR")] = None,
    synthetic: Annotated[int | None, typer.Option(min=1, help="A generated web.", metavar="PAGES")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the generated web.")] = 0,
    at: Annotated[
        str | None,
        typer.Option(
            help="The day of the generated web, a number; or the date at which a crawl's pages are wanted.",
            metavar="DAY|DATE",
        ),
    ] = None,
    menus: Annotated[
        bool, typer.Option("--menus", help="Heavy menus on the sites of the generated web.")
    ] = False,
    context_paths: Annotated[
        bool, typer.Option("--context-paths", help="Keep the headings and list items above links beside it.")
    ] = False,
    labels: Annotated[Path | None, typer.Option(help="Lines of URL, tab, label.", metavar="TSV")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
) -> None:
    """Make a recorded world, on which any strategy can crawl.

    Example: salticid world build world/ --html pages/ --base-url http://example.org/ --labels labels.tsv
    """
    # Here: they take their time to import.
    from salticid.worlds.generating.building import WebEdition
    from salticid.worlds.warc_source import WarcFiles
    from salticid.worlds.webkb import WebKB

    if context_paths and (crawl is not None or synthetic is not None):
        raise UserError("--context-paths are read from HTML, which this source has not; leave them out")
    if at is not None and crawl is None and synthetic is None:
        raise UserError("--at says nothing to this source, which is of one day; leave it out")
    build_pages = _build_with_paths if context_paths else _build
    choices: list[Callable[[], WorldSummary]] = []
    if warc:
        choices.append(lambda: build_pages(world, WarcFiles(warc), labels))
    if html is not None:
        choices.append(lambda: build_pages(world, _html_folder(html, base_url), labels))
    if webkb is not None:
        choices.append(lambda: build_pages(world, WebKB(webkb), labels))
    if crawl is not None:
        choices.append(lambda: _build_from_crawl(world, crawl, at, labels))
    if synthetic is not None:
        choices.append(lambda: _build_generated(world, WebEdition(synthetic, seed, _day(at), menus), labels))
    if len(choices) != 1:
        raise UserError(
            "give exactly one source: --warc, --html with --base-url, --webkb, --crawl or --synthetic"
        )
    result = choices[0]()
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


def _build(
    world: Path, source: WorldSource, labels: Path | None, beside: Callable[[Path], None] | None = None
) -> WorldSummary:
    from salticid.worlds.build import build

    with Work("building", source.size, err) as work:
        return build(world, source, labels, lambda count, pages: work.at(count, f"{pages} pages"), beside)


def _build_with_paths(world: Path, source: WorldSource, labels: Path | None) -> WorldSummary:
    from salticid.worlds.context_path_file import WithContextPaths

    with WithContextPaths(source) as noting:
        return _build(world, noting, labels, noting.write_beside)


def _build_from_crawl(world: Path, folder: Path, at: str | None, labels: Path | None) -> WorldSummary:
    from salticid.worlds.crawl_source import CrawledPages

    source = CrawledPages(folder, None if at is None else moment(at))
    return _build(world, source, labels, source.write_belief)


def _build_generated(world: Path, edition: WebEdition, labels: Path | None) -> WorldSummary:
    from salticid.worlds.generating.building import build_generated

    with Work("building", edition.pages, err) as work:
        return build_generated(world, edition, labels, lambda count, pages: work.at(count, f"{pages} pages"))


def _day(at: str | None) -> int:
    """The day of a generated web; 0 unless one is named."""
    if at is not None and not at.isdecimal():
        raise UserError(
            f"no --at {at!r}: days of a generated web are counted from 0; write a number, as in --at 30"
        )
    return int(at or 0)


def _html_folder(folder: Path, base_url: str | None) -> HtmlFolder:
    if base_url is None:
        raise UserError("--html needs --base-url URL, the address under which that folder was served")

    from salticid.worlds.html_folder import HtmlFolder

    return HtmlFolder(folder, base_url)
