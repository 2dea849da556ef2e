"""`salticid export`: the pages of a crawl for other programs."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from salticid.cli.console import err, out, print_json, safe
from salticid.cli.crawl_reading import crawl_in
from salticid.cli.options import Quiet
from salticid.cli.progress import Work
from salticid.errors import UserError
from salticid.store.exports.export import ExportResult, Format, export
from salticid.store.exports.new_file import new_file
from salticid.store.exports.selection import Criteria, PageOrder

STDOUT = "-"


def export_pages(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a crawl.")],
    to: Annotated[Format, typer.Option(help="What to write.")],
    file: Annotated[
        str, typer.Option("--out", help="The new file; - for stdout (all but parquet, warc).", metavar="FILE")
    ],
    on_topic: Annotated[
        bool,
        typer.Option("--on-topic", help="Only pages above the judge's line or liked, and none rejected."),
    ] = False,
    min_score: Annotated[
        float | None, typer.Option(min=0, max=1, help="Only pages the judge gives so much.", metavar="X")
    ] = None,
    liked: Annotated[bool, typer.Option("--liked", help="Only pages that you liked.")] = False,
    order: Annotated[PageOrder, typer.Option(help="The best first, or as visited.")] = PageOrder.BEST,
    everything: Annotated[
        bool, typer.Option("--all", help="Near-duplicates and pages gone by now, too.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE if it exists.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
) -> None:
    """Write the pages of a crawl to a file: main text, language, scores, dates, and how each was found.

    Scores are those of now: what you liked and rejected counts. Without a choice, all pages are written.

    Example: salticid export crawls/spiders --on-topic --to csv --out found.csv
    """
    _check(folder, to, file, json)
    start = time.monotonic()
    with crawl_in(folder) as crawl, _stream(file, force) as stream:
        with Work("exporting", len(crawl), err) as work:
            criteria = Criteria(min_score, everything, on_topic, liked, order=order)
            result = export(
                crawl, to, criteria, stream, lambda visits, pages: work.at(visits, f"{pages} pages")
            )
        size = None if file == STDOUT else stream.tell()
    if json:
        facts = {"out": file, "format": to.value, **asdict(result), "bytes": size}
        print_json({**facts, "seconds": round(time.monotonic() - start, 3)})
    else:
        _tell(file, result, size)


def _tell(file: str, result: ExportResult, size: int | None) -> None:
    pages = f"{result.pages} pages"
    console, line = (err, pages) if size is None else (out, f"{file}: {pages}, {size:,} bytes")
    console.print(safe(line), highlight=False, soft_wrap=True)
    for why, count in result.skipped.items():
        if count:
            console.print(f"  left out: {count} x {why}", highlight=False)


def _check(folder: Path, to: Format, file: str, json: bool) -> None:
    if file == STDOUT and to in (Format.PARQUET, Format.WARC):
        raise UserError(f"--to {to.value} is no text for stdout; name a file with --out")
    if file == STDOUT and json:
        raise UserError("--out - and --json both want stdout; name a file with --out")
    if file != STDOUT and _is_of_crawl(folder, Path(file)):
        raise UserError(f"{file} belongs to the crawl itself; name another file with --out")


def _is_of_crawl(folder: Path, file: Path) -> bool:
    """Whether a file is one of those a crawl is made of, which --force must not replace."""
    whole, part = folder.resolve(), file.resolve()
    if whole not in part.parents:
        return False
    first = part.relative_to(whole).parts[0]
    return first in ("lock", "warc") or first.startswith(("crawl.db", "search.db"))


@contextmanager
def _stream(file: str, force: bool) -> Iterator[BinaryIO]:
    if file == STDOUT:
        yield sys.stdout.buffer
    else:
        with new_file(Path(file), force) as stream:
            yield stream
