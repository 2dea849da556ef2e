"""`salticid export`: the pages of a crawl for other programs."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from salticid.cli.console import Work, err, out, print_json, safe
from salticid.cli.options import At, Quiet, moment
from salticid.errors import UserError
from salticid.formats import FileFormat, FolderFormat, export, formats
from salticid.store.exports import PageOrder, new_file, new_folder, size_of

if TYPE_CHECKING:
    from salticid.formats import ExportResult, Format
    from salticid.store import CrawlFolder
    from salticid.store.news import Since

STDOUT = "-"
_FORMATS = formats.names()


def export_pages(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a crawl.")],
    to: Annotated[
        str,
        typer.Option(help="What to write.", metavar="|".join(_FORMATS), autocompletion=lambda: _FORMATS),
    ],
    file: Annotated[
        str,
        typer.Option(
            "--out",
            help="The new file or folder; - for stdout (formats that are text).",
            metavar="PATH",
        ),
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
    everything: Annotated[bool, typer.Option("--all", help="Near-duplicates and pages gone by now, too.")] = False,
    with_noindex: Annotated[
        bool, typer.Option("--with-noindex", help="Pages that forbid it (noindex), too; they are marked.")
    ] = False,
    at: At = None,
    since: Annotated[
        str | None,
        typer.Option(
            help="Only pages new or changed since a day or a round began, and what changed.",
            metavar="DATE|ROUND",
        ),
    ] = None,
    chunks: Annotated[
        int | None,
        typer.Option(min=20, help="Cut pages by their headings into pieces of about N words.", metavar="N"),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace PATH if it exists.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
) -> None:
    """Write the pages of a crawl to a file or a folder: main text, Markdown, scores, dates, and how each was found.

    Scores are those of now: what you liked and rejected counts. Without a choice, all pages are written.

    Example: salticid export crawls/spiders --on-topic --to csv --out found.csv
    """
    from salticid.cli.visits import crawl_in  # here, as what follows: it takes its time to import
    from salticid.store.exports import Criteria

    form = formats.make(to)
    _check(folder, to, form, file, json, chunks)
    start = time.monotonic()
    when = None if at is None else moment(at)
    criteria = Criteria(min_score, everything, on_topic, liked, order=order, noindex=with_noindex, at=when)
    with crawl_in(folder, when) as crawl, Work("exporting", len(crawl), err) as work:
        if since is not None:
            criteria = replace(criteria, since=_since(crawl, since, when))

        def watch(visits: int, pages: int) -> None:
            work.at(visits, f"{pages} pages")

        if isinstance(form, FolderFormat):
            with new_folder(Path(file), force) as new:
                result = export(crawl, to, criteria, new, watch, chunks)
                size: int | None = size_of(new)
        else:
            with _stream(file, force) as stream:
                result = export(crawl, to, criteria, stream, watch, chunks)
                size = None if file == STDOUT else stream.tell()
    if json:
        facts = {"out": file, "format": to, **asdict(result), "bytes": size}
        print_json({**facts, "seconds": round(time.monotonic() - start, 3)})
    else:
        _tell(file, result, size)


def _since(crawl: CrawlFolder, text: str, when: float | None) -> Since:
    """The beginning of a round, by its number, or of a day; news are told up to a moment, if one is named."""
    from salticid.store.news import Since

    if text.isascii() and text.isdecimal():
        return Since.of_round(crawl, int(text), when)
    return Since.of_time(crawl, moment(text, day_ends=False), when)


def _tell(file: str, result: ExportResult, size: int | None) -> None:
    pages = f"{result.pages} pages"
    console, line = (err, pages) if size is None else (out, f"{file}: {pages}, {size:,} bytes")
    console.print(safe(line), highlight=False, soft_wrap=True)
    for why, count in result.skipped.items():
        if count:
            console.print(f"  left out: {count} x {why}", highlight=False)


def _check(folder: Path, to: str, form: Format, file: str, json: bool, chunks: int | None) -> None:
    if file == STDOUT and not (isinstance(form, FileFormat) and form.is_text):
        what = "a folder, nothing" if isinstance(form, FolderFormat) else "no text"
        raise UserError(f"--to {to} is {what} for stdout; name a path with --out")
    if file == STDOUT and json:
        raise UserError("--out - and --json both want stdout; name a file with --out")
    if chunks is not None and not form.has_chunks:
        raise UserError(f"--to {to} has no chunks; leave out --chunks, or choose --to jsonl")
    if file != STDOUT and _is_of_crawl(folder, Path(file)):
        raise UserError(f"{file} belongs to the crawl itself; name another path with --out")
    _check_followed(folder, file)


def _check_followed(folder: Path, file: str) -> None:
    """UnsafeFile if the path leads into the crawl folder, and there over a symlink that somebody else may have set."""
    from salticid.store import folder_in

    part = Path(file).absolute()
    whole = next((each for each in part.parents if folder.exists() and each.exists() and each.samefile(folder)), None)
    if file != STDOUT and whole is not None:
        with suppress(FileNotFoundError), folder_in(whole, str(part.relative_to(whole).parent)):
            pass


def _is_of_crawl(folder: Path, file: Path) -> bool:
    """Whether a file is one of those a crawl is made of, which --force must not replace."""
    whole, part = folder.resolve(), file.resolve()
    if whole not in part.parents:
        return False
    first = part.relative_to(whole).parts[0]
    return first in ("lock", "rounds", "warc") or first.startswith(("crawl.db", "search.db"))


@contextmanager
def _stream(file: str, force: bool) -> Iterator[BinaryIO]:
    if file == STDOUT:
        yield sys.stdout.buffer
    else:
        with new_file(Path(file), force) as stream:
            yield stream
